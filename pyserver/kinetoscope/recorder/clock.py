"""The bridge between the recorder's clock and the trace's: ranges whose start is bracketed by clock reads."""

from __future__ import annotations

from time import perf_counter_ns
from typing import Any

MARKER_NAME = "kinetoscope.clock#{}"
MARKERS_AT_AN_END = 12


class ClockMarkers:
    """`markers` are `[k, before_ns, after_ns]`: the range `kinetoscope.clock#<k>` began between the two."""

    def __init__(self) -> None:
        self.markers: list[list[int]] = []

    def mark(self) -> None:
        """Leave a dozen markers in the trace. The first of each dozen are slow (cold code); readers take the tightest."""
        new_range = _range_type()
        for _ in range(MARKERS_AT_AN_END):
            k = len(self.markers)
            bracketed = new_range(MARKER_NAME.format(k))
            before_ns = perf_counter_ns()
            bracketed.__enter__()
            after_ns = perf_counter_ns()
            bracketed.__exit__(None, None, None)
            self.markers.append([k, before_ns, after_ns])


def _range_type() -> Any:
    """The C++ range, which costs 0.3 µs; the Python one on torch before 2.2."""
    try:
        from torch._C._profiler import _RecordFunctionFast as RangeType  # pyright: ignore
    except ImportError:
        from torch.profiler import record_function as RangeType
    return RangeType
