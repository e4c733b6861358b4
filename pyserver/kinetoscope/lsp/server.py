"""The server: LSP features and our requests, each a few lines over the service.

Documents are synchronised whole: pygls breaks lines at form feeds and U+2028 when it applies partial edits, editors and Python don't, and
one such character would shift every number below it.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import sys
from pathlib import Path
from typing import Any

import msgspec
from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

import kinetoscope
from kinetoscope.lsp.progress import WorkDone
from kinetoscope.lsp.protocol import Protocol, checked, converter
from kinetoscope.service import wire
from kinetoscope.service.lines import Lines
from kinetoscope.service.runs import Runs
from kinetoscope.service.sources import RUN_PATTERN, canonical, split_lines
from kinetoscope.service.traces import find_in

logger = logging.getLogger(__name__)

Server = LanguageServer


class Host:
    """The language server's state: the service's two halves, and what it tells the client. Implements the service's `Listener`."""

    def __init__(self, server: LanguageServer) -> None:
        self._server = server
        self.runs = Runs(self)
        self.lines = Lines(self.runs, self._open_text, self._search_wanted)
        self.runs.texts_of = self.lines.sources.missing_texts
        self._searching = False
        self._work_done = WorkDone(server, self.runs.cancel)
        self._tasks: set[asyncio.Task[Any]] = set()

    # What the service tells

    def runs_changed(self, active: str | None, arrived: str | None) -> None:
        """Tell the client of runs."""
        self._server.protocol.notify("kinetoscope/runs/changed", wire.RunArrived(active=active, arrived=arrived))

    def lines_changed(self) -> None:
        """Tell the client that all numbers changed, and have it ask again."""
        self._server.protocol.notify("kinetoscope/lines/changed", wire.LinesChanged(uri=None))
        workspace = self._server.client_capabilities.workspace
        if workspace is not None and workspace.inlay_hint is not None and workspace.inlay_hint.refresh_support:
            self.spawn(self._server.workspace_inlay_hint_refresh_async(None))
        if workspace is not None and workspace.code_lens is not None and workspace.code_lens.refresh_support:
            self.spawn(self._server.workspace_code_lens_refresh_async(None))

    def reading(self, progress: wire.ReadProgress) -> None:
        """Tell the client how far a reading is."""
        self._server.protocol.notify("kinetoscope/read/progress", progress)
        self._work_done.show(progress)

    # Life

    def start(self, options: wire.InitOptions) -> None:
        """After `initialized`: open the runs and watch for new ones."""
        self.follow_workspace()
        self.lines.settings = options.inline
        self.runs.infer_lines = options.infer_lines
        self.lines.sources.settings = options.sources
        self.runs.open([Path(folder) for folder in options.run_folders], options.active_run, options.open_traces)
        self.spawn(self.runs.watch())
        watched = self._server.client_capabilities.workspace
        files = watched.did_change_watched_files if watched is not None else None
        if files is not None and files.dynamic_registration:
            self.spawn(self._watch_files())

    async def _watch_files(self) -> None:
        options = types.DidChangeWatchedFilesRegistrationOptions(watchers=[types.FileSystemWatcher(glob_pattern=RUN_PATTERN)])
        registration = types.Registration(id="kinetoscope-runs", method=types.WORKSPACE_DID_CHANGE_WATCHED_FILES, register_options=options)
        await self._server.client_register_capability_async(types.RegistrationParams(registrations=[registration]))

    def follow_workspace(self) -> None:
        """Take over the client's workspace folders."""
        workspace = self._server.workspace
        uris = [folder.uri for folder in workspace.folders.values()] or ([workspace.root_uri] if workspace.root_uri else [])
        self.lines.sources.folders = tuple(Path(path) for uri in uris if (path := to_fs_path(uri)))

    def _search_wanted(self) -> None:
        if not self._searching:
            self._searching = True
            self.spawn(self._search())

    async def _search(self) -> None:
        try:
            await self.lines.sources.search(0.0)
        finally:
            self._searching = False
        self.lines_changed()

    def spawn(self, work: Any) -> None:
        """Run a coroutine in the background; its failure is logged."""
        task = asyncio.ensure_future(work)
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
        await self.runs.close()

    # Documents

    def _open_text(self, path: Path) -> str | None:
        wanted = canonical(path)
        for uri, document in self._server.workspace.text_documents.items():
            found = to_fs_path(uri)
            if found is not None and canonical(found) == wanted:
                return document.source
        return None

    def document(self, uri: str) -> tuple[Path | None, str, int | None]:
        """`(path, text, version)` of a document. The path is None for what is no file (`untitled:`, `git:`), which is never shown
        numbers."""
        path = to_fs_path(uri) if uri.startswith("file:") else None
        document = self._server.workspace.text_documents.get(uri)
        if path is None:
            return None, "", None
        if document is None:
            return Path(path), self.lines.text_on_disk(Path(path)) or "", None
        return Path(path), document.source, document.version

    @property
    def resolves_tooltips(self) -> bool:
        """True where the client asks for a hint's tooltip when it needs it."""
        document = self._server.client_capabilities.text_document
        support = document.inlay_hint.resolve_support if document is not None and document.inlay_hint is not None else None
        return support is not None and "tooltip" in support.properties

    def units(self, line: str) -> int:
        """Length of a line in the units the client counts columns by (UTF-16, unless it asked for others)."""
        if line.isascii():
            return len(line)  # In any unit; the codec counts character by character.
        return self._server.workspace.position_codec.client_num_units(line)


