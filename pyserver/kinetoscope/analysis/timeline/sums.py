"""What a range of the timeline cost, by operator, kernel and line: the numbers of the views of these names for the same range."""

from __future__ import annotations

import numpy as np

from kinetoscope.analysis.kernels import kernels, on_streams
from kinetoscope.analysis.lines import function_of_line, nodes_of_lines, outermost_nodes, with_nodes_below
from kinetoscope.analysis.node_costs import Floats, host_time, kernels_by_node, part_of_recording
from kinetoscope.analysis.operators import operators
from kinetoscope.analysis.ranges import Window
from kinetoscope.analysis.timeline.answers import KernelSum, LineSum, OperatorSum, Sums, SumsQuestion
from kinetoscope.analysis.timeline.lanes import Lane
from kinetoscope.analysis.timeline.timeline import Timeline
from kinetoscope.linking.call_tree import OUTSIDE, PRECISIONS


def sums(timeline: Timeline, question: SumsQuestion, window_ns: Window = None) -> Sums:
    """The sums of the window, or of the whole recording. Raises `QuestionError` for unknown tracks."""
    linked = timeline.linked
    lanes: list[Lane] | None = None
    if question.tracks is not None:
        lanes = timeline.lanes.below([timeline.lane(track).id for track in question.tracks])
    threads = {lane.thread for lane in lanes if lane.thread is not None} if lanes is not None else None
    streams = {lane.stream for lane in lanes if lane.stream is not None} if lanes is not None else None
    start, end = window_ns or part_of_recording(linked, None)
    return Sums(
        start_us=timeline.us(start),
        end_us=timeline.us(end),
        operators=[
            OperatorSum(
                name=row.name,
                calls=row.calls,
                host_self_us=row.host_self_us,
                host_total_us=row.host_total_us,
                device_self_us=row.device_self_us,
                device_total_us=row.device_total_us,
            )
            for row in operators(linked, window_ns, threads=threads).rows
        ],
        kernels=[
            KernelSum(name=row.name, family=row.family, calls=row.calls, total_us=row.total_us)
            for row in kernels(linked, window_ns, streams=streams).rows
        ],
        lines=_lines(timeline, window_ns, lanes),
    )


def _lines(timeline: Timeline, window_ns: Window, lanes: list[Lane] | None) -> list[LineSum]:
    linked, tree = timeline.linked, timeline.linked.tree
    node, _, device_ns = kernels_by_node(linked, window_ns)
    timelines = None
    if lanes is not None:
        device_ns = device_ns * on_streams(linked, {lane.stream for lane in lanes if lane.stream is not None})
        threads = {lane.thread for lane in lanes if lane.thread is not None}
        chosen = {int(linked.timelines.of_thread[thread]) for thread in threads} | {lane.timeline for lane in lanes}
        timelines = [each for number, each in enumerate(linked.timelines.all) if number in chosen]
    host, device = host_time(linked, window_ns, timelines), np.bincount(node, weights=device_ns, minlength=len(tree)).astype(np.float64)
    host_total, device_total = with_nodes_below(tree, host), with_nodes_below(tree, device)
    some = np.flatnonzero((host_total > 0) | (device_total > 0))

    def us(values: Floats, nodes: list[int]) -> float:
        return float(values[nodes].sum()) / 1000

    rows: list[LineSum] = []
    for key, nodes in nodes_of_lines(tree, some[some > OUTSIDE].tolist()).items():
        outer = outermost_nodes(tree, nodes, key)
        rows.append(
            LineSum(
                file=key[0],
                line=key[1],
                function=function_of_line(tree, nodes),
                precision=PRECISIONS[max(tree.precision[node] for node in nodes)],  # type: ignore[arg-type]
                cpu_self_us=us(host, nodes),
                cpu_total_us=us(host_total, outer),
                gpu_us=us(device, nodes),
                gpu_total_us=us(device_total, outer),
            )
        )
    return sorted(rows, key=lambda row: (-row.gpu_us, -row.cpu_self_us, row.file, row.line))
