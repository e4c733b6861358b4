"""Serves the pages on 127.0.0.1 until Ctrl+C, and ends everything that it started."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import NamedTuple

import uvicorn

from kinetoscope.service.errors import RunError
from kinetoscope.service.wire import InitOptions
from kinetoscope.web import files
from kinetoscope.web.app import App
from kinetoscope.web.doorway import Doorway

logger = logging.getLogger(__name__)

_HOST = "127.0.0.1"
_GRACE_S = 2
_UVICORN = logging.getLogger("uvicorn")


class Address(NamedTuple):
    """Where the pages are. `page` is for people, who alone see what we print; `doorway` is the file to start a browser with, None where
    none is wanted or it can't be written."""

    port: int
    page: str
    doorway: Path | None


class _Server(uvicorn.Server):
    """Ends on a signal like uvicorn's, but first ends the streams and readings that it would wait for, and then goes on where `serve` was
    called: ending is no error here."""

    def __init__(self, config: uvicorn.Config, app: App, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._app = app
        self._ready = ready
        self._loop = asyncio.get_running_loop()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Tell when pages can be loaded, and a signal ends us as it should."""
        await super().startup(sockets)
        self._ready()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """In the middle of anything: only tells the loop."""
        del sig, frame
        self.should_exit = True
        _UVICORN.setLevel(logging.CRITICAL)  # That a request is cut off now is no error.
        self._loop.call_soon_threadsafe(self._app.end)


def serve(options: InitOptions, port: int, ready: Callable[[Address], None], *, browse: bool) -> None:
    """Serve what `options` name until a signal to end; `port` 0 is any that is free. `ready` is called when pages can be loaded; `browse`:
    it starts a browser then.

    Raises `RunError` where the pages are not built or the port can't be had.
    """
    if not files.built(files.FOLDER):
        raise RunError("The pages are not built.", "In a checkout: npm run build. Elsewhere: install Kinetoscope again.")
    listening = _listen(port)
    with listening:
        asyncio.run(_serve(options, listening, ready, browse=browse))


def _listen(port: int) -> socket.socket:
    try:
        listening = socket.create_server((_HOST, port))
    except OSError as error:
        raise RunError(f"Port {port} can't be used: {error.strerror}.", "Choose another with --port, or leave it out.") from error
    # Connections inherit it; asyncio sets it only where it made the socket. Without it each answer waits 40 ms for an acknowledgement.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening


async def _serve(options: InitOptions, listening: socket.socket, ready: Callable[[Address], None], *, browse: bool) -> None:
    app = App(files.FOLDER)
    config = uvicorn.Config(
        app,
        http="h11",
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,  # It would hold the token of the event stream's address.
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=_GRACE_S,
    )
    _UVICORN.setLevel(logging.WARNING)
    app.session.lines.sources.folders = (Path.cwd(),)
    app.session.start(options)
    port: int = listening.getsockname()[1]
    base = f"http://{_HOST}:{port}"
    doorway = _doorway(f"{base}/open/{app.ticket.value}") if browse else None
    try:
        if doorway is not None:
            app.on_opened = doorway.remove
        address = Address(port, f"{base}/#token={app.token}", doorway.path if doorway is not None else None)
        await _Server(config, app, lambda: ready(address)).serve(sockets=[listening])
    finally:
        if doorway is not None:
            doorway.remove()
        await app.session.close()


def _doorway(link: str) -> Doorway | None:
    try:
        return Doorway(link)
    except OSError as error:
        logger.warning("No browser is opened, because the page that leads it here can't be written: %s.", error)
        return None
