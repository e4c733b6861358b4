"""The recording that our recorder puts inside a trace (docs/run-format.md): line log, sources, clock marks, versions.

Here it is only decoded. `linking.line_log` gives the events their meaning.
"""

from __future__ import annotations

import base64
import binascii
import zlib
from typing import Any

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from kinetoscope.trace.errors import UNREADABLE, TraceError

FORMAT = 1
KEY = "kinetoscope"


class SourceFile(Struct, frozen=True):
    """A user file as it was when it ran. `text` is None where it could not be read."""

    path: str
    text: str | None = None


class Code(Struct, frozen=True):
    """A code object: index into `Recording.files`, qualified name, line of its `def`, and whether its lines are no longer known."""

    file: int
    name: str
    line: int
    coarse: bool = False


class ThreadLog(Struct, frozen=True):
    """The events of one thread, still packed. `tid` is the native thread id, as in the trace."""

    tid: int
    name: str = ""
    count: int = 0
    data: str = ""


class LineLog(Struct, frozen=True):
    """`means`: `monitoring`, `settrace` or `none`; `reason` says why none."""

    means: str = "none"
    reason: str = ""
    threads: list[ThreadLog] = []


class Clock(Struct, frozen=True):
    """`[k, before_ns, after_ns]`: recorder times around the start of the trace's range `kinetoscope.clock#k`."""

    markers: list[tuple[int, int, int]] = []


class Callers(Struct, frozen=True):
    """`[name, caller file, caller line, start in ns since the epoch, tid]` of Python events, from torch's event tree."""

    frames: list[tuple[str, str, int, int, int]] = []


class Recording(Struct, frozen=True):
    """All that the recorder knew. Of a trace that another tool recorded it is empty (`format` 0)."""

    format: int = 0
    run: dict[str, Any] = {}
    sys_path: list[str] = []
    recorder: str = ""
    clock: Clock = Clock()
    window: tuple[int, int] | None = None
    steps: list[tuple[int, int, int]] = []
    files: list[SourceFile] = []
    codes: list[Code] = []
    line_log: LineLog = LineLog()
    callers: Callers | None = None

    @property
    def cwd(self) -> str:
        return str(self.run.get("cwd", ""))


class _Version(Struct):
    format: int
    run: dict[str, Any] = {}


def decode_recording(raw: bytes | memoryview | msgspec.Raw, where: str) -> Recording:
    """Decode the value of the trace's `kinetoscope` key.

    Raises `TraceError` for a newer format and for a value of another shape; `where` names the file in the message.
    """
    try:
        version = msgspec.json.decode(raw, type=_Version)
    except UNREADABLE as error:
        raise TraceError(f"{where}: the recording inside the trace is damaged ({error}).", "Record the run again.") from error
    if version.format > FORMAT:
        writer = version.run.get("written_by", "a newer version")
        raise TraceError(
            f"{where}: the recording has format {version.format}, written by Kinetoscope {writer}; this version reads up to {FORMAT}.",
            "Update Kinetoscope.",
        )
    try:
        recording = msgspec.json.decode(raw, type=Recording)
    except UNREADABLE as error:
        raise TraceError(f"{where}: the recording inside the trace is damaged ({error}).", "Record the run again.") from error
    if any(not 0 <= code.file < len(recording.files) for code in recording.codes):
        raise TraceError(f"{where}: the recording inside the trace is damaged (code of a file that is not in it).", "Record the run again.")
    return recording


def unpack_events(log: ThreadLog, where: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """`(t_ns, word)` of a thread's events, both int64 of length `log.count`, in the recorder's clock. Raises `TraceError` where damaged."""
    try:
        raw = zlib.decompress(base64.b64decode(log.data, validate=True))
        pairs = np.frombuffer(raw, dtype="<i8").reshape(-1, 2).astype(np.int64)
    except (binascii.Error, zlib.error, ValueError) as error:
        raise TraceError(f"{where}: the line log of thread {log.tid} is damaged ({error}).", "Record the run again.") from error
    if len(pairs) != log.count:
        raise TraceError(
            f"{where}: the line log of thread {log.tid} has {len(pairs)} events instead of {log.count}.", "Record the run again."
        )
    return pairs[:, 0].copy(), pairs[:, 1].copy()
