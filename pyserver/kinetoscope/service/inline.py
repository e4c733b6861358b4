"""What an editor shows in a file: hints, lenses, hover and heat, for the text as it is now.

Three layers, each kept as long as what it depends on stays the same: marks by (digest, settings), the line map by text, and their join.
A cost known only by function never becomes a line's number: it is in the lens of its function. Where the text that was profiled is not
known (service/unverified.py) every number says so.
"""

from __future__ import annotations

from typing import NamedTuple

from kinetoscope.analysis.tables import LineCost, LineDetail
from kinetoscope.runs.mapping import LineMap, Mapped
from kinetoscope.service import values
from kinetoscope.service.baseline import Baseline
from kinetoscope.service.digest import Digest
from kinetoscope.service.hover import line_hover
from kinetoscope.service.scopes import ScopeCost
from kinetoscope.service.unverified import Profiled
from kinetoscope.service.wire import Freshness, HeatLine, InlineSettings, Metric


class Mark(NamedTuple):
    """A profiled line that is worth a number."""

    row: LineCost
    share: float
    text: str


class Hint(NamedTuple):
    """A number at the end of a line of the present text; `line` counts from 1, `profiled_line` is where it was."""

    line: int
    text: str
    freshness: Freshness
    profiled_line: int


class Lens(NamedTuple):
    """Words above a function, loop or block of the present text; `profiled_line` is where it was."""

    line: int
    text: str
    file: str
    profiled_line: int


class View:
    """One digest under one set of settings, beside a baseline where one is chosen: what can be said of it before a text is known."""

    def __init__(self, run: str | None, digest: Digest, settings: InlineSettings, baseline: Baseline | None = None) -> None:
        self.run = run
        self.digest = digest
        self.settings = settings
        self.baseline = baseline
        self.metric: Metric = values.resolve_metric(settings.metric, digest.report)
        self.scale = values.Scale(digest.report, settings.per)
        self._rows: dict[str, dict[int, tuple[LineCost, LineDetail]]] = {}
        for row, detail in zip(digest.report.rows, digest.report.details, strict=True):
            self._rows.setdefault(row.file, {})[row.line] = (row, detail)
        self._marks: dict[str, list[Mark]] = {}
        self._tooltips: dict[tuple[str, int, bool, bool], str] = {}
        self._hints: dict[str, tuple[LineMap, list[Hint]]] = {}

    def row(self, file: str, line: int) -> tuple[LineCost, LineDetail] | None:
        """The cost of a profiled line."""
        return self._rows.get(file, {}).get(line)

    def marks(self, file: str) -> list[Mark]:
        """The lines of a profiled file whose share passes the threshold."""
        marks = self._marks.get(file)
        if marks is None:
            marks = []
            for row, _ in self._rows.get(file, {}).values():
                share = self.scale.share(values.line_amount(row, self.metric), self.metric)
                if row.precision != "function" and self._matters(share):
                    change = self.baseline.change(row, self.metric) if self.baseline else None
                    marks.append(Mark(row, share, values.hint_text(row, self.metric, self.scale, self.settings, change)))
            self._marks[file] = marks
        return marks

    def _matters(self, share: float) -> bool:
        return share > 0 and share * 100 >= self.settings.threshold_percent

    def tooltip(self, profiled: Profiled, line: int, *, stale: bool) -> str | None:
        """The hover of a profiled line as Markdown; None where it has no cost."""
        key = (profiled.path, line, stale, profiled.verified)
        text = self._tooltips.get(key)
        if text is None:
            pair = self.row(profiled.path, line)
            if pair is None:
                return None
            before = self.baseline.words(pair[0]) if self.baseline else ""
            text = line_hover(self.run, *pair, self.digest.report, stale=stale, verified=profiled.verified, before=before)
            self._tooltips[key] = text
        return text

    def hints(self, profiled: Profiled, lines: LineMap) -> list[Hint]:
        """Hints of a profiled file for the text that `lines` maps to, in the order of its lines."""
        kept = self._hints.get(profiled.path)
        if kept is not None and kept[0] is lines:
            return kept[1]
        found: list[Hint] = []
        for mark in self.marks(profiled.path):
            place = lines.now(mark.row.line) if profiled.has(mark.row.line) else None
            if place is None:
                continue
            now = freshness(profiled, place)
            if now == "stale" and self.settings.stale == "hide":
                continue
            precise = values.INFERRED_MARK if mark.row.precision == "inferred" else ""
            found.append(Hint(place.line, _MARKS.get(now, precise) + mark.text, now, mark.row.line))
        found.sort(key=lambda hint: hint.line)
        self._hints[profiled.path] = (lines, found)
        return found

    def lenses(self, profiled: Profiled, lines: LineMap) -> list[Lens]:
        """Lenses of the scopes whose share passes the threshold, in the order of their lines."""
        found: list[Lens] = []
        for scope in profiled.scopes:
            share = self.scale.share(values.scope_amount(scope, self.metric), self.metric)
            place = lines.now(scope.line)
            if place is None or not self._matters(share):
                continue
            change = self.baseline.scope_change(profiled.path, scope, self.metric) if self.baseline else ""
            text = values.scope_text(scope, self.metric, self.scale, self.settings, change)
            if not profiled.verified:
                text += " · the profiled text is not known"
            changed = lines.changed_in(scope.first, scope.last)
            if changed:
                text = f"{values.STALE_MARK}{text} · {_changed(scope, changed)}"
            found.append(Lens(place.line, text, profiled.path, scope.line))
        found.sort(key=lambda lens: lens.line)
        return found

    def hover(self, profiled: Profiled, lines: LineMap, current_line: int) -> str | None:
        """Markdown for a line of the present text; None where it has no cost."""
        profiled_line = lines.then(current_line)
        place = lines.now(profiled_line) if profiled_line is not None and profiled.has(profiled_line) else None
        if profiled_line is None or place is None or (place.freshness == "stale" and self.settings.stale == "hide"):
            return None
        return self.tooltip(profiled, profiled_line, stale=place.freshness == "stale")

    def heat(self, profiled: Profiled, lines: LineMap) -> list[HeatLine]:
        """Heat of the present text's lines: those that have hints."""
        shares = {place.line: mark.share for mark in self.marks(profiled.path) if (place := lines.now(mark.row.line)) is not None}
        return [
            HeatLine(
                line=hint.line,
                share=shares[hint.line],
                level=values.heat_level(shares[hint.line]),
                freshness=hint.freshness,
                text=hint.text,
            )
            for hint in self.hints(profiled, lines)
        ]


_MARKS: dict[Freshness, str] = {"stale": values.STALE_MARK, "unverified": values.UNVERIFIED_MARK}


def freshness(profiled: Profiled, place: Mapped) -> Freshness:
    """The freshness of a line that is shown at `place`."""
    return place.freshness if profiled.verified or place.freshness == "stale" else "unverified"


def _changed(scope: ScopeCost, changed: int) -> str:
    total = scope.last - scope.first + 1
    return f"{changed} of {total} lines changed"
