"""Everything that is known of one event: its times, what the trace says of it, the code it belongs to, and the events it belongs with."""

from __future__ import annotations

import json
from collections.abc import Iterator

import numpy as np

from kinetoscope.analysis.kernel_names import family_of, uses_tensor_cores
from kinetoscope.analysis.line_details import frame_of
from kinetoscope.analysis.ranges import kernel_moments
from kinetoscope.analysis.timeline.answers import (
    CollectiveFacts,
    EventDetails,
    EventLink,
    EventQuestion,
    EventRef,
    KernelFacts,
    OperatorInput,
    PythonFrame,
    Relation,
)
from kinetoscope.analysis.timeline.events import DEVICE_RANGE, FRAME, KERNEL, LAUNCH, LINE, OP, STEP, TABLES
from kinetoscope.analysis.timeline.timeline import Timeline
from kinetoscope.linking.attribution import Belonging
from kinetoscope.linking.call_tree import OUTSIDE
from kinetoscope.linking.places import FileNames, parse_frame
from kinetoscope.trace.columns import DeviceRanges, Ints, Ops
from kinetoscope.trace.text import one_line

LINKS_AT_MOST = 100
_HOST = frozenset({LINE, FRAME, OP, LAUNCH})


def details(timeline: Timeline, question: EventQuestion) -> EventDetails:
    """All about one event. Raises `QuestionError` where there is no such event."""
    return _Details(timeline, timeline.ref(question.event)).all()


