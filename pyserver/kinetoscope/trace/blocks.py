"""The decompressed bytes of a trace file, block by block, whatever it is compressed with."""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, cast

from isal import igzip, igzip_lib

from kinetoscope.trace.errors import TraceError

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

BLOCK_BYTES = 1 << 20
"""Small enough that a block's events stay in the processor's caches while they become columns, which halves the time."""

_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_DAMAGED: tuple[type[Exception], ...] = (
    EOFError,
    zlib.error,
    cast("type[Exception]", igzip_lib.IsalError),
    igzip.BadGzipFile,
    zstd.ZstdError,
)

Progress = Callable[[int, int], None]
"""`(bytes of the file read, bytes of the file)`."""


class Blocks:
    """Iterates over the blocks of a file. `lost` says why they ended early, else None. Raises `TraceError` where it can't be read."""

    def __init__(self, path: Path, on_progress: Progress) -> None:
        self.path = path
        self.lost: str | None = None
        self._given = 0
        self._on_progress = on_progress

    def __iter__(self) -> Iterator[bytes]:
        try:
            total = self.path.stat().st_size
            with self.path.open("rb") as raw:
                stream = _decompressed(raw)
                while block := self._next(stream):
                    self._on_progress(min(raw.tell(), total), total)
                    yield block
        except OSError as error:
            raise TraceError(f"{self.path} can't be read: {error.strerror or error}.", "Check that it exists and may be read.") from error

    def _next(self, stream: BinaryIO) -> bytes:
        """The next block; a compressed file that ends or breaks early gives what could be decompressed."""
        parts: list[bytes] = []
        size = 0
        try:
            while size < BLOCK_BYTES and (part := stream.read(min(BLOCK_BYTES - size, 1 << 18))):
                parts.append(part)
                size += len(part)
        except _DAMAGED as error:
            self.lost = f"the compressed data breaks off ({error})"
            parts.append(_last_whole_bytes(self.path, self._given + size))
        block = b"".join(parts)
        self._given += len(block)
        return block


def _last_whole_bytes(path: Path, start: int) -> bytes:
    """What a damaged file holds from `start` (of the uncompressed text) up to the damage: a read that meets damage gives nothing of
    what it had, so they are read again in ever smaller pieces."""
    found = b""
    with path.open("rb") as raw:
        for piece in (1 << 14, 1 << 8, 1):
            raw.seek(0)
            stream = _decompressed(raw)
            try:
                skipped = 0
                while skipped < start + len(found):
                    skipped += len(stream.read(min(1 << 14, start + len(found) - skipped)))
                while part := stream.read(piece):
                    found += part
            except _DAMAGED:
                continue
    return found


def is_compressed(path: Path) -> bool:
    """True for gzip and zstd, by the first bytes. Raises `OSError`."""
    with path.open("rb") as raw:
        return raw.read(4).startswith((_GZIP, _ZSTD))


def _decompressed(raw: BinaryIO) -> BinaryIO:
    magic = raw.read(4)
    raw.seek(0)
    if magic.startswith(_GZIP):
        return cast("BinaryIO", igzip.IGzipFile(fileobj=raw))
    return cast("BinaryIO", zstd.ZstdFile(raw)) if magic == _ZSTD else raw
