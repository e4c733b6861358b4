"""Start the worker process that makes a digest or a view, follow its progress, and end it when the reading is cancelled."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import sys
from asyncio.subprocess import PIPE, Process
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import msgspec

from kinetoscope.runs.manifest import RunError
from kinetoscope.service import computing, digest
from kinetoscope.service.digest import Digest, More, Progress, Target
from kinetoscope.service.selection import WHOLE, Selection
from kinetoscope.service.views import Content

logger = logging.getLogger(__name__)

Result = TypeVar("Result")

_END_S = 2.0
_LONGEST_LINE = 1 << 22


async def read(of: Target, on_progress: Progress, selection: Selection = WHOLE) -> Digest:
    """The digest of a trace or of a part of it, from the cache or made by a worker process.

    Raises `RunError` where the trace can't be used or has no such part, or the worker crashed. Cancelling the task ends the worker.
    """
    cached = digest.load(of, selection)
    return cached if cached is not None else await _work(of, _part(selection), digest.decode, on_progress)


async def read_view(of: Target, name: str, selection: Selection, on_progress: Progress) -> Content:
    """A view of a trace or of a part of it, likewise."""
    cached = computing.load(of, name, selection)
    if cached is not None:
        return cached
    return await _work(of, ["--view", name, *_part(selection)], computing.decode, on_progress)


def _part(selection: Selection) -> list[str]:
    """The worker's words for it."""
    if selection.step is not None:
        return ["--step", str(selection.step)]
    return [] if selection.range_us is None else ["--range", *map(repr, selection.range_us)]


async def _work(of: Target, words: list[str], decode: Callable[[bytes], Result | None], on_progress: Progress) -> Result:
    # Isolated (-I): a numpy.py in the folder we happen to run in must not be imported. In a session of its own: a Ctrl+C is ours, and it is
    # we who end the worker.
    command = [sys.executable, "-I", "-m", "kinetoscope.service.worker", str(of.path), "--rank", str(of.rank), *words]
    if not of.infer:
        command.append("--no-inference")
    if of.sources or of.peers:
        command.append("--more")
    process = await started(*command)
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    errors: deque[str] = deque(maxlen=20)
    listening = asyncio.create_task(listen(process.stderr, errors))
    try:
        process.stdin.write(msgspec.json.encode(More(of.sources, of.peers)))
        process.stdin.close()
        body = await _follow(process.stdout, on_progress)
        await process.wait()
        await listening
    finally:
        listening.cancel()
        await ended(process)
    made = decode(body) if body is not None else None
    if made is not None:
        return made
    raise crashed(of, process, errors)


def crashed(of: Target, process: Process, errors: Sequence[str]) -> RunError:
    """What to say of a process that reads a trace and ended without an answer; `errors` are its last lines of standard error."""
    reason = errors[-1] if errors else "it left no message"
    return RunError(
        f"The process that reads {of.path} ended with code {process.returncode}: {reason}.",
        "Try again; if it happens again, there may be too little memory, or it is an error of Kinetoscope: please report it with the log.",
    )


async def _follow(stdout: asyncio.StreamReader, on_progress: Progress) -> bytes | None:
    """Read the worker's messages; the digest's bytes, or None where it ended without one. Raises `RunError` for a problem it reports."""
    while line := await stdout.readline():
        try:
            message: dict[str, Any] = json.loads(line)
        except ValueError:
            continue
        if "problem" in message:
            raise RunError(str(message["problem"]), str(message["remedy"]))
        if message["stage"] == "done":
            try:
                return await stdout.readexactly(int(message["size"]))
            except asyncio.IncompleteReadError:
                return None
        on_progress(str(message["stage"]), int(message["done"]), int(message["total"]))
    return None


async def listen(stderr: asyncio.StreamReader, last: deque[str]) -> None:
    """Log what a process says on its standard error, and keep the last lines."""
    while line := await stderr.readline():
        text = line.decode(errors="replace").rstrip()
        if text:
            last.append(text)
            logger.warning("worker: %s", text)


async def started(*command: str) -> Process:
    """Start a process with pipes, in a session of its own. Cancelling that leaves none behind."""
    start = asyncio.ensure_future(
        asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE, stderr=PIPE, start_new_session=True, limit=_LONGEST_LINE)
    )
    try:
        return await asyncio.shield(start)
    except asyncio.CancelledError:
        await ended(await start)
        raise


async def ended(process: Process) -> None:
    """End a process, by force where it doesn't listen, and wait for its end."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            process.terminate()
        try:
            await asyncio.wait_for(process.wait(), _END_S)
        except asyncio.TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    # Closes the pipes; a process that it started may hold them a little longer.
    with contextlib.suppress(asyncio.TimeoutError):
        await asyncio.wait_for(process.communicate(), _END_S)
