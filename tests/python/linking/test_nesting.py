"""Nesting and containment against the plain definition."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kinetoscope.linking.nesting import nest

Range = tuple[int, int, int]


def sorted_ranges(ranges: list[Range]) -> list[Range]:
    return sorted(ranges, key=lambda r: (r[0], r[1], -r[2]))


def build(ranges: list[Range]):
    columns = np.array(ranges, dtype=np.int64).reshape(-1, 3)
    return nest(columns[:, 0], columns[:, 1], columns[:, 2], open_until_ns=1000)


def naive_enclosing(ranges: list[Range], thread: int, ts: int) -> set[int]:
    """All that contain the time."""
    return {i for i, (t, start, dur) in enumerate(ranges) if t == thread and start <= ts < start + dur}


@st.composite
def nested_ranges(draw: st.DrawFn) -> list[Range]:
    """Properly nested ranges on up to three threads."""
    result: list[Range] = []

    def fill(thread: int, low: int, high: int, depth: int) -> None:
        at = low
        while at < high and depth < 4 and draw(st.booleans()):
            start = draw(st.integers(at, high - 1))
            dur = draw(st.integers(1, high - start))
            result.append((thread, start, dur))
            fill(thread, start, start + dur, depth + 1)
            at = start + dur

    for thread in range(3):
        fill(thread, 0, 60, 0)
    return sorted_ranges(result)


@given(nested_ranges(), st.integers(0, 3), st.integers(0, 61))
def test_the_innermost_range_around_a_time_is_found(ranges: list[Range], thread: int, ts: int) -> None:
    found = int(build(ranges).enclosing(np.array([thread]), np.array([ts]))[0])
    around = naive_enclosing(ranges, thread, ts)
    if not around:
        assert found == -1
    else:
        assert found in around
        assert ranges[found][2] == min(ranges[i][2] for i in around)


@given(nested_ranges())
def test_a_parent_contains_its_child_and_is_the_shortest_that_does(ranges: list[Range]) -> None:
    parent = build(ranges).parent.tolist()
    for child, above in enumerate(parent):
        thread, start, dur = ranges[child]
        around = {i for i in naive_enclosing(ranges, thread, start) if i < child and ranges[i][1] + ranges[i][2] >= start + dur}
        if above == -1:
            assert not around
        else:
            assert above in around
            assert ranges[above][2] == min(ranges[i][2] for i in around)


def test_a_range_without_an_end_lasts_to_the_end_of_the_trace() -> None:
    assert build([(0, 0, -1), (0, 500, 10)]).parent.tolist() == [-1, 0]


def test_ends_that_cross_by_rounding_are_no_errors() -> None:
    nested = build([(0, 0, 100), (0, 90, 11), (0, 100, 5)])
    assert nested.parent.tolist() == [-1, 0, 1]
    assert nested.enclosing(np.array([0]), np.array([99])).tolist() == [1]
