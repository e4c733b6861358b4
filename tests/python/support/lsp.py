"""An editor for tests: the real server over stdio, our messages as structs of the wire, and what the server told, to wait for."""

from __future__ import annotations

import asyncio
import sys
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
from lsprotocol import types
from pygls.protocol import JsonRPCNotification, JsonRPCResponseMessage, default_converter
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities
from pytest_lsp.client import register_lsp_features

from kinetoscope.service import wire

_PATIENCE_S = 20.0
SERVER = [sys.executable, "-I", "-m", "kinetoscope.lsp"]


def _converter() -> Any:
    """Keeps parameters and results that no LSP type describes as plain dictionaries."""
    converter = default_converter()
    converter.register_structure_hook(JsonRPCResponseMessage, lambda raw, cls: cls(raw["id"], raw["jsonrpc"], raw.get("result")))
    converter.register_structure_hook(JsonRPCNotification, lambda raw, cls: cls(raw["method"], raw["jsonrpc"], raw.get("params")))
    return converter


class Editor:
    """One editor window with its server. `told` are our notifications in order, `refreshed` the refreshes that the server asked for."""

    def __init__(self, client: LanguageClient) -> None:
        self.client = client
        self.told: list[Any] = []
        self.refreshed: list[str] = []
        self.registered: list[types.Registration] = []
        self._changed = asyncio.Condition()
        for method, struct in wire.NOTIFICATIONS.items():
            client.feature(method)(self._teller(struct))
        for method in (types.WORKSPACE_INLAY_HINT_REFRESH, types.WORKSPACE_CODE_LENS_REFRESH):
            client.feature(method)(self._refresher(method))

        @client.feature(types.CLIENT_REGISTER_CAPABILITY)
        async def _(params: types.RegistrationParams) -> None:
            self.registered += params.registrations
            await self._notify()

    def _teller(self, struct: type) -> Callable[[Any], Any]:
        async def handle(params: Any) -> None:
            self.told.append(msgspec.convert(params, struct))
            await self._notify()

        return handle

    def _refresher(self, method: str) -> Callable[[Any], Any]:
        async def handle(_: Any) -> None:
            self.refreshed.append(method)
            await self._notify()

        return handle

    async def _notify(self) -> None:
        async with self._changed:
            self._changed.notify_all()

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait until something that the server told makes it true; fails with what was told where nothing does."""

        async def wait() -> None:
            async with self._changed:
                await self._changed.wait_for(holds)

        try:
            await asyncio.wait_for(wait(), _PATIENCE_S)
        except asyncio.TimeoutError:
            raise AssertionError(f"the server told only {self.told}, refreshed {self.refreshed}") from None

    async def until_read(self, run: Path | str) -> None:
        """Wait until a run's reading ended well."""
        await self.until(lambda: any(isinstance(t, wire.ReadProgress) and t.run == str(run) and t.stage == "done" for t in self.told))

    async def until_active(self, run: Path | None) -> None:
        """Wait until a run was told to be active and its numbers to be there."""
        wanted = str(run) if run is not None else None
        await self.until(lambda: [t.active for t in self.told if isinstance(t, wire.RunArrived)][-1:] == [wanted])

    async def ask(self, method: str, **params: Any) -> Any:
        """One of our requests; the answer as its struct."""
        result = await self.client.protocol.send_request_async(method, params)
        return msgspec.convert(result, wire.REQUESTS[method][1])

    def begin(self, method: str, **params: Any) -> Callable[[], None]:
        """One of our requests whose answer nobody waits for; call the result to cancel it."""
        number = str(uuid.uuid4())
        self.client.protocol.send_request(method, params, msg_id=number)
        return lambda: self.client.cancel_request(types.CancelParams(id=number))

    def tell(self, settings: wire.InlineSettings) -> None:
        """New inline settings."""
        self.client.protocol.notify("kinetoscope/inline/settings", msgspec.to_builtins(settings))

    def locate(self, **fields: Any) -> None:
        """New `SourceSettings`; `fields` as on the wire."""
        self.client.protocol.notify("kinetoscope/source/settings", fields)

    def has_open(self, *traces: Path) -> None:
        """The trace files that are open now."""
        self.client.protocol.notify("kinetoscope/traces/opened", {"paths": [str(path) for path in traces]})

    def open(self, path: Path, text: str | None = None) -> str:
        """Open a document; its URI."""
        uri = path.as_uri()
        item = types.TextDocumentItem(uri=uri, language_id="python", version=1, text=path.read_text() if text is None else text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(text_document=item))
        return uri

    def change(self, uri: str, text: str, version: int = 2) -> None:
        """Replace a document's text."""
        self.client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                text_document=types.VersionedTextDocumentIdentifier(uri=uri, version=version),
                content_changes=[types.TextDocumentContentChangeWholeDocument(text=text)],
            )
        )

    def close(self, uri: str) -> None:
        """Close a document."""
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(text_document=types.TextDocumentIdentifier(uri=uri)))

    async def hints(self, uri: str, first: int = 1, last: int = 10_000) -> dict[int, str]:
        """Inlay hints by line, both from 1."""
        return {hint.position.line + 1: str(hint.label) for hint in await self.raw_hints(uri, first, last)}

    async def raw_hints(self, uri: str, first: int = 1, last: int = 10_000) -> list[types.InlayHint]:
        """Inlay hints of the lines `first..last` as the protocol has them."""
        where = types.Range(start=types.Position(line=first - 1, character=0), end=types.Position(line=last - 1, character=0))
        params = types.InlayHintParams(text_document=types.TextDocumentIdentifier(uri=uri), range=where)
        return list(await self.client.text_document_inlay_hint_async(params) or [])

    async def lenses(self, uri: str) -> dict[int, str]:
        """Code lens titles by line, from 1."""
        params = types.CodeLensParams(text_document=types.TextDocumentIdentifier(uri=uri))
        lenses = await self.client.text_document_code_lens_async(params) or []
        return {lens.range.start.line + 1: lens.command.title for lens in lenses if lens.command is not None}

    async def hover(self, uri: str, line: int) -> str | None:
        """The hover's Markdown on a line, from 1."""
        params = types.HoverParams(text_document=types.TextDocumentIdentifier(uri=uri), position=types.Position(line=line - 1, character=4))
        hover = await self.client.text_document_hover_async(params)
        assert hover is None or isinstance(hover.contents, types.MarkupContent)
        return hover.contents.value if hover is not None else None


