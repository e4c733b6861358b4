"""A number over time that holds from one change to the next, and what each pixel of a screen shows of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kinetoscope.analysis.intervals import Intervals
from kinetoscope.analysis.timeline.spans import Pixels
from kinetoscope.trace.columns import Floats, Ints


@dataclass(frozen=True)
class InPixels:
    """One entry a pixel; NaN where the curve has no value."""

    mean: Floats
    low: Floats
    high: Floats
    last: Floats


@dataclass(frozen=True)
class Curve:
    """`value[i]` from `at_ns[i]` (ascending) until `at_ns[i + 1]`, the last one for ever. Before the first it has none."""

    at_ns: Ints
    value: Floats

    def in_pixels(self, pixels: Pixels) -> InPixels:
        """Mean over time, extremes and last value of each pixel. Of several values at one moment all count as extremes, though they take
        no time."""
        nothing = np.full(pixels.width, np.nan)
        if not len(self.at_ns) or pixels.end_ns < self.at_ns[0]:
            return InPixels(nothing, nothing, nothing, nothing)
        edges = np.maximum(np.append(pixels.edges, pixels.end_ns), self.at_ns[0])
        place = np.searchsorted(self.at_ns, edges, side="left")
        holds = np.where(self.at_ns[np.minimum(place, len(self.at_ns) - 1)] == edges, place, place - 1)
        held, length = self.value[holds], np.diff(edges)
        area = self._areas[holds] + held * (edges - self.at_ns[holds])
        low, high = (_extremes(of, self.value, place, held[:-1]) for of in (np.minimum, np.maximum))
        last = self.value[np.maximum(place[1:] - 1, holds[:-1])]
        # A pixel may be shorter than a nanosecond.
        mean = np.where(length > 0, np.clip(np.diff(area) / np.maximum(length, 1), low, high), last)
        known = (np.append(pixels.edges[1:], pixels.end_ns) > self.at_ns[0]) | (pixels.edges >= self.at_ns[0])
        return InPixels(*(np.where(known, column, np.nan) for column in (mean, low, high, last)))

    @cached_property
    def _areas(self) -> Floats:
        """Value times nanoseconds up to each change."""
        return np.concatenate([[0.0], np.cumsum(self.value[:-1] * np.diff(self.at_ns))])


def _extremes(of: np.ufunc, values: Floats, edges: Ints, held: Floats) -> Floats:
    """The extreme of each stretch of values between two edges, and of the value that is held when the stretch begins."""
    some = np.flatnonzero(edges[1:] > edges[:-1])
    result = held.copy()
    if len(some):
        low, high = int(edges[0]), int(edges[-1])
        result[some] = of(of.reduceat(values[low:high], edges[some] - low), held[some])
    return result


def curve_of(start_ns: Ints, end_ns: Ints, value: Floats, from_ns: int) -> Curve:
    """A curve that has these values in these stretches, which must be in order and not overlap, and else is 0, from a time on or from the
    first stretch if that is earlier."""
    if not len(start_ns):
        return Curve(np.array([from_ns], np.int64), np.zeros(1))
    gap = np.append(start_ns[1:] > end_ns[:-1], True)
    at = np.column_stack([start_ns, end_ns]).reshape(-1)
    values = np.column_stack([value, np.zeros(len(value))]).reshape(-1)
    kept = np.column_stack([np.ones(len(gap), bool), gap]).reshape(-1)
    at, values = at[kept], values[kept]
    if at[0] > from_ns:
        at, values = np.append(from_ns, at), np.append(0.0, values)
    return Curve(at, values)


def curve_of_intervals(intervals: Intervals, value: float, from_ns: int) -> Curve:
    """A curve of one value within intervals, else 0."""
    return curve_of(intervals.start_ns, intervals.end_ns, np.full(len(intervals.start_ns), value), from_ns)
