"""Lines of calls and operators that the trace does not tell, from the function's source: precision `inferred`.

For each call of a user function whose source is at hand, what happens directly in it is put in order: its calls, and the operators that
it ran without a call (`a @ b`, `x[i]`). Aligned with the source (alignment.py), those that can only come from one line get that line.
Calls whose line is known hold the alignment in place. Annotations (`record_function`) are no events: they may span many lines.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby

import numpy as np

from kinetoscope.linking.alignment import Aligner, EventKind, kind_of_call, kind_of_operator
from kinetoscope.linking.evaluation import Reading
from kinetoscope.linking.frame_functions import FrameFunctions
from kinetoscope.linking.nesting import Nested, nest
from kinetoscope.linking.site_graph import TooManySitesError
from kinetoscope.linking.source_code import Function, ModuleNames
from kinetoscope.trace.columns import Bools, Ints, Trace

_Event = tuple[bool, int]
"""(is an operator, row of its table)"""


@dataclass
class Inferred:
    """What was found. `one_line`: names of functions whose whole source is one line. `frame_line`, `op_line`: row of the trace's frames, of
    its ops → line. `frame_goes_on`, `op_goes_on`: where the event was aligned, whether it belongs to the same execution of its line as
    the last one in the same call whose line is known."""

    one_line: set[int] = field(default_factory=set)
    frame_line: dict[int, int] = field(default_factory=dict)
    op_line: dict[int, int] = field(default_factory=dict)
    frame_goes_on: dict[int, bool] = field(default_factory=dict)
    op_goes_on: dict[int, bool] = field(default_factory=dict)


def infer_lines(
    trace: Trace, functions: FrameFunctions, operators: Bools, ops_nested: Nested, call_lines: Ints, logged: set[int]
) -> Inferred:
    """Align all calls of user functions whose source is at hand, but on the threads in `logged`. `operators`: which ops are operators at
    all; `call_lines`: the line from which each frame is known to be called, -1 where it is not."""
    result = Inferred()
    frames = trace.frames
    names = functions.with_source()
    result.one_line.update(name for name in names if functions.is_one_line(name))
    with_source = np.isin(frames.name, [*{*names} - result.one_line]) & ~np.isin(frames.thread, list(logged))
    if not with_source.any():
        return result
    nested = nest(frames.thread, frames.ts_ns, frames.dur_ns, trace.end_ns)
    sources, kinds = _Sources(trace, functions), _Kinds(trace)
    direct = _direct_events(trace, nested, with_source, operators, ops_nested)
    sources.note_called(direct, kinds)
    for owner, events in direct.by_owner():
        aligners = sources.aligners(owner)
        if aligners is None:
            continue
        told = [(kinds.operator(row), -1) if is_op else (kinds.call(int(frames.name[row])), int(call_lines[row])) for is_op, row in events]
        telling = [position for position, (kind, _) in enumerate(told) if not kind.anywhere]
        cut = bool(functions.opening[owner])
        left_open = cut or int(nested.end_ns[owner]) >= trace.end_ns
        found = aligners.align([told[position] for position in telling], opened_before=cut, left_open=left_open)
        if found is None:
            continue
        aligner, sites = found
        last_line, last_sites = -1, 0
        for position, here in zip(telling, sites, strict=True):
            is_op, row = events[position]
            line = told[position][1] if told[position][1] > 0 else aligner.line(here)
            if line > 0:
                (result.op_line if is_op else result.frame_line)[row] = line
                (result.op_goes_on if is_op else result.frame_goes_on)[row] = line == last_line and aligner.goes_on(last_sites, here)
                last_line, last_sites = line, here
    return result


class _Aligners:
    """The readings of one function."""

    def __init__(self, function: Function, names: ModuleNames) -> None:
        self._function = function
        self._names = names
        self._made: dict[Reading, Aligner | None] = {}
        self.called: set[str] = set()
        """Names of the functions that were seen to be called from it."""

    def align(self, events: list[tuple[EventKind, int]], *, opened_before: bool, left_open: bool) -> tuple[Aligner, list[int]] | None:
        """The first that fits; of each it is tried whether the function came to its end, and whether it was left by an exception."""
        for reading in Reading:
            aligner = self._aligner(reading)
            if aligner is None:
                return None
            for open_end in (False, True)[left_open:]:
                sites = aligner.candidates(events, opened_before=opened_before, left_open=open_end)
                if sites is not None:
                    return aligner, sites
        return None

    def _aligner(self, reading: Reading) -> Aligner | None:
        """None for functions that are too long or too deep."""
        if reading not in self._made:
            try:
                self._made[reading] = Aligner(self._function, self._names, self.called, reading)
            except (TooManySitesError, RecursionError):
                self._made[reading] = None
        return self._made[reading]


class _Sources:
    """The aligners of the frames' functions, made once for each function."""

    def __init__(self, trace: Trace, functions: FrameFunctions) -> None:
        self._names_of_rows = trace.frames.name
        self._functions = functions
        self._made: dict[tuple[int, bool], _Aligners | None] = {}
        self._of_function: dict[int, _Aligners] = {}

    def note_called(self, direct: _DirectEvents, kinds: _Kinds) -> None:
        """Tell each function's aligners which functions it was seen to call."""
        calls = ~direct.is_op
        owners, called = direct.owner[calls], self._names_of_rows[direct.row[calls]]
        _, first = np.unique(np.stack([self._names_of_rows[owners], called]), axis=1, return_index=True)
        for index in first.tolist():
            aligners = self.aligners(int(owners[index]))
            kind = kinds.call(int(called[index]))
            if aligners is not None and kind.kind == "function":
                aligners.called.add(kind.name)

    def aligners(self, row: int) -> _Aligners | None:
        """Those of a frame's function; None where its source is not at hand."""
        key = (int(self._names_of_rows[row]), bool(self._functions.opening[row]))
        if key not in self._made:
            frame = self._functions.user(key[0])
            function = self._functions.function(frame, key[1]) if frame is not None else None
            names = self._functions.names(frame) if frame is not None else None
            if function is None or names is None:
                self._made[key] = None
            else:
                self._made[key] = self._of_function.setdefault(id(function), _Aligners(function, names))
        return self._made[key]