def _capabilities(resolve: bool) -> types.ClientCapabilities:
    capabilities = client_capabilities("visual-studio-code")
    assert capabilities.workspace is not None
    assert capabilities.text_document is not None
    if resolve:
        support = types.ClientInlayHintResolveOptions(properties=["tooltip"])
        capabilities.text_document.inlay_hint = types.InlayHintClientCapabilities(resolve_support=support)
    capabilities.workspace.inlay_hint = types.InlayHintWorkspaceClientCapabilities(refresh_support=True)
    return capabilities


@asynccontextmanager
async def editor(
    workspace: Path, server_env: dict[str, str] | None = None, *, resolve: bool = True, **options: Any
) -> AsyncIterator[Editor]:
    """An editor whose workspace folder is `workspace`; `options` are fields of `InitOptions`. `resolve`: it asks for tooltips when it needs
    them."""

    def make() -> LanguageClient:
        client = LanguageClient(converter_factory=_converter)
        register_lsp_features(client)
        return client

    client: Any = await ClientServerConfig(server_command=SERVER, client_factory=make, server_env=server_env).start()
    window = Editor(client)
    options.setdefault("run_folders", [str(workspace / ".kinetoscope")])
    await client.initialize_session(
        types.InitializeParams(
            capabilities=_capabilities(resolve),
            workspace_folders=[types.WorkspaceFolder(uri=workspace.as_uri(), name=workspace.name)],
            initialization_options=options,
        )
    )
    try:
        yield window
    finally:
        await client.shutdown_session()
        await client.stop()
