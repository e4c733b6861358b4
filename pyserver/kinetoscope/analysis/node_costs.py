"""Costs of each node of the call tree, before they are gathered into lines. All columns have one entry a node, times in nanoseconds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from kinetoscope.analysis.idle import idle_by_node
from kinetoscope.analysis.ranges import Window, kernel_ns, within
from kinetoscope.analysis.waiting import waiting_calls
from kinetoscope.linking.call_tree import OUTSIDE, Timeline
from kinetoscope.linking.linked import LinkedTrace
from kinetoscope.trace.columns import Bools, Ints, distinct

Floats = NDArray[np.float64]
_Stretches: TypeAlias = tuple[Ints, Ints]
"""`(node, ns)` of each."""


@dataclass(frozen=True)
class NodeCosts:
    """`host`: wall time on the thread while the node was innermost; `host_backward`: of backward ops whose forward op is here;
    `device`, `device_backward` likewise for kernels; `host_recompute`, `device_recompute`: the parts of all these that were
    forward work done again inside backward; `launches`: number of launches; `sync`: host time waiting; `idle`: device
    idle time caused; `arrivals`: times the line was arrived at. In a window times are clipped to it, but calls that wait count
    where they begin, with all their time, as in the view of waiting."""

    host: Floats
    host_backward: Floats
    device: Floats
    device_backward: Floats
    host_recompute: Floats
    device_recompute: Floats
    launches: Floats
    sync: Floats
    idle: Floats
    arrivals: Ints


def node_costs(linked: LinkedTrace, window_ns: Window = None) -> NodeCosts:
    """Sum the linked trace, or the part of it in the window, up by node."""
    size = len(linked.tree)
    kernel_node, kernel_backward, device_ns = kernels_by_node(linked, window_ns)
    again = linked.kernel.recomputed
    host_backward, host_recompute = _host_time_in_backward(linked, window_ns)

    def by_node(node: Ints, weight: NDArray[np.float64] | Ints) -> Floats:
        return np.bincount(node, weights=weight, minlength=size).astype(np.float64)

    launches, launch = linked.trace.launches, linked.launch
    begun = within(launches.ts_ns, window_ns)
    started = np.unique(linked.launch_of_kernel[linked.launch_of_kernel >= 0])
    started, waits = started[begun[started]], waiting_calls(linked)
    waits = waits[begun[waits]]
    return NodeCosts(
        host=host_time(linked, window_ns),
        host_backward=by_node(*host_backward),
        device=by_node(kernel_node[~kernel_backward], device_ns[~kernel_backward]),
        device_backward=by_node(kernel_node[kernel_backward], device_ns[kernel_backward]),
        host_recompute=by_node(*host_recompute),
        device_recompute=by_node(kernel_node[again], device_ns[again]),
        launches=by_node(launch.node[started], np.ones(len(started))),
        sync=by_node(launch.node[waits], np.maximum(launches.dur_ns[waits], 0)),
        idle=idle_by_node(linked, window_ns),
        arrivals=linked.tree.arrivals.count(size, window_ns),
    )


def kernels_by_node(linked: LinkedTrace, window_ns: Window = None) -> tuple[Ints, Bools, Ints]:
    """`(node, is backward, ns within the window)` of each kernel; node `OUTSIDE` where no user line is known."""
    return linked.kernel.node, linked.kernel.backward, kernel_ns(linked, window_ns)


def part_of_recording(linked: LinkedTrace, window_ns: Window) -> tuple[int, int]:
    """The window as far as it lies in the recording; empty where it does not."""
    if window_ns is None:
        return linked.window_ns
    start = max(window_ns[0], linked.window_ns[0])
    return start, max(start, min(window_ns[1], linked.window_ns[1]))


def host_time(linked: LinkedTrace, window_ns: Window = None, timelines: Iterable[Timeline] | None = None) -> Floats:
    """Time between a thread's moves, within the window and the recording, of these threads or all. A thread's last node lasts until that
    ends (a thread that ended stands outside)."""
    start, end = part_of_recording(linked, window_ns)
    result = np.zeros(len(linked.tree))
    for timeline in linked.timelines.all if timelines is None else timelines:
        edges = (
            np.clip(np.concatenate([timeline.ts_ns, [max(end, int(timeline.ts_ns[-1]))]]), start, end)
            if len(timeline.ts_ns)
            else np.zeros(1)
        )
        result += np.bincount(timeline.node, weights=np.diff(edges), minlength=len(result))
    result[OUTSIDE] = 0
    return result


def _host_time_in_backward(linked: LinkedTrace, window_ns: Window) -> tuple[_Stretches, _Stretches]:
    """The stretches of time that are backward work of a known forward op (with its node), and those in which forward work is done
    again: cut at every start and end of a backward op, of a forward op and every move of the thread, so that nothing is counted
    twice and user frames entered in backward keep their own time. What is done again is cut to the recording, as `host` is, so that
    it is never more than what it is a part of."""
    nested = linked.links.nested
    start, end = part_of_recording(linked, window_ns)
    backward: list[_Stretches] = []
    again: list[_Stretches] = []
    for thread in distinct(nested.thread):
        low, high = np.searchsorted(nested.thread, [thread, thread + 1])
        which = int(linked.timelines.of_thread[thread])
        moves = linked.timelines.all[which].ts_ns if which >= 0 else np.zeros(0, np.int64)
        edges = [nested.ts_ns[low:high], nested.end_ns[low:high], moves, linked.links.forward_edges(thread)]
        cuts = np.unique(np.concatenate(edges))
        belonging = linked.attribution.at(np.full(len(cuts) - 1, thread, np.int64), cuts[:-1])
        lengths = np.diff(cuts if window_ns is None else np.clip(cuts, *window_ns))
        backward.append((belonging.node[belonging.backward], lengths[belonging.backward]))
        again.append((belonging.node[belonging.recomputed], np.diff(np.clip(cuts, start, end))[belonging.recomputed]))
    return _joined(backward), _joined(again)


def _joined(parts: list[_Stretches]) -> _Stretches:
    none = np.zeros(0, np.int64)
    return np.concatenate([none, *(node for node, _ in parts)]), np.concatenate([none, *(length for _, length in parts)])
