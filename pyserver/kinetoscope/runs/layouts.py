"""Where traces lie: what the name of a file says, which files of a folder are traces, and which of them belong together.

Two layouts are known:

* that of TensorBoard's PyTorch profiler plugin, `LOGDIR/[RUN/…]WORKER.[SPAN.]pt.trace.json[.gz|.zst]`: the files of one folder are one
  recording, a worker is one process of it, and the spans of a worker are its traces one after the other, numbered by time;
* any other `*.json[.gz|.zst]` that begins like a Chrome trace. Files whose names differ only in the number of their rank
  (`rank-0.json`, `rank-1.json`) are one recording, every other file is one alone.

Only the beginnings of files are read here, never whole ones.
"""

from __future__ import annotations

import os
import re
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from kinetoscope.runs.manifest import MANIFEST
from kinetoscope.trace.blocks import Blocks
from kinetoscope.trace.errors import TraceError

LOOKED_FOR = "WORKER.[TIME.]pt.trace.json and any other *.json that begins like a Chrome trace, also with .gz or .zst"
"""For messages: what `traces_below` looks for."""

_MOST_FOLDERS = 2_000
_HEAD_BYTES = 256 * 1024
_NAMED = re.compile(r"(?P<worker>.*?)(?:\.(?P<span>\d+))?\.pt\.trace\.json(?:\.gz|\.zst)?")
_PLAIN = re.compile(r"(?P<worker>.+?)\.json(?:\.gz|\.zst)?")
_RANK_IN_NAME = tuple(re.compile(rf"(?<![a-z]){word}[ _-]?(\d+)", re.IGNORECASE) for word in ("rank", "worker"))
_RANK_IN_HEAD = re.compile(rb'"distributedInfo"\s*:\s*\{[^{}]*?"rank"\s*:\s*(\d+)')
_RANKS_IN_HEAD = re.compile(rb'"distributedInfo"\s*:\s*\{[^{}]*?"world_size"\s*:\s*(\d+)')
_OBJECT_KEYS = re.compile(rb'"(?:traceEvents|deviceProperties|distributedInfo|kinetoscope)"\s*:')
_FIRST_EVENT = re.compile(rb'\[\s*\{.*?"ph"\s*:\s*"', re.DOTALL)
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_NO_FOLDERS = frozenset({"node_modules", "__pycache__", "site-packages"})


class TraceName(NamedTuple):
    """What a file's name says. `standard`: it is `*.pt.trace.json`, else only the file's beginning can tell whether it is a trace."""

    worker: str
    span: int | None
    standard: bool


class Span(NamedTuple):
    """One trace of a worker. `number` is the time in its name, in the unit of whoever wrote it; None where the name has none."""

    path: Path
    number: int | None
    changed_ns: int
    size_bytes: int


class Worker(NamedTuple):
    """One process: its traces, newest first. `rank` is unique in its recording."""

    name: str
    rank: int
    spans: tuple[Span, ...]


class TraceSet(NamedTuple):
    """Traces that belong together: workers by rank."""

    folder: Path
    workers: tuple[Worker, ...]

    @property
    def newest_ns(self) -> int:
        """When its last file was written."""
        return max(span.changed_ns for worker in self.workers for span in worker.spans)


class Found(NamedTuple):
    """The recordings below a folder, newest first. `cut`: there were too many folders to look into all."""

    sets: tuple[TraceSet, ...]
    cut: bool


class TraceFile(NamedTuple):
    """A file that is a trace, before it is known what it belongs to. `rank` is the one that it states itself."""

    path: Path
    name: TraceName
    rank: int | None
    changed_ns: int
    size_bytes: int


def trace_name(name: str) -> TraceName | None:
    """What the name of a file says; None where no trace has such a name."""
    if name.startswith("."):
        return None
    named = _NAMED.fullmatch(name)
    if named is not None:
        span = named["span"]
        return TraceName(named["worker"], int(span) if span else None, True)
    plain = _PLAIN.fullmatch(name)
    return TraceName(plain["worker"], None, False) if plain is not None else None


def rank_in_name(worker: str) -> int | None:
    """The rank that a name states, `rank3` or `worker3`. Other numbers are none: most often they are process ids."""
    return next((int(found[1]) for pattern in _RANK_IN_NAME if (found := pattern.search(worker))), None)


def looks_like_trace(head: bytes) -> bool:
    """Whether a file that begins with `head` is a Chrome trace: an object with one of Kineto's keys, or a list of events."""
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if start.startswith(b"{"):
        return _OBJECT_KEYS.search(start) is not None
    return _FIRST_EVENT.match(start) is not None


def rank_in_head(head: bytes) -> int | None:
    """The rank of `distributedInfo`, where it stands before the events."""
    found = _RANK_IN_HEAD.search(head.partition(b'"traceEvents"')[0])
    return int(found[1]) if found is not None else None


def read_head(path: Path) -> bytes:
    """The first decompressed bytes of a file, at most 256 KiB or the reader's first block; empty where it can't be read."""
    try:
        with path.open("rb") as file:
            raw = file.read(_HEAD_BYTES)
        if raw.startswith(_GZIP):
            return zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(raw, _HEAD_BYTES)
        if raw.startswith(_ZSTD):
            return next(iter(Blocks(path, lambda *_: None)), b"")[:_HEAD_BYTES]
        return raw
    except (OSError, zlib.error, TraceError):
        return b""


