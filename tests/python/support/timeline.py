"""Asks a timeline as a page does, and reads the columns of its answers."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from kinetoscope.analysis.timeline.answers import CounterTile, Tile, TileQuestion, TrackTile
from kinetoscope.analysis.timeline.timeline import Timeline, tile
from kinetoscope.linking.linked import link
from kinetoscope.trace.reader import read_trace
from support.kineto import TraceMaker


class Piece(NamedTuple):
    """One piece of a track's tile; times in microseconds."""

    row: int
    start: float
    dur: float
    name: str
    events: int


def opened(maker: TraceMaker, folder: Path) -> Timeline:
    path = maker.write(folder / "t.json")
    return Timeline(link(read_trace(path, lambda done, total: None), str(path)))


def asked(timeline: Timeline, tracks: list[str], start: float, end: float, width: int) -> Tile:
    return tile(timeline, TileQuestion(tracks=tracks, start_us=start, end_us=end, width_px=width))


def pieces_of(answer: Tile, track: TrackTile) -> list[Piece]:
    columns = [np.frombuffer(column, "<u4").tolist() for column in (track.row, track.name, track.count)]
    times = [np.frombuffer(column, "<f8").tolist() for column in (track.start_us, track.dur_us)]
    return [
        Piece(row, start, dur, answer.names[name], count)
        for row, start, dur, name, count in zip(columns[0], *times, *columns[1:], strict=True)
    ]


def pieces(timeline: Timeline, track: str, start: float, end: float, width: int) -> list[Piece]:
    answer = asked(timeline, [track], start, end, width)
    [only] = answer.tracks
    assert only.events == sum(piece.events for piece in pieces_of(answer, only))
    return pieces_of(answer, only)


def events_of(track: TrackTile) -> list[int]:
    return np.frombuffer(track.event, "<u4").tolist()


def pixels(answer: CounterTile, name: str, what: str = "mean") -> list[float]:
    [series] = [each for each in answer.series if each.name == name]
    return np.frombuffer(getattr(series, what), "<f8").tolist()
