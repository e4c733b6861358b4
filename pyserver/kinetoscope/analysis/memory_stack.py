"""What the allocated memory is made up of over time: the blocks that are alive at some moments, by who allocated them.

A block is alive from its allocation to the next event of its address, by the rule of the peak (`memory_by_node`), so the stack at the
peak is the peak's composition. Each moment is an event of the trace, none a mean: of equal stretches of time the one at which most was
allocated, and the last before stretches without any.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from msgspec import Struct

from kinetoscope.analysis.ranges import Window
from kinetoscope.trace.columns import Ints

MOMENTS_AT_MOST = 300
OWNERS_AT_MOST = 6
"""Owners on their own; the rest together is one more."""


class OwnerCurve(Struct, frozen=True, kw_only=True):
    """What one owner had at each moment."""

    name: str
    """Of a line its function. Empty where it is not known, and for the rest together."""
    file: str
    line: int
    owners: int
    """1; for the rest together, which stands last, how many they are."""
    bytes: list[int]


class MemoryStack(Struct, frozen=True, kw_only=True):
    """Of each kind the owners' curves at every moment add up to the bytes that were allocated in the recording and are alive then."""

    at_us: list[float]
    """Trace time of events after which this is so; the peak's is among them."""
    before_bytes: list[int]
    """Allocated before the recording; empty where the trace does not say."""
    lines: list[OwnerCurve]
    """Of each kind those that ever have most, most first."""
    operators: list[OwnerCurve]
    modules: list[OwnerCurve]
    phases: list[OwnerCurve]
    categories: list[OwnerCurve]


@dataclass(frozen=True)
class Lives:
    """When allocations are alive: the first moment at which one is, and the first at which it is no more."""

    begin: Ints
    end: Ints
    sizes: Ints
    moments: int


def moments_of(at_ns: Ints, allocated: Ints, peak: int, window_ns: Window) -> Ints:
    """Indices of the events at which the stack is shown: all in the window, or of many stretches of equal length the one after which
    `allocated` is greatest, and the last where none follows in the next stretch, since that is what holds then; the first, and `peak`.
    The last one before the window is among them, as in the curve."""
    low, high = (0, len(at_ns)) if window_ns is None else np.searchsorted(at_ns, window_ns, side="left").tolist()
    first = max(low - 1, 0) if window_ns else 0
    if high - first <= MOMENTS_AT_MOST:
        return np.arange(first, high)
    at, size = at_ns[first:high], allocated[first:high]
    # A last one has an empty stretch after it: both together are no more than the stretches; then the end, the first and the peak.
    stretches = MOMENTS_AT_MOST - 3
    stretch = ((at - at[0]) * stretches) // (at[-1] - at[0] + 1)
    by_size = np.lexsort((-np.arange(len(at)), size, stretch))
    following = np.append(stretch[1:], stretches + 1)
    last = np.flatnonzero(following != stretch)
    held = last[following[last] > stretch[last] + 1]
    return np.unique(np.concatenate([first + by_size[last], first + held, [first, peak]]))


def lives_of(address: Ints, sizes: Ints, moments: Ints) -> Lives:
    """Of a device's events those that allocate."""
    until = np.full(len(address), len(address), np.int64)
    order = np.argsort(address, kind="stable")
    again = address[order[:-1]] == address[order[1:]]
    until[order[:-1][again]] = order[1:][again]
    made = np.flatnonzero(sizes > 0)
    return Lives(np.searchsorted(moments, made), np.searchsorted(moments, until[made]), sizes[made], len(moments))


def alive_at(lives: Lives) -> Ints:
    """Bytes alive at each moment."""
    return _by_group(lives, np.zeros(len(lives.sizes), np.int64), 1)[:, 0]


def owner_curves(lives: Lives, group: Ints, names: list[tuple[str, str, int]]) -> list[OwnerCurve]:
    """`group` has an index into `names` (name, file, line) for each allocation."""
    seen = lives.begin < lives.end
    present, which = np.unique(group[seen], return_inverse=True)
    some = Lives(lives.begin[seen], lives.end[seen], lives.sizes[seen], lives.moments)
    table = _by_group(some, which, len(present))
    order = np.argsort(-table.max(axis=0, initial=0), kind="stable")
    # One that is left alone is shown as itself.
    kept = order if len(order) <= OWNERS_AT_MOST + 1 else order[:OWNERS_AT_MOST]
    curves: list[OwnerCurve] = []
    for column in kept.tolist():
        name, file, line = names[int(present[column])]
        curves.append(OwnerCurve(name=name, file=file, line=line, owners=1, bytes=table[:, column].tolist()))
    if len(kept) < len(order):
        rest = table[:, order[len(kept) :]].sum(axis=1).tolist()
        curves.append(OwnerCurve(name="", file="", line=0, owners=len(order) - len(kept), bytes=rest))
    return curves


def _by_group(lives: Lives, group: Ints, groups: int) -> Ints:
    """Bytes alive at each moment (row) of each group (column)."""
    change = np.zeros((lives.moments + 1, groups), np.int64)
    np.add.at(change, (lives.begin, group), lives.sizes)
    np.subtract.at(change, (lives.end, group), lives.sizes)
    return np.cumsum(change, axis=0)[: lives.moments]
