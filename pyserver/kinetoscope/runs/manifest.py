"""The manifest of a run: `run.json`, decoded and checked (docs/run-format.md).

Run folders come from anywhere, so everything in one is checked here: the format's version first, then types, then that the trace files it
names lie inside the folder.
"""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
from msgspec import Struct

FORMAT = 1
MANIFEST = "run.json"


class RunError(Exception):
    """A run that can't be used. `message` says what and where, `remedy` what to do."""

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(f"{message} {remedy}")
        self.message = message
        self.remedy = remedy


class Device(Struct, frozen=True):
    """A device that the run could use; `kind` is `cpu`, `cuda`, `hip`, …"""

    name: str
    kind: str


class Notice(Struct, frozen=True):
    """What a reader of the numbers should know."""

    kind: str
    message: str


class TraceFile(Struct, frozen=True):
    """The trace of one rank; `file` is relative to the run folder."""

    rank: int
    file: str


class Manifest(Struct, frozen=True, kw_only=True):
    """The fields of run.json. Those that a reader can do without have defaults."""

    format: int
    written_by: str = ""
    created: str = ""
    name: str = ""
    main: str | None = None
    argv: list[str] = []
    cwd: str = ""
    python: str = ""
    torch: str = ""
    platform: str = ""
    hostname: str = ""
    executable: str = ""
    environment: dict[str, str] = {}
    devices: list[Device] = []
    rank: int = 0
    world_size: int = 1
    steps: int = 0
    step_source: str = "none"
    outcome: str = "complete"
    exit: int | None = None
    traces: list[TraceFile] = []
    notices: list[Notice] = []


class _Version(Struct):
    format: int
    written_by: str = "a newer version"


def read_manifest(run: Path) -> Manifest:
    """The manifest of the run folder `run`. Raises `RunError`: missing, unreadable, damaged, or of a newer format."""
    path = run / MANIFEST
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        raise RunError(f"{run} is not a run: it has no {MANIFEST}.", "Choose a folder that `kinetoscope profile` wrote.") from None
    except OSError as error:
        raise RunError(f"{path} can't be read: {error.strerror or error}.", "Check the permissions of the folder.") from error
    try:
        version = msgspec.json.decode(raw, type=_Version)
        if version.format > FORMAT:
            raise RunError(
                f"{run} has run format {version.format}, written by Kinetoscope {version.written_by}; this version reads up to {FORMAT}.",
                "Update Kinetoscope to open it.",
            )
        return msgspec.json.decode(raw, type=Manifest)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise RunError(f"{path} is damaged ({error}).", "Profile again, or delete the run.") from error


def trace_of(run: Path, manifest: Manifest, rank: int | None = None) -> tuple[int, Path]:
    """`(rank, trace file)` of one rank of a run, by default the lowest. Raises `RunError` where there is none."""
    traces = {trace.rank: trace.file for trace in manifest.traces}
    if not traces:
        raise RunError(f"{run} holds no trace.", "Profile again, or delete the run.")
    chosen = min(traces) if rank is None else rank
    if chosen not in traces:
        raise RunError(f"{run} has no rank {chosen}: it has {', '.join(map(str, sorted(traces)))}.", "Choose one of these.")
    path = run / traces[chosen]
    # The manifest is untrusted: it must not lead out of the folder.
    if not path.resolve().is_relative_to(run.resolve()):
        raise RunError(f"{run / MANIFEST} names a trace outside the run folder: {traces[chosen]}.", "Delete the run.")
    if not os.path.isfile(path):
        raise RunError(f"The trace of rank {chosen} is missing: {path}.", "Profile again, or delete the run.")
    return chosen, path
