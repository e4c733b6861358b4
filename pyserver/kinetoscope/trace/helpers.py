"""Helper processes that turn chunks of text into columns, so that a large trace is read on several cores.

A helper ends when the pipe to the reader breaks, so cancelling the reader, however hard, leaves none behind.
"""

from __future__ import annotations

import multiprocessing
import os
import queue
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import TracebackType

import msgspec

from kinetoscope.trace.blocks import is_compressed
from kinetoscope.trace.chunk_columns import ChunkColumns, chunk_columns
from kinetoscope.trace.errors import UNREADABLE
from kinetoscope.trace.events import Event

DECODER = msgspec.json.Decoder(list[Event])
"""Of a JSON list of events."""
_AT_MOST = 4
_WORTH_IT_BYTES = 64 << 20
_COMPRESSION = 12
"""Traces shrink to about a twelfth."""


def decode_chunk(text: bytes | bytearray) -> ChunkColumns:
    """The columns of whole events, given without the list's brackets. Raises `UNREADABLE`."""
    return chunk_columns(DECODER.decode(b"[" + text + b"]"))


def useful_helpers(path: Path) -> int:
    """How many helpers are worth starting for a trace file: none for small files and single cores. Raises `OSError`."""
    cores = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
    size = path.stat().st_size * (_COMPRESSION if is_compressed(path) else 1)
    return min(cores, _AT_MOST) if cores > 1 and size >= _WORTH_IT_BYTES else 0


def _serve(connection: Connection, inherited: list[Connection]) -> None:
    """In the helper: columns for each text that comes, None where it does not decode, until the reader is gone."""
    for other in inherited:  # An end of a pipe that we held open would keep it from breaking.
        other.close()
    try:
        while True:
            text = connection.recv_bytes()
            try:
                connection.send(decode_chunk(text.rstrip(b" \r\n\t,")))
            except UNREADABLE:
                connection.send(None)
    except (EOFError, OSError, KeyboardInterrupt):
        return


class Helpers:
    """A pool of helper processes; a context manager. `submit` never blocks: who submits bounds what is under way (`enough`)."""

    def __init__(self, count: int) -> None:
        self.enough = 3 * count
        forks = sys.platform == "linux"  # Starts at once; elsewhere it is not safe.
        means = multiprocessing.get_context("fork") if forks else multiprocessing.get_context("spawn")
        self._idle: queue.SimpleQueue[Connection] = queue.SimpleQueue()
        self._connections: list[Connection] = []
        self._processes: list[BaseProcess] = []
        for _ in range(count):
            mine, theirs = means.Pipe()
            self._connections.append(mine)
            process: BaseProcess = means.Process(target=_serve, args=(theirs, self._connections if forks else []), daemon=True)
            process.start()
            theirs.close()
            self._idle.put(mine)
            self._processes.append(process)
        self._threads = ThreadPoolExecutor(count)

    def submit(self, text: bytes) -> Future[ChunkColumns | None]:
        """The columns of whole events to come; None where they do not decode or the helper died."""
        return self._threads.submit(self._ask, text)

    def _ask(self, text: bytes) -> ChunkColumns | None:
        connection = self._idle.get()
        try:
            connection.send_bytes(text)
            return connection.recv()
        except (EOFError, OSError):
            return None
        finally:
            self._idle.put(connection)

    def __enter__(self) -> Helpers:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        del kind, error, trace
        self._threads.shutdown(cancel_futures=True)
        for connection in self._connections:
            connection.close()
        for process in self._processes:
            process.join()
