"""Computes views in the worker or the desk process, and keeps those of whole recordings in the cache."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

import kinetoscope
from kinetoscope.runs.cache import Cache, sealed, unsealed
from kinetoscope.runs.manifest import RunError
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
    places = [(of.path, each.rank) for each in of.manifest.traces] if of.manifest is not None else _peers(of)
    return [msgspec.structs.replace(target(path, rank, infer=of.infer), sources=of.sources) for path, rank in places] or [of]


def _peers(of: Target) -> list[tuple[Path, int]]:
    return [(Path(path), rank) for rank, path in sorted(of.peers.items())]


def of_several(of: Target, name: str) -> bool:
    """Whether a view opens more traces than that of its target."""
    several = len(of.manifest.traces if of.manifest is not None else of.peers) > 1
    return name in VIEWS and VIEWS[name].of_ranks and several


def make(of: Target, name: str, selection: Selection, on_progress: Progress) -> tuple[bytes, OSError | None]:
    """Compute a view: `(encoded result, why something could not be kept in the cache)`. Raises `RunError` where a trace can't be used or
    has no such part. Heavy: called in the worker process only."""
    not_kept: OSError | None = None

    def opened(each: Target) -> LinkedTrace:
        nonlocal not_kept
        linked, reason = open_linked(each, on_progress)
        not_kept = not_kept or reason
        return linked

    body, reason = _make(of, name, selection, opened, on_progress)
    return body, not_kept or reason


def content(of: Target, linked: LinkedTrace, name: str, selection: Selection) -> Content:
    """A view of a trace that is open, of that alone, from the cache or computed. Raises as `make`, and where there is no view of that
    name."""
    if name not in VIEWS:
        raise RunError(f"There is no view {name}.", f"Choose one of: {', '.join(view.name for view in VIEWS.values() if view.tables)}.")
    cached = load(of, name, selection)
    if cached is not None:
        return cached
    body, _ = _make(of, name, selection, lambda _: linked, lambda *_: None)
    return msgspec.msgpack.decode(body)


def _make(
    of: Target, name: str, selection: Selection, opened: Callable[[Target], LinkedTrace], on_progress: Progress
) -> tuple[bytes, OSError | None]:
    view = VIEWS[name]
    targets = _all_ranks(of) if view.of_ranks else [of]
    linked: dict[int, LinkedTrace] = {}
    windows: dict[int, Window] = {}
    for each in targets:
        trace = opened(each)
        number = _rank(trace, each.rank) if len(targets) == 1 and of.manifest is None else each.rank
        linked[number], windows[number] = trace, selection.window_ns(trace)
    on_progress("view", 0, 1)
    body = msgspec.msgpack.encode(view.compute(linked, windows))
    if _kept_in_cache(view, selection):
        return body, kept(_entry(of, name), lambda path: path.write_bytes(sealed(body)))
    return body, None
