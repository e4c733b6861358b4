"""A digest: all that is shown of one rank of a run, computed once from its trace and small enough to be held in memory.

It is made in the worker process (the only place that reads traces) and kept in the run's cache. Everything else answers from digests.
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
from kinetoscope.runs.manifest import Manifest, RunError, read_manifest, trace_of
from kinetoscope.service.scopes import ScopeCost, scope_costs

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
    """What is shown of one rank of a run. `manifest` is None for a trace that we did not record."""

    report: LineReport
    manifest: Manifest | None
    cwd: str
    sys_path: list[str]
    files: list[ProfiledFile]


class Target(Struct, frozen=True):
    """A trace to read: from a run folder, or lying alone (`manifest` None)."""

    path: Path
    rank: int
    trace: Path
    manifest: Manifest | None


def target(path: Path, rank: int | None = None) -> Target:
    """The trace that a path stands for: a run folder or a trace file. Raises `RunError` where it is neither."""
    if path.is_dir():
        manifest = read_manifest(path)
        chosen, trace = trace_of(path, manifest, rank)
        return Target(path, chosen, trace, manifest)
    if not path.exists():
        raise RunError(f"{path} does not exist.", "Give a run folder, a trace file or a folder of runs.")
    return Target(path, rank or 0, path, None)


@lru_cache(maxsize=1)
def reader_version() -> str:
    """Kinetoscope's version and a hash of the code that makes digests: a changed reader never finds what an older one computed."""
    return f"{kinetoscope.__version__}-{code_hash('trace', 'linking', 'analysis', 'service/digest.py', 'service/scopes.py')}"


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


def load(of: Target) -> Digest | None:
    """The digest from the cache; None where it has to be made. Raises `RunError` where the trace can't be read."""
    body = cache_of(of, "digest", reader_version()).load(lambda path: unsealed(path.read_bytes()))
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
        return link(trace, str(of.trace)), not_kept
    except TraceError as error:
        raise RunError(error.message, error.remedy) from error


def make(of: Target, on_progress: Progress) -> tuple[bytes, OSError | None]:
    """Compute the digest and keep it in the cache: `(encoded digest, why something could not be kept)`. Raises and costs as
    `open_linked`."""
    from kinetoscope.analysis.lines import report_of

    linked, not_kept = open_linked(of, on_progress)
    digests = cache_of(of, "digest", reader_version())
    on_progress("lines", 0, 1)
    report, recording = report_of(linked), linked.trace.recording
    texts = {file.path: file.text for file in recording.files}
    scopes = scope_costs(report, texts)
    digest = Digest(
        report=report,
        manifest=of.manifest or _manifest(recording.run),
        cwd=recording.cwd,
        sys_path=list(recording.sys_path),
        files=[ProfiledFile(path, text, scopes.get(path, [])) for path, text in texts.items()],
    )
    body = msgspec.msgpack.encode(digest)
    return body, kept(digests, lambda path: path.write_bytes(sealed(body))) or not_kept


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
