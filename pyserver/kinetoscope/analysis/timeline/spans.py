"""One track's events in rows, and the pieces that a screen can show of them.

In a row no event lies over another, so starts and ends both ascend, and only the last event that begins in a pixel can be as wide as
one. So a row is cut at the pixels by looking the edges up, however many events lie between.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from kinetoscope.trace.columns import Bools, Ints

_FEW = 8
"""As many events a pixel are sorted into pixels one by one; of more the pixels' edges are looked up."""
_NONE = np.zeros(0, np.int64)


@dataclass(frozen=True)
class Pixels:
    """A range of time as `width` pixels. All arithmetic is exact, but where a range is so long that it would overflow: then pixels begin at
    multiples of a few nanoseconds, the same in all methods."""

    start_ns: int
    end_ns: int
    width: int

    @cached_property
    def _shift(self) -> int:
        return max(0, ((self.end_ns - self.start_ns) * self.width).bit_length() - 62)

    @cached_property
    def _length(self) -> int:
        return (self.end_ns - self.start_ns) >> self._shift

    def of(self, time_ns: Ints) -> Ints:
        """The pixel of each time, -1 for those before the first; times must be before the end."""
        return np.where(
            time_ns < self.start_ns, -1, ((np.maximum(time_ns, self.start_ns) - self.start_ns) >> self._shift) * self.width // self._length
        )

    @cached_property
    def edges(self) -> Ints:
        """The first nanosecond of each pixel."""
        return self.start_ns + (-(np.arange(self.width, dtype=np.int64) * -self._length // self.width) << self._shift)

    def fill(self, dur_ns: Ints) -> Bools:
        """Which durations are as long as a pixel or longer."""
        return np.minimum(dur_ns >> self._shift, self._length) * self.width >= self._length


@dataclass(frozen=True)
class Pieces:
    """What a tile shows of a track: each piece stands for the events `first` to `first + count - 1`, of which `longest` is the longest."""

    row: Ints
    first: Ints
    count: Ints
    longest: Ints


@dataclass(frozen=True)
class Spans:
    """Events by row, in a row by time. Row `r` has those from `bounds[r]` to `bounds[r + 1] - 1`."""

    bounds: Ints
    start_ns: Ints
    end_ns: Ints
    event: NDArray[np.uint32]

    @property
    def rows(self) -> int:
        return len(self.bounds) - 1

    @cached_property
    def _ranks(self) -> Ints:
        """A number for each event that is greater the longer it is and, of equally long ones, the earlier: so that the greatest of several
        names the longest. Above some minutes, which no pixel is wide, all are equally long."""
        bits = max(len(self.event) - 1, 1).bit_length()
        length = np.minimum(self.end_ns - self.start_ns, (1 << (62 - bits)) - 1)
        return (length << bits) | ((1 << bits) - 1 - np.arange(len(length)))

    def _longest(self, first: Ints, until: int) -> Ints:
        """The longest event of each stretch: from one of `first` to the next, at last to `until`."""
        low, bits = int(first[0]), max(len(self.event) - 1, 1).bit_length()
        return (1 << bits) - 1 - (np.maximum.reduceat(self._ranks[low:until], first - low) & ((1 << bits) - 1))

    @cached_property
    def extent_ns(self) -> tuple[int, int]:
        """The shortest range that holds all events; zeros where there are none."""
        if not len(self.start_ns):
            return 0, 0
        return int(self.start_ns.min()), max(int(self.end_ns.max()), int(self.start_ns.max()) + 1)

    def pieces(self, pixels: Pixels) -> Pieces:
        """The events that begin in the pixels' range or reach into it: those as wide as a pixel or wider by themselves, of the others all
        that begin in one pixel together."""
        parts = [self._cut(low, high, pixels) for low, high in zip(self.bounds[:-1].tolist(), self.bounds[1:].tolist(), strict=True)]
        first, count, longest = (np.concatenate([_NONE, *column]) for column in zip(*parts, strict=True)) if parts else [_NONE] * 3
        return Pieces(np.repeat(np.arange(self.rows), [len(part[0]) for part in parts]), first, count, longest)

    def _cut(self, low: int, high: int, pixels: Pixels) -> tuple[Ints, Ints, Ints]:
        """`(first, count, longest)` of each piece of the row that has the events `[low, high)`."""
        begin, until = self._reaching(low, high, pixels.start_ns, pixels.end_ns)
        if begin >= until:
            return _NONE, _NONE, _NONE
        if until - begin <= _FEW * pixels.width:
            first = begin + np.flatnonzero(np.diff(pixels.of(self.start_ns[begin:until]), prepend=-2))
        else:
            first = np.append(begin, begin + np.searchsorted(self.start_ns[begin:until], pixels.edges, side="left"))
            first = first[(np.diff(first, prepend=-1) > 0) & (first < until)]
        end = np.append(first[1:], until)
        wide = pixels.fill(self.end_ns[end - 1] - self.start_ns[end - 1])
        apart = end[wide & (end - first > 1)] - 1
        if len(apart):
            first = np.sort(np.concatenate([first, apart]))
        return first, np.diff(first, append=until), self._longest(first, until)

    def _reaching(self, low: int, high: int, start_ns: int, end_ns: int) -> tuple[int, int]:
        """Of the row that has the events `[low, high)`, those that begin in `[start_ns, end_ns)` or reach into it."""
        starts = self.start_ns[low:high]
        reaching = np.searchsorted(self.end_ns[low:high], start_ns, side="right")
        begin = min(reaching, np.searchsorted(starts, start_ns, side="left"))
        return low + int(begin), low + int(np.searchsorted(starts, end_ns, side="left"))

    def in_range(self, start_ns: int, end_ns: int) -> int:
        """How many events begin in `[start_ns, end_ns)` or reach into it."""
        ranges = (
            self._reaching(low, high, start_ns, end_ns)
            for low, high in zip(self.bounds[:-1].tolist(), self.bounds[1:].tolist(), strict=True)
        )
        return sum(max(until - begin, 0) for begin, until in ranges)

    def place(self, event: int, start_ns: int) -> tuple[int, int]:
        """`(index, row)` of an event that begins at this time. Raises `KeyError` where it is not of this track."""
        for row, (low, high) in enumerate(zip(self.bounds[:-1].tolist(), self.bounds[1:].tolist(), strict=True)):
            first = low + int(np.searchsorted(self.start_ns[low:high], start_ns, side="left"))
            end = low + int(np.searchsorted(self.start_ns[low:high], start_ns, side="right"))
            hits = np.flatnonzero(self.event[first:end] == event)
            if len(hits):
                return first + int(hits[0]), row
        raise KeyError(event)

    def around(self, moment_ns: int) -> list[int]:
        """Indices of the events that have begun and not ended at a moment, outermost first."""
        found: list[int] = []
        for low, high in zip(self.bounds[:-1].tolist(), self.bounds[1:].tolist(), strict=True):
            index = low + int(np.searchsorted(self.start_ns[low:high], moment_ns, side="right")) - 1
            if index >= low and self.end_ns[index] > moment_ns:
                found.append(index)
        return found

    def before(self, moment_ns: int, row: int) -> int:
        """Index of the last event of a row that begins by then. There must be one."""
        low, high = int(self.bounds[row]), int(self.bounds[row + 1])
        return low + int(np.searchsorted(self.start_ns[low:high], moment_ns, side="right")) - 1

    def inside_ns(self, index: int, row: int) -> int:
        """Time within an event, given by its index and row, in which one of the row below it runs."""
        if row + 1 >= self.rows:
            return 0
        start, end = int(self.start_ns[index]), int(self.end_ns[index])
        low, high = int(self.bounds[row + 1]), int(self.bounds[row + 2])
        first = low + int(np.searchsorted(self.start_ns[low:high], start, side="left"))
        until = low + int(np.searchsorted(self.start_ns[low:high], end, side="left"))
        return int((np.minimum(self.end_ns[first:until], end) - self.start_ns[first:until]).sum())


def spans_of(row: Ints, start_ns: Ints, end_ns: Ints, event: Ints) -> Spans:
    """From events in the order of their start. No two of a row may overlap."""
    order = np.argsort(row.astype(np.uint16), kind="stable")
    bounds = np.concatenate([[0], np.cumsum(np.bincount(row))]).astype(np.int64)
    return Spans(bounds, start_ns[order], end_ns[order], event[order].astype(np.uint32))