def create() -> LanguageServer:
    """The server with all its features, not yet started."""
    server = Server(
        "kinetoscope", kinetoscope.__version__, types.TextDocumentSyncKind.Full, protocol_cls=Protocol, converter_factory=converter
    )
    host = Host(server)
    _register_life(server, host)
    _register_editor(server, host)
    _register_ours(server, host)
    return server


def _register_life(server: LanguageServer, host: Host) -> None:
    options = wire.InitOptions()

    @server.feature(types.INITIALIZE)
    def _(params: types.InitializeParams) -> None:
        nonlocal options
        try:
            options = msgspec.convert(params.initialization_options or {}, wire.InitOptions)
        except msgspec.ValidationError as error:
            # The server is of use without them; a refused initialize would have it restarted for ever.
            logger.error("initializationOptions are not as expected and were ignored: %s", error)

    @server.feature(types.INITIALIZED)
    async def _(_: types.InitializedParams) -> None:
        host.start(options)

    @server.feature(types.SHUTDOWN)
    async def _(_: None) -> None:
        await host.close()

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    async def _(_: types.DidChangeWatchedFilesParams) -> None:
        host.runs.look()

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    async def _(_: types.DidChangeWorkspaceFoldersParams) -> None:
        host.follow_workspace()
        host.lines_changed()


def _register_editor(server: LanguageServer, host: Host) -> None:
    @server.feature(types.TEXT_DOCUMENT_INLAY_HINT, types.InlayHintOptions(resolve_provider=True))
    async def _(params: types.InlayHintParams) -> list[types.InlayHint]:
        return inlay_hints(host, params)

    @server.feature(types.INLAY_HINT_RESOLVE)
    async def _(hint: types.InlayHint) -> types.InlayHint:
        return _with_tooltip(host, hint)

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS, types.CodeLensOptions(resolve_provider=False))
    async def _(params: types.CodeLensParams) -> list[types.CodeLens]:
        path, text, _ = host.document(params.text_document.uri)
        if path is None:
            return []
        return [_code_lens(host.runs.active, lens.line, lens.text, lens.file, lens.profiled_line) for lens in host.lines.lenses(path, text)]

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def _(params: types.HoverParams) -> types.Hover | None:
        path, text, _ = host.document(params.text_document.uri)
        markdown = host.lines.hover(path, text, params.position.line + 1) if path is not None else None
        return types.Hover(contents=_markdown(markdown)) if markdown is not None else None


def inlay_hints(host: Host, params: types.InlayHintParams) -> list[types.InlayHint]:
    """Hints at the ends of the lines of the asked range. Clients that can ask for tooltips later get none: they are ten times the rest."""
    path, text, _ = host.document(params.text_document.uri)
    hints = host.lines.hints(path, text) if path is not None else []
    if not hints:
        return []
    lines = split_lines(text)
    first, last = params.range.start.line + 1, params.range.end.line + 1
    found = [
        types.InlayHint(
            position=types.Position(line=hint.line - 1, character=host.units(lines[hint.line - 1])),
            label=hint.text,
            padding_left=True,
            data=[params.text_document.uri, hint.profiled_line, hint.freshness == "stale"],
        )
        for hint in hints
        if first <= hint.line <= last
    ]
    return found if host.resolves_tooltips else [_with_tooltip(host, hint) for hint in found]


