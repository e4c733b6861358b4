"""One session: its runs, its lines, and the answer to every request of the wire. An editor's server and the pages' host ask the same.

What differs between hosts is given: who is told of changes (`Listener`), and which documents an editor has open (`Documents`).
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import msgspec

from kinetoscope.service import reading, wire
from kinetoscope.service.comparison import compared
from kinetoscope.service.computing import of_several
from kinetoscope.service.desk import Desks
from kinetoscope.service.digest import Digest
from kinetoscope.service.errors import RunError
from kinetoscope.service.lines import Lines
from kinetoscope.service.questions import QUESTIONS, selected
from kinetoscope.service.runs import Listener, Runs
from kinetoscope.service.search import hits
from kinetoscope.service.traces import find_in
from kinetoscope.service.views import Content

logger = logging.getLogger(__name__)

Handler = Callable[[Any], Awaitable["msgspec.Struct | None"]]
"""Answers one method: takes its struct of parameters and gives its struct of results (None for what the client only tells)."""


class Document(NamedTuple):
    """A document by its URI. `path` is None for what is no file (`untitled:`, `git:`); it is never shown numbers."""

    path: Path | None
    text: str
    version: int | None


class Documents(Protocol):
    """What an editor has open."""

    def open_text(self, path: Path) -> str | None:
        """The text of a file as the editor has it open; None where it has not."""
        ...

    def document(self, uri: str) -> Document:
        """A document, open or not."""
        ...


class NoDocuments:
    """Of a host without an editor."""

    def open_text(self, path: Path) -> str | None:
        """None: nothing is open."""
        del path
        return None

    def document(self, uri: str) -> Document:
        """Nothing."""
        del uri
        return Document(None, "", None)


def decode(method: str, raw: object) -> Any:
    """The parameters of a message as its struct. Raises `msgspec.ValidationError` where they don't fit, and `KeyError` for a method that
    the wire does not have."""
    struct = wire.REQUESTS[method][0] if method in wire.REQUESTS else wire.CLIENT_NOTIFICATIONS[method]
    return msgspec.convert({} if raw is None else raw, struct)


class Session:
    """See the module. `handlers`: method → handler, of all that a client may ask or tell. All on one event loop."""

    def __init__(self, listener: Listener, documents: Documents) -> None:
        self.runs = Runs(listener)
        self.lines = Lines(self.runs, documents.open_text, self._search_wanted)
        self.runs.texts_of = self.lines.sources.missing_texts
        self._listener = listener
        self._documents = documents
        self._searching = False
        self._tasks: set[asyncio.Task[Any]] = set()
        self._desks = Desks()
        self.handlers: dict[str, Handler] = {
            "kinetoscope/runs/list": self._list_runs,
            "kinetoscope/runs/set_active": self._set_active,
            "kinetoscope/runs/set_baseline": self._set_baseline,
            "kinetoscope/runs/delete": self._delete,
            "kinetoscope/runs/cancel_reading": self._cancel_reading,
            "kinetoscope/traces/find": self._find_traces,
            "kinetoscope/traces/opened": self._opened,
            "kinetoscope/lines/heat": self._heat,
            "kinetoscope/lines/at": self._line_at,
            "kinetoscope/lines/hot_spots": self._hot_spots,
            "kinetoscope/lines/view": self._lines_view,
            "kinetoscope/lines/detail": self._detail,
            "kinetoscope/run/describe": self._describe,
            "kinetoscope/part/select": self._select,
            "kinetoscope/compare": self._compare,
            "kinetoscope/search": self._search_names,
            "kinetoscope/source/text": self._source_text,
            "kinetoscope/source/place": self._place,
            "kinetoscope/source/files": self._source_files,
            "kinetoscope/source/settings": self._source_settings,
            "kinetoscope/inline/settings": self._inline_settings,
            **{method: partial(self._at_desk, method) for method in QUESTIONS},
        }

    async def answer(self, method: str, raw: object) -> msgspec.Struct | None:
        """The answer to a message with parameters as they came. Raises as `decode`, and `RunError` where it can't be answered."""
        return await self.handlers[method](decode(method, raw))

    # Life

    def start(self, options: wire.InitOptions) -> None:
        """Open the runs and watch for new ones."""
        self.lines.settings = options.inline
        self.runs.infer_lines = options.infer_lines
        self.lines.sources.settings = options.sources
        self.runs.open([Path(folder) for folder in options.run_folders], options.active_run, options.open_traces)
        if options.baseline is not None:
            self.spawn(self._remembered_baseline(options.baseline))
        self.spawn(self.runs.watch())

    def spawn(self, work: Coroutine[Any, Any, Any]) -> None:
        """Run a coroutine in the background; its failure is logged."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("a background task failed", exc_info=error)

    async def close(self) -> None:
        """End everything that runs."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(self.runs.close(), self._desks.close())

    def _search_wanted(self) -> None:
        if not self._searching:
            self._searching = True
            self.spawn(self._search())

    async def _search(self) -> None:
        try:
            await self.lines.sources.search(0.0)
        finally:
            self._searching = False
        self._listener.lines_changed()

    # Runs and traces

    async def _list_runs(self, _: wire.Nothing) -> wire.RunList:
        self.runs.look()
        return self.runs.list()

    async def _set_active(self, params: wire.RunParams) -> wire.RunList:
        return self.runs.set_active(params.run)

    async def _set_baseline(self, params: wire.RunParams) -> wire.RunList:
        await self._choose_baseline(params.run)
        return self.runs.list()

    async def _remembered_baseline(self, run: str | None) -> None:
        with contextlib.suppress(RunError):  # It may be gone, or be the active one.
            await self._choose_baseline(run)

    async def _choose_baseline(self, run: str | None) -> None:
        await self.lines.baselines.choose(run)
        self._listener.runs_changed(self.runs.active, None)
        self._listener.lines_changed()

    async def _delete(self, params: wire.RunParams) -> wire.RunList:
        run = params.run or self.runs.active or ""
        await self._desks.forget(run)
        return self.runs.delete(run)

    async def _cancel_reading(self, params: wire.RunParams) -> wire.Nothing:
        run = params.run or self.runs.active
        if run is not None:
            self.runs.cancel(run)
            self._desks.cancel(run)
        return wire.Nothing()

    async def _find_traces(self, params: wire.FolderParams) -> wire.FoundTraces:
        return await asyncio.to_thread(find_in, Path(params.folder))

    async def _opened(self, params: wire.OpenTraces) -> None:
        self.runs.set_opened(params.paths)

    # Parts of a run, and its views

    async def _describe(self, params: wire.RunParams) -> wire.RunDescription:
        run = self.runs.chosen(params.run)
        part = self.runs.part(run)
        return await self._description(run, part, await self.runs.digest(run))

    async def _select(self, params: wire.PartParams) -> wire.RunDescription:
        run = self.runs.chosen(params.run)
        return await self._description(run, params.part, await self.runs.select(run, params.part))

    async def _description(self, run: str, part: wire.Part, digest: Digest) -> wire.RunDescription:
        return wire.RunDescription(
            run=self.runs.known(run),
            active=run == self.runs.active,
            ranks=await self.runs.ranks(run),
            part=part,
            steps=digest.steps,
            recording_us=digest.whole_us,
        )

    async def _at_desk(self, method: str, params: Any) -> Any:
        """Ask the desk where the trace lies open. The digest comes first: reading is done once, with progress."""
        run = self.runs.chosen(params.run)
        await self.runs.digest(run)
        of = await self.runs.target(run, params.part.rank)
        on_progress = partial(self.runs.progress, run)
        try:
            if isinstance(params, wire.ViewParams) and of_several(of, params.name):
                content = await self._desks.view_of_ranks(run, of, params.name, selected(params.part), on_progress)
                on_progress("done", 0, 0)
                return wire.ViewAnswer(content=content)
            return await self._desks.ask(run, of, self.runs.stamp(run), method, params, on_progress)
        except (RunError, asyncio.CancelledError):
            on_progress("done", 0, 0)  # A trace that could not be opened is being read no more.
            raise

    async def _compare(self, params: wire.CompareParams) -> wire.Comparison:
        before, after = self.runs.chosen(params.before), self.runs.chosen(params.after)
        sides = [await self.runs.whole(run, params.rank) for run in (before, after)]
        try:
            return await compared(sides[0], sides[1], partial(self.runs.progress, after))
        finally:
            self.runs.progress(after, "done", 0, 0)

    async def _search_names(self, params: wire.SearchParams) -> wire.SearchHits:
        run = self.runs.chosen(params.run)
        digest = await self.runs.digest(run)
        if params.part != self.runs.part(run):
            of = await self.runs.target(run, params.part.rank)
            digest = await reading.read(of, partial(self.runs.progress, run), selected(params.part))

        async def view(name: str) -> Content:
            asked = wire.ViewParams(run=run, name=name, part=params.part)
            return (await self._at_desk("kinetoscope/view", asked)).content

        return hits(params.text, digest.report.rows, await view("operators"), await view("kernels"), await view("modules"))

    # Lines and sources

    async def _heat(self, params: wire.FileParams) -> wire.FileHeat:
        path, text, version = self._documents.document(params.uri)
        return self.lines.heat(params.uri, path, text, version)

    async def _line_at(self, params: wire.DocumentLine) -> wire.ProfiledLine:
        path, text, _ = self._documents.document(params.uri)
        return self.lines.at(path, text, params.line)

    async def _hot_spots(self, params: wire.LinesParams) -> wire.HotSpots:
        return await self.lines.hot_spots(params.run, params.metric)

    async def _lines_view(self, params: wire.LinesParams) -> wire.LinesView:
        return await self.lines.view(params.run, params.metric)

    async def _detail(self, params: wire.LineParams) -> wire.LineDetail:
        return await self.lines.detail(params.run, params.file, params.line)

    async def _place(self, params: wire.LineParams) -> wire.Place:
        return await self.lines.place(params.run, params.file, params.line)

    async def _source_files(self, params: wire.RunParams) -> wire.SourceFiles:
        return await self.lines.source_files(params.run)

    async def _source_text(self, params: wire.LineParams) -> wire.SourceText:
        return await self.lines.source_text(params.run, params.file)

    async def _source_settings(self, params: wire.SourceSettings) -> None:
        if params != self.lines.sources.settings:
            self.lines.sources.settings = params
            self.runs.sources_changed()
            self._listener.lines_changed()

    async def _inline_settings(self, params: wire.InlineSettings) -> None:
        if params != self.lines.settings:
            self.lines.settings = params
            self._listener.lines_changed()
