"""What can't be brought about from outside in time: tickets that expire, pages that give up or take nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kinetoscope.service import wire
from kinetoscope.web import events
from kinetoscope.web.access import Ticket
from kinetoscope.web.app import App


def test_a_ticket_opens_once() -> None:
    ticket = Ticket()
    assert not ticket.take("another")
    assert not ticket.take("é")
    assert ticket.take(ticket.value)
    assert not ticket.take(ticket.value)


def test_a_ticket_is_good_for_a_minute() -> None:
    now = 0.0
    ticket = Ticket(lambda: now)
    now = 61.0
    assert not ticket.take(ticket.value)


class Page:
    """A request for `/api/ask`, as the HTTP server hands it over; `leave` ends its connection."""

    def __init__(self, app: App, body: bytes) -> None:
        self.sent: list[Any] = []
        self._app = app
        self._coming: Iterator[Any] = iter(
            [{"type": "http.request", "body": body[:3], "more_body": True}, {"type": "http.request", "body": body[3:]}]
        )
        self.leave = asyncio.Event()

    async def _receive(self) -> Any:
        message = next(self._coming, None)
        if message is None:
            await self.leave.wait()
            return {"type": "http.disconnect"}
        return message

    async def _send(self, message: Any) -> None:
        self.sent.append(message)

    async def ask(self) -> None:
        headers = [(b"host", b"localhost"), (b"x-kinetoscope-token", self._app.token.encode())]
        scope = {"type": "http", "method": "POST", "path": "/api/ask", "query_string": b"", "headers": headers}
        await self._app(scope, self._receive, self._send)


class Slow:
    """A question that takes for ever, unless it is given up."""

    def __init__(self, app: App) -> None:
        self.begun = asyncio.Event()
        self.given_up = asyncio.Event()
        app.session.handlers["kinetoscope/runs/list"] = self._answer

    async def _answer(self, _: wire.Nothing) -> wire.RunList:
        self.begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.given_up.set()
        raise AssertionError


QUESTION = b'{"method": "kinetoscope/runs/list"}'


async def test_a_page_that_gives_up_ends_what_it_asked(tmp_path: Path) -> None:
    app = App(tmp_path)
    slow, page = Slow(app), Page(app, QUESTION)
    asking = asyncio.create_task(page.ask())
    await slow.begun.wait()
    page.leave.set()
    await asking
    await asyncio.wait_for(slow.given_up.wait(), 5)
    assert page.sent == []


async def test_a_server_that_ends_says_so_to_those_who_wait(tmp_path: Path) -> None:
    app = App(tmp_path)
    slow, page = Slow(app), Page(app, QUESTION)
    asking = asyncio.create_task(page.ask())
    await slow.begun.wait()
    app.end()
    await asking
    assert page.sent[0]["status"] == 503
    assert b"Kinetoscope ends" in page.sent[1]["body"]


async def test_a_question_that_goes_wrong_ends_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    app = App(tmp_path)

    async def broken(_: wire.Nothing) -> wire.RunList:
        raise ZeroDivisionError

    app.session.handlers["kinetoscope/runs/list"] = broken
    page = Page(app, QUESTION)
    await page.ask()
    assert page.sent[0]["status"] == 500
    assert b"please report it" in page.sent[1]["body"]
    assert "ZeroDivisionError" in caplog.text


async def test_a_page_that_takes_nothing_is_cut_off_and_the_others_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "_MOST_WAITING", 2)
    told = events.Events()
    stuck, lively = told.stream(), told.stream()
    await anext(stuck)
    await anext(lively)
    for _ in range(4):
        told.lines_changed()
        assert b"kinetoscope/lines/changed" in await anext(lively)
    assert [body async for body in stuck] == [b'data: {"event":"kinetoscope/lines/changed","data":{"uri":null}}\n\n'] * 2


async def test_a_silent_stream_has_a_beat(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "_BEAT_S", 0.01)
    stream = events.Events().stream()
    assert [(await anext(stream))[:1] for _ in range(3)] == [b":"] * 3