def _with_tooltip(host: Host, hint: types.InlayHint) -> types.InlayHint:
    match hint.data:
        case [str(uri), int(profiled_line), bool(stale)]:
            path = to_fs_path(uri)
            markdown = host.lines.tooltip(Path(path), profiled_line, stale=stale) if path else None
            hint.tooltip = _markdown(markdown) if markdown is not None else None
        case _:
            logger.warning("a hint came back that is not ours: %r", hint.data)
    return hint


def _markdown(text: str) -> types.MarkupContent:
    return types.MarkupContent(kind=types.MarkupKind.Markdown, value=text)


def _code_lens(run: str | None, line: int, text: str, file: str, profiled_line: int) -> types.CodeLens:
    start = types.Position(line=line - 1, character=0)
    argument = {"run": run, "file": file, "line": profiled_line}
    return types.CodeLens(
        range=types.Range(start=start, end=start), command=types.Command(title=text, command=wire.SHOW_LINE, arguments=[argument])
    )


def _register_ours(server: LanguageServer, host: Host) -> None:
    async def list_runs(_: wire.Nothing) -> wire.RunList:
        host.runs.look()
        return host.runs.list()

    async def set_active(params: wire.RunParams) -> wire.RunList:
        return host.runs.set_active(params.run)

    async def delete(params: wire.RunParams) -> wire.RunList:
        return host.runs.delete(params.run or host.runs.active or "")

    async def cancel_reading(params: wire.RunParams) -> wire.Nothing:
        host.runs.cancel(params.run)
        return wire.Nothing()

    async def find_traces(params: wire.FolderParams) -> wire.FoundTraces:
        return await asyncio.to_thread(find_in, Path(params.folder))

    async def opened(params: wire.OpenTraces) -> None:
        host.runs.set_opened(params.paths)

    async def heat(params: wire.FileParams) -> wire.FileHeat:
        path, text, version = host.document(params.uri)
        return host.lines.heat(params.uri, path, text, version)

    async def hot_spots(params: wire.LinesParams) -> wire.HotSpots:
        return await host.lines.hot_spots(params.run, params.metric)

    async def view(params: wire.LinesParams) -> wire.LinesView:
        return await host.lines.view(params.run, params.metric)

    async def detail(params: wire.LineParams) -> wire.LineDetail:
        return await host.lines.detail(params.run, params.file, params.line)

    async def place(params: wire.LineParams) -> wire.Place:
        return await host.lines.place(params.run, params.file, params.line)

    async def source_files(params: wire.RunParams) -> wire.SourceFiles:
        return await host.lines.source_files(params.run)

    async def source_settings(params: wire.SourceSettings) -> None:
        if params != host.lines.sources.settings:
            host.lines.sources.settings = params
            host.runs.sources_changed()
            host.lines_changed()

    async def settings(params: wire.InlineSettings) -> None:
        if params != host.lines.settings:
            host.lines.settings = params
            host.lines_changed()

    handlers: dict[str, Any] = {
        "kinetoscope/runs/list": list_runs,
        "kinetoscope/runs/set_active": set_active,
        "kinetoscope/runs/delete": delete,
        "kinetoscope/runs/cancel_reading": cancel_reading,
        "kinetoscope/traces/find": find_traces,
        "kinetoscope/traces/opened": opened,
        "kinetoscope/lines/heat": heat,
        "kinetoscope/lines/hot_spots": hot_spots,
        "kinetoscope/lines/view": view,
        "kinetoscope/lines/detail": detail,
        "kinetoscope/source/place": place,
        "kinetoscope/source/files": source_files,
        "kinetoscope/source/settings": source_settings,
        "kinetoscope/inline/settings": settings,
    }
    for method, handler in handlers.items():
        server.feature(method)(checked(handler))


def serve() -> int:
    """Serve on stdin and stdout until the client leaves. Standard output belongs to the protocol: everything else goes to standard
    error."""
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    # pygls logs every message with its body.
    logging.getLogger("pygls").setLevel(logging.WARNING)
    logger.info("Kinetoscope %s, Python %s, %s", kinetoscope.__version__, sys.version.split()[0], sys.executable)
    stdin, stdout = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    with contextlib.suppress(KeyboardInterrupt):
        create().start_io(stdin, stdout)
    return 0
