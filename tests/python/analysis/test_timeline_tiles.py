"""What a tile shows of a track, and of a counter: exact where there is room, one piece a pixel where there is not, and nothing lost.

The rules are stated here a second time, event by event and moment by moment, and compared on any events that hypothesis thinks of.
"""

from __future__ import annotations

from itertools import groupby, pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinetoscope.analysis.gpu_metrics import device_use
from kinetoscope.analysis.kernel_names import KernelNames
from kinetoscope.analysis.timeline.curve import Curve
from kinetoscope.analysis.timeline.rows import packed_rows
from kinetoscope.analysis.timeline.spans import Pixels, spans_of
from kinetoscope.analysis.timeline.timeline import QuestionError
from support.kineto import TraceMaker
from support.timeline import Piece, asked, opened, pieces, pixels

OPERATORS = "thread:0/operators"
Extent = tuple[int, int]


def many_ops() -> TraceMaker:
    """One of 1,000 µs with ten of 1 µs in it, a long one, and ten more."""
    maker = TraceMaker().op("outer", 0, 1000)
    for number in range(10):
        maker.op(f"small{number}", 100 + 2 * number, 1 if number != 6 else 1.5)
    maker.op("long", 200, 300)
    for number in range(10):
        maker.op("tiny", 600 + 2 * number, 1)
    return maker


def test_what_is_as_wide_as_a_pixel_is_shown_as_it_is(tmp_path: Path) -> None:
    timeline = opened(many_ops(), tmp_path)
    assert pieces(timeline, OPERATORS, 0, 1000, 1000) == [
        Piece(0, 0, 1000, "outer", 1),
        *(Piece(1, 100 + 2 * n, 1 if n != 6 else 1.5, f"small{n}", 1) for n in range(10)),
        Piece(1, 200, 300, "long", 1),
        *(Piece(1, 600 + 2 * n, 1, "tiny", 1) for n in range(10)),
    ]


def test_narrower_ones_of_a_pixel_are_one_piece_that_says_how_many_and_which_is_longest(tmp_path: Path) -> None:
    timeline = opened(many_ops(), tmp_path)
    assert pieces(timeline, OPERATORS, 0, 1000, 10) == [
        Piece(0, 0, 1000, "outer", 1),
        Piece(1, 100, 19, "small6", 10),
        Piece(1, 200, 300, "long", 1),
        Piece(1, 600, 19, "tiny", 10),
    ]


def test_a_wide_one_stands_apart_from_narrower_ones_of_its_pixel(tmp_path: Path) -> None:
    timeline = opened(TraceMaker().op("a", 0, 1).op("b", 2, 1).op("wide", 5, 50), tmp_path)
    assert pieces(timeline, OPERATORS, 0, 100, 2) == [Piece(0, 0, 3, "a", 2), Piece(0, 5, 50, "wide", 1)]


def test_what_reaches_into_the_range_is_shown_and_what_ends_at_its_start_is_not(tmp_path: Path) -> None:
    timeline = opened(TraceMaker().op("before", 0, 10).op("into", 10, 30).op("at its end", 50, 5), tmp_path)
    assert pieces(timeline, OPERATORS, 10, 50, 4) == [Piece(0, 10, 30, "into", 1)]
    assert pieces(timeline, OPERATORS, 20, 30, 4) == [Piece(0, 10, 30, "into", 1)]
    assert pieces(timeline, OPERATORS, 45, 50, 4) == []


def test_answers_are_the_same_each_time(tmp_path: Path) -> None:
    one, other = opened(many_ops(), tmp_path), opened(many_ops(), tmp_path)
    asked(other, [OPERATORS], 3, 400, 7)
    assert asked(one, [OPERATORS], 0, 1000, 10) == asked(other, [OPERATORS], 0, 1000, 10)


@pytest.mark.parametrize(
    ("tracks", "start", "end", "width", "says"),
    [
        (["thread:9"], 0, 1, 10, "no track 'thread:9'"),
        ([OPERATORS], 5, 5, 10, "is empty"),
        ([OPERATORS], 0, float("nan"), 10, "nan is no time"),
        ([OPERATORS], 0, 1e300, 10, "is no time"),
        ([OPERATORS], 0, 1, 0, "1 to 16384 pixels"),
        ([OPERATORS], 0, 1, 20000, "1 to 16384 pixels"),
    ],
)
def test_a_question_without_an_answer_says_why(tmp_path: Path, tracks: list[str], start: float, end: float, width: int, says: str) -> None:
    with pytest.raises(QuestionError, match=says):
        asked(opened(many_ops(), tmp_path), tracks, start, end, width)


