"""A digest: all that is shown of one rank of a run, computed once from its trace and small enough to be held in memory.

It is made in the worker process (the only place that reads traces) and kept in the run's cache. Everything else answers from digests.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

import msgspec
from msgspec import Struct

import kinetoscope
from kinetoscope.analysis.tables import LineReport
from kinetoscope.runs.cache import Cache
from kinetoscope.runs.manifest import Manifest, RunError, read_manifest, trace_of
from kinetoscope.service.scopes import ScopeCost, scope_costs

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
    """A trace to read: from a run folder, or lying alone (`manifest` None). `infer`: whether lines are inferred from sources."""

    path: Path
    rank: int
    trace: Path
    manifest: Manifest | None
    infer: bool = True


def target(path: Path, rank: int | None = None, *, infer: bool = True) -> Target:
    """The trace that a path stands for: a run folder or a trace file. Raises `RunError` where it is neither."""
    if path.is_dir():
        manifest = read_manifest(path)
        chosen, trace = trace_of(path, manifest, rank)
        return Target(path, chosen, trace, manifest, infer)
    if not path.exists():
        raise RunError(f"{path} does not exist.", "Give a run folder, a trace file or a folder of runs.")
    return Target(path, rank or 0, path, None, infer)


@lru_cache(maxsize=1)
def reader_version() -> str:
    """Kinetoscope's version and a hash of the code that makes digests: a changed reader never finds what an older one computed."""
    package = Path(kinetoscope.__file__).parent
    code = hashlib.blake2b(digest_size=8)
    for part in ("trace", "linking", "analysis"):
        for module in sorted((package / part).glob("**/*.py")):
            code.update(module.read_bytes())
    for module in ("digest.py", "scopes.py"):
        code.update((package / "service" / module).read_bytes())
    return f"{kinetoscope.__version__}-{code.hexdigest()}"


def _cache(of: Target) -> Cache:
    reader = reader_version() if of.infer else f"{reader_version()}-not-inferred"
    try:
        return Cache(of.trace, of.rank, reader, in_run=of.manifest is not None)
    except OSError as error:
        raise RunError(f"{of.trace} can't be read: {error.strerror or error}.", "Check the permissions of the file.") from error


def load(of: Target) -> Digest | None:
    """The digest from the cache; None where it has to be made. Raises `RunError` where the trace can't be read."""
    body = _cache(of).load()
    return None if body is None else decode(body)


def decode(body: bytes) -> Digest | None:
    """The digest of encoded bytes; None where they are not one."""
    try:
        return msgspec.msgpack.decode(body, type=Digest)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None


def make(of: Target, on_progress: Progress) -> tuple[bytes, OSError | None]:
    """Read the trace, compute the digest and keep it in the cache: `(encoded digest, why it could not be kept)`.

    Raises `RunError` where the trace can't be used. Heavy: called in the worker process only.
    """
    from kinetoscope.analysis.lines import line_report  # numpy and all the reading: only here
    from kinetoscope.trace.errors import TraceError

    cache = _cache(of)
    try:
        report, recording = line_report(of.trace, on_progress, sources=None, infer=of.infer)
    except TraceError as error:
        raise RunError(error.message, error.remedy) from error
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
    try:
        cache.store(body)
    except OSError as error:
        return body, error
    return body, None


def _manifest(run: object) -> Manifest | None:
    try:
        return msgspec.convert(run, Manifest)
    except msgspec.ValidationError:
        return None
