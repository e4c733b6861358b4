"""What a reader computed from a trace, kept beside it: `cache/rank<R>-<what>-<key>` of the run folder (docs/run-format.md).

The key is made of the trace (size, time, both ends) and of the code that computes, so that nothing stale is ever found. An entry appears
whole by a rename; its content carries a checksum, and what doesn't fit is treated as absent. Where the run folder can't be written, and for
a trace that lies alone, the user's cache folder is used, which is kept below a limit.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import struct
import sys
import tempfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")

_ENDS = 64 * 1024
_HEADER = struct.Struct("<4sIQ")  # magic, CRC-32 of the body, length of the body
_MAGIC = b"KSC1"
_USER_CACHE_BYTES = 8 << 30


def trace_key(trace: Path, reader: str) -> str:
    """A short hash of the trace's size, time and both ends, and of the reader's version. Raises OSError where the trace can't be read."""
    with trace.open("rb") as file:
        status = os.fstat(file.fileno())
        digest = hashlib.blake2b(f"{reader}\0{status.st_size}\0{status.st_mtime_ns}\0".encode(), digest_size=12)
        digest.update(file.read(_ENDS))
        file.seek(max(0, status.st_size - _ENDS))
        digest.update(file.read(_ENDS))
    return digest.hexdigest()


def user_cache_folder() -> Path:
    """The user's cache folder for Kinetoscope, by the platform's custom."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = str(Path.home() / "Library" / "Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "kinetoscope"


def _places(trace: Path, in_run: bool) -> list[Path]:
    """Folders that may hold entries for a trace, best first. A trace that lies alone gets no folder beside it, and shares none with others:
    they may have the same rank."""
    whose = os.path.realpath(trace.parent if in_run else trace)
    apart = user_cache_folder() / hashlib.blake2b(os.fsencode(whose), digest_size=12).hexdigest()
    return [trace.parent / "cache", apart] if in_run else [apart]


class Cache:
    """One cache entry of one trace. `what` names the kind of entry, `reader` the version of the code that computes it; `in_run`: the trace
    lies in a run folder, which may then hold the cache. Raises `OSError` where the trace can't be read."""

    def __init__(self, trace: Path, rank: int, what: str, reader: str, *, in_run: bool) -> None:
        self._places = _places(trace, in_run)
        self._kind = f"rank{rank}-{what}-"
        self._name = self._kind + trace_key(trace, reader)

    def load(self, read: Callable[[Path], T | None]) -> T | None:
        """What `read` makes of the entry's file; None where there is no entry or `read` finds it not to be whole."""
        for place in self._places:
            path = place / self._name
            try:
                content = read(path)
            except OSError:
                continue
            if content is not None:
                with contextlib.suppress(OSError):
                    os.utime(path)  # Used last: dropped last.
                return content
        return None

    def store(self, write: Callable[[Path], Any]) -> None:
        """Keep what `write` puts into a file, in the first place that takes it, and drop older entries of the kind there. Raises
        `OSError` where none does."""
        failure: OSError | None = None
        for place in self._places:
            try:
                place.mkdir(parents=True, exist_ok=True)
                handle, name = tempfile.mkstemp(prefix=".", suffix=".partial", dir=place)
                os.close(handle)
            except OSError as error:
                failure = error
                continue
            partial = Path(name)
            try:
                write(partial)
                for old in place.glob(f"{self._kind}*"):
                    old.unlink(missing_ok=True)
                os.replace(partial, place / self._name)
            except OSError as error:
                failure = error
                partial.unlink(missing_ok=True)
                continue
            if place.parent == user_cache_folder():
                _keep_below(user_cache_folder(), _USER_CACHE_BYTES, place)
            return
        raise failure or OSError("no place for the cache")


def sealed(body: bytes) -> bytes:
    """Bytes with a checksum, for an entry."""
    return _HEADER.pack(_MAGIC, zlib.crc32(body), len(body)) + body


def unsealed(raw: bytes) -> bytes | None:
    """The bytes that were sealed, None where they are not whole."""
    if len(raw) < _HEADER.size:
        return None
    magic, checksum, length = _HEADER.unpack_from(raw)
    body = raw[_HEADER.size :]
    return body if magic == _MAGIC and length == len(body) and checksum == zlib.crc32(body) else None


def _keep_below(folder: Path, limit_bytes: int, newest: Path) -> None:
    """Drop traces' folders, those used longest ago first, until the rest fits; never the newest."""
    sizes: list[tuple[float, int, Path]] = []
    for place in folder.iterdir():
        try:
            entries = [entry.stat() for entry in place.iterdir()]
        except OSError:
            continue
        if place != newest:
            sizes.append((max((entry.st_mtime for entry in entries), default=0.0), sum(entry.st_size for entry in entries), place))
    total = sum(size for _, size, _ in sizes)
    for _, size, place in sorted(sizes):
        if total <= limit_bytes:
            return
        shutil.rmtree(place, ignore_errors=True)
        total -= size
