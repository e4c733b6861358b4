"""A digest: all that is shown of one rank of a run, computed once from its trace and small enough to be held in memory.

It is made in the worker process (the only place that reads traces) and kept in the run's cache. Everything else answers from digests.
A digest of a step or a range has the line costs of that part; it is computed as fast as it is read, and not kept.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

import kinetoscope
from kinetoscope.analysis.tables import LineReport
from kinetoscope.runs.cache import Cache, sealed, unsealed
from kinetoscope.runs.layouts import rank_of
from kinetoscope.runs.manifest import Manifest, RunError, read_manifest, trace_of
from kinetoscope.service.scopes import ScopeCost, scope_costs
from kinetoscope.service.selection import WHOLE, Selection
from kinetoscope.service.texts import read_source
from kinetoscope.service.wire import StepSpan

if TYPE_CHECKING:
    from kinetoscope.linking.linked import LinkedTrace

Progress = Callable[[str, int, int], None]
"""`(stage, done, total)`: stage `reading`, `linking` or `lines`; bytes."""


class ProfiledFile(Struct, frozen=True):
    """A source file as it was profiled: its text (None where it is not known) and what its functions, loops and `with` blocks cost."""

    path: str
    text: str | None
    scopes: list[ScopeCost]


class Digest(Struct, frozen=True):
    """What is shown of one rank of a run, or of a part of it. `manifest` is None for a trace that we did not record; `steps` (none where
    the recording marks none) and `whole_us`, its duration, are of the whole recording, whatever the part. `frame_files`: the files
    that its call stacks name, of libraries too."""

    report: LineReport
    steps: list[StepSpan]
    whole_us: float
    manifest: Manifest | None
    cwd: str
    sys_path: list[str]
    files: list[ProfiledFile]
    frame_files: list[str]


class Target(Struct, frozen=True):
    """A trace to read: from a run folder, or lying alone (`manifest` None). `infer`: whether lines are inferred from sources; `sources`:
    where files are here whose text the recording does not keep, by their recorded names; `peers`: the traces of all ranks of the same
    recording, where these lie in a folder and in no run."""

    path: Path
    rank: int
    trace: Path
    manifest: Manifest | None
    infer: bool = True
    sources: dict[str, str] = {}
    peers: dict[int, str] = {}


class More(Struct, frozen=True):
    """What of a target is too much for a command line."""

    sources: dict[str, str]
    peers: dict[int, str]


def target(path: Path, rank: int | None = None, *, infer: bool = True) -> Target:
    """The trace that a path stands for: a run folder or a trace file, whose rank is the one it states. Raises `RunError` where it is
    neither."""
    if path.is_dir():
        manifest = read_manifest(path)
        chosen, trace = trace_of(path, manifest, rank)
        return Target(path, chosen, trace, manifest, infer)
    if not path.exists():
        raise RunError(f"{path} does not exist.", "Give a run folder, a trace file or a folder of runs.")
    return Target(path, rank if rank is not None else rank_of(path) or 0, path, None, infer)


@lru_cache(maxsize=1)
def reader_version() -> str:
    """Kinetoscope's version and a hash of the code that makes digests: a changed reader never finds what an older one computed."""
    return f"{kinetoscope.__version__}-{code_hash('trace', 'linking', 'analysis', 'service/digest.py', 'service/scopes.py')}"


def with_texts(version: str, of: Target) -> str:
    """The version of what is computed with lines: also of the texts that they are inferred from."""
    if not of.infer:
        return f"{version}-not-inferred"
    texts = hashlib.blake2b(digest_size=8)
    for name, path in sorted(of.sources.items()):
        texts.update(f"{name}\0{read_source(Path(path))}\0".encode(errors="surrogatepass"))
    return f"{version}-{texts.hexdigest()}"


@lru_cache(maxsize=1)
def columns_version() -> str:
    """The same for the columns of a trace."""
    return f"{kinetoscope.__version__}-{code_hash('trace')}"


def code_hash(*parts: str) -> str:
    """A hash of the source of some of our modules; a folder stands for all in it."""
    package = Path(kinetoscope.__file__).parent
    code = hashlib.blake2b(digest_size=8)
    for part in parts:
        path = package / part
        for module in sorted(path.glob("**/*.py")) if path.is_dir() else [path]:
            code.update(module.read_bytes())
    return code.hexdigest()


