"""The pages' host as an ASGI application: the page and its files, POST /api/ask, GET /api/events, GET /open/TICKET."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, MutableMapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import msgspec

from kinetoscope.service.session import NoDocuments, Session
from kinetoscope.web import access, files, questions
from kinetoscope.web.access import Refusal, Ticket
from kinetoscope.web.events import Events

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Headers = Iterable[tuple[str, str]]

_MOST_BODY_BYTES = 1_000_000

_CSP = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "font-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    ]
)
_ALWAYS: tuple[tuple[str, str], ...] = (
    ("content-security-policy", _CSP),
    ("cache-control", "no-store"),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
)


class App:
    """See the module. `token` is the secret, `ticket` opens the page once, which `on_opened` is told; `static` is the folder of the pages'
    files."""

    def __init__(self, static: Path) -> None:
        self.token = access.make_token()
        self.ticket = Ticket()
        self.on_opened: Callable[[], None] = lambda: None
        self.events = Events()
        self.session = Session(self.events, NoDocuments())
        self._asked = questions.Asked(self.session)
        self._static = static
        self._answering: set[asyncio.Future[bytes | Refusal]] = set()

    def end(self) -> None:
        """End what requests wait for, so that the server can."""
        self.events.close()
        for task in self._answering:
            task.cancel()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        method, path = str(scope["method"]), str(scope["path"])
        refusal = access.rebound(headers) or (access.foreign(headers) if path.startswith("/api/") else None)
        if refusal is not None:
            await _refuse(send, refusal)
        elif path == "/api/ask" and method == "POST":
            await self._ask(headers.get(access.HEADER), receive, send)
        elif path == "/api/events" and method == "GET":
            given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [None])[0]
            await self._tell(given, receive, send)
        elif path.startswith("/open/") and method == "GET":  # HEAD must not use the ticket up.
            await self._open(path.removeprefix("/open/"), send)
        elif method not in ("GET", "HEAD") or path.startswith(("/api/", "/open/")):
            await _refuse(send, Refusal(405, f"{method} is not a way to ask for {path}."))
        else:
            await self._file(path, send)

    async def _open(self, ticket: str, send: Send) -> None:
        if self.ticket.take(ticket):
            self.on_opened()
            await _respond(send, 303, "text/plain", b"", [("location", f"/#token={self.token}")])
        else:
            await _refuse(send, Refusal(403, "This link opens the page once only. Open the address that `kinetoscope view` printed."))

    async def _file(self, path: str, send: Send) -> None:
        found = files.load(self._static, path)
        if found is None:
            await _refuse(send, Refusal(404, f"There is no {path}."))
        else:
            await _respond(send, 200, *found)

    async def _ask(self, token: str | None, receive: Receive, send: Send) -> None:
        refusal = access.unknown(self.token, token)
        if refusal is None:
            body = await _body(receive)
            question = questions.read(body) if body is not None else Refusal(413, "The question is too long.")
            answered = question if isinstance(question, Refusal) else await self._answer(question, receive)
        else:
            answered = refusal
        if isinstance(answered, Refusal):
            await _refuse(send, answered)
        elif answered is not None:
            await _respond(send, 200, "application/json", answered)

    async def _answer(self, question: questions.Question, receive: Receive) -> bytes | Refusal | None:
        """The answer; None where the page gave up, which cancels it."""
        answering = asyncio.ensure_future(self._asked.answer(question))
        leaving = asyncio.ensure_future(_gone(receive))
        self._answering.add(answering)
        try:
            await asyncio.wait({answering, leaving}, return_when=asyncio.FIRST_COMPLETED)
            if leaving.done() and not answering.done():
                return None
            return Refusal(503, "Kinetoscope ends.") if answering.cancelled() else answering.result()
        finally:
            self._answering.discard(answering)
            answering.cancel()
            leaving.cancel()

    async def _tell(self, token: str | None, receive: Receive, send: Send) -> None:
        refusal = access.unknown(self.token, token)
        if refusal is not None:
            await _refuse(send, refusal)
            return
        await send(_start(200, "text/event-stream", []))
        sending = asyncio.ensure_future(_send_all(send, self.events.stream()))
        leaving = asyncio.ensure_future(_gone(receive))
        try:
            await asyncio.wait({sending, leaving}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            sending.cancel()
            leaving.cancel()


async def _send_all(send: Send, bodies: AsyncGenerator[bytes]) -> None:
    async with contextlib.aclosing(bodies):
        async for body in bodies:
            await send({"type": "http.response.body", "body": body, "more_body": True})
    await send({"type": "http.response.body", "body": b""})


async def _body(receive: Receive) -> bytes | None:
    """A request's body; None where it is too long."""
    body = b""
    while True:
        message = await receive()
        body += message.get("body", b"")
        if len(body) > _MOST_BODY_BYTES:
            return None
        if not message.get("more_body", False):
            return body


async def _gone(receive: Receive) -> None:
    """Returns when whoever asked is gone."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def _refuse(send: Send, refusal: Refusal) -> None:
    await _respond(send, refusal.status, "application/json", msgspec.json.encode({"error": refusal.words}))


async def _respond(send: Send, status: int, content_type: str, body: bytes, more: Headers = ()) -> None:
    await send(_start(status, content_type, [*more, ("content-length", str(len(body)))]))
    await send({"type": "http.response.body", "body": body})


def _start(status: int, content_type: str, more: Headers) -> Message:
    headers = [("content-type", content_type), *more, *_ALWAYS]
    return {"type": "http.response.start", "status": status, "headers": [(name.encode(), value.encode()) for name, value in headers]}
