"""Computes views in the worker process, and keeps those of whole recordings in the cache."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import msgspec

import kinetoscope
from kinetoscope.runs.cache import sealed, unsealed
from kinetoscope.service.digest import Progress, Target, cache_of, code_hash, kept, open_linked, target
from kinetoscope.service.selection import Selection
from kinetoscope.service.views import VIEWS, Content, View, Window

if TYPE_CHECKING:
    from kinetoscope.linking.linked import LinkedTrace


@lru_cache(maxsize=1)
def views_version() -> str:
    """Kinetoscope's version and a hash of the code that computes views."""
    return f"{kinetoscope.__version__}-{code_hash('trace', 'linking', 'analysis', 'advice', 'service/views.py', 'service/computing.py')}"


def _kept_in_cache(view: View, selection: Selection) -> bool:
    """A part is computed as fast as it is read; what is of several traces would be found by the key of one."""
    return selection.whole and not view.of_ranks


def load(of: Target, name: str, selection: Selection) -> Content | None:
    """A view from the cache; None where it has to be computed. Raises `RunError` where the trace can't be read."""
    if not _kept_in_cache(VIEWS[name], selection):
        return None
    body = cache_of(of, f"view-{name}", views_version()).load(lambda path: unsealed(path.read_bytes()))
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


def make(of: Target, name: str, selection: Selection, on_progress: Progress) -> tuple[bytes, OSError | None]:
    """Compute a view: `(encoded result, why something could not be kept in the cache)`. Raises `RunError` where a trace can't be used or
    has no such part. Heavy: called in the worker process only."""
    view = VIEWS[name]
    ranks = [each.rank for each in of.manifest.traces] if view.of_ranks and of.manifest else [of.rank]
    linked: dict[int, LinkedTrace] = {}
    windows: dict[int, Window] = {}
    not_kept: OSError | None = None
    for rank in ranks:
        opened, reason = open_linked(target(of.path, rank), on_progress)
        number = _rank(opened, rank) if of.manifest is None else rank
        linked[number], windows[number] = opened, selection.window_ns(opened)
        not_kept = not_kept or reason
    on_progress("view", 0, 1)
    body = msgspec.msgpack.encode(view.compute(linked, windows))
    if _kept_in_cache(view, selection):
        not_kept = kept(cache_of(of, f"view-{name}", views_version()), lambda path: path.write_bytes(sealed(body))) or not_kept
    return body, not_kept
