"""Ranges inside ranges on the same thread.

Rule: a range lies in the innermost range of its thread that has started and not ended when it starts. Ends that cross by rounding
are no errors.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinetoscope.trace.columns import Ints, distinct

_ROUNDS = 64


@dataclass(frozen=True)
class Nested:
    """Ranges sorted by thread, start, longest first, with the index of the range that each lies in (`parent`, -1 for none)."""

    thread: Ints
    ts_ns: Ints
    end_ns: Ints
    parent: Ints

    def enclosing(self, thread: Ints, ts_ns: Ints) -> Ints:
        """Index of the innermost range that contains each (thread, time), start included, end excluded; -1 for none."""
        found = np.full(len(ts_ns), -1, np.int64)
        for number in distinct(thread):
            low, high = np.searchsorted(self.thread, [number, number + 1])
            hits = np.flatnonzero(thread == number)
            index = np.searchsorted(self.ts_ns[low:high], ts_ns[hits], side="right") - 1
            found[hits] = np.where(index >= 0, index + low, -1)
        rows = np.arange(len(found))
        for _ in range(_ROUNDS):
            rows = rows[found[rows] >= 0]
            rows = rows[self.end_ns[found[rows]] <= ts_ns[rows]]
            if not len(rows):
                return found
            found[rows] = self.parent[found[rows]]
        found[rows] = self._parents_of_moments(thread[rows], ts_ns[rows])
        return found

    def _parents_of_moments(self, thread: Ints, ts_ns: Ints) -> Ints:
        """The same as ranges without a length among the others: bounded also where ranges are very deep."""
        count = len(self.thread)
        owner, start = np.concatenate([self.thread, thread]), np.concatenate([self.ts_ns, ts_ns])
        order = np.lexsort((np.arange(len(owner)) >= count, start, owner))
        parent = _parents(owner[order], start[order], np.concatenate([self.end_ns, ts_ns])[order])
        above = np.full(len(owner), -1, np.int64)
        above[order] = np.where(parent >= 0, order[parent], -1)
        return above[count:]


def nest(thread: Ints, ts_ns: Ints, dur_ns: Ints, open_until_ns: int) -> Nested:
    """Nest ranges that are sorted by thread, start, longest first. A missing duration (-1) lasts until `open_until_ns`."""
    end_ns = np.where(dur_ns < 0, max(open_until_ns, 0), ts_ns + dur_ns)
    return Nested(thread, ts_ns, end_ns, _parents(thread, ts_ns, end_ns))


def _parents(thread: Ints, ts_ns: Ints, end_ns: Ints) -> Ints:
    """For each range the last one before it on its thread that ends after it starts.

    All ranges look outwards at once. What lies between a range and the one it looks at has ended when it starts; so if that one has
    ended too, the range can go on to where that one looks by now. Neighbours thus skip 1, 2, 4, … of their like; only climbing out of
    ranges inside ranges takes a round each, and what is still climbing after a few dozen rounds goes on by itself.
    """
    first = np.searchsorted(thread, thread)
    parent = np.arange(-1, len(thread) - 1, dtype=np.int64)
    rows = np.arange(len(thread))
    for _ in range(_ROUNDS):
        above = parent[rows]
        inside = above >= first[rows]
        parent[rows[~inside]] = -1
        rows, above = rows[inside], above[inside]
        ended = end_ns[above] <= ts_ns[rows]
        rows, above = rows[ended], above[ended]
        if not len(rows):
            return parent
        parent[rows] = parent[above]
    for row in rows.tolist():  # in order: each looks at ranges whose own parents are known
        above = row - 1
        while above >= first[row] and end_ns[above] <= ts_ns[row]:
            above = int(parent[above])
        parent[row] = above if above >= first[row] else -1
    return parent
