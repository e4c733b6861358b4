"""What must hold of the timeline of every real trace: every event is on one track and in every tile that its time lies in, and each can be
asked about."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from kinetoscope.analysis.timeline.answers import EventQuestion, TileQuestion, Tracks
from kinetoscope.analysis.timeline.details import details
from kinetoscope.analysis.timeline.spans import Spans
from kinetoscope.analysis.timeline.timeline import Timeline, tile, tracks
from kinetoscope.linking.linked import link
from kinetoscope.trace.reader import read_trace
from realtraces.test_every_trace import files


@pytest.fixture(scope="module", params=files())
def found(request: pytest.FixtureRequest) -> tuple[Timeline, Tracks]:
    path: Path = request.param
    timeline = Timeline(link(read_trace(path, lambda done, total: None), str(path)))
    return timeline, tracks(timeline)


def spans_of(timeline: Timeline) -> dict[str, Spans]:
    return timeline.lanes_with_events(None)


def test_every_event_is_on_one_track(found: tuple[Timeline, Tracks]) -> None:
    timeline, all_tracks = found
    trace = timeline.linked.trace
    tables = (trace.ops, trace.launches, trace.kernels, trace.frames, trace.device_ranges)
    marks = sum(trace.names[name].startswith("kinetoscope.clock#") for name in trace.ops.name.tolist())
    expected = sum(len(table.ts_ns) for table in tables) - marks + len(timeline.events.steps) + len(timeline.events.standing.node)
    events = np.concatenate([np.zeros(0, np.uint32), *(spans.event for spans in spans_of(timeline).values())])
    assert len(np.unique(events)) == len(events) == expected
    assert sum(track.events for track in all_tracks.tracks if track.kind != "counter") == expected


def test_no_two_events_of_a_row_overlap(found: tuple[Timeline, Tracks]) -> None:
    for spans in spans_of(found[0]).values():
        row = np.repeat(np.arange(spans.rows), np.diff(spans.bounds))
        same = row[1:] == row[:-1]
        assert (spans.start_ns[1:][same] >= spans.end_ns[:-1][same]).all()


def test_tiles_lose_no_event_at_any_zoom(found: tuple[Timeline, Tracks]) -> None:
    timeline, all_tracks = found
    chance = random.Random(3)
    tracks_with_events = spans_of(timeline)
    length = max(all_tracks.end_us - all_tracks.start_us, 1.0)
    ranges = [(all_tracks.start_us, all_tracks.start_us + length)]
    for _ in range(6):
        part = length * 10 ** chance.uniform(-5, 0)
        start = chance.uniform(all_tracks.start_us, all_tracks.start_us + length - part)
        ranges.append((start, start + max(part, 0.001)))
    for start, end in ranges:
        question = TileQuestion(
            tracks=[track.id for track in all_tracks.tracks], start_us=start, end_us=end, width_px=chance.choice([3, 80, 900])
        )
        answer = tile(timeline, question)
        low, high = timeline.ns(start), timeline.ns(end)
        assert [each.track for each in answer.tracks] == [*tracks_with_events]
        for each in answer.tracks:
            spans = tracks_with_events[each.track]
            inside = (spans.start_ns < high) & ((spans.start_ns >= low) | (spans.end_ns > low))
            count = np.frombuffer(each.count, "<u4")
            assert each.events == count.sum() == inside.sum()
            assert np.isin(np.frombuffer(each.event, "<u4"), spans.event[inside]).all()


def test_each_event_can_be_asked_about_and_its_links_too(found: tuple[Timeline, Tracks]) -> None:
    timeline, _ = found
    chance = random.Random(4)
    for track, spans in spans_of(timeline).items():
        for event in chance.sample(spans.event.tolist(), min(4, len(spans.event))):
            one = details(timeline, EventQuestion(event=event))
            assert (one.event.event, one.event.track) == (event, track)
            assert 0 <= one.self_us <= one.event.dur_us
            assert all(timeline.ref(each.to.event) == each.to for each in one.links)
            assert one.line == (one.stack[-1] if one.stack else None)
