"""Answers about lines: inline numbers, heat, hot spots, the Lines view, and where a profiled line is now.

Answers from digests only. Texts of open documents come from the host (`OpenTexts`), others from the disk.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from kinetoscope.analysis.tables import DeviceTime, LineCost, LineDetail
from kinetoscope.runs.manifest import RunError
from kinetoscope.runs.mapping import LineMap
from kinetoscope.runs.sources import Found, Resolution
from kinetoscope.service import values
from kinetoscope.service.baseline import Baselines
from kinetoscope.service.digest import Digest
from kinetoscope.service.inline import Hint, Lens, View, freshness
from kinetoscope.service.located import OLD_WALK_S, Located, candidates
from kinetoscope.service.runs import Runs
from kinetoscope.service.texts import LineMaps
from kinetoscope.service.unverified import Profiled
from kinetoscope.service.wire import (
    FileHeat,
    Freshness,
    HotSpot,
    HotSpots,
    InlineSettings,
    LinesView,
    MetricSetting,
    Place,
    ProfiledLine,
    SourceFiles,
    SourceText,
)

OpenTexts = Callable[[Path], "str | None"]
"""The text of a file as an editor has it open; None where none has."""

_MOST_SPOTS = 200


class Lines:
    """See the module. `settings` are the editor's; `sources` know where files are; `search_wanted` is called when they have to walk."""

    def __init__(self, runs: Runs, open_texts: OpenTexts, search_wanted: Callable[[], None]) -> None:
        self.settings = InlineSettings()
        self._runs = runs
        self._open_texts = open_texts
        self._maps = LineMaps()
        self.sources = Located(self._maps.on_disk, search_wanted)
        self.baselines = Baselines(runs)
        self._view: View | None = None

    # Inline: the active run and the text of a document

    def hints(self, path: Path, text: str) -> list[Hint]:
        """Hints of all lines of a document; none while there is nothing to show."""
        found = self._in_document(path, text) if self.settings.enabled and self.settings.hints else None
        return found[0].hints(found[1], found[2]) if found else []

    def tooltip(self, path: Path, profiled_line: int, *, stale: bool) -> str | None:
        """Markdown of a hint of a document; None where the active run has no such line (any more)."""
        view = self._active_view()
        profiled = self._profiled_file(view, path) if view is not None else None
        return view.tooltip(profiled, profiled_line, stale=stale) if view is not None and profiled is not None else None

    def lenses(self, path: Path, text: str) -> list[Lens]:
        """Code lenses of a document."""
        found = self._in_document(path, text) if self.settings.enabled and self.settings.code_lens else None
        return found[0].lenses(found[1], found[2]) if found else []

    def hover(self, path: Path, text: str, line: int) -> str | None:
        """Markdown for a line of a document, from 1; None where it has no cost."""
        found = self._in_document(path, text) if self.settings.enabled else None
        return found[0].hover(found[1], found[2], line) if found else None

    def heat(self, uri: str, path: Path | None, text: str, version: int | None) -> FileHeat:
        """Heat of a document; `path` None for one that is no file."""
        run = self._runs.active
        reason: str | None = None
        found = None
        if not self.settings.enabled:
            reason = "Inline numbers are turned off."
        elif self._active_view() is None:
            reason = self._runs.why_not(run)
        else:
            found = self._in_document(path, text) if path is not None else None
            if found is None:
                reason = "This file is not in the active run."
        lines = found[0].heat(found[1], found[2]) if found else []
        if found and not lines:
            reason = "No line of this file passes the threshold."
            if found[1].lines is not None and not found[1].lines:
                reason = (
                    "No recorded line agrees with this file: it is another one, or has changed. The text that was profiled is not known."
                )
        return FileHeat(uri=uri, version=version, run=run, lines=lines, reason=reason)

    def at(self, path: Path | None, text: str, line: int) -> ProfiledLine:
        """What a line of a document, from 1, was in the active run; `path` None for a document that is no file."""
        run = self._runs.active
        found = self._in_document(path, text) if path is not None else None
        if found is None:
            reason = self._runs.why_not(run) if self._active_view() is None else "This file is not in the active run."
            return ProfiledLine(run=run, file=None, line=None, reason=reason)
        view, profiled, lines = found
        then = lines.then(line)
        if then is None or not profiled.has(then) or view.row(profiled.path, then) is None:
            return ProfiledLine(run=run, file=None, line=None, reason="This line has no cost in the active run.")
        return ProfiledLine(run=run, file=profiled.path, line=then, reason=None)

    def text_on_disk(self, path: Path) -> str | None:
        """The text of a file that no editor has open; None where it can't be read."""
        return self._maps.on_disk(path)

    def _active_view(self) -> View | None:
        digest = self._runs.ready(self._runs.active)
        if digest is None or self._runs.active is None:
            return None
        view = self._view
        baseline = self.baselines.of(self._runs.active, digest)
        if view is None or view.digest is not digest or view.settings is not self.settings or view.baseline is not baseline:
            if view is None or view.digest is not digest:
                self._maps.forget(self._runs.active)
            view = self._view = View(self._runs.active, digest, self.settings, baseline)
        return view

    def _in_document(self, path: Path, text: str) -> tuple[View, Profiled, LineMap] | None:
        view = self._active_view()
        profiled = self._profiled_file(view, path) if view is not None else None
        if view is None or view.run is None or profiled is None:
            return None
        return view, profiled, self._maps.map(view.run, profiled.path, profiled.text, text)

    def _profiled_file(self, view: View, path: Path) -> Profiled | None:
        """The profiled file that a document is now."""
        if view.run is None:
            return None
        file = self.sources.recorded_as(view.run, view.digest, path)
        return self.sources.profiled(view.run, view.digest, file, path) if file is not None else None

    # Rankings and rows of any run

    async def hot_spots(self, run: str | None, metric: MetricSetting) -> HotSpots:
        """The dearest lines by their own cost. Does not wait for a run that is being read: `reason` says so."""
        run = run or self._runs.active
        digest = self._runs.ready(run)
        if digest is None or run is None:
            return HotSpots(run=run, metric="cpu_time", spots=[], reason=self._runs.why_not(run))
        chosen = values.resolve_metric(self.settings.metric if metric == "auto" else metric, digest.report)
        scale = values.Scale(digest.report, self.settings.per)
        ranked: list[tuple[float, values.Amount, LineCost]] = []
        for row in digest.report.rows:
            amount = values.own_amount(row, chosen)
            share = scale.share(amount, chosen)
            if share > 0 and share * 100 >= self.settings.threshold_percent:
                ranked.append((share, amount, row))
        ranked.sort(key=lambda item: (-item[0], item[2].file, item[2].line))
        ranked = ranked[:_MOST_SPOTS]
        found = {file: self.sources.resolve(run, digest, file) for file in {row.file for _, _, row in ranked}}
        spots = [self._spot(run, digest, row, found[row.file], share, scale.text(amount, chosen)) for share, amount, row in ranked]
        reason = None if spots else f"No line of this run passes the threshold of {self.settings.threshold_percent:g} % in this metric."
        return HotSpots(run=run, metric=chosen, spots=spots, reason=reason)

    def _spot(self, run: str, digest: Digest, row: LineCost, found: Resolution, share: float, text: str) -> HotSpot:
        now, fresh = self._now(run, digest, row.file, row.line, found)
        return HotSpot(
            file=row.file,
            path=str(found.path) if isinstance(found, Found) else None,
            profiled_line=row.line,
            line=now,
            function=row.function,
            source=row.source,
            share=share,
            level=values.heat_level(share),
            text=text + values.PRECISION_MARKS[row.precision],
            freshness=fresh,
            precision=row.precision,
        )

    async def view(self, run: str | None, metric: MetricSetting) -> LinesView:
        """All rows of a run, read first where it must be. A run that can't be read gives an empty view with its reason."""
        run = run or self._runs.active
        reason: str | None = None
        digest: Digest | None = None
        if run is None:
            reason = self._runs.why_not(None)
        else:
            try:
                digest = await self._runs.digest(run)
            except RunError as error:
                reason = str(error)
        known = self._runs.known(run) if run is not None else None
        active = run is not None and run == self._runs.active
        if digest is None:
            nothing = DeviceTime(attributed=0.0, library=0.0, unattributed=0.0, without_launch=0.0, total=0.0)
            return LinesView(
                run=known,
                active=active,
                metric="cpu_time",
                steps=0,
                recording_us=0.0,
                host_us=0.0,
                device_us=nothing,
                devices=[],
                rows=[],
                notices=[],
                reason=reason,
            )
        report = digest.report
        return LinesView(
            run=known,
            active=active,
            metric=values.resolve_metric(self.settings.metric if metric == "auto" else metric, report),
            steps=report.steps,
            recording_us=report.recording_us,
            host_us=report.host_us,
            device_us=report.device_us,
            devices=report.devices,
            rows=report.rows,
            notices=report.notices,
            reason=None if report.rows else "The recording holds no user line.",
        )

    async def detail(self, run: str | None, file: str, line: int) -> LineDetail:
        """What stands behind one line. Raises `RunError` where the run has no such line."""
        digest = await self._runs.digest(self._runs.chosen(run))
        for row, detail in zip(digest.report.rows, digest.report.details, strict=True):
            if row.line == line and row.file == file:
                return detail
        raise RunError(f"{file}, line {line}, has no cost in this run.", "Choose a line of the list.")

    async def place(self, run: str | None, file: str, line: int) -> Place:
        """Where a profiled line is now."""
        chosen = self._runs.chosen(run)
        digest = await self._runs.digest(chosen)
        found = self.sources.resolve(chosen, digest, file)
        if not isinstance(found, Found):
            await self.sources.search(OLD_WALK_S)
            found = self.sources.resolve(chosen, digest, file)
        now, fresh = self._now(chosen, digest, file, line, found)
        return Place(
            path=str(found.path) if isinstance(found, Found) else None,
            line=now,
            freshness=fresh,
            problem=self.sources.problem(file, found),
            candidates=candidates(found),
        )

    async def source_text(self, run: str | None, file: str) -> SourceText:
        """A recorded file as it was profiled, else as it is now. Raises `RunError` for a file that the recording does not name as a source:
        a page in a browser could ask for any."""
        chosen = self._runs.chosen(run)
        digest = await self._runs.digest(chosen)
        if not self.sources.is_source(chosen, digest, file):
            raise RunError(f"{file} is no source file of this run.", "Choose a line or a frame that the run's views show.")
        text = next((each.text for each in digest.files if each.path == file), None)
        reason: str | None = None
        if text is None:
            found = self.sources.resolve(chosen, digest, file)
            if not isinstance(found, Found):
                await self.sources.search(OLD_WALK_S)
                found = self.sources.resolve(chosen, digest, file)
            if isinstance(found, Found):
                text = self._maps.on_disk(found.path)
                reason = "The text that was profiled is not known: this is the file as it is now, and its lines may have moved."
            if text is None:
                reason = self.sources.problem(file, found) or f"{file} can't be read."
        return SourceText(
            file=file,
            text=text,
            reason=reason,
            rows=[row for row in digest.report.rows if row.file == file],
            metric=values.resolve_metric(self.settings.metric, digest.report),
            steps=digest.report.steps,
        )

    async def source_files(self, run: str | None) -> SourceFiles:
        """Where the files of a run are."""
        chosen = self._runs.chosen(run)
        digest = await self._runs.digest(chosen)
        await self.sources.search(OLD_WALK_S)
        return SourceFiles(run=chosen, files=self.sources.all(chosen, digest))

    def _now(self, run: str, digest: Digest, file: str, line: int, found: Resolution) -> tuple[int, Freshness]:
        """`(where the line is, how fresh)`; the line as profiled where it can't be followed."""
        if not isinstance(found, Found):
            return line, "unverified"
        current = self._open_texts(found.path)
        if current is None:
            current = self._maps.on_disk(found.path)
        profiled = self.sources.profiled(run, digest, file, found.path)
        if profiled is None or current is None:
            return line, "unverified"  # Without both texts nobody can tell whether the line is still the same.
        if not profiled.has(line):
            return line, "stale" if self.sources.has_rows(run, digest, file) else "unverified"
        mapped = self._maps.map(run, file, profiled.text, current).now(line)
        return (mapped.line, freshness(profiled, mapped)) if mapped is not None else (line, "stale")