@st.composite
def one_row(draw: st.DrawFn) -> list[Extent]:
    """Ranges that do not overlap, some without a length, many close together."""
    gaps = draw(st.lists(st.tuples(st.sampled_from([0, 0, 1, 2, 40]), st.sampled_from([0, 1, 1, 2, 9, 100])), max_size=60))
    found: list[Extent] = []
    now = 0
    for gap, length in gaps:
        found.append((now + gap, now + gap + length))
        now += gap + length
    return found


def by_the_rules(row: list[Extent], start: int, end: int, width: int) -> list[tuple[int, int, int]]:
    """`(first, count, longest)` of each piece."""
    inside = [index for index, (begin, stop) in enumerate(row) if begin < end and (begin >= start or stop > start)]

    def pixel(index: int) -> int:
        return (row[index][0] - start) * width // (end - start) if row[index][0] >= start else -1

    def length(index: int) -> int:
        return row[index][1] - row[index][0]

    found: list[tuple[int, int, int]] = []
    for (_, wide), group in groupby(inside, lambda index: (pixel(index), length(index) * width >= end - start)):
        members = list(group)
        if wide:
            found += [(index, 1, index) for index in members]
        else:
            found.append((members[0], len(members), max(members, key=lambda index: (length(index), -index))))
    return found


@given(st.lists(one_row(), min_size=1, max_size=3), st.integers(-50, 400), st.integers(1, 500), st.integers(1, 40))
@settings(max_examples=100, deadline=None)
def test_pieces_follow_the_rules_and_no_event_is_lost(rows: list[list[Extent]], start: int, length: int, width: int) -> None:
    events = [(*extent, number) for number, row in enumerate(rows) for extent in row]
    begin, stop, row = (np.array([event[column] for event in events], np.int64) for column in range(3))
    order = np.argsort(begin, kind="stable")
    spans = spans_of(row[order], begin[order], stop[order], order)
    found = spans.pieces(Pixels(start, start + length, width))
    expected: list[tuple[int, int, int, int]] = []
    for number, extents in enumerate(rows[: spans.rows]):
        low = int(spans.bounds[number])
        expected += [(number, low + f, count, low + most) for f, count, most in by_the_rules(extents, start, start + length, width)]
    columns = (found.row, found.first, found.count, found.longest)
    assert list(zip(*(column.tolist() for column in columns), strict=True)) == expected
    per_row = np.bincount(found.row, minlength=1)
    assert per_row.max() <= 2 * width + 1


@given(st.lists(st.integers(0, 10**18), min_size=1, max_size=50), st.integers(1, 16384))
def test_ranges_of_many_years_do_not_overflow(starts: list[int], width: int) -> None:
    begin = np.array(sorted(set(starts)), np.int64)
    spans = spans_of(np.zeros(len(begin), np.int64), begin, begin, np.arange(len(begin)))
    found = spans.pieces(Pixels(0, 10**18 + 1, width))
    assert int(found.count.sum()) == len(begin)
    # Looked up or sorted one by one: the same.
    assert (
        np.searchsorted(begin, Pixels(0, 10**18 + 1, width).edges).tolist()
        == np.searchsorted(Pixels(0, 10**18 + 1, width).of(begin), np.arange(width)).tolist()
    )


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 20)), max_size=40))
def test_overlapping_work_of_a_stream_goes_to_the_first_free_row(work: list[tuple[int, int]]) -> None:
    work = sorted(work)
    start, end = (np.array(column, np.int64) for column in (([s for s, _ in work]), [s + d for s, d in work]))
    row = packed_rows(start, end).tolist()
    for number in range(len(work)):
        taken = {row[earlier] for earlier in range(number) if end[earlier] > start[number]}
        assert row[number] == min(set(range(len(work) + 1)) - taken)


# Counters

Steps = list[tuple[int, int]]


