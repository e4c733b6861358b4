"""Stretches of time as a pair of columns: union, intersection, what is left, length.

`Intervals` are disjoint, not empty and in time order; `merged` makes them so. Nanoseconds, the end excluded.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinetoscope.trace.columns import Ints


@dataclass(frozen=True)
class Intervals:
    """`[start_ns, end_ns)` of each."""

    start_ns: Ints
    end_ns: Ints

    def total_ns(self) -> int:
        """Their length together."""
        return int((self.end_ns - self.start_ns).sum())

    def until(self, time_ns: Ints) -> Ints:
        """How much of them lies before each time."""
        if not len(self.start_ns):
            return np.zeros(len(time_ns), np.int64)
        before = np.concatenate([[0], np.cumsum(self.end_ns - self.start_ns)])
        index = np.searchsorted(self.start_ns, time_ns, side="right") - 1
        inside = np.minimum(time_ns, self.end_ns[index]) - self.start_ns[index]
        return np.where(index >= 0, before[index] + inside, 0)


def merged(start_ns: Ints, end_ns: Ints) -> Intervals:
    """The union of any stretches; those without a length are none."""
    real = end_ns > start_ns
    start, end = start_ns[real], end_ns[real]
    if not len(start):
        return Intervals(start, end)
    order = np.argsort(start, kind="stable")
    start, until = start[order], np.maximum.accumulate(end[order])
    first = np.concatenate([[True], start[1:] > until[:-1]])
    return Intervals(start[first], until[np.append(first[1:], True)])


def common(one: Intervals, other: Intervals) -> Intervals:
    """Where both are."""
    edges = np.concatenate([one.start_ns, one.end_ns, other.start_ns, other.end_ns])
    change = np.concatenate([np.repeat([1, -1], len(one.start_ns)), np.repeat([1, -1], len(other.start_ns))])
    order = np.lexsort((change, edges))
    edges, covered = edges[order], np.cumsum(change[order])
    both = np.flatnonzero(covered[:-1] == 2) if len(edges) else np.zeros(0, np.int64)
    return merged(edges[both], edges[both + 1])


def without(one: Intervals, other: Intervals) -> Intervals:
    """Where one is and the other is not."""
    if not len(one.start_ns) or not len(other.start_ns):
        return one
    start, end = int(one.start_ns[0]), int(one.end_ns[-1])
    gaps = merged(np.concatenate([[start], other.end_ns]), np.concatenate([other.start_ns, [end]]))
    return common(one, gaps)


def clipped(one: Intervals, window_ns: tuple[int, int]) -> Intervals:
    """What lies in the window."""
    return merged(np.maximum(one.start_ns, window_ns[0]), np.minimum(one.end_ns, window_ns[1]))
