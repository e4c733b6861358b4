"""Ranges inside ranges on the same thread.

Rule: a range lies in the innermost range of its thread that has started and not ended when it starts. Ends that cross by rounding
are no errors.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinetoscope.trace.columns import Ints


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
        for number in np.unique(thread).tolist():
            low, high = np.searchsorted(self.thread, [number, number + 1])
            hits = np.flatnonzero(thread == number)
            index = np.searchsorted(self.ts_ns[low:high], ts_ns[hits], side="right") - 1
            found[hits] = np.where(index >= 0, index + low, -1)
        while True:
            open_ = found >= 0
            over = np.zeros(len(found), bool)
            over[open_] = self.end_ns[found[open_]] <= ts_ns[open_]
            if not over.any():
                return found
            found[over] = self.parent[found[over]]


def nest(thread: Ints, ts_ns: Ints, dur_ns: Ints, open_until_ns: int) -> Nested:
    """Nest ranges that are sorted by thread, start, longest first. A missing duration (-1) lasts until `open_until_ns`."""
    end_ns = np.where(dur_ns < 0, max(open_until_ns, 0), ts_ns + dur_ns)
    parents: list[int] = []
    stack: list[int] = []
    ends: list[int] = []
    current = None
    for index, (owner, start, end) in enumerate(zip(thread.tolist(), ts_ns.tolist(), end_ns.tolist(), strict=True)):
        if owner != current:
            current = owner
            stack.clear()
            ends.clear()
        while ends and ends[-1] <= start:
            ends.pop()
            stack.pop()
        parents.append(stack[-1] if stack else -1)
        stack.append(index)
        ends.append(end)
    return Nested(thread, ts_ns, end_ns, np.array(parents, dtype=np.int64))
