"""How much memory a device had allocated and reserved over time, in a bounded number of points that keep the peaks.

`Total Allocated` and `Total Reserved` of the trace where it has them (the process's, so memory from before the recording counts); else
the running sum of the recorded allocations and releases, and nothing reserved.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from kinetoscope.analysis.memory_by_node import DeviceMemory
from kinetoscope.analysis.ranges import Window
from kinetoscope.linking.linked import LinkedTrace
from kinetoscope.trace.columns import Ints

POINTS_AT_MOST = 4000
_OF_A_BUCKET = 5
"""First, last, least and most allocated, most reserved."""


class MemoryCurve(Struct, frozen=True, kw_only=True):
    """Each point holds until the next. All are points of the trace, none is a mean."""

    at_us: list[float]
    """Trace time."""
    allocated_bytes: list[int]
    reserved_bytes: list[int]
    """Empty where the trace does not say."""
    from_start: bool
    """True where the trace has no totals: `allocated_bytes` then counts from 0 at the start of the recording."""
    peak_allocated_bytes: int
    peak_allocated_us: float
    peak_reserved_bytes: int | None
    events: int
    """Allocations and releases in the window, of which the points are a part."""


def allocated_after(linked: LinkedTrace, of_device: DeviceMemory) -> tuple[Ints, bool]:
    """`(bytes allocated after each of the device's events, whether they count from 0 at the start of the recording)`."""
    totals = linked.trace.memory.total_allocated[of_device.rows]
    counted = bool((totals < 0).any())
    return (np.cumsum(of_device.sizes) if counted else totals), counted


def memory_curve(linked: LinkedTrace, of_device: DeviceMemory, window_ns: Window) -> MemoryCurve:
    """The curve within the window. It begins with what was allocated when the window began."""
    memory = linked.trace.memory
    at = memory.ts_ns[of_device.rows]
    allocated, counted = allocated_after(linked, of_device)
    reserved = memory.total_reserved[of_device.rows]
    low, high = (0, len(at)) if window_ns is None else np.searchsorted(at, window_ns, side="left").tolist()
    first = max(low - 1, 0) if window_ns else 0
    if window_ns:
        at = np.maximum(at, window_ns[0])
    at, allocated, reserved = at[first:high], allocated[first:high], reserved[first:high]
    told = len(reserved) > 0 and bool((reserved > 0).any() and (reserved >= 0).all())
    points = _points(at, allocated, reserved)
    peak = int(np.argmax(allocated)) if len(allocated) else -1
    return MemoryCurve(
        at_us=(at[points] / 1000).tolist(),
        allocated_bytes=allocated[points].tolist(),
        reserved_bytes=reserved[points].tolist() if told else [],
        from_start=counted,
        peak_allocated_bytes=int(allocated[peak]) if peak >= 0 else 0,
        peak_allocated_us=int(at[peak]) / 1000 if peak >= 0 else 0.0,
        peak_reserved_bytes=int(reserved.max()) if told else None,
        events=high - low,
    )


def _points(at: Ints, allocated: Ints, reserved: Ints) -> Ints:
    """Which points to keep: all, or those that show each of many stretches of equal length in time as it is."""
    if len(at) <= POINTS_AT_MOST:
        return np.arange(len(at))
    buckets = POINTS_AT_MOST // _OF_A_BUCKET
    bucket = ((at - at[0]) * buckets) // (at[-1] - at[0] + 1)
    edges = np.flatnonzero(np.diff(bucket, prepend=-1, append=buckets))
    by_allocated, by_reserved = np.lexsort((allocated, bucket)), np.lexsort((-np.arange(len(at)), reserved, bucket))
    most = np.lexsort((-np.arange(len(at)), allocated, bucket))
    starts, ends = edges[:-1], edges[1:] - 1
    return np.unique(np.concatenate([starts, ends, by_allocated[starts], most[ends], by_reserved[ends]]))
