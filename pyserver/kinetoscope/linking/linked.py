"""A linked trace: all relations of one rank's trace, computed once, for the analyses to ask."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinetoscope.linking.attribution import Attribution, Belonging
from kinetoscope.linking.backward import BackwardLinks
from kinetoscope.linking.call_tree import CallTree, Timeline, Timelines
from kinetoscope.linking.clock import MARKER, ClockMap, clock_map
from kinetoscope.linking.frame_functions import SourceOf
from kinetoscope.linking.launches import launch_of_kernel
from kinetoscope.linking.line_log import LineLogReader
from kinetoscope.linking.nesting import Nested, nest
from kinetoscope.linking.stacks import stack_timelines
from kinetoscope.trace.columns import Bools, Ints, Trace
from kinetoscope.trace.recording import Recording


@dataclass(frozen=True)
class LinkedTrace:
    """`window_ns`: the recording, in trace time. `op`, `launch`, `allocation`: what each row of the trace's tables belongs to."""

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
    return LinkedTrace(
        trace=trace,
        clock=clock,
        window_ns=_window(trace, clock),
        tree=tree,
        timelines=timelines,
        links=links,
        attribution=attribution,
        ops_nested=ops_nested,
        op=attribution.at(ops.thread, ops.ts_ns),
        work_op=work_op,
        launch=attribution.at(launches.thread, launches.ts_ns),
        launch_of_kernel=launch_of_kernel(trace),
        memory=attribution.at(memory.thread, memory.ts_ns),
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
