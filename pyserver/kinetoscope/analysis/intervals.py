"""Sets of moments as sorted, disjoint intervals: what several things cover together, alone, or within steps.

All times are int64 nanoseconds; an interval holds its start and not its end; empty ones are dropped.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kinetoscope.trace.columns import Ints


@dataclass(frozen=True)
class Intervals:
    """`start_ns` ascending, no two intervals touch."""

    start_ns: Ints
    end_ns: Ints

    def length(self) -> int:
        """All of it, nanoseconds."""
        return int((self.end_ns - self.start_ns).sum())

    def before(self, time_ns: Ints) -> Ints:
        """How much of it lies before each moment."""
        done = np.concatenate([np.zeros(1, np.int64), np.cumsum(self.end_ns - self.start_ns)])
        index = np.searchsorted(self.start_ns, time_ns, side="right") - 1
        if not len(self.start_ns):
            return np.zeros(len(time_ns), np.int64)
        safe = np.maximum(index, 0)
        part = np.minimum(time_ns, self.end_ns[safe]) - self.start_ns[safe]
        return np.where(index >= 0, done[safe] + part, 0)

    def within(self, start_ns: Ints, end_ns: Ints) -> Ints:
        """How much of it lies in each of the given intervals."""
        return self.before(end_ns) - self.before(start_ns)


def union(start_ns: Ints, end_ns: Ints) -> Intervals:
    """What any of the given intervals covers; they may come in any order and overlap."""
    real = end_ns > start_ns
    start, end = start_ns[real], end_ns[real]
    if len(start) and (start[1:] < start[:-1]).any():
        order = np.argsort(start, kind="stable")
        start, end = start[order], end[order]
    reach = np.maximum.accumulate(end)
    opens: NDArray[np.bool_] = np.ones(len(start), bool)
    opens[1:] = start[1:] > reach[:-1]
    first = np.flatnonzero(opens)
    last = np.concatenate([first[1:] - 1, [len(start) - 1]]).astype(np.int64) if len(first) else first
    return Intervals(start[first], reach[last])


def union_of_threads(thread: Ints, start_ns: Ints, end_ns: Ints) -> Intervals:
    """The same for ranges sorted by thread and start, as host events are: most lie in others, and are dropped before anything is sorted."""
    bounds = np.flatnonzero(np.diff(thread)) + 1
    pieces = [union(*piece) for piece in zip(np.split(start_ns, bounds), np.split(end_ns, bounds), strict=True)]
    return union_of(*pieces)


def union_of(*parts: Intervals) -> Intervals:
    """What any of them covers."""
    return union(np.concatenate([part.start_ns for part in parts]), np.concatenate([part.end_ns for part in parts]))


def clipped(one: Intervals, window_ns: tuple[int, int]) -> Intervals:
    """What of it lies in the window."""
    return union(np.maximum(one.start_ns, window_ns[0]), np.minimum(one.end_ns, window_ns[1]))


def divide(one: Intervals, other: Intervals) -> tuple[Intervals, Intervals]:
    """`(what both cover, what only the first covers)`."""
    edges = [np.column_stack([part.start_ns, part.end_ns]).reshape(-1) for part in (one, other)]
    time = np.concatenate(edges)
    # The first counts 1 and the second 2.
    change = np.tile(np.array([1, -1]), len(time) // 2)
    change[len(edges[0]) :] *= 2
    order = np.argsort(time, kind="stable")
    level, time = np.cumsum(change[order]), time[order]
    both, alone = np.flatnonzero(level[:-1] == 3), np.flatnonzero(level[:-1] == 1)
    return union(time[both], time[both + 1]), union(time[alone], time[alone + 1])