class _Details:
    """One event, given by where it is."""

    def __init__(self, timeline: Timeline, ref: EventRef) -> None:
        self._timeline = timeline
        self._linked = timeline.linked
        self._ref = ref
        self._row, self._table = divmod(ref.event, TABLES)
        start, end = timeline.events.times_of(self._table)
        self._start, self._end = int(start[self._row]), int(end[self._row])
        self._thread, self._moment = self._started()

    def all(self) -> EventDetails:
        trace, row, table = self._linked.trace, self._row, self._table
        node, backward, recomputed = self._belonging()
        stack = [frame_of(self._linked, above) for above in reversed([*self._linked.tree.path(node)])]
        work = self._work()
        on_device = table in (KERNEL, DEVICE_RANGE)
        device = trace.kernels if table == KERNEL else trace.device_ranges
        links, left_out = self._links(work)
        return EventDetails(
            event=self._ref,
            ended=self._dur_ns() >= 0,
            self_us=(self._end - self._start - self._inside_ns()) / 1000,
            thread=self._timeline.lanes.title_of_thread(self._thread) if self._thread >= 0 else "",
            device=self._timeline.lanes.name_of_device(int(device.device[row])) if on_device else "",
            stream=int(device.stream[row]) if on_device else None,
            backward=backward,
            recomputed=recomputed,
            device_us=int(np.maximum(trace.kernels.dur_ns[work], 0).sum()) / 1000 if len(work) else None,
            inputs=self._inputs(),
            sequence=_number(int(trace.ops.sequence[row])) if table == OP else None,
            kernel=self._kernel() if table == KERNEL else None,
            collective=self._collective(),
            line=stack[-1] if stack else None,
            stack=stack,
            python=self._python(),
            links=links,
            links_left_out=left_out,
        )

    def _dur_ns(self) -> int:
        """As the trace has it: -1 where it does not."""
        if self._table in (STEP, LINE):
            return self._end - self._start
        trace = self._linked.trace
        of_table = {FRAME: trace.frames, OP: trace.ops, LAUNCH: trace.launches, KERNEL: trace.kernels, DEVICE_RANGE: trace.device_ranges}
        return int(of_table[self._table].dur_ns[self._row])

    def _started(self) -> tuple[int, int]:
        """`(thread, moment)` in which it was begun on the host: its own, of device work its launch's; thread -1 where that is not known."""
        trace, row = self._linked.trace, self._row
        if self._table == KERNEL:
            thread, moment = kernel_moments(self._linked)
            return int(thread[row]), int(moment[row])
        if self._table == LINE:
            timeline = int(np.searchsorted(self._timeline.events.standing.bounds, row, side="right")) - 1
            owners = np.flatnonzero(self._linked.timelines.of_thread[: len(trace.threads)] == timeline)
            return (int(owners[0]) if len(owners) else -1), self._start
        on_host = {FRAME: trace.frames, OP: trace.ops, LAUNCH: trace.launches}.get(self._table)
        return (int(on_host.thread[row]) if on_host is not None else -1), self._start

    def _belonging(self) -> tuple[int, bool, bool]:
        """`(node, backward, recomputed)`"""
        linked, row = self._linked, self._row
        if self._table == LINE:
            return int(self._timeline.events.standing.node[row]), False, False
        known: dict[int, Belonging] = {OP: linked.op, LAUNCH: linked.launch, KERNEL: linked.kernel}
        if self._table == FRAME:
            one = linked.attribution.at(np.array([self._thread], np.int64), np.array([self._start], np.int64))
            return int(one.node[0]), bool(one.backward[0]), bool(one.recomputed[0])
        if self._table not in known:
            return OUTSIDE, False, False
        mine = known[self._table]
        return int(mine.node[row]), bool(mine.backward[row]), bool(mine.recomputed[row])

    def _inside_ns(self) -> int:
        if self._table not in _HOST and self._table != DEVICE_RANGE:
            return 0
        spans = self._timeline.spans(self._ref.track)
        index, row = spans.place(self._ref.event, self._start)
        return spans.inside_ns(index, row)

    def _work(self) -> Ints:
        """Rows of the device work that was launched in it."""
        if self._table == LAUNCH:
            return np.flatnonzero(self._linked.launch_of_kernel == self._row)
        if self._table not in _HOST or self._thread < 0:
            return np.zeros(0, np.int64)
        thread, moment = kernel_moments(self._linked)
        return np.flatnonzero((thread == self._thread) & (moment >= self._start) & (moment < self._end))

    def _inputs(self) -> list[OperatorInput]:
        if self._table != OP:
            return []
        ops, names = self._linked.trace.ops, self._linked.trace.names
        shapes, types = (_listed(names, int(column[self._row])) for column in (ops.input_dims, ops.input_types))
        count = max(len(shapes), len(types))
        padded = (column + [""] * (count - len(column)) for column in (shapes, types))
        return [OperatorInput(shape=shape, type=kind) for shape, kind in zip(*padded, strict=True)]

    def _kernel(self) -> KernelFacts:
        trace, row = self._linked.trace, self._row
        kernels, name = trace.kernels, trace.names[int(trace.kernels.name[row])]
        launch = int(self._linked.launch_of_kernel[row])
        delay = None
        if launch >= 0 and trace.launches.dur_ns[launch] >= 0:
            delay = max(self._start - int(trace.launches.ts_ns[launch] + trace.launches.dur_ns[launch]), 0) / 1000
        return KernelFacts(
            family=family_of(name),
            tensor_cores=uses_tensor_cores(name),
            grid=_text(trace.names, int(kernels.grid[row])),
            block=_text(trace.names, int(kernels.block[row])),
            registers=_number(int(kernels.registers[row])),
            shared_memory_bytes=_number(int(kernels.shared_memory[row])),
            blocks_per_sm=_real(float(kernels.blocks_per_sm[row])),
            occupancy=_real(float(kernels.occupancy[row])),
            bytes=_number(int(kernels.bytes[row])),
            correlation=_number(int(kernels.correlation[row])),
            delay_us=delay,
        )

    def _collective(self) -> CollectiveFacts | None:
        if self._table not in (OP, KERNEL):
            return None
        trace, on_device = self._linked.trace, self._table == KERNEL
        said = trace.collectives
        same = (said.on_device == on_device) & (said.ts_ns == self._start)
        if on_device:
            same &= (said.name == trace.kernels.name[self._row]) & (said.correlation == trace.kernels.correlation[self._row])
        else:
            same &= (said.name == trace.ops.name[self._row]) & (said.thread == self._thread)
        rows = np.flatnonzero(same)
        if not len(rows):
            return None
        row = int(rows[0])
        return CollectiveFacts(
            collective=_text(trace.names, int(said.collective[row])),
            dtype=_text(trace.names, int(said.dtype[row])),
            in_elements=_number(int(said.in_elements[row])),
            out_elements=_number(int(said.out_elements[row])),
            group=_text(trace.names, int(said.group[row])),
            group_description=_text(trace.names, int(said.group_description[row])),
            group_ranks=_text(trace.names, int(said.group_ranks[row])).strip('"'),
            group_size=_number(int(said.group_size[row])),
        )

    def _python(self) -> list[PythonFrame]:
        lane = self._timeline.lanes.of_thread(self._thread, "python") if self._thread >= 0 else None
        if lane is None or lane.spans is None:
            return []
        depth = self._ref.row + 1 if self._table == FRAME else None  # others may begin in it at the same nanosecond
        trace, files = self._linked.trace, FileNames(self._linked.trace.recording)
        events = lane.spans.event[lane.spans.around(self._moment)[:depth]].astype(np.int64)
        found: list[PythonFrame] = []
        for event, name in zip(events.tolist(), self._timeline.events.name_of(events).tolist(), strict=True):
            parsed = parse_frame(trace.names[int(trace.frames.name[event // TABLES])])
            found.append(
                PythonFrame(
                    event=event,
                    name=self._timeline.events.names[name],
                    file=files.resolve(parsed.path) if parsed else "",
                    line=parsed.line if parsed else 0,
                    function=parsed.function if parsed else "",
                    user=parsed is not None and files.is_user(parsed.path),
                )
            )
        return found

    def _links(self, work: Ints) -> tuple[list[EventLink], dict[str, int]]:
        found: list[EventLink] = []
        left_out: dict[str, int] = {}
        for relation, table, rows in self._related(work):
            found += [EventLink(relation=relation, to=self._timeline.ref(row * TABLES + table)) for row in rows[:LINKS_AT_MOST].tolist()]
            if len(rows) > LINKS_AT_MOST:
                left_out[relation] = len(rows) - LINKS_AT_MOST
        return found, left_out

    def _related(self, work: Ints) -> Iterator[tuple[Relation, int, Ints]]:
        """`(relation, table, rows)`, each in time order."""
        linked, row = self._linked, self._row
        parent = self._parent()
        if parent >= 0:
            yield "parent", parent % TABLES, np.array([parent // TABLES])
        if self._table == KERNEL:
            yield "launch", LAUNCH, _known(linked.launch_of_kernel[row : row + 1])
            yield "operator", OP, self._operator_of_kernel()
        elif len(work):
            yield "kernel", KERNEL, work
        if self._table == OP:
            ops, forward = linked.trace.ops, linked.links.forward_op
            root = int(linked.op.root[row])
            if root >= 0:
                yield "forward", OP, _known(forward[root : root + 1])
            if self._timeline.events.operators[row]:
                yield "backward", OP, linked.links.roots[self._backward_of()]
            yield "device_annotation", DEVICE_RANGE, self._twins(linked.trace.device_ranges, ops)
        if self._table == DEVICE_RANGE:
            yield "annotation", OP, self._twins(linked.trace.ops, linked.trace.device_ranges)

    def _parent(self) -> int:
        """The event around it on its track, -1 where there is none."""
        if self._ref.row == 0 or (self._table not in _HOST and self._table != DEVICE_RANGE):
            return -1
        spans = self._timeline.spans(self._ref.track)
        return int(spans.event[spans.before(self._start, self._ref.row - 1)])

    def _operator_of_kernel(self) -> Ints:
        """The innermost operator in which it was launched."""
        tied = self._linked.op_of_kernel[self._row : self._row + 1]
        if tied[0] >= 0 or self._thread < 0:
            return _known(tied)
        lane = self._timeline.lanes.of_thread(self._thread, "operators")
        if lane is None or lane.spans is None:
            return _known(tied)
        around = lane.spans.event[lane.spans.around(self._moment)].astype(np.int64)
        rows = around[around % TABLES == OP] // TABLES
        return rows[self._timeline.events.operators[rows]][-1:]

    def _backward_of(self) -> Ints:
        """Backward operators, outermost only, whose forward operator is this one or in it."""
        linked, ops = self._linked, self._linked.trace.ops
        forward, above = linked.links.forward_op, linked.links.nested.parent
        safe = np.maximum(forward, 0)
        mine = (forward >= 0) & (ops.thread[safe] == self._thread) if len(ops.thread) else forward >= 0
        mine &= (ops.ts_ns[safe] >= self._start) & (ops.ts_ns[safe] < self._end) | (safe == self._row)
        outermost = ~((above >= 0) & mine[np.maximum(above, 0)]) if len(mine) else mine
        rows = np.flatnonzero(mine & outermost)
        return rows[np.argsort(linked.links.nested.ts_ns[rows], kind="stable")]

    def _twins(self, others: Ops | DeviceRanges, own: Ops | DeviceRanges) -> Ints:
        """Annotations of the other table with the same External id and name."""
        number = int(own.external_id[self._row])
        return (
            np.flatnonzero((others.external_id == number) & (others.name == own.name[self._row])) if number > 0 else np.zeros(0, np.int64)
        )


def _known(rows: Ints) -> Ints:
    return rows[rows >= 0]


def _listed(names: list[str], number: int) -> list[str]:
    """The entries of a JSON list that the trace has as text; the text itself where it is no list."""
    if number < 0:
        return []
    try:
        entries = json.loads(names[number])
    except ValueError:
        return [one_line(names[number])]
    return [entry if isinstance(entry, str) else json.dumps(entry) for entry in entries] if isinstance(entries, list) else [str(entries)]


def _text(names: list[str], number: int) -> str:
    return one_line(names[number]) if number >= 0 else ""


def _number(value: int) -> int | None:
    return value if value >= 0 else None


def _real(value: float) -> float | None:
    return value if value >= 0 else None