class _Kinds:
    """The kinds of a trace's names, each worked out once."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._calls: dict[int, EventKind] = {}
        self._operators: dict[int, EventKind] = {}

    def call(self, name: int) -> EventKind:
        if name not in self._calls:
            self._calls[name] = kind_of_call(self._trace.names[name])
        return self._calls[name]

    def operator(self, row: int) -> EventKind:
        name = int(self._trace.ops.name[row])
        if name not in self._operators:
            self._operators[name] = kind_of_operator(self._trace.names[name])
        return self._operators[name]


@dataclass(frozen=True)
class _DirectEvents:
    """What happened directly in frames with a source: the frame (`owner`), whether it was an operator, its row, start and end; sorted by
    frame and time."""

    owner: Ints
    is_op: Bools
    row: Ints
    start: Ints
    end: Ints

    def by_owner(self) -> Iterator[tuple[int, list[_Event]]]:
        """`(frame, its events in order)`."""
        rows = zip(self.owner.tolist(), self.is_op.tolist(), self.row.tolist(), self.start.tolist(), self.end.tolist(), strict=True)
        for frame, group in groupby(rows, key=lambda event: event[0]):
            events: list[_Event] = []
            in_op_until = -1
            for _, is_op, row, start, end in group:
                if start < in_op_until:
                    continue  # run by the operator, not by the function
                events.append((is_op, row))
                if is_op:
                    in_op_until = end
            yield frame, events


def _direct_events(trace: Trace, nested: Nested, with_source: Bools, operators: Bools, ops_nested: Nested) -> _DirectEvents:
    frames, ops = trace.frames, trace.ops
    inside = nested.parent >= 0
    inside[inside] = with_source[nested.parent[inside]]
    calls = np.flatnonzero(inside)
    rows = _direct_operators(trace, nested, operators, ops_nested)
    owners_of_ops = nested.enclosing(ops.thread[rows], ops.ts_ns[rows])
    mine = owners_of_ops >= 0
    mine[mine] = with_source[owners_of_ops[mine]]
    rows, owners_of_ops = rows[mine], owners_of_ops[mine]
    owner = np.concatenate([nested.parent[calls], owners_of_ops])
    start = np.concatenate([frames.ts_ns[calls], ops.ts_ns[rows]])
    end = np.concatenate([nested.end_ns[calls], ops_nested.end_ns[rows]])
    is_op = np.concatenate([np.zeros(len(calls), bool), np.ones(len(rows), bool)])
    row = np.concatenate([calls, rows])
    order = np.lexsort((-end, start, owner))
    return _DirectEvents(owner[order], is_op[order], row[order], start[order], end[order])


def _direct_operators(trace: Trace, nested: Nested, operators: Bools, ops_nested: Nested) -> Ints:
    """Operators (with a namespace in their name; others are ranges) that lie in no other operator of the same frame."""
    ops = trace.ops
    named = np.isin(ops.name, [index for index, name in enumerate(trace.names) if "::" in name])
    counts = operators & named
    around = ops_nested.parent.copy()
    while True:
        passing = around >= 0
        passing[passing] = ~counts[around[passing]]
        if not passing.any():
            break
        around[passing] = ops_nested.parent[around[passing]]
    frame = nested.enclosing(ops.thread, ops.ts_ns)
    within = around >= 0
    within[within] = frame[around[within]] == frame[within]
    return np.flatnonzero(counts & (frame >= 0) & ~within)
