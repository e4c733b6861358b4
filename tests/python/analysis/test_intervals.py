"""Sets of moments against the plain rule: a moment at a time."""

from __future__ import annotations

import numpy as np
import pytest

from kinetoscope.analysis.intervals import Intervals, divide, union, union_of, union_of_threads
from kinetoscope.trace.columns import Bools, Ints

END = 60


def drawn(seed: int, count: int) -> tuple[Ints, Ints]:
    source = np.random.default_rng(seed)
    start = source.integers(0, END - 10, count)
    return start, start + source.integers(0, 9, count)


def moments(start: Ints, end: Ints) -> Bools:
    covered: Bools = np.zeros(END, bool)
    for one, other in zip(start.tolist(), end.tolist(), strict=True):
        covered[one:other] = True
    return covered


def seen(found: Intervals) -> Bools:
    assert (found.end_ns > found.start_ns).all()
    assert (found.start_ns[1:] > found.end_ns[:-1]).all()
    return moments(found.start_ns, found.end_ns)


@pytest.mark.parametrize("seed", range(30))
def test_sets_cover_what_a_moment_at_a_time_says(seed: int) -> None:
    one, other = drawn(seed, seed % 12), drawn(seed + 1000, seed % 7)
    a, b = moments(*one), moments(*other)
    assert (seen(union(*one)) == a).all()
    assert (seen(union_of(union(*one), union(*other))) == (a | b)).all()
    both, alone = divide(union(*one), union(*other))
    assert (seen(both) == (a & b)).all()
    assert (seen(alone) == (a & ~b)).all()
    assert union(*one).length() == a.sum()
    start, end = np.array([0, 5, 20]), np.array([60, 17, 20])
    assert union(*one).within(start, end).tolist() == [a[x:y].sum() for x, y in zip(start, end, strict=True)]


def test_ranges_of_several_threads_may_overlap() -> None:
    found = union_of_threads(np.array([1, 1, 2]), np.array([0, 2, 1]), np.array([4, 3, 6]))
    assert (found.start_ns.tolist(), found.end_ns.tolist()) == ([0], [6])