def cache_of(of: Target, what: str, version: str) -> Cache:
    """The entry of one trace for one kind of result. Raises `RunError` where the trace can't be read."""
    try:
        return Cache(of.trace, of.rank, what, version, in_run=of.manifest is not None)
    except OSError as error:
        raise RunError(f"{of.trace} can't be read: {error.strerror or error}.", "Check the permissions of the file.") from error


def load(of: Target, selection: Selection = WHOLE) -> Digest | None:
    """The digest from the cache; None where it has to be made. Raises `RunError` where the trace can't be read."""
    if not selection.whole:
        return None
    body = cache_of(of, "digest", with_texts(reader_version(), of)).load(lambda path: unsealed(path.read_bytes()))
    return None if body is None else decode(body)


def decode(body: bytes) -> Digest | None:
    """The digest of encoded bytes; None where they are not one."""
    try:
        return msgspec.msgpack.decode(body, type=Digest)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None


def open_linked(of: Target, on_progress: Progress) -> tuple[LinkedTrace, OSError | None]:
    """The linked trace, read or mapped from the columns in the cache, where they are put: `(linked, why they could not be kept)`.

    Raises `RunError` where the trace can't be used. Heavy: called in the worker process only.
    """
    from kinetoscope.linking.linked import link  # numpy and all the reading: only here
    from kinetoscope.trace import stored
    from kinetoscope.trace.errors import TraceError
    from kinetoscope.trace.helpers import useful_helpers
    from kinetoscope.trace.reader import read_trace

    columns = cache_of(of, "columns", columns_version())
    not_kept: OSError | None = None
    try:
        trace = columns.load(stored.load)
        if trace is None:
            trace = read_trace(of.trace, lambda done, total: on_progress("reading", done, total), useful_helpers(of.trace))
            not_kept = kept(columns, lambda path: stored.store(trace, path))
        on_progress("linking", 0, 1)
        return link(trace, str(of.trace), _texts_of(of), infer=of.infer), not_kept
    except TraceError as error:
        raise RunError(error.message, error.remedy) from error


def make(of: Target, on_progress: Progress, selection: Selection = WHOLE) -> tuple[bytes, OSError | None]:
    """Compute the digest and keep that of the whole recording in the cache: `(encoded digest, why something could not be kept)`. Raises
    and costs as `open_linked`, and raises `RunError` where the recording has no such part."""
    from kinetoscope.analysis.lines import report_of
    from kinetoscope.analysis.steps import find_steps
    from kinetoscope.linking.places import FileNames, files_of_frames

    linked, not_kept = open_linked(of, on_progress)
    digests = cache_of(of, "digest", with_texts(reader_version(), of))
    on_progress("lines", 0, 1)
    report, recording = report_of(linked, selection.window_ns(linked)), linked.trace.recording
    texts = {file.path: file.text for file in recording.files}
    scopes = scope_costs(report, texts)
    start_ns, end_ns = linked.window_ns
    found = find_steps(linked)
    digest = Digest(
        report=report,
        steps=[
            StepSpan(number=step.number, start_us=(step.start_ns - start_ns) / 1000, dur_us=(step.end_ns - step.start_ns) / 1000)
            for step in (found.kept if found.marked else [])
        ],
        whole_us=(end_ns - start_ns) / 1000,
        manifest=of.manifest or _manifest(recording.run),
        cwd=recording.cwd,
        sys_path=list(recording.sys_path),
        files=[ProfiledFile(path, text, scopes.get(path, [])) for path, text in texts.items()],
        frame_files=files_of_frames(linked.trace, FileNames(recording)),
    )
    body = msgspec.msgpack.encode(digest)
    if not selection.whole:
        return body, not_kept
    return body, kept(digests, lambda path: path.write_bytes(sealed(body))) or not_kept


def _texts_of(of: Target) -> Callable[[str], str | None]:
    return lambda name: read_source(Path(of.sources[name])) if name in of.sources else None


def kept(cache: Cache, write: Callable[[Path], Any]) -> OSError | None:
    """Keep what `write` writes in the cache; why it could not be."""
    try:
        cache.store(write)
    except OSError as error:
        return error
    return None


def _manifest(run: object) -> Manifest | None:
    try:
        return msgspec.convert(run, Manifest)
    except msgspec.ValidationError:
        return None
