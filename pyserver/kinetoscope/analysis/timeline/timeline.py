"""The timeline of one linked trace: made once, then asked for tracks and tiles."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from kinetoscope.analysis.timeline.answers import (
    CounterPixels,
    CounterSeries,
    CounterTile,
    EventRef,
    Tile,
    TileQuestion,
    Track,
    Tracks,
    TrackTile,
)
from kinetoscope.analysis.timeline.events import CATEGORIES, TABLES, Events
from kinetoscope.analysis.timeline.lanes import Lane, Lanes
from kinetoscope.analysis.timeline.spans import Pieces, Pixels, Spans
from kinetoscope.linking.linked import LinkedTrace
from kinetoscope.trace.columns import Floats, Ints

Made = TypeVar("Made")

WIDEST = 16384
_LONGEST_NS = 1 << 61


class QuestionError(ValueError):
    """A question that has no answer, with words for who asked."""


class Timeline:
    """What is known of a track is found when it is first asked for, and kept."""

    def __init__(self, linked: LinkedTrace) -> None:
        self.linked = linked
        self.events = Events(linked)
        self.lanes = Lanes(self.events)
        self._last: tuple[object, Any] | None = None

    def lane(self, track: str) -> Lane:
        """Raises `QuestionError` where there is no such track."""
        lane = self.lanes.all.get(track)
        if lane is None:
            raise QuestionError(f"The recording has no track {track!r}.")
        return lane

    def spans(self, track: str) -> Spans:
        """The events of a track. Raises `QuestionError` where there is no such track, or it has none of its own."""
        spans = self.lane(track).spans
        if spans is None:
            raise QuestionError(f"The track {track!r} has no events of its own.")
        return spans

    def lanes_with_events(self, tracks: list[str] | None) -> dict[str, Spans]:
        """The tracks of these, or of all, that have events."""
        lanes = self.lanes.all.values() if tracks is None else [self.lane(track) for track in tracks]
        return {lane.id: lane.spans for lane in lanes if lane.spans is not None}

    def last(self, key: object, make: Callable[[], Made]) -> Made:
        """What `make` gives, kept until another key is asked for."""
        if self._last is None or self._last[0] != key:
            self._last = key, make()
        return self._last[1]

    def us(self, time_ns: Any) -> Any:
        """Microseconds since the recording's start, of a trace time or a column of them."""
        return (time_ns - self.linked.window_ns[0]) / 1000

    def ns(self, time_us: float) -> int:
        """The reverse. Raises `QuestionError` for what is no time."""
        if not abs(time_us) < _LONGEST_NS / 1000:
            raise QuestionError(f"{time_us} is no time of the recording.")
        return round(time_us * 1000) + self.linked.window_ns[0]

    def ref(self, event: int) -> EventRef:
        """Where an event is. Raises `QuestionError` where there is none of this number."""
        if not self.events.knows(event):
            raise QuestionError(f"The recording has no event {event}.")
        row, table = divmod(event, TABLES)
        try:
            track = self.lanes.of_event(event)
        except KeyError:
            raise QuestionError(f"Event {event} is on no track.") from None
        start, end = (int(column[row]) for column in self.events.times_of(table))
        one = np.array([event], np.int64)
        return EventRef(
            event=event,
            kind=self.events.kind(event),
            track=track,
            row=self.spans(track).place(event, start)[1],
            name=self.events.names[int(self.events.name_of(one)[0])],
            category=CATEGORIES[int(self.events.category_of(one)[0])],
            start_us=self.us(start),
            dur_us=(end - start) / 1000,
        )


def tracks(timeline: Timeline) -> Tracks:
    """All tracks, those of one parent after it."""
    lanes = [*timeline.lanes.all.values()]
    extents = [lane.spans.extent_ns for lane in lanes if lane.spans is not None and len(lane.spans.event)]
    window = timeline.linked.window_ns
    first, last = min([window[0], *(start for start, _ in extents)]), max([window[0] + 1, window[1], *(end for _, end in extents)])
    return Tracks(
        tracks=[_track(timeline, lane) for lane in lanes],
        start_us=timeline.us(first),
        end_us=_not_before(timeline, last),
        recording_us=(window[1] - window[0]) / 1000,
        notices=_notices(timeline),
    )


def _not_before(timeline: Timeline, time_ns: int) -> float:
    """A time in microseconds that is the given one or, where a double can't say it (after some months), the next."""
    us = float(timeline.us(time_ns))
    return us if round(us * 1000) >= time_ns - timeline.linked.window_ns[0] else math.nextafter(us, math.inf)


