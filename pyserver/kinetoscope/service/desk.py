"""Desks: processes that keep a linked trace open while pages look at it, so that a view takes no longer than its own computing.

One desk a rank of a run. The desks that were used last are kept, and end when nobody asked for a while: they hold memory that others may
need. A desk whose trace was written anew is not asked any more. Giving up a question drops its answer; giving up the opening of a trace
ends the process.
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
from typing import Any

import msgspec

from kinetoscope.runs.manifest import RunError
from kinetoscope.service import wire
from kinetoscope.service.digest import More, Progress, Target
from kinetoscope.service.reading import crashed, ended, listen, started

_MOST_DESKS = 3
_KEPT_S = 600.0


class Desk:
    """One process, started by `open`. `used_s` is when it was last asked (monotonic)."""

    def __init__(self, run: str, of: Target, on_progress: Progress) -> None:
        self.run = run
        self.of = of
        self.used_s = time.monotonic()
        self.busy = 0
        self._on_progress = on_progress
        self._started: asyncio.Future[asyncio.StreamWriter] = asyncio.get_running_loop().create_future()
        self._numbers = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[bytes]] = {}
        self._errors: deque[str] = deque(maxlen=20)
        self._ended: RunError | None = None
        self._opened = False
        self._stopping = False
        self._life = asyncio.create_task(self._live())

    @property
    def usable(self) -> bool:
        """It has not ended."""
        return self._ended is None

    async def ask(self, method: str, params: Any) -> bytes:
        """The answer as MessagePack. Raises `RunError`. Cancelling while the trace is being opened for nobody else ends the desk."""
        self.used_s = time.monotonic()
        number = next(self._numbers)
        answer: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self._waiting[number] = answer
        self.busy += 1
        try:
            if self._ended is not None:
                raise self._ended
            question = {"id": number, "method": method, "params": msgspec.to_builtins(params)}
            sending = asyncio.ensure_future(self._send(json.dumps(question).encode() + b"\n"))
            try:
                return await answer
            finally:
                sending.cancel()
        finally:
            self._waiting.pop(number, None)
            self.busy -= 1
            self.used_s = time.monotonic()
            if not self._opened and not self._waiting:
                self._stop()

    async def _send(self, line: bytes) -> None:
        stdin = await asyncio.shield(self._started)
        stdin.write(line)
        with contextlib.suppress(ConnectionError):  # Its end is told to all who wait.
            await stdin.drain()

    async def close(self) -> None:
        """End the process and wait for its end."""
        self._stop()
        await asyncio.gather(self._life, return_exceptions=True)

    def _stop(self) -> None:
        """Once only: a second cancelling would cut short the ending of the process."""
        if not self._stopping:
            self._stopping = True
            self._life.cancel()

    async def _live(self) -> None:
        of = self.of
        command = [sys.executable, "-I", "-m", "kinetoscope.service.desk_process", str(of.path), "--rank", str(of.rank)]
        if not of.infer:
            command.append("--no-inference")
        if of.sources or of.peers:
            command.append("--more")
        process: Process | None = None
        listening: asyncio.Task[None] | None = None
        problem = RunError("Looking at the trace was cancelled.", "Ask again to open it.")
        try:
            process = await started(*command)
            assert process.stdin is not None
            assert process.stdout is not None
            assert process.stderr is not None
            listening = asyncio.create_task(listen(process.stderr, self._errors))
            if of.sources or of.peers:
                process.stdin.write(msgspec.json.encode(More(of.sources, of.peers)) + b"\n")
            self._started.set_result(process.stdin)
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
            self._ended = problem
            for answer in self._waiting.values():
                if not answer.done():
                    answer.set_exception(problem)
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
                answer = self._waiting.get(message["id"])
                if answer is None or answer.done():
                    continue
                if body is not None:
                    answer.set_result(body)
                else:
                    answer.set_exception(RunError(str(message["problem"]), str(message["remedy"])))
            elif "problem" in message:
                return RunError(str(message["problem"]), str(message["remedy"]))
            elif message["stage"] == "open":
                self._opened = True
                self._on_progress("done", 0, 0)
            else:
                self._on_progress(str(message["stage"]), int(message["done"]), int(message["total"]))
        return None


class Desks:
    """All desks of a server."""

    def __init__(self) -> None:
        self._desks: list[tuple[Desk, object]] = []
        self._tidying: asyncio.Task[None] | None = None
        self._closing: set[asyncio.Task[None]] = set()

    async def ask(self, run: str, of: Target, stamp: object, method: str, params: Any, on_progress: Progress) -> Any:
        """The answer to a question of the wire, as its struct. `run` is whose desk it is; `stamp` changes when the trace is another.
        Raises `RunError`."""
        body = await self._desk(run, of, stamp, on_progress).ask(method, params)
        return msgspec.msgpack.decode(body, type=wire.REQUESTS[method][1])

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

    async def forget(self, run: str) -> None:
        """End all desks of a run and wait for their end: nothing holds its files then."""
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
        await asyncio.gather(*self._closing, return_exceptions=True)

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