@given(
    st.lists(st.tuples(st.integers(0, 40), st.integers(-5, 5)), max_size=30),
    st.integers(-20, 60),
    st.integers(1, 60),
    st.integers(1, 20),
)
@settings(max_examples=100, deadline=None)
def test_a_counter_shows_mean_extremes_and_last_of_each_pixel(changes: Steps, start: int, length: int, width: int) -> None:
    """By moments: what holds in each nanosecond, and besides it what changed back at once. A pixel of less than a nanosecond has a value of
    the one in which it begins."""
    changes = sorted(changes, key=lambda change: change[0])
    curve = Curve(np.array([at for at, _ in changes], np.int64), np.array([float(value) for _, value in changes]))
    shown = curve.in_pixels(Pixels(start, start + length, width))
    edges = [-(-number * length // width) + start for number in range(width + 1)]
    for number, (low, high) in enumerate(pairwise(edges)):
        moments = range(low, max(high, low + 1))
        holds = [held[-1] for moment in moments if (held := [value for at, value in changes if at <= moment])]
        if not holds:
            assert np.isnan([shown.mean[number], shown.low[number], shown.high[number], shown.last[number]]).all()
            continue
        every = [*holds, *(value for at, value in changes if at in moments)]
        if high == low:
            assert shown.last[number] in every
        else:
            assert shown.last[number] == holds[-1]
            assert shown.mean[number] == pytest.approx(sum(holds) / len(holds))
            assert (shown.low[number], shown.high[number]) == (min(every), max(every))


def on_device(maker: TraceMaker, at: float, dur: float, blocks: float, stream: int = 7) -> TraceMaker:
    return maker.event("kernel", "gemm", at, dur, stream, device=0, stream=stream, correlation=0, **{"blocks per SM": blocks})


def test_utilisation_and_sm_efficiency_are_those_of_the_overview(tmp_path: Path) -> None:
    maker = TraceMaker()
    on_device(on_device(on_device(maker, 0, 100, 0.25), 50, 100, 0.5, stream=8), 300, 100, 4.0)
    timeline = opened(maker, tmp_path)
    tracks = ["device:0/utilisation", "device:0/sm_efficiency"]
    for start, end in ((0, 400), (25, 75), (100, 350)):
        first, second = asked(timeline, tracks, start, end, 1).counters
        trace = timeline.linked.trace
        [use] = device_use(trace, KernelNames(trace.names, trace.kernels.name), start * 1000, end * 1000)
        assert pixels(first, "utilisation") == pytest.approx([use.utilization])
        assert pixels(second, "SM efficiency") == pytest.approx([use.sm_efficiency])
    first, second = asked(timeline, tracks, 0, 400, 8).counters
    assert pixels(first, "utilisation") == [100, 100, 100, 0, 0, 0, 100, 100]
    assert pixels(second, "SM efficiency") == [25, 75, 50, 0, 0, 0, 100, 100]
    assert pixels(second, "SM efficiency", "high") == [25, 75, 50, 0, 0, 0, 100, 100]


def test_memory_has_no_value_before_its_first_event_and_keeps_its_peak(tmp_path: Path) -> None:
    maker = TraceMaker()
    for at, size, allocated in ((100, 1000, 5000), (110, 3000, 8000), (110.5, -3000, 5000)):
        maker.memory(at, size, 1, device_type=1, device_id=0, allocated=allocated, reserved=10000)
    timeline = opened(maker.op("aten::mm", 0, 200), tmp_path)
    [counter] = asked(timeline, ["device:cuda:0/memory"], 0, 200, 4).counters
    assert np.isnan(pixels(counter, "allocated")[:2]).all()
    assert pixels(counter, "allocated", "high")[2:] == [8000, 5000]
    assert pixels(counter, "allocated", "low")[2:] == [5000, 5000]
    assert pixels(counter, "allocated")[2:] == [pytest.approx(5000 + 3000 * 0.5 / 50), 5000]
    assert pixels(counter, "reserved")[2:] == [10000, 10000]


def test_the_launch_queue_counts_what_is_called_and_not_done(tmp_path: Path) -> None:
    maker = TraceMaker().op("aten::mm", 0, 5)
    maker.kernel("a", 10, 20, 20).kernel("b", 12, 40, 20)
    timeline = opened(maker, tmp_path)
    [counter] = asked(timeline, ["device:0/stream:7/queue"], 0, 70, 7).counters
    assert pixels(counter, "launches", "high") == [0, 2, 2, 2, 1, 1, 0]
    assert pixels(counter, "launches", "last") == [0, 2, 2, 2, 1, 1, 0]
    assert pixels(counter, "launches")[1] == pytest.approx(1.8)
