"""The server: LSP features, each a few lines over the service, and our requests, which the service's session answers.

Documents are synchronised whole: pygls breaks lines at form feeds and U+2028 when it applies partial edits, editors and Python don't, and
one such character would shift every number below it.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sys
from pathlib import Path

import msgspec
from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

import kinetoscope
from kinetoscope.lsp.progress import WorkDone
from kinetoscope.lsp.protocol import Protocol, checked, converter
from kinetoscope.service import wire
from kinetoscope.service.session import Document, Session
from kinetoscope.service.sources import RUN_PATTERN, canonical, split_lines

logger = logging.getLogger(__name__)

Server = LanguageServer


class Host:
    """The language server's state: the session, and what the client is told and has open. Implements the service's `Listener` and
    `Documents`."""

    def __init__(self, server: LanguageServer) -> None:
        self._server = server
        self.session = Session(self, self)
        self.runs = self.session.runs
        self.lines = self.session.lines
        self._work_done = WorkDone(server, self.runs.cancel)

    # What the service tells

    def runs_changed(self, active: str | None, arrived: str | None) -> None:
        """Tell the client of runs."""
        self._server.protocol.notify("kinetoscope/runs/changed", wire.RunArrived(active=active, arrived=arrived))

    def lines_changed(self) -> None:
        """Tell the client that all numbers changed, and have it ask again."""
        self._server.protocol.notify("kinetoscope/lines/changed", wire.LinesChanged(uri=None))
        workspace = self._server.client_capabilities.workspace
        if workspace is not None and workspace.inlay_hint is not None and workspace.inlay_hint.refresh_support:
            self.session.spawn(self._server.workspace_inlay_hint_refresh_async(None))
        if workspace is not None and workspace.code_lens is not None and workspace.code_lens.refresh_support:
            self.session.spawn(self._server.workspace_code_lens_refresh_async(None))

    def part_changed(self, run: str, part: wire.Part) -> None:
        """Tell the client of another selection."""
        self._server.protocol.notify("kinetoscope/part/changed", wire.PartChanged(run=run, part=part))

    def reading(self, progress: wire.ReadProgress) -> None:
        """Tell the client how far a reading is."""
        self._server.protocol.notify("kinetoscope/read/progress", progress)
        self._work_done.show(progress)

    # Life

    def start(self, options: wire.InitOptions) -> None:
        """After `initialized`: open the runs and watch for new ones."""
        self.follow_workspace()
        self.session.start(options)
        watched = self._server.client_capabilities.workspace
        files = watched.did_change_watched_files if watched is not None else None
        if files is not None and files.dynamic_registration:
            self.session.spawn(self._watch_files())

    async def _watch_files(self) -> None:
        options = types.DidChangeWatchedFilesRegistrationOptions(watchers=[types.FileSystemWatcher(glob_pattern=RUN_PATTERN)])
        registration = types.Registration(id="kinetoscope-runs", method=types.WORKSPACE_DID_CHANGE_WATCHED_FILES, register_options=options)
        await self._server.client_register_capability_async(types.RegistrationParams(registrations=[registration]))

    def follow_workspace(self) -> None:
        """Take over the client's workspace folders."""
        workspace = self._server.workspace
        uris = [folder.uri for folder in workspace.folders.values()] or ([workspace.root_uri] if workspace.root_uri else [])
        self.lines.sources.folders = tuple(Path(path) for uri in uris if (path := to_fs_path(uri)))

    # Documents

    def open_text(self, path: Path) -> str | None:
        """See `Documents`."""
        wanted = canonical(path)
        for uri, document in self._server.workspace.text_documents.items():
            found = to_fs_path(uri)
            if found is not None and canonical(found) == wanted:
                return document.source
        return None

    def document(self, uri: str) -> Document:
        """See `Documents`; the text of one that is not open is that on the disk."""
        path = to_fs_path(uri) if uri.startswith("file:") else None
        document = self._server.workspace.text_documents.get(uri)
        if path is None:
            return Document(None, "", None)
        if document is None:
            return Document(Path(path), self.lines.text_on_disk(Path(path)) or "", None)
        return Document(Path(path), document.source, document.version)

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
    for method, handler in host.session.handlers.items():
        server.feature(method)(checked(handler))
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
        await host.session.close()

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