def rank_of(path: Path) -> int | None:
    """The rank that a trace states, in its beginning or else in its name."""
    name = trace_name(path.name)
    stated = rank_in_head(read_head(path))
    return stated if stated is not None or name is None else rank_in_name(name.worker)


def together(files: Iterable[TraceFile]) -> tuple[TraceSet, ...]:
    """Sort files into recordings, newest first.

    A worker's rank is the one that it states, else the one in its name. Where a worker of a recording has neither, or two have the same,
    ranks are counted in the order of the names.
    """
    workers: dict[tuple[Path, str], dict[str, list[TraceFile]]] = {}
    for file in files:
        worker = file.name.worker
        # A plain name belongs to those that differ from it by the rank only; a NUL can be in no name.
        key = "" if file.name.standard else "\0" + _without_rank(worker)
        workers.setdefault((file.path.parent, key), {}).setdefault(worker, []).append(file)
    sets = [TraceSet(folder, _ranked(found)) for (folder, _), found in workers.items()]
    return tuple(sorted(sets, key=lambda found: found.newest_ns, reverse=True))


def _without_rank(worker: str) -> str:
    for pattern in _RANK_IN_NAME:
        if found := pattern.search(worker):
            return f"{worker[: found.start(1)]}\0{worker[found.end(1) :]}"
    return worker


def _ranked(workers: dict[str, list[TraceFile]]) -> tuple[Worker, ...]:
    names = sorted(workers, key=_natural)
    stated = [next((file.rank for file in workers[name] if file.rank is not None), rank_in_name(name)) for name in names]
    known = [rank for rank in stated if rank is not None]
    ranks = known if len(set(known)) == len(names) else list(range(len(names)))
    found = [Worker(name, rank, _spans(workers[name])) for name, rank in zip(names, ranks, strict=True)]
    return tuple(sorted(found, key=lambda worker: worker.rank))


def _spans(files: list[TraceFile]) -> tuple[Span, ...]:
    spans = [Span(file.path, file.name.span, file.changed_ns, file.size_bytes) for file in files]
    return tuple(sorted(spans, key=lambda span: (span.number is not None, span.number or span.changed_ns), reverse=True))


def _natural(name: str) -> list[tuple[int, str]]:
    """A key by which `worker2` comes before `worker10`."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", name)]


def traces_below(folder: Path) -> Found:
    """All recordings in a folder and the folders in it. Left out are hidden folders, those of packages, and whole runs: a folder with a
    manifest says itself what it holds. Never raises: what can't be read is not there."""
    folders = _Folders()
    files = [file for path in folders.walk(folder) for file in _trace_files(path)]
    return Found(together(files), folders.cut)


def peers_of(trace: Path) -> dict[int, Path]:
    """The traces of all ranks of the recording that a trace file belongs to, by rank; of its own rank that file. Whoever opened one file
    did not say that the folder is one recording: others belong to it that state the same number of ranks, or, where it states none,
    whose names differ from its own by the rank only. Reads the beginnings of the files beside it."""
    path = Path(os.path.abspath(trace))
    name, ranks = trace_name(path.name), _world_size(path)

    def belongs(file: TraceFile) -> bool:
        if file.path == path or name is None:
            return file.path == path
        if ranks is not None:
            return ranks > 1 and _world_size(file.path) == ranks
        return _without_rank(file.name.worker) == _without_rank(name.worker)

    for recording in together(file for file in _trace_files(path.parent) if belongs(file)):
        own = next((worker for worker in recording.workers if any(span.path == path for span in worker.spans)), None)
        if own is not None:
            return {worker.rank: path if worker is own else worker.spans[0].path for worker in recording.workers}
    return {}


def _world_size(trace: Path) -> int | None:
    """How many ranks a trace says there are; None where its beginning does not say."""
    found = _RANKS_IN_HEAD.search(read_head(trace))
    return int(found[1]) if found else None


class _Folders:
    """Walks folders breadth first; `cut` once there were too many."""

    def __init__(self) -> None:
        self.cut = False

    def walk(self, top: Path) -> Iterator[Path]:
        waiting = [top]
        for count, folder in enumerate(waiting):
            if count == _MOST_FOLDERS:
                self.cut = True
                return
            yield folder
            waiting += sorted(Path(entry.path) for entry in _entries(folder) if _is_folder(entry))


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            return [entry for entry in found if not entry.name.startswith(".")]
    except OSError:
        return []


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        # A linked folder may lead back to where it lies.
        is_folder = entry.is_dir(follow_symlinks=False)
    except OSError:
        return False
    return is_folder and entry.name not in _NO_FOLDERS and not os.path.isfile(os.path.join(entry.path, MANIFEST))


def _trace_files(folder: Path) -> Iterator[TraceFile]:
    """The traces that lie directly in a folder. The beginning of one file of each worker is read, and of every file with a plain name."""
    ranks: dict[str, int | None] = {}
    for entry in _entries(folder):
        name = trace_name(entry.name)
        if name is None:
            continue
        try:
            if not entry.is_file():
                continue
            status = entry.stat()
        except OSError:
            continue
        path = Path(entry.path)
        if not name.standard:
            head = read_head(path)
            if looks_like_trace(head):
                yield TraceFile(path, name, rank_in_head(head), status.st_mtime_ns, status.st_size)
            continue
        if name.worker not in ranks:
            ranks[name.worker] = rank_in_head(read_head(path))
        yield TraceFile(path, name, ranks[name.worker], status.st_mtime_ns, status.st_size)
