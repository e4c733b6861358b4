"""The view of idle devices: how long nothing ran, why, which lines were the reason, how far the host was ahead, and how launches did."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from msgspec import Struct

from kinetoscope.analysis.devices import DeviceNames
from kinetoscope.analysis.idle import CAUSES, OF_THE_HOST, Floats, Window, gaps_of_devices, shared_by_node, stretches
from kinetoscope.analysis.launch_statistics import LaunchStatistics, StreamQueue, launch_statistics, stream_queues
from kinetoscope.analysis.line_details import frame_of
from kinetoscope.analysis.tables import StackFrame
from kinetoscope.linking.call_tree import OUTSIDE
from kinetoscope.linking.linked import LinkedTrace


class DeviceIdle(Struct, frozen=True, kw_only=True):
    """One device: `busy_us` + `idle_us` = `total_us`; `causes`, which are disjoint, add up to `idle_us`."""

    device: str
    total_us: float
    busy_us: float
    idle_us: float
    gaps: int
    longest_gap_us: float
    causes: dict[str, float]
    """Cause → microseconds, each of `analysis.idle.CAUSES`."""


class LineIdle(Struct, frozen=True, kw_only=True):
    """The host's part of idle time that was spent on one line. `idle_us` is the sum of the other three, and `gpu_idle_us` of `lines`."""

    frame: StackFrame | None
    """None for what no user line is known of."""
    idle_us: float
    data_loading_us: float
    synchronisation_us: float
    host_us: float


class Idle(Struct, frozen=True, kw_only=True):
    """`devices` by name; `lines` dearest first."""

    devices: list[DeviceIdle]
    lines: list[LineIdle]
    queues: list[StreamQueue]
    launches: LaunchStatistics
    notices: list[str]


def idle(linked: LinkedTrace, window_ns: Window | None = None) -> Idle:
    """Idle time is clipped to the window; without one it is that between a device's first and last activity. Launches count where their
    call began within it. Several devices' idle time on a line adds up."""
    names = DeviceNames(linked.trace)
    devices: list[DeviceIdle] = []
    by_node: dict[int, Floats] = {cause: np.zeros(len(linked.tree)) for cause in OF_THE_HOST}
    nowhere: dict[int, float] = defaultdict(float)
    for gaps in gaps_of_devices(linked, window_ns):
        spent = dict.fromkeys(CAUSES, 0)
        for thread, cause, when in stretches(linked, gaps):
            spent[CAUSES[cause]] += when.length()
            if cause in OF_THE_HOST:
                shared = shared_by_node(linked, thread, when)
                nowhere[cause] += when.length() - float(shared.sum()) + float(shared[OUTSIDE])
                shared[OUTSIDE] = 0
                by_node[cause] += shared
        lengths = np.minimum(gaps.end_ns, gaps.within_ns[1]) - np.maximum(gaps.start_ns, gaps.within_ns[0])
        devices.append(
            DeviceIdle(
                device=names.of_work(gaps.device),
                total_us=(gaps.within_ns[1] - gaps.within_ns[0]) / 1000,
                busy_us=gaps.busy.length() / 1000,
                idle_us=int(lengths.sum()) / 1000,
                gaps=len(lengths),
                longest_gap_us=int(lengths.max(initial=0)) / 1000,
                causes={cause: ns / 1000 for cause, ns in spent.items()},
            )
        )
    return Idle(
        devices=devices,
        lines=_lines(linked, by_node, nowhere),
        queues=stream_queues(linked, names, window_ns),
        launches=launch_statistics(linked, window_ns),
        notices=[] if devices else ["The trace has no device work, so no device was idle or busy."],
    )


def _lines(linked: LinkedTrace, by_node: dict[int, Floats], nowhere: dict[int, float]) -> list[LineIdle]:
    tree = linked.tree
    lines: dict[tuple[str, int], list[int]] = defaultdict(list)
    for node in np.flatnonzero(sum(by_node.values(), np.zeros(len(tree)))).tolist():
        lines[(tree.places[tree.place[node]].file, tree.line[node])].append(node)
    rows = [_line(weakest_frame(linked, nodes), [float(by_node[cause][nodes].sum()) for cause in OF_THE_HOST]) for nodes in lines.values()]
    outside = [nowhere[cause] for cause in OF_THE_HOST]
    if any(outside):
        rows.append(_line(None, outside))
    return sorted(rows, key=lambda row: -row.idle_us)


def _line(frame: StackFrame | None, ns: list[float]) -> LineIdle:
    loading, waiting, host = (one / 1000 for one in ns)
    return LineIdle(frame=frame, idle_us=sum(ns) / 1000, data_loading_us=loading, synchronisation_us=waiting, host_us=host)


def weakest_frame(linked: LinkedTrace, nodes: list[int]) -> StackFrame:
    """The place of nodes of one line, with the weakest precision among them."""
    return frame_of(linked, max(nodes, key=lambda node: linked.tree.precision[node]))
