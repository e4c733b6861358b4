"""Computes views in the worker process, and keeps those of whole recordings in the cache."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

import kinetoscope
from kinetoscope.runs.cache import Cache, sealed, unsealed
from kinetoscope.service.digest import Progress, Target, cache_of, code_hash, kept, open_linked, target, with_texts
from kinetoscope.service.selection import Selection
from kinetoscope.service.views import VIEWS, Content, View, Window

if TYPE_CHECKING:
    from kinetoscope.linking.linked import LinkedTrace


@lru_cache(maxsize=1)
def views_version() -> str:
    """Kinetoscope's version and a hash of the code that computes views."""
    return f"{kinetoscope.__version__}-{code_hash('trace', 'linking', 'analysis', 'advice', 'service/views.py', 'service/computing.py')}"


def _entry(of: Target, name: str) -> Cache:
    return cache_of(of, f"view-{name}", with_texts(views_version(), of))


def _kept_in_cache(view: View, selection: Selection) -> bool:
    """A part is computed as fast as it is read; what is of several traces would be found by the key of one."""
    return selection.whole and not view.of_ranks


def load(of: Target, name: str, selection: Selection) -> Content | None:
    """A view from the cache; None where it has to be computed. Raises `RunError` where the trace can't be read."""
    if not _kept_in_cache(VIEWS[name], selection):
        return None
    body = _entry(of, name).load(lambda path: unsealed(path.read_bytes()))
    return None if body is None else decode(body)


def decode(body: bytes) -> Content | None:
    """The result of encoded bytes; None where they are not one."""
    try:
        return msgspec.msgpack.decode(body, type=dict[str, Any])
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None


def _rank(linked: LinkedTrace, otherwise: int) -> int:
    """Which one a trace that lies alone says it is of."""
    said = linked.trace.distributed
    return said.rank if said is not None and said.rank >= 0 else otherwise


def _all_ranks(of: Target) -> list[Target]:
    if of.manifest is not None:
        return [target(of.path, each.rank) for each in of.manifest.traces]
    return [target(Path(path), rank) for rank, path in sorted(of.peers.items())] or [of]


def make(of: Target, name: str, selection: Selection, on_progress: Progress) -> tuple[bytes, OSError | None]:
    """Compute a view: `(encoded result, why something could not be kept in the cache)`. Raises `RunError` where a trace can't be used or
    has no such part. Heavy: called in the worker process only."""
    view = VIEWS[name]
    targets = _all_ranks(of) if view.of_ranks else [of]
    linked: dict[int, LinkedTrace] = {}
    windows: dict[int, Window] = {}
    not_kept: OSError | None = None
    for each in targets:
        opened, reason = open_linked(each, on_progress)
        number = _rank(opened, each.rank) if len(targets) == 1 and of.manifest is None else each.rank
        linked[number], windows[number] = opened, selection.window_ns(opened)
        not_kept = not_kept or reason
    on_progress("view", 0, 1)
    body = msgspec.msgpack.encode(view.compute(linked, windows))
    if _kept_in_cache(view, selection):
        not_kept = kept(_entry(of, name), lambda path: path.write_bytes(sealed(body))) or not_kept
    return body, not_kept
