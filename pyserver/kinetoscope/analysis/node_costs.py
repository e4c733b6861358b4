"""Costs of each node of the call tree, before they are gathered into lines. All columns have one entry a node, times in nanoseconds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kinetoscope.analysis.idle import idle_by_node
from kinetoscope.linking.call_tree import OUTSIDE
from kinetoscope.linking.linked import LinkedTrace
from kinetoscope.trace.columns import Bools, Ints

Floats = NDArray[np.float64]

# Calls in which the host waits for the device: CUDA and HIP, runtime and driver.
_SYNCHRONISING = frozenset(
    f"{vendor}{call}"
    for vendor in ("cuda", "hip")
    for call in ("DeviceSynchronize", "StreamSynchronize", "EventSynchronize", "Memcpy", "MemcpyWithStream", "Memcpy2D", "Free", "HostFree")
) | frozenset({"cuCtxSynchronize", "cuStreamSynchronize", "cuEventSynchronize"})


@dataclass(frozen=True)
class NodeCosts:
    """`host`: wall time on the thread while the node was innermost; `host_backward`: of backward ops whose forward op is here;
    `device`, `device_backward` likewise for kernels; `launches`: number of launches; `sync`: host time waiting; `idle`: device
    idle time caused."""

    host: Floats
    host_backward: Floats
    device: Floats
    device_backward: Floats
    launches: Floats
    sync: Floats
    idle: Floats


def node_costs(linked: LinkedTrace) -> NodeCosts:
    """Sum the linked trace up by node."""
    size = len(linked.tree)
    kernel_node, kernel_backward, kernel_ns = kernels_by_node(linked)

    def by_node(node: Ints, weight: NDArray[np.float64] | Ints) -> Floats:
        return np.bincount(node, weights=weight, minlength=size).astype(np.float64)

    launches, launch = linked.trace.launches, linked.launch
    started = np.unique(linked.launch_of_kernel[linked.launch_of_kernel >= 0])
    waits = np.isin(launches.name, [index for index, name in enumerate(linked.trace.names) if name in _SYNCHRONISING])
    return NodeCosts(
        host=_host_time(linked),
        host_backward=by_node(*_backward_host_time(linked)),
        device=by_node(kernel_node[~kernel_backward], kernel_ns[~kernel_backward]),
        device_backward=by_node(kernel_node[kernel_backward], kernel_ns[kernel_backward]),
        launches=by_node(launch.node[started], np.ones(len(started))),
        sync=by_node(launch.node[waits], np.maximum(launches.dur_ns[waits], 0)),
        idle=idle_by_node(linked),
    )


def kernels_by_node(linked: LinkedTrace) -> tuple[Ints, Bools, Ints]:
    """`(node, is backward, duration in ns)` of each kernel; node `OUTSIDE` where no user line is known."""
    launch = linked.launch_of_kernel
    known = launch >= 0
    safe = np.maximum(launch, 0)
    if not len(linked.launch.node):
        return np.zeros(len(launch), np.int64), np.zeros(len(launch), bool), np.maximum(linked.trace.kernels.dur_ns, 0)
    node = np.where(known, linked.launch.node[safe], OUTSIDE)
    return node, known & linked.launch.backward[safe], np.maximum(linked.trace.kernels.dur_ns, 0)


def _host_time(linked: LinkedTrace) -> Floats:
    """Time between a thread's moves, within the recording. A thread's last node lasts until the recording ends (a thread that
    ended stands outside)."""
    start, end = linked.window_ns
    result = np.zeros(len(linked.tree))
    for timeline in linked.timelines.all:
        edges = (
            np.clip(np.concatenate([timeline.ts_ns, [max(end, int(timeline.ts_ns[-1]))]]), start, end)
            if len(timeline.ts_ns)
            else np.zeros(1)
        )
        result += np.bincount(timeline.node, weights=np.diff(edges), minlength=len(result))
    result[OUTSIDE] = 0
    return result


def _backward_host_time(linked: LinkedTrace) -> tuple[Ints, Floats]:
    """`(forward node, ns)` for each stretch of time that is backward work of a known forward op: cut at every start and end of a
    backward op and every move of the thread, so that nothing is counted twice and user frames entered in backward keep their own
    time."""
    nested = linked.links.nested
    nodes: list[Ints] = []
    lengths: list[Floats] = []
    for thread in np.unique(nested.thread).tolist():
        low, high = np.searchsorted(nested.thread, [thread, thread + 1])
        which = int(linked.timelines.of_thread[thread])
        moves = linked.timelines.all[which].ts_ns if which >= 0 else np.zeros(0, np.int64)
        cuts = np.unique(np.concatenate([nested.ts_ns[low:high], nested.end_ns[low:high], moves]))
        belonging = linked.attribution.at(np.full(len(cuts) - 1, thread, np.int64), cuts[:-1])
        nodes.append(belonging.node[belonging.backward])
        lengths.append(np.diff(cuts)[belonging.backward].astype(np.float64))
    return np.concatenate([np.zeros(0, np.int64), *nodes]), np.concatenate([np.zeros(0), *lengths])
