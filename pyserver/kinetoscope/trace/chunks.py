"""Cut the text of a trace into head, chunks of whole events, and tail, without parsing it.

A place where one event ends and the next begins looks like `},` `{`. The same bytes may stand inside an argument or a string, so
a place is only a candidate: the chunk before it is right exactly if it decodes as a list of events, since a cut inside an event
leaves a bracket or a quote open.
"""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from kinetoscope.trace.errors import TraceError

BLOCK_BYTES = 8 << 20
LONGEST_HEAD_BYTES = 1 << 30
"""A recording's line log stands in the head. What is longer is no trace, and may be little data that decompresses to very much."""
BOUNDARY = re.compile(rb"\}\s*,\s*(?=\{)")
_EVENTS_KEY = re.compile(rb'"traceEvents"\s*:\s*\[')

Progress = Callable[[int, int], None]
"""`(bytes of the file read, bytes of the file)`."""


class Blocks:
    """The decompressed bytes of a file, block by block. `lost` says why they ended early, else None."""

    def __init__(self, path: Path, on_progress: Progress) -> None:
        self.path = path
        self.lost: str | None = None
        self._on_progress = on_progress

    def __iter__(self) -> Iterator[bytes]:
        try:
            total = self.path.stat().st_size
            with self.path.open("rb") as raw:
                stream = self._decompressed(raw)
                while block := self._next(stream):
                    self._on_progress(min(raw.tell(), total), total)
                    yield block
        except OSError as error:
            raise TraceError(f"{self.path} can't be read: {error.strerror or error}.", "Check that it exists and may be read.") from error

    def _decompressed(self, raw: BinaryIO) -> BinaryIO:
        magic = raw.read(2)
        raw.seek(0)
        return gzip.GzipFile(fileobj=raw) if magic == b"\x1f\x8b" else raw  # type: ignore[return-value]

    def _next(self, stream: BinaryIO) -> bytes:
        """The next block; a compressed file that ends or breaks early gives what could be decompressed."""
        parts: list[bytes] = []
        size = 0
        try:
            while size < BLOCK_BYTES and (part := stream.read(min(BLOCK_BYTES - size, 1 << 18))):
                parts.append(part)
                size += len(part)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            self.lost = f"the compressed data breaks off ({error})"
        return b"".join(parts)


def split_head(blocks: Iterator[bytes]) -> tuple[bytes, bytes]:
    """Read up to the list of events: `(head, rest)`, where head is the JSON text before the key `traceEvents` and rest the bytes
    after its `[`.

    A file that is a bare list of events has an empty head. Where there is no list at all, rest is empty. In a JSON string the
    key's closing quote would be escaped, so text inside strings is never taken for it.
    """
    buffer = bytearray()
    searched = 0
    for block in blocks:
        buffer += block
        start = buffer.lstrip()[:1] if searched == 0 else b"{"
        if start not in (b"{", b"[") or len(buffer) > LONGEST_HEAD_BYTES:
            break
        if start == b"[":
            return b"", bytes(buffer[buffer.index(b"[") + 1 :])
        found = _EVENTS_KEY.search(buffer, max(0, searched - 64))
        if found:
            return bytes(buffer[: found.start()]), bytes(buffer[found.end() :])
        searched = len(buffer)
    return bytes(buffer), b""


def boundaries_from_end(data: bytes | bytearray) -> Iterator[int]:
    """Candidate places to cut, last first: the index just behind the `}` of an event."""
    window = 1 << 16
    end = len(data)
    while end > 0:
        start = max(0, end - window)
        places = [match.start() + 1 for match in BOUNDARY.finditer(data, start, min(len(data), end + 256)) if match.start() < end]
        yield from reversed(places)
        end = start
