"""What lines cost in another recording, the baseline, beside what they cost in the active one: how much less or more, per step.

A line is the same where the profiled texts of both recordings say so (runs/mapping.py). Nothing is said where nobody can know: where a text
is not known, where one side knows the time of a whole function only, and where only one of the two recordings has steps.
"""

from __future__ import annotations

from functools import partial
from typing import Literal, NamedTuple

from kinetoscope.analysis.tables import LineCost
from kinetoscope.runs.manifest import RunError
from kinetoscope.runs.mapping import map_lines
from kinetoscope.service import format as fmt
from kinetoscope.service import reading, values
from kinetoscope.service.comparison import same_files
from kinetoscope.service.digest import Digest
from kinetoscope.service.runs import Runs
from kinetoscope.service.scopes import ScopeCost
from kinetoscope.service.wire import Metric, Part

NEW: Literal["new"] = "new"
"""Instead of a difference, where the baseline has no such cost."""

_METRICS: tuple[Metric, ...] = ("gpu_time", "cpu_time", "memory")


class _File(NamedTuple):
    """What is known of a file before, by its present profiled lines; `wholes` says of each function with a cost whether it is known as a
    whole only."""

    wholes: dict[str, bool]
    rows: dict[int, LineCost]
    scopes: dict[tuple[str, int], ScopeCost]


class Baseline:
    """Two recordings, and the differences of their lines and scopes. `name` is the one before in words."""

    def __init__(self, name: str, before: Digest, after: Digest) -> None:
        self.name = name
        self._before = before
        self._after = after
        self._comparable = (before.report.steps > 0) == (after.report.steps > 0)
        self._scales = values.Scale(before.report, "step"), values.Scale(after.report, "step")
        self._were = {now: was for was, now in same_files(before, after).items()}
        self._files: dict[str, _File | None] = {}

    def change(self, row: LineCost, metric: Metric) -> str:
        """`−12 %` of a line's number, `new`, or nothing where it can't be told."""
        before = self._row(row)
        if before is None:
            return ""
        return self._ratio(None if isinstance(before, str) else values.line_amount(before, metric), values.line_amount(row, metric))

    def scope_change(self, file: str, scope: ScopeCost, metric: Metric) -> str:
        """The same of a function, loop or block."""
        known = self._file(file) if self._comparable else None
        if known is None:
            return ""
        before = known.scopes.get((scope.kind, scope.line))
        if before is not None and before.precision != scope.precision:
            return ""
        return self._ratio(None if before is None else values.scope_amount(before, metric), values.scope_amount(scope, metric))

    def words(self, row: LineCost) -> str:
        """What the line cost before and what became of it, as a sentence; nothing where it can't be told."""
        before = self._row(row)
        if before is None:
            return ""
        if isinstance(before, str):
            return f"In {self.name} it is not: the line is new, or did not run."
        was: list[str] = []
        changes: list[str] = []
        for metric in _METRICS:
            amount = values.line_amount(before, metric)
            if amount.whole or values.line_amount(row, metric).whole:
                was.append(self._scales[0].text(amount, metric))
                changes.append(f"{values.LABELS[metric]} {self.change(row, metric)}")
        return f"In {self.name}: {' · '.join(was)} {self._scales[0].over}. Since then: {' · '.join(changes)}." if was else ""

    def _ratio(self, before: values.Amount | None, after: values.Amount) -> str:
        if before is None or before.whole == 0:
            return NEW if after.whole else ""
        return fmt.change((after.whole / self._scales[1].steps) / (before.whole / self._scales[0].steps) - 1)

    def _row(self, row: LineCost) -> LineCost | Literal["new"] | None:
        """The line before; `NEW` where it was not, None where nobody knows."""
        known = self._file(row.file) if self._comparable else None
        if known is None:
            return None
        whole = row.precision == "function"
        if known.wholes.get(row.function, whole) != whole:
            return None
        return known.rows.get(row.line, NEW)

    def _file(self, path: str) -> _File | None:
        if path not in self._files:
            self._files[path] = self._read(path)
        return self._files[path]

    def _read(self, path: str) -> _File | None:
        new = next((file for file in self._after.files if file.path == path), None)
        old = next((file for file in self._before.files if file.path == self._were.get(path)), None)
        if new is None or old is None or new.text is None or old.text is None:
            return None
        lines = map_lines(old.text, new.text)
        of_file = [row for row in self._before.report.rows if row.file == old.path]
        wholes = {row.function: row.precision == "function" for row in of_file}
        rows = {now.line: row for row in of_file if (now := lines.now(row.line)) is not None}
        scopes = {(scope.kind, now.line): scope for scope in old.scopes if (now := lines.now(scope.line)) is not None}
        return _File(wholes, rows, scopes)


class Baselines:
    """Which run is the baseline of a session, and its differences to the active run. Whole recordings of the lowest rank are compared: of a
    part nothing is said."""

    def __init__(self, runs: Runs) -> None:
        self._runs = runs
        self._read: tuple[str, Digest] | None = None
        self._made: Baseline | None = None
        self._made_of: tuple[Digest, Digest] | None = None

    async def choose(self, run: str | None) -> None:
        """Make a run the baseline, or none. Raises `RunError` where it can't be read; the one before stays then."""
        if run is not None:
            if run == self._runs.active:
                raise RunError("A run can't be compared with itself.", "Choose another run, or make another one active.")
            progress = partial(self._runs.progress, run)
            try:
                self._read = run, await reading.read(await self._runs.whole(run, None), progress)
            finally:
                progress("done", 0, 0)
        self._runs.baseline = run

    def of(self, active: str, digest: Digest) -> Baseline | None:
        """The differences of the active run, whose digest it is; None where there is no baseline, or a part is selected."""
        run = self._runs.baseline
        if self._read is None or run is None or self._read[0] != run or run == active or self._runs.part(active) != Part():
            return None
        pair = self._read[1], digest
        if self._made is None or self._made_of is None or any(one is not other for one, other in zip(self._made_of, pair, strict=True)):
            known = self._runs.known(run)
            when = known.created[:16].replace("T", " ")
            self._made, self._made_of = Baseline(f"{known.name}, {when}" if when else known.name, *pair), pair
        return self._made
