"""Nesting and containment against the plain definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinetoscope.linking import nesting
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


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 40), st.integers(-1, 20)), max_size=40), st.sampled_from([0, 1, 2, 64]))
def test_ranges_that_cross_lie_in_the_last_one_that_has_started_and_not_ended(ranges: list[Range], rounds: int) -> None:
    ranges = sorted_ranges(ranges)
    moments = np.array([(thread, at) for thread in range(4) for at in range(-1, 62)])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nesting, "_ROUNDS", rounds)
        nested = build(ranges)
        found = nested.enclosing(moments[:, 0], moments[:, 1])
    ends = nested.end_ns.tolist()
    for row, (thread, start, _) in enumerate(ranges):
        open_before = [above for above in range(row) if ranges[above][0] == thread and ends[above] > start]
        assert nested.parent[row] == max(open_before, default=-1)
    for (thread, at), innermost in zip(moments.tolist(), found.tolist(), strict=True):
        around = [row for row, (owner, start, _) in enumerate(ranges) if owner == thread and start <= at < ends[row]]
        assert innermost == max(around, default=-1)


def test_very_deep_ranges_and_many_behind_them_are_nested_at_once() -> None:
    deep = 50_000
    ranges = [(0, depth, 2 * (deep - depth)) for depth in range(deep)] + [(0, 2 * deep + step, 1) for step in range(deep)]
    nested = build(ranges)
    parent = nested.parent
    assert parent[:deep].tolist() == list(range(-1, deep - 1))
    assert set(parent[deep:].tolist()) == {-1}
    last_moment_of_the_outermost = np.full(deep, 2 * deep - 1)
    assert set(nested.enclosing(np.zeros(deep, np.int64), last_moment_of_the_outermost).tolist()) == {0}


def test_a_range_without_an_end_lasts_to_the_end_of_the_trace() -> None:
    assert build([(0, 0, -1), (0, 500, 10)]).parent.tolist() == [-1, 0]


def test_ends_that_cross_by_rounding_are_no_errors() -> None:
    nested = build([(0, 0, 100), (0, 90, 11), (0, 100, 5)])
    assert nested.parent.tolist() == [-1, 0, 1]
    assert nested.enclosing(np.array([0]), np.array([99])).tolist() == [1]
