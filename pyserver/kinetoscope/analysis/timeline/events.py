"""The events of a linked trace: a number for each, and its name, kind and category.

An event's number is its row in its table of the trace, times 8, plus the number of the table. Lines and steps, which are no events of the
trace, have tables of their own here.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from kinetoscope.analysis.kernel_names import COMMUNICATION, KernelNames
from kinetoscope.analysis.modules import PREFIX, module_name
from kinetoscope.analysis.operator_rows import operator_rows
from kinetoscope.analysis.roles import communicates, is_collective
from kinetoscope.analysis.steps import STEP_MARK, Step, find_steps
from kinetoscope.analysis.timeline.answers import EventCategory, EventKind
from kinetoscope.analysis.timeline.standing import Standing, standing
from kinetoscope.analysis.waiting import waiting_calls
from kinetoscope.linking.call_tree import FUNCTION, PRECISIONS
from kinetoscope.linking.linked import LinkedTrace
from kinetoscope.linking.places import FileNames, parse_frame
from kinetoscope.trace.columns import MEMCPY, MEMSET, Bools, Ints
from kinetoscope.trace.text import split_lines

STEP, LINE, FRAME, OP, LAUNCH, KERNEL, DEVICE_RANGE = range(7)
TABLES = 8

CATEGORIES: tuple[EventCategory, ...] = get_args(EventCategory)
_CODE = {category: code for code, category in enumerate(CATEGORIES)}
Codes: TypeAlias = NDArray[np.uint8]


def number_of(table: int, row: Ints) -> Ints:
    """The events of these rows."""
    return row * TABLES + table


class Events:
    """All events of one linked trace. What is known of them is found out when it is first asked for."""

    def __init__(self, linked: LinkedTrace) -> None:
        self.linked = linked
        self.names = list(linked.trace.names)
        """What `name_of` gives indices into: the trace's, then those that are made here, when they are first asked for."""
        self._made: dict[str, int] = {}
        self._names_of: dict[int, Ints] = {}
        self._categories_of: dict[int, Codes] = {}
        self._times_of: dict[int, tuple[Ints, Ints]] = {}

    @cached_property
    def steps(self) -> list[Step]:
        """Those that the recording marks."""
        found = find_steps(self.linked)
        return found.kept if found.marked else []

    @cached_property
    def standing(self) -> Standing:
        return standing(self.linked)

    @cached_property
    def operators(self) -> Bools:
        """Of each of the trace's `ops`, whether it is an operator and no annotation."""
        result = np.zeros(len(self.linked.trace.ops.name), bool)
        result[operator_rows(self.linked.trace)] = True
        return result

    def kind(self, event: int) -> EventKind:
        row, table = divmod(event, TABLES)
        trace = self.linked.trace
        if table == OP:
            return "operator" if self.operators[row] else "annotation"
        if table == FRAME:
            return "module" if trace.names[int(trace.frames.name[row])].startswith(PREFIX) else "frame"
        if table == KERNEL:
            kind = int(trace.kernels.kind[row])
            return "memcpy" if kind == MEMCPY else "memset" if kind == MEMSET else "kernel"
        kinds: dict[int, EventKind] = {STEP: "step", LINE: "line", LAUNCH: "runtime", DEVICE_RANGE: "device_annotation"}
        return kinds[table]

    def knows(self, event: int) -> bool:
        """Whether there is such an event."""
        row, table = divmod(event, TABLES)
        return event >= 0 and table <= DEVICE_RANGE and row < len(self.names_of(table))

    def name_of(self, event: Ints) -> Ints:
        """Indices into `names`."""
        return _gathered(event, self.names_of)

    def category_of(self, event: Ints) -> Ints:
        """Indices into `CATEGORIES`."""
        return _gathered(event, self.categories_of)

    def times_of(self, table: int) -> tuple[Ints, Ints]:
        """`(start, end)` in ns of all events of a table. What did not end lasts until the end of the trace on a thread; calls and device
        work then last no time."""
        if table not in self._times_of:
            self._times_of[table] = self._times(table)
        return self._times_of[table]

    def names_of(self, table: int) -> Ints:
        """Index into `names` of each event of a table."""
        if table not in self._names_of:
            self._names_of[table] = self._name_numbers(table)
        return self._names_of[table]

    def categories_of(self, table: int) -> Codes:
        """Index into `CATEGORIES` of each event of a table."""
        if table not in self._categories_of:
            self._categories_of[table] = self._categories(table)
        return self._categories_of[table]

    def _times(self, table: int) -> tuple[Ints, Ints]:
        trace = self.linked.trace
        if table == STEP:
            edges = np.array([(step.start_ns, step.end_ns) for step in self.steps], np.int64).reshape(-1, 2)
            return edges[:, 0], edges[:, 1]
        if table == LINE:
            return self.standing.start_ns, self.standing.end_ns
        if table in (FRAME, OP):
            ranges = trace.frames if table == FRAME else trace.ops
            end = np.where(ranges.dur_ns < 0, trace.end_ns, ranges.ts_ns + ranges.dur_ns)
            return ranges.ts_ns, np.maximum(end, ranges.ts_ns)
        work = {LAUNCH: trace.launches, KERNEL: trace.kernels, DEVICE_RANGE: trace.device_ranges}[table]
        return work.ts_ns, work.ts_ns + np.maximum(work.dur_ns, 0)

    def _name_numbers(self, table: int) -> Ints:
        trace = self.linked.trace
        if table == STEP:
            return np.array([self._number(step.name) for step in self.steps], np.int64)
        if table == LINE:
            return self._names_of_nodes()[self.standing.node]
        if table == FRAME:
            return self._names_of_frames()
        return {OP: trace.ops, LAUNCH: trace.launches, KERNEL: trace.kernels, DEVICE_RANGE: trace.device_ranges}[table].name

    def _number(self, text: str) -> int:
        """The index of a name that is made here."""
        if text not in self._made:
            self._made[text] = len(self.names)
            self.names.append(text)
        return self._made[text]

    def _names_of_nodes(self) -> Ints:
        """Of each node of the call tree: file and line with the line's text where it is at hand, else its function; where the line is not
        known, the function alone."""
        tree = self.linked.tree
        texts = {file.path: split_lines(file.text) for file in self.linked.trace.recording.files if file.text is not None}
        result = np.zeros(len(tree), np.int64)
        for node in range(1, len(tree)):
            place, line = tree.places[tree.place[node]], tree.line[node]
            file, lines = place.file.replace("\\", "/").rpartition("/")[2], texts.get(place.file, [])
            source = lines[line - 1].strip() if 0 < line <= len(lines) else ""
            known = tree.precision[node] != FUNCTION
            result[node] = self._number(f"{file}:{line}  {source or place.function}" if known else f"{file}  {place.function}")
        return result

    def _names_of_frames(self) -> Ints:
        """Modules by class and number (`Linear_1`), also where the trace's name is of the class alone."""
        frames, names = self.linked.trace.frames, self.linked.trace.names
        modules = [number for number in np.unique(frames.name).tolist() if names[number].startswith(PREFIX)]
        if not modules:
            return frames.name
        result = frames.name.copy()
        rows = np.flatnonzero(np.isin(frames.name, modules))
        width = int(frames.module_id[rows].max()) + 2
        keys, which = np.unique(frames.name[rows] * width + frames.module_id[rows] + 1, return_inverse=True)
        made = [self._number(module_name(names[key // width], key % width - 1)) for key in keys.tolist()]
        result[rows] = np.array(made, np.int64)[which]
        return result

    def _categories(self, table: int) -> Codes:
        linked, trace = self.linked, self.linked.trace
        if table == STEP:
            return np.full(len(self.steps), _CODE["step"], np.uint8)
        if table == DEVICE_RANGE:
            return np.full(len(trace.device_ranges.name), _CODE["annotation"], np.uint8)
        if table == LINE:
            of_node = np.array([_CODE[PRECISIONS[precision]] for precision in linked.tree.precision], np.uint8)
            return of_node[self.standing.node]
        if table == FRAME:
            files = FileNames(trace.recording)
            return self._by_name(trace.frames.name, lambda name: _category_of_frame(name, files))
        if table == LAUNCH:
            result = np.full(len(trace.launches.name), _CODE["runtime"], np.uint8)
            result[waiting_calls(linked)] = _CODE["waiting"]
            return result
        return self._categories_of_ops() if table == OP else self._categories_of_kernels()

    def _by_name(self, name: Ints, category_of: Callable[[str], EventCategory]) -> Codes:
        of_name = np.zeros(len(self.linked.trace.names), np.uint8)
        for number in np.unique(name).tolist():
            of_name[number] = _CODE[category_of(self.linked.trace.names[number])]
        return of_name[name]

    def _categories_of_ops(self) -> Codes:
        linked, name = self.linked, self.linked.trace.ops.name
        result = self._by_name(name, lambda text: COMMUNICATION if is_collective(text) else "operator")
        result[(linked.op.root >= 0) & (result == _CODE["operator"])] = _CODE["backward"]
        result[linked.op.recomputed & (result == _CODE["backward"])] = _CODE["recomputed"]
        annotation = ~self.operators & (result != _CODE[COMMUNICATION])
        result[annotation] = self._by_name(name[annotation], lambda text: "step" if text.startswith(STEP_MARK) else "annotation")
        return result

    def _categories_of_kernels(self) -> Codes:
        trace = self.linked.trace
        kernels, known = trace.kernels, KernelNames(trace.names, trace.kernels.name)
        result = np.array([_CODE[family] for family in known.family], np.uint8)[kernels.name]  # type: ignore[index]
        result[communicates(self.linked, known)] = _CODE[COMMUNICATION]
        result[kernels.kind == MEMCPY] = _CODE["copy"]
        result[kernels.kind == MEMSET] = _CODE["fill"]
        return result


def _gathered(event: Ints, of_table: Callable[[int], Ints | Codes]) -> Ints:
    """Each event's entry in the column of its table."""
    table = event % TABLES
    result = np.zeros(len(event), np.int64)
    for number in np.flatnonzero(np.bincount(table)).tolist():
        places = table == number
        result[places] = of_table(number)[event[places] // TABLES]
    return result


def _category_of_frame(name: str, files: FileNames) -> EventCategory:
    if name.startswith(PREFIX):
        return "module"
    frame = parse_frame(name)
    if frame is None:
        return "builtin"
    return "user" if files.is_user(frame.path) else "library"
