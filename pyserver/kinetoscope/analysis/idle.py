"""Device idle time and the lines that caused it.

Rule (`gpu_idle_us`): in each gap between activities of a device, the part before the host issued the launch that ended the gap is
the host's doing. It is shared among the nodes that the launching thread stood on in that part.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kinetoscope.linking.linked import LinkedTrace
from kinetoscope.trace.columns import Ints


def host_bound_gaps(linked: LinkedTrace) -> tuple[Ints, Ints, Ints]:
    """`(launching thread, start_ns, end_ns)` of the host's part of each gap, over all devices."""
    kernels, launches = linked.trace.kernels, linked.trace.launches
    threads: list[Ints] = []
    starts: list[Ints] = []
    ends: list[Ints] = []
    for device in np.unique(kernels.device).tolist():
        rows = np.flatnonzero(kernels.device == device)
        begin = kernels.ts_ns[rows]
        busy_until = np.maximum.accumulate(begin + np.maximum(kernels.dur_ns[rows], 0))
        launch = linked.launch_of_kernel[rows[1:]]
        gap = (begin[1:] > busy_until[:-1]) & (launch >= 0)
        issued = np.minimum(launches.ts_ns[launch[gap]], begin[1:][gap])
        idle_from = busy_until[:-1][gap]
        caused = issued > idle_from
        threads.append(launches.thread[launch[gap]][caused])
        starts.append(idle_from[caused])
        ends.append(issued[caused])
    empty = np.zeros(0, np.int64)
    return np.concatenate([empty, *threads]), np.concatenate([empty, *starts]), np.concatenate([empty, *ends])


def idle_by_node(linked: LinkedTrace) -> NDArray[np.float64]:
    """Nanoseconds of caused idle time for each node of the call tree."""
    result = np.zeros(len(linked.tree), np.float64)
    thread, start, end = host_bound_gaps(linked)
    for number in np.unique(thread).tolist():
        which = int(linked.timelines.of_thread[number])
        if which < 0:
            continue
        timeline = linked.timelines.all[which]
        mine = np.flatnonzero(thread == number)
        order = mine[np.argsort(start[mine], kind="stable")]
        edges = np.concatenate([timeline.ts_ns, [max(int(end[mine].max()), int(timeline.ts_ns[-1]))]])
        idle = np.zeros(len(edges))
        # Gaps of one device are disjoint; those of several may overlap, and then each device's idling counts.
        for row_start, row_end in zip(start[order].tolist(), end[order].tolist(), strict=True):
            low, high = np.searchsorted(edges, [row_start, row_end])
            low = max(int(low) - 1, 0)
            inner = np.clip(edges[low : int(high) + 1], row_start, row_end)
            idle[low : low + len(inner) - 1] += np.diff(inner)
        np.add.at(result, timeline.node, idle[:-1])
    return result
