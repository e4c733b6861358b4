"""Reading a run as LSP work-done progress: one token a run, with a cancel button where the client has one."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from kinetoscope.service.wire import ReadProgress

_WORDS = {"reading": "reading the trace", "linking": "tying events to lines", "lines": "adding up lines"}


class WorkDone:
    """Shows readings to the client. `cancel` is called with the run whose progress the user cancelled."""

    def __init__(self, server: LanguageServer, cancel: Callable[[str], None]) -> None:
        self._server = server
        self._cancel = cancel
        self._numbers = itertools.count(1)
        self._shown: dict[str, asyncio.Task[str]] = {}

    def show(self, progress: ReadProgress) -> None:
        """Begin, report or end the progress of a run."""
        window = self._server.client_capabilities.window
        if window is None or not window.work_done_progress:
            return
        begun = self._shown.get(progress.run)
        if progress.stage in _WORDS:
            if begun is None:
                self._shown[progress.run] = asyncio.ensure_future(self._begin(progress.run))
            elif begun.done() and not begun.exception():
                self._server.work_done_progress.report(begun.result(), _report(progress))
        elif begun is not None:
            self._shown.pop(progress.run)
            begun.add_done_callback(lambda task: self._end(task, progress))

    async def _begin(self, run: str) -> str:
        token = f"kinetoscope/read/{next(self._numbers)}"  # The same run may be read again: never the same token.
        shown = self._server.work_done_progress
        await shown.create_async(token)
        shown.begin(token, types.WorkDoneProgressBegin(title=f"Reading {Path(run).name}", cancellable=True, percentage=0))

        def cancelled(token_future: Future[Any]) -> None:
            if token_future.cancelled():
                self._cancel(run)

        shown.tokens[token].add_done_callback(cancelled)
        return token

    def _end(self, begun: asyncio.Task[str], progress: ReadProgress) -> None:
        if not begun.cancelled() and not begun.exception():
            token = begun.result()
            self._server.work_done_progress.end(token, types.WorkDoneProgressEnd(message=progress.problem))
            self._server.work_done_progress.tokens.pop(token, None)


def _report(progress: ReadProgress) -> types.WorkDoneProgressReport:
    percentage = min(100, 100 * progress.done // progress.total) if progress.total > 0 else None
    return types.WorkDoneProgressReport(message=_WORDS[progress.stage], percentage=percentage)
