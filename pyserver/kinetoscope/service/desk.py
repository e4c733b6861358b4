"""Desks: processes that keep a linked trace open while pages look at it, so that a view takes no longer than its own computing.

One desk a rank of a run. The desks that were used last are kept, and end when nobody asked for a while: they hold memory that others may
need. A desk whose trace was written anew is not asked any more. Views of several ranks open the traces of all, so each is made by a
worker of its own, beside the desks.

What is given up ends: a question that waits for its turn is never put, the opening of a trace for nobody else and the worker of a view end
at once. The question that a desk is at can't be taken back, and mostly ends by itself soon; where it does not, the desk ends, and who
else waits is answered by a new one.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import sys
import time
from asyncio.subprocess import Process
from collections import deque
from typing import Any, NamedTuple

import msgspec

from kinetoscope.runs.manifest import RunError
from kinetoscope.service import reading, wire
from kinetoscope.service.digest import More, Progress, Target
from kinetoscope.service.reading import crashed, ended, listen, started
from kinetoscope.service.selection import Selection
from kinetoscope.service.views import Content

_MOST_DESKS = 3
_KEPT_S = 600.0
_ENDS_BY_ITSELF_S = 2.0
"""A question that was given up may go on for so long: to open the trace again would take as much."""


class _OpenAgainError(Exception):
    """The desk was ended for what another had asked: a new one answers."""


_CANCELLED = RunError("Looking at the trace was cancelled.", "Ask again to open it.")


class _Question(NamedTuple):
    line: bytes
    answer: asyncio.Future[bytes]


class Desk:
    """One process, started by `open`. `used_s` is when it was last asked (monotonic)."""

    def __init__(self, run: str, of: Target, on_progress: Progress) -> None:
        self.run = run
        self.of = of
        self.used_s = time.monotonic()
        self.busy = 0
        self._on_progress = on_progress
        self._stdin: asyncio.StreamWriter | None = None
        self._numbers = itertools.count(1)
        self._waiting: dict[int, _Question] = {}
        self._put: int | None = None
        """The question that the process is at, which may be nobody's any more."""
        self._errors: deque[str] = deque(maxlen=20)
        self._ended: RunError | _OpenAgainError | None = None
        self._opened = False
        self._life = asyncio.create_task(self._live())

    @property
    def usable(self) -> bool:
        """It has not ended."""
        return self._ended is None

    async def ask(self, method: str, params: Any) -> bytes:
        """The answer as MessagePack. Raises `RunError`, and `_OpenAgainError` where the desk was ended for another's question. Cancelling
        while the trace is being opened for nobody else ends the desk."""
        self.used_s = time.monotonic()
        number = next(self._numbers)
        line = json.dumps({"id": number, "method": method, "params": msgspec.to_builtins(params)}).encode() + b"\n"
        question = self._waiting[number] = _Question(line, asyncio.get_running_loop().create_future())
        self.busy += 1
        try:
            if self._ended is not None:
                raise self._ended
            self._put_next()
            return await question.answer
        finally:
            self._waiting.pop(number, None)
            self.busy -= 1
            self.used_s = time.monotonic()
            if not self._opened and not self._waiting:
                self._stop(_CANCELLED)
            elif number == self._put:
                asyncio.get_running_loop().call_later(_ENDS_BY_ITSELF_S, self._lose_patience, number)

    def _put_next(self) -> None:
        """Put the question whose turn it is: one at a time, so that what is given up before its turn is never put."""
        if self._stdin is not None and self._put is None and self._waiting:
            self._put = min(self._waiting)
            self._stdin.write(self._waiting[self._put].line)

    def _lose_patience(self, number: int) -> None:
        if self._put == number:
            self._stop(_OpenAgainError())

    async def close(self) -> None:
        """End the process and wait for its end."""
        self._stop(_CANCELLED)
        await asyncio.gather(self._life, return_exceptions=True)

    def _stop(self, why: RunError | _OpenAgainError) -> None:
        """Once only: a second cancelling would cut short the ending of the process. `why` is for those who wait."""
        if self._ended is None:
            self._end(why)
            self._life.cancel()

    def _end(self, why: RunError | _OpenAgainError) -> None:
        self._ended = why
        for question in self._waiting.values():
            if not question.answer.done():
                question.answer.set_exception(why)

    async def _live(self) -> None:
        of = self.of
        command = [sys.executable, "-I", "-m", "kinetoscope.service.desk_process", str(of.path), "--rank", str(of.rank)]
        if not of.infer:
            command.append("--no-inference")
        if of.sources or of.peers:
            command.append("--more")
        process: Process | None = None
        listening: asyncio.Task[None] | None = None
        problem = _CANCELLED
        try:
            process = await started(*command)
            assert process.stdin is not None
            assert process.stdout is not None
            assert process.stderr is not None
            listening = asyncio.create_task(listen(process.stderr, self._errors))
            if of.sources or of.peers:
                process.stdin.write(msgspec.json.encode(More(of.sources, of.peers)) + b"\n")
            self._stdin = process.stdin
            self._put_next()
            failed = await self._follow(process.stdout)
            await process.wait()
            problem = failed or crashed(of, process, self._errors)
        except (EOFError, ValueError) as error:  # It ended within an answer, or said what is none.
            if process is not None:
                await ended(process)
                problem = crashed(of, process, [*self._errors, str(error)])
        except OSError as error:
            problem = RunError(f"No process could be started to look at {of.path}: {error}.", "Close other programs and try again.")
        finally:
            if self._ended is None:
                self._end(problem)
            if listening is not None:
                listening.cancel()
            if process is not None:
                await ended(process)

    async def _follow(self, stdout: asyncio.StreamReader) -> RunError | None:
        """Hand out answers until there are no more: why the trace could not be opened, None where the process just ended."""
        while line := await stdout.readline():
            message: dict[str, Any] = json.loads(line)
            if "id" in message:
                body = await stdout.readexactly(message["size"]) if "size" in message else None
                self._answer(body if body is not None else RunError(str(message["problem"]), str(message["remedy"])))
            elif "problem" in message:
                return RunError(str(message["problem"]), str(message["remedy"]))
            elif message["stage"] == "open":
                self._opened = True
                self._on_progress("done", 0, 0)
            else:
                self._on_progress(str(message["stage"]), int(message["done"]), int(message["total"]))
        return None

    def _answer(self, answer: bytes | RunError) -> None:
        """Of the question that was put; then it is the next one's turn."""
        question = self._waiting.pop(self._put, None) if self._put is not None else None
        self._put = None
        if question is not None and not question.answer.done():
            if isinstance(answer, RunError):
                question.answer.set_exception(answer)
            else:
                question.answer.set_result(answer)
        self._put_next()


