"""A linked trace: all relations of one rank's trace, computed once, for the analyses to ask."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from kinetoscope.linking.attribution import Attribution, Belonging
from kinetoscope.linking.backward import BackwardLinks
from kinetoscope.linking.call_tree import OUTSIDE, CallTree, Timeline, Timelines
from kinetoscope.linking.clock import MARKER, ClockMap, clock_map
from kinetoscope.linking.external_ids import op_of_kernel
from kinetoscope.linking.frame_functions import SourceOf
from kinetoscope.linking.launches import launch_of_kernel
from kinetoscope.linking.line_log import LineLogReader
from kinetoscope.linking.nesting import Nested, nest
from kinetoscope.linking.stacks import stack_timelines
from kinetoscope.trace.columns import Bools, Ints, Trace
from kinetoscope.trace.recording import Recording

_Column = TypeVar("_Column", Ints, Bools)


@dataclass(frozen=True, eq=False)
class LinkedTrace:
    """`window_ns`: the recording, in trace time. `op`, `launch`, `allocation`: what each row of the trace's tables belongs to. Equal to
    itself only, so that what is made of it can be kept."""

    trace: Trace
    clock: ClockMap | None
    window_ns: tuple[int, int]
    tree: CallTree
    timelines: Timelines
    links: BackwardLinks
    attribution: Attribution
    ops_nested: Nested
    op: Belonging
    work_op: Bools
    """True for operators: no annotations, no clock markers, no wrappers of the autograd engine."""
    launch: Belonging
    launch_of_kernel: Ints
    op_of_kernel: Ints
    """Row of `trace.ops` for kernels without a launch whose operator is known, else -1."""
    kernel: Belonging
    kernel_thread: Ints
    """The thread that launched each kernel, -1 where it is not known."""
    memory: Belonging


def link(trace: Trace, where: str, sources: SourceOf | None = None, *, infer: bool = True) -> LinkedTrace:
    """Link a trace. `where` names the file in errors. `sources` gives the texts of user files that the recording does not keep; `infer`:
    whether lines are inferred from texts. Raises `TraceError` for a damaged line log."""
    clock = clock_map(trace)
    tree = CallTree()
    ops, launches, memory = trace.ops, trace.launches, trace.memory
    links = BackwardLinks(trace)
    markers = [index for index, name in enumerate(trace.names) if name.startswith(MARKER)]
    work_op = ~ops.annotation & ~links.evaluates & ~np.isin(ops.name, markers)
    ops_nested = nest(ops.thread, ops.ts_ns, ops.dur_ns, trace.end_ns)
    logs = LineLogReader(trace.recording, tree, where).timelines(clock) if clock is not None else {}
    logged = {number for number, (_, tid) in enumerate(trace.threads) if tid in logs}
    stacks = stack_timelines(trace, tree, logged, _texts(trace.recording, sources), work_op, ops_nested, infer=infer)
    timelines = _timelines(trace, logs, stacks)
    attribution = Attribution(trace, timelines, links)
    unknown: Ints = np.full(len(trace.kernels.ts_ns), -1, np.int64)
    op, launch = attribution.at(ops.thread, ops.ts_ns), attribution.at(launches.thread, launches.ts_ns)
    launch_of = launch_of_kernel(trace)
    op_of = op_of_kernel(trace, launch_of, timelines)
    return LinkedTrace(
        trace=trace,
        clock=clock,
        window_ns=_window(trace, clock),
        tree=tree,
        timelines=timelines,
        links=links,
        attribution=attribution,
        ops_nested=ops_nested,
        op=op,
        work_op=work_op,
        launch=launch,
        launch_of_kernel=launch_of,
        op_of_kernel=op_of,
        kernel=_belonging_of_kernels(launch, launch_of, op, op_of),
        kernel_thread=_pick(launches.thread, launch_of, _pick(ops.thread, op_of, unknown)),
        memory=attribution.at(memory.thread, memory.ts_ns),
    )


def _pick(values: _Column, row: Ints, otherwise: _Column) -> _Column:
    """`values[row]`, and `otherwise` where the row is -1."""
    result = otherwise.copy()
    result[row >= 0] = values[row[row >= 0]]
    return result


def _belonging_of_kernels(launch: Belonging, launch_of: Ints, op: Belonging, op_of: Ints) -> Belonging:
    """That of a kernel's launch, else of its operator."""
    nowhere: Ints = np.full(len(launch_of), OUTSIDE, np.int64)
    unknown: Ints = np.full(len(launch_of), -1, np.int64)
    no: Bools = np.zeros(len(launch_of), bool)
    return Belonging(
        node=_pick(launch.node, launch_of, _pick(op.node, op_of, nowhere)),
        backward=_pick(launch.backward, launch_of, _pick(op.backward, op_of, no)),
        root=_pick(launch.root, launch_of, _pick(op.root, op_of, unknown)),
        recomputed=_pick(launch.recomputed, launch_of, _pick(op.recomputed, op_of, no)),
    )


def _texts(recording: Recording, more: SourceOf | None) -> SourceOf:
    """The texts of the files that the recording keeps, then `more`."""
    recorded = {file.path: file.text for file in recording.files if file.text is not None}

    def text_of(path: str) -> str | None:
        return recorded[path] if path in recorded else more(path) if more is not None else None

    return text_of


def _timelines(trace: Trace, logs: dict[int, Timeline], stacks: dict[int, Timeline]) -> Timelines:
    """The line log where a thread has one, else its stacks."""
    number_of = {tid: number for number, (_, tid) in enumerate(trace.threads)}
    by_thread: dict[int, Timeline] = {number_of[tid]: timeline for tid, timeline in logs.items() if tid in number_of} | stacks
    silent = [timeline for tid, timeline in logs.items() if tid not in number_of]
    of_thread = np.full(max(len(trace.threads), 1), -1, np.int64)
    for index, thread in enumerate(by_thread):
        of_thread[thread] = index
    return Timelines([*by_thread.values(), *silent], of_thread)


def _window(trace: Trace, clock: ClockMap | None) -> tuple[int, int]:
    recorded = trace.recording.window
    if clock is None or recorded is None:
        return 0, trace.end_ns
    start, end = clock.to_trace(np.array(recorded, dtype=np.int64)).tolist()
    return start, end
