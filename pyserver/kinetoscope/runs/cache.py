"""What a reader computed from a trace, kept beside it: `cache/rank<R>-<key>/` of the run folder (docs/run-format.md).

The key is made of the trace (size, time, both ends) and of the reader that computes, so that nothing stale is ever found. An entry appears
whole by a rename and carries a checksum; what doesn't fit is treated as absent. Where the run folder can't be written, the user's cache
folder is used.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import struct
import sys
import tempfile
import zlib
from pathlib import Path

_ENDS = 64 * 1024
_FILE = "digest.msgpack"
_HEADER = struct.Struct("<4sIQ")  # magic, CRC-32 of the body, length of the body
_MAGIC = b"KSC1"


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
    """The cache entry of one trace. `in_run`: the trace lies in a run folder, which may then hold the cache."""

    def __init__(self, trace: Path, rank: int, reader: str, *, in_run: bool) -> None:
        self._places = _places(trace, in_run)
        self._rank = rank
        self._name = f"rank{rank}-{trace_key(trace, reader)}"

    def load(self) -> bytes | None:
        """The bytes that were stored, or None where there is no whole entry."""
        for place in self._places:
            try:
                raw = (place / self._name / _FILE).read_bytes()
            except OSError:
                continue
            if len(raw) < _HEADER.size:
                continue
            magic, checksum, length = _HEADER.unpack_from(raw)
            body = raw[_HEADER.size :]
            if magic == _MAGIC and length == len(body) and checksum == zlib.crc32(body):
                return body
        return None

    def store(self, body: bytes) -> None:
        """Keep the bytes in the first place that takes them, and drop older entries of the rank there. Raises OSError where none does."""
        failure: OSError | None = None
        for place in self._places:
            try:
                place.mkdir(parents=True, exist_ok=True)
                partial = Path(tempfile.mkdtemp(prefix=".", suffix=".partial", dir=place))
            except OSError as error:
                failure = error
                continue
            try:
                (partial / _FILE).write_bytes(_HEADER.pack(_MAGIC, zlib.crc32(body), len(body)) + body)
                target = place / self._name
                for old in place.glob(f"rank{self._rank}-*"):
                    shutil.rmtree(old, ignore_errors=True)
                os.replace(partial, target)
                return
            except OSError as error:
                failure = error
                shutil.rmtree(partial, ignore_errors=True)
        raise failure or OSError("no place for the cache")