class Desks:
    """All desks of a server."""

    def __init__(self) -> None:
        self._desks: list[tuple[Desk, object]] = []
        self._tidying: asyncio.Task[None] | None = None
        self._closing: set[asyncio.Task[None]] = set()
        self._making: dict[asyncio.Task[Content], str] = {}
        """Views of several ranks, and the run of each."""

    async def ask(self, run: str, of: Target, stamp: object, method: str, params: Any, on_progress: Progress) -> Any:
        """The answer to a question of the wire, as its struct. `run` is whose desk it is; `stamp` changes when the trace is another.
        Raises `RunError`."""
        body: bytes | None = None
        while body is None:
            with contextlib.suppress(_OpenAgainError):
                body = await self._desk(run, of, stamp, on_progress).ask(method, params)
        return msgspec.msgpack.decode(body, type=wire.REQUESTS[method][1])

    async def view_of_ranks(self, run: str, of: Target, name: str, selection: Selection, on_progress: Progress) -> Content:
        """A view of several ranks of a run. Raises `RunError`."""
        making = asyncio.create_task(reading.read_view(of, name, selection, on_progress))
        self._making[making] = run
        making.add_done_callback(self._making.pop)
        try:
            return await asyncio.shield(making)
        except asyncio.CancelledError:
            if making.cancelled():
                raise _CANCELLED from None
            making.cancel()
            raise

    def _desk(self, run: str, of: Target, stamp: object, on_progress: Progress) -> Desk:
        kept: list[tuple[Desk, object]] = []
        found: tuple[Desk, object] | None = None
        for each in self._desks:
            desk, its_stamp = each
            if (desk.of, its_stamp) == (of, stamp) and desk.usable:
                found = each
            elif (desk.of.path, desk.of.rank) == (of.path, of.rank) or not desk.usable:
                self._end(desk)
            else:
                kept.append(each)
        kept.append(found or (Desk(run, of, on_progress), stamp))
        idle = [each for each in kept[:-1] if not each[0].busy]
        while len(kept) > _MOST_DESKS and idle:
            kept.remove(idle[0])
            self._end(idle.pop(0)[0])
        self._desks = kept
        if self._tidying is None or self._tidying.done():
            self._tidying = asyncio.create_task(self._tidy())
        return kept[-1][0]

    def cancel(self, run: str | None) -> None:
        """End what is being opened or computed of a run, or of all."""
        for each in [*self._desks]:
            if each[0].busy and run in (None, each[0].run):
                self._desks.remove(each)
                self._end(each[0])
        for making, its_run in self._making.items():
            if run in (None, its_run):
                making.cancel()

    async def forget(self, run: str) -> None:
        """End all desks of a run, and what is made of it, and wait for their end: nothing holds its files then."""
        making = [task for task, its_run in self._making.items() if its_run == run]
        for task in making:
            task.cancel()
        await asyncio.gather(*making, return_exceptions=True)
        for each in [*self._desks]:
            if each[0].run == run:
                self._desks.remove(each)
                await each[0].close()

    async def close(self) -> None:
        """End all desks and wait for their end."""
        if self._tidying is not None:
            self._tidying.cancel()
        for desk, _ in self._desks:
            self._end(desk)
        self._desks = []
        self.cancel(None)
        await asyncio.gather(*self._closing, *self._making, return_exceptions=True)

    async def _tidy(self) -> None:
        while self._desks:
            oldest = min(desk.used_s for desk, _ in self._desks)
            await asyncio.sleep(max(1.0, oldest + _KEPT_S - time.monotonic()))
            for each in [*self._desks]:
                if not each[0].busy and time.monotonic() - each[0].used_s >= _KEPT_S:
                    self._desks.remove(each)
                    self._end(each[0])

    def _end(self, desk: Desk) -> None:
        task = asyncio.create_task(desk.close())
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)