def _track(timeline: Timeline, lane: Lane) -> Track:
    spans, curves = lane.spans, lane.curves
    start = end = rows = count = 0
    if spans is not None and len(spans.event):
        start, end = timeline.us(spans.extent_ns[0]), timeline.us(spans.extent_ns[1])
        rows, count = spans.rows, len(spans.event)
    elif curves:
        first = next(iter(curves.values()))
        start, end, count = timeline.us(first.at_ns[0]), timeline.us(first.at_ns[-1]), len(first.at_ns)
    return Track(
        id=lane.id,
        kind=lane.kind,
        title=lane.title,
        detail=lane.detail,
        help=lane.help,
        parent=lane.parent,
        rows=rows,
        events=count,
        start_us=float(start),
        end_us=float(end),
        unit=lane.unit,
        series=[CounterSeries(name=name, low=float(curve.value.min()), high=float(curve.value.max())) for name, curve in curves.items()],
    )


def _notices(timeline: Timeline) -> list[str]:
    trace = timeline.linked.trace
    kinds = {lane.kind for lane in timeline.lanes.all.values()}
    notices: list[str] = []
    if "python" not in kinds and "lines" not in kinds:
        notices.append("There are no Python frames: the trace was recorded without stacks (with_stack=True) and without a line log.")
    if not len(trace.kernels.ts_ns):
        notices.append("There is no device work: the program used no GPU while it was recorded, or its activities were not recorded.")
    if not len(trace.memory.ts_ns):
        notices.append("There is no memory curve: the trace was recorded without profile_memory=True.")
    if trace.lost:
        notices.append(f"The trace is not whole: {trace.lost.reason}. What could not be read is missing here.")
    return notices


def tile(timeline: Timeline, question: TileQuestion) -> Tile:
    """What a screen can show of some tracks in a range. Raises `QuestionError` for unknown tracks, empty ranges and impossible widths."""
    pixels = _pixels(timeline, question)
    lanes = [timeline.lane(track) for track in question.tracks]
    shown = [(lane, lane.spans, lane.spans.pieces(pixels)) for lane in lanes if lane.spans is not None]
    events = [spans.event[pieces.longest].astype(np.int64) for _, spans, pieces in shown]
    every = np.concatenate([np.zeros(0, np.int64), *events])
    keys, name = _numbered(timeline.events.name_of(every) * len(CATEGORIES) + timeline.events.category_of(every))
    edges = np.cumsum([0, *map(len, events)]).tolist()
    return Tile(
        start_us=question.start_us,
        end_us=question.end_us,
        width_px=question.width_px,
        names=[timeline.events.names[key // len(CATEGORIES)] for key in keys.tolist()],
        categories=[CATEGORIES[key % len(CATEGORIES)] for key in keys.tolist()],
        tracks=[
            _of_track(timeline, lane.id, spans, pieces, name[low:high])
            for (lane, spans, pieces), low, high in zip(shown, edges[:-1], edges[1:], strict=True)
        ],
        counters=[_of_counter(lane, pixels) for lane in lanes if lane.curves],
    )


def _numbered(keys: Ints) -> tuple[Ints, Ints]:
    """The keys that there are, ascending, and of each its place among them. Keys are few numbers from 0 on, so that nothing is sorted."""
    place = np.zeros(int(keys.max(initial=-1)) + 1, np.int64)
    place[keys] = 1
    found = np.flatnonzero(place)
    place[found] = np.arange(len(found))
    return found, place[keys]


def _pixels(timeline: Timeline, question: TileQuestion) -> Pixels:
    if not 1 <= question.width_px <= WIDEST:
        raise QuestionError(f"A tile is 1 to {WIDEST} pixels wide, not {question.width_px}.")
    start, end = timeline.ns(question.start_us), timeline.ns(question.end_us)
    if end <= start:
        raise QuestionError(f"The range from {question.start_us} to {question.end_us} µs is empty.")
    return Pixels(start, end, question.width_px)


def _of_track(timeline: Timeline, track: str, spans: Spans, pieces: Pieces, name: Ints) -> TrackTile:
    start, last = spans.start_ns[pieces.first], pieces.first + pieces.count - 1
    return TrackTile(
        track=track,
        events=int(pieces.count.sum()),
        start_us=_floats(timeline.us(start)),
        dur_us=_floats((spans.end_ns[last] - start) / 1000),
        row=_numbers(pieces.row),
        name=_numbers(name),
        event=_numbers(spans.event[pieces.longest]),
        count=_numbers(pieces.count),
    )


def _of_counter(lane: Lane, pixels: Pixels) -> CounterTile:
    series: list[CounterPixels] = []
    for name, curve in lane.curves.items():
        shown = curve.in_pixels(pixels)
        columns = {key: _floats(getattr(shown, key)) for key in ("mean", "low", "high", "last")}
        series.append(CounterPixels(name=name, **columns))
    return CounterTile(track=lane.id, series=series)


def _floats(values: Floats) -> bytes:
    return np.ascontiguousarray(values, "<f8").tobytes()


def _numbers(values: Ints | NDArray[np.uint32]) -> bytes:
    return np.ascontiguousarray(values, "<u4").tobytes()
