"""Files whose text as it was profiled is not known: those of traces that others recorded.

The text on the disk is taken for it where it agrees with the recording: where a recorded line stands, there must be code, of a function of
the recorded name. What agrees is shown and says that it is not verified; what doesn't is not shown. Edits are followed from that text on.
Only whole functions have sums then: a loop's would miss what is known of its function only.
"""

from __future__ import annotations

from typing import NamedTuple

from kinetoscope.analysis.tables import LineCost, LineReport
from kinetoscope.runs.sources import Fit
from kinetoscope.service.scopes import FileScopes, ScopeCost, scope_costs
from kinetoscope.trace.text import split_lines


class Profiled(NamedTuple):
    """A file as it was profiled. `lines` are the recorded lines that agree with a text which is only taken for the profiled one; None where
    the text is known."""

    path: str
    text: str
    scopes: list[ScopeCost]
    lines: frozenset[int] | None

    @property
    def verified(self) -> bool:
        return self.lines is None

    def has(self, line: int) -> bool:
        """Whether what was recorded of a line may be shown there."""
        return self.lines is None or line in self.lines


class Reading:
    """A text read against the recorded lines of a file. `agreeing`: those on which they agree; `functions`: the `def` lines of the
    functions in which these stand; `fit`: whether it is the file, as far as its functions tell.

    Where a function stands elsewhere than recorded the file has changed. Then lines are only trusted down to the last function, of a name
    that occurs once, that is still in its place; below, functions of such names.
    """

    def __init__(self, rows: list[LineCost], text: str) -> None:
        self._scopes = FileScopes(text)
        self._lines = split_lines(text)
        agreeing = [row for row in rows if self._agrees(row)]
        functions = [row for row in rows if row.precision == "function" and not row.function.startswith("<")]
        changed = any(row not in agreeing for row in functions)
        if changed:
            pinned = max((row.line for row in functions if self._starts(row) and self._once(row)), default=0)
            agreeing = [row for row in agreeing if row.line <= pinned or (row.precision == "function" and self._once(row))]
        self.agreeing = frozenset(row.line for row in agreeing)
        around = [self._scopes.function_at(row.line, row.function) for row in agreeing]
        self.functions = frozenset(scope.line for scope in around if scope is not None)
        self.fit: Fit = "unknown"
        if functions and not any(self._scopes.defined(row.function) for row in functions):
            self.fit = "no"
        elif not changed and any(self._starts(row) for row in functions):
            self.fit = "yes"

    def _once(self, row: LineCost) -> bool:
        return self._scopes.defined(row.function) == 1

    def _starts(self, row: LineCost) -> bool:
        scope = self._scopes.function_at(row.line, row.function)
        return scope is not None and row.line in (scope.first, scope.line)

    def _agrees(self, row: LineCost) -> bool:
        if row.precision == "function":
            # A frame that was open when the recording began bears a line inside its function, not that of its `def`.
            return row.function.startswith("<") or self._scopes.function_at(row.line, row.function) is not None
        text = self._lines[row.line - 1].strip() if 0 < row.line <= len(self._lines) else ""
        return bool(text) and not text.startswith("#") and self._scopes.may_run(row.line, row.function)


class Assumed:
    """The texts that are taken for profiled ones, by run and file. The one that agrees best of all that were seen is kept, the first of
    equals, so that later edits can be told from it."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str, str], tuple[int, Profiled]] = {}
        self._seen: dict[tuple[str, str, str], str] = {}

    def of(self, run: str, file: str, path: str, text: str, rows: list[LineCost], report: LineReport) -> Profiled:
        """`file` of a run as it is taken to have been, now that `text` is on the disk at `path`."""
        key = (run, file, path)
        kept = self._kept.get(key)
        if kept is not None and (kept[0] == len(rows) or self._seen[key] == text):
            return kept[1]
        self._seen[key] = text
        reading = Reading(rows, text)
        if kept is not None and len(reading.agreeing) <= kept[0]:
            return kept[1]
        scopes = [each for each in scope_costs(report, {file: text})[file] if each.kind == "function" and each.line in reading.functions]
        profiled = Profiled(file, text, scopes, reading.agreeing)
        self._kept[key] = (len(reading.agreeing), profiled)
        return profiled

    def forget(self, run: str) -> None:
        """Drop what is kept of a run that is gone or was read anew."""
        for key in [key for key in self._kept if key[0] == run]:
            del self._kept[key], self._seen[key]
