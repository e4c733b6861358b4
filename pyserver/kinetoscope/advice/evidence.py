"""What the findings look at: the operators, launches and kernels inside the steps of a linked trace, and sums of them per step and line."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np

from kinetoscope.advice.finding import AdviceLine, Severity, severity_of
from kinetoscope.analysis.intervals import Intervals, union
from kinetoscope.analysis.steps import Step, find_steps
from kinetoscope.analysis.waiting import waiting_calls
from kinetoscope.linking.call_tree import OUTSIDE
from kinetoscope.linking.linked import LinkedTrace
from kinetoscope.trace.columns import KERNEL, Bools, Ints, distinct
from kinetoscope.trace.text import split_lines

LINES_AT_MOST = 10


class Case:
    """A linked trace and the part of it that is looked at: the steps that begin in `window_ns` (all where it is None); where there are
    none, the window itself. Rows of tables are selected by their start within the host's ranges of the steps; kernels by that of their
    launch, where it is known."""

    def __init__(self, linked: LinkedTrace, window_ns: tuple[int, int] | None) -> None:
        self.linked = linked
        self.trace = linked.trace
        self.window_ns = window_ns
        start, end = window_ns or linked.window_ns
        found = find_steps(linked)
        self.steps = [step for step in found.kept if window_ns is None or start <= step.start_ns < end] if found.marked else []
        self.parts = max(1, len(self.steps))
        """What sums are divided by: the number of steps, 1 without."""
        whole_ns = sum(step.end_ns - step.start_ns for step in self.steps) if self.steps else end - start
        self.step_us = whole_ns / 1000 / self.parts
        self._starts, self._ends = np.array(self._host_ranges() or [(start, end)], dtype=np.int64).T
        whole = [(step.start_ns, step.end_ns) for step in self.steps] or [(start, end)]
        self.extents: tuple[Ints, Ints] = tuple(np.array(whole, dtype=np.int64).T)  # type: ignore[assignment]
        """Start and end of each step, its device work included."""

    def _host_ranges(self) -> list[tuple[int, int]]:
        """Of each step, its range on the host: the step itself begins and ends with its device work, later than the calls that issue it."""
        ops, names = self.trace.ops, {step.name: step for step in self.steps}
        rows = np.flatnonzero(np.isin(ops.name, self.names(names.__contains__)))
        rows = rows[np.argsort(-ops.ts_ns[rows], kind="stable")]
        marked = {self.trace.names[int(ops.name[row])]: row for row in rows.tolist()}
        return [self._range(step, marked.get(step.name, -1)) for step in self.steps]

    def _range(self, step: Step, row: int) -> tuple[int, int]:
        return (step.start_ns, step.end_ns) if row < 0 else (int(self.trace.ops.ts_ns[row]), int(self.linked.ops_nested.end_ns[row]))

    @cached_property
    def training(self) -> bool:
        """Whether anything was computed backward."""
        return bool(self.linked.links.evaluates.any())

    def start_ns(self, index: int) -> int:
        """When the host began one of the steps."""
        return int(self._starts[index])

    def inside(self, ts_ns: Ints) -> Bools:
        """Which moments lie in the steps."""
        index = np.searchsorted(self._starts, ts_ns, side="right") - 1
        return (index >= 0) & (ts_ns < self._ends[np.maximum(index, 0)])

    def spared_us(self, calls: Ints) -> float:
        """By how much a step could be shorter, at most, if some calls (rows of launches) did not hold the host up. After each the host
        would be ahead by as long as it lasts, and uses that up where no kernel runs since it was late with the next launch."""
        launches, kernels = self.trace.launches, self.trace.kernels
        calls = calls[np.argsort(launches.ts_ns[calls], kind="stable")]
        start, lasts = launches.ts_ns[calls], np.maximum(launches.dur_ns[calls], 0)
        until = np.append(start, max(start.max(initial=0), kernels.ts_ns.max(initial=0)))[1:]
        ahead = spared = 0
        for lasted, idle in zip(lasts.tolist(), self._late.within(start, until).tolist(), strict=True):
            used = min(ahead + lasted, idle)
            spared += used
            ahead += lasted - used
        return spared / 1000 / self.parts

    @cached_property
    def _late(self) -> Intervals:
        """When no kernel ran since the host launched the next one too late."""
        kernels, launch = self.trace.kernels, self.linked.launch_of_kernel
        rows = np.flatnonzero(kernels.kind == KERNEL)
        rows = rows[np.argsort(kernels.ts_ns[rows], kind="stable")]
        begin = kernels.ts_ns[rows]
        done = np.append(0, np.maximum.accumulate(begin + np.maximum(kernels.dur_ns[rows], 0)))[: len(rows)]
        issued = np.where(launch[rows] >= 0, self.trace.launches.ts_ns[launch[rows]], 0) if len(self.trace.launches.ts_ns) else done
        late = (begin > done) & (issued > done)
        return union(done[late], begin[late])

    def busy_ns(self, until_ns: Ints) -> Ints:
        """How long any device had worked by each time."""
        start, end = self._busy
        before = np.concatenate([[0], np.cumsum(end - start)])
        index = np.searchsorted(start, until_ns, side="right") - 1
        if not len(start):
            return np.zeros(len(until_ns), np.int64)
        return np.where(index >= 0, before[index] + np.minimum(until_ns, end[index]) - start[index], 0)

    @cached_property
    def _busy(self) -> tuple[Ints, Ints]:
        """Disjoint stretches in which any device worked, in time order."""
        kernels = self.trace.kernels
        order = np.argsort(kernels.ts_ns, kind="stable")
        start = kernels.ts_ns[order]
        done = np.maximum.accumulate(start + np.maximum(kernels.dur_ns[order], 0))
        new = np.append(True, start[1:] > done[:-1])[: len(start)]
        last = np.append(new[1:], True)[: len(start)]
        return start[new], done[last]

    @cached_property
    def op_inside(self) -> Bools:
        return self.inside(self.trace.ops.ts_ns)

    @cached_property
    def launch_inside(self) -> Bools:
        return self.inside(self.trace.launches.ts_ns)

    @cached_property
    def kernel_inside(self) -> Bools:
        launch = self.linked.launch_of_kernel
        issued = self.trace.kernels.ts_ns.copy()
        issued[launch >= 0] = self.trace.launches.ts_ns[launch[launch >= 0]]
        return self.inside(issued)

    @cached_property
    def waits(self) -> Ints:
        """Rows of launches in the steps that wait for the device, but for those that release memory."""
        rows = waiting_calls(self.linked)
        releases = self.names(lambda name: name.endswith("Free"))
        return rows[self.launch_inside[rows] & ~np.isin(self.trace.launches.name[rows], releases)]

    @cached_property
    def op_of_launch(self) -> Ints:
        """The innermost operator or annotation around each launch, -1 for none."""
        launches = self.trace.launches
        return self.linked.ops_nested.enclosing(launches.thread, launches.ts_ns)

    @cached_property
    def op_of_kernel(self) -> Ints:
        """The innermost operator or annotation around each kernel's launch, -1 for none."""
        launch = self.linked.launch_of_kernel
        op = self.linked.op_of_kernel.copy()
        op[launch >= 0] = self.op_of_launch[launch[launch >= 0]]
        return op

    def names(self, test: Callable[[str], bool]) -> Ints:
        """The numbers of the names that pass a test."""
        return np.array([index for index, name in enumerate(self.trace.names) if test(name)], dtype=np.int64)

    def ops(self, test: Callable[[str], bool]) -> Ints:
        """Rows of operators and annotations in the steps whose name passes a test."""
        return np.flatnonzero(np.isin(self.trace.ops.name, self.names(test)) & self.op_inside)

    def launches(self, test: Callable[[str], bool]) -> Ints:
        """Rows of launches in the steps whose name passes a test."""
        return np.flatnonzero(np.isin(self.trace.launches.name, self.names(test)) & self.launch_inside)

    def below(self, rows: Ints) -> Ints:
        """Rows of the operators that begin inside one of `rows`, without those themselves."""
        after = self.after(rows)
        depth = np.zeros(len(self.trace.ops.ts_ns) + 1, np.int64)
        np.add.at(depth, rows + 1, 1)
        np.add.at(depth, np.maximum(after, rows + 1), -1)
        return np.setdiff1d(np.flatnonzero(np.cumsum(depth)[:-1] > 0), rows)

    def after(self, rows: Ints) -> Ints:
        """For each row the first one that begins on its thread when it has ended, or that of the next thread: operators are sorted by
        thread and start, so all between lie inside."""
        nested = self.linked.ops_nested
        after = np.zeros(len(rows), np.int64)
        for thread in distinct(nested.thread[rows]):
            low, high = np.searchsorted(nested.thread, [thread, thread + 1])
            mine = nested.thread[rows] == thread
            after[mine] = low + np.searchsorted(nested.ts_ns[low:high], nested.end_ns[rows[mine]])
        return after

    def within(self, op: Ints, rows: Ints) -> Ints:
        """For each of `op` (rows of operators, -1 for none) the innermost of `rows` that it is or lies in, -1 for none."""
        parent = self.linked.ops_nested.parent
        marked = np.zeros(len(parent) + 1, bool)
        marked[rows] = True
        found = op.copy()
        while (seeking := np.flatnonzero((found >= 0) & ~marked[found])).size:
            found[seeking] = parent[found[seeking]]
        return found

    def kernels_within(self, rows: Ints) -> tuple[Ints, Ints]:
        """`(kernel, row)` of the kernels launched inside one of these operators, with the innermost."""
        op = self.within(self.op_of_kernel, rows)
        kernels = np.flatnonzero(op >= 0)
        return kernels, op[kernels]

    def device_us(self, kernels: Ints) -> float:
        """Device time per step."""
        return float(np.maximum(self.trace.kernels.dur_ns[kernels], 0).sum()) / 1000 / self.parts

    def host_us(self, rows: Ints) -> float:
        """Wall time of operators per step; those inside others of `rows` are not counted twice."""
        parent = self.linked.ops_nested.parent
        outer = rows[self.within(parent[rows], rows) < 0] if len(rows) else rows
        return float(np.maximum(self.trace.ops.dur_ns[outer], 0).sum()) / 1000 / self.parts

    def per_step(self, count: float) -> float:
        return count / self.parts

    @property
    def each(self) -> str:
        """What the numbers are of, in words."""
        return "per step" if self.steps else "in the recording" if self.window_ns is None else "in the selected part"

    def share(self, us: float) -> float:
        """Of the step, 0 to 1."""
        return us / self.step_us if self.step_us > 0 else 0.0

    def severity(self, us: float) -> Severity:
        """By the share of the step that is concerned."""
        return severity_of(self.share(us))

    def lines(
        self, finding: str, node: Ints, dur_ns: Ints, size: Ints | None = None, calls: Ints | None = None, most: int | None = LINES_AT_MOST
    ) -> list[AdviceLine]:
        """The user lines of some events, each given by its node of the call tree and its duration, perhaps its bytes, and how many calls
        it stands for; dearest first, `most` of them."""
        tree = self.linked.tree
        sums: dict[tuple[str, int], tuple[str, int, int, int]] = {}
        nodes, place = np.unique(node, return_inverse=True)
        count = np.bincount(place, weights=calls, minlength=len(nodes)).tolist()
        time = np.bincount(place, weights=np.maximum(dur_ns, 0), minlength=len(nodes)).tolist()
        held = np.bincount(place, weights=np.zeros(len(node)) if size is None else size, minlength=len(nodes)).tolist()
        for number, times, ns, held_by in zip(nodes.tolist(), count, time, held, strict=True):
            if number != OUTSIDE:
                where = tree.places[tree.place[number]]
                key = (where.file, tree.line[number])
                _, times_before, ns_before, held_before = sums.get(key, ("", 0, 0, 0))
                sums[key] = (where.function, times_before + times, ns_before + ns, held_before + held_by)
        ranked = sorted(sums.items(), key=lambda entry: (-entry[1][2], -entry[1][3], -entry[1][1], entry[0]))[:most]
        return [
            AdviceLine(
                finding=finding,
                file=file,
                line=line,
                function=function,
                source=self.source(file, line),
                calls=times / self.parts,
                us=ns / 1000 / self.parts,
                bytes=round(held_by) if size is not None else None,
            )
            for (file, line), (function, times, ns, held_by) in ranked
        ]

    def lines_of_ops(self, finding: str, rows: Ints) -> list[AdviceLine]:
        return self.lines(finding, self.linked.op.node[rows], self.trace.ops.dur_ns[rows])

    def lines_of_launches(self, finding: str, rows: Ints) -> list[AdviceLine]:
        return self.lines(finding, self.linked.launch.node[rows], self.trace.launches.dur_ns[rows])

    def lines_of_kernels(self, finding: str, rows: Ints, most: int | None = LINES_AT_MOST) -> list[AdviceLine]:
        return self.lines(finding, self.linked.kernel.node[rows], self.trace.kernels.dur_ns[rows], most=most)

    def source(self, file: str, line: int) -> str:
        """The text of a line as it was recorded, empty where it was not."""
        if file not in self._texts:
            return ""
        lines = self._texts[file]
        return lines[line - 1].strip() if 0 < line <= len(lines) else ""

    @cached_property
    def _texts(self) -> dict[str, list[str]]:
        return {file.path: split_lines(file.text) for file in self.trace.recording.files if file.text is not None}
