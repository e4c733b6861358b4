"""Device idle time and the lines that caused it.

Rule (`gpu_idle_us`): in each gap between activities of a device, the part before the host issued the launch that ended the gap is
the host's doing. It is shared among the nodes that the launching thread stood on in that part.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kinetoscope.linking.linked import LinkedTrace
from kinetoscope.trace.columns import Ints


@dataclass(frozen=True)
class Gaps:
    """The host's part of each gap of one device, in time order: disjoint."""

    thread: Ints
    """The thread whose launch ended the gap."""
    start_ns: Ints
    end_ns: Ints


def host_bound_gaps(linked: LinkedTrace) -> Iterator[Gaps]:
    """For each device, what the host left it idle."""
    kernels, launches = linked.trace.kernels, linked.trace.launches
    for device in np.unique(kernels.device).tolist():
        rows = np.flatnonzero(kernels.device == device)
        begin = kernels.ts_ns[rows]
        busy_until = np.maximum.accumulate(begin + np.maximum(kernels.dur_ns[rows], 0))
        launch = linked.launch_of_kernel[rows[1:]]
        gap = (begin[1:] > busy_until[:-1]) & (launch >= 0)
        issued = np.minimum(launches.ts_ns[launch[gap]], begin[1:][gap])
        idle_from = busy_until[:-1][gap]
        caused = issued > idle_from
        yield Gaps(launches.thread[launch[gap]][caused], idle_from[caused], issued[caused])


def idle_by_node(linked: LinkedTrace) -> NDArray[np.float64]:
    """Nanoseconds of caused idle time for each node of the call tree. Those of several devices add up."""
    result = np.zeros(len(linked.tree), np.float64)
    for gaps in host_bound_gaps(linked):
        for number in np.unique(gaps.thread).tolist():
            which = int(linked.timelines.of_thread[number])
            mine = gaps.thread == number
            if which < 0 or not len(linked.timelines.all[which].ts_ns):
                continue
            timeline = linked.timelines.all[which]
            start, end = gaps.start_ns[mine], gaps.end_ns[mine]
            edges = np.concatenate([timeline.ts_ns, [max(int(end.max()), int(timeline.ts_ns[-1]))]])
            idle = np.diff(_idle_until(edges, start, end))
            result += np.bincount(timeline.node, weights=idle, minlength=len(result))
    return result


def _idle_until(time_ns: Ints, start_ns: Ints, end_ns: Ints) -> Ints:
    """How much of the disjoint gaps lies before each time."""
    before = np.concatenate([[0], np.cumsum(end_ns - start_ns)])
    gap = np.searchsorted(start_ns, time_ns, side="right") - 1
    inside = np.minimum(time_ns, end_ns[gap]) - start_ns[gap]
    return np.where(gap >= 0, before[gap] + inside, 0)
