"""Profiled lines in edited text: examples of edits people make, and properties that hold for all."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kinetoscope.runs.mapping import LineMap, map_lines
from kinetoscope.trace.text import split_lines

PROFILED = """\
import torch


def step(x):
    y = model(x)
    loss = y.sum()
    loss.backward()
    return loss
"""


def places(profiled: str, current: str) -> list[str]:
    """One word a profiled line: `5`, `5 shifted`, `5 stale` or `gone`."""
    lines = map_lines(profiled, current)
    found = [lines.now(line) for line in range(1, len(lines) + 1)]
    return ["gone" if place is None else f"{place.line}" + ("" if place.freshness == "fresh" else f" {place.freshness}") for place in found]


def test_an_equal_text_is_fresh() -> None:
    assert places(PROFILED, PROFILED) == ["1", "2", "3", "4", "5", "6", "7", "8", "9"]
    assert map_lines(PROFILED, PROFILED).changed_in(1, 9) == 0


def test_lines_below_an_insertion_are_shifted() -> None:
    current = PROFILED.replace("    loss = y", "    # a comment\n    loss = y")
    assert places(PROFILED, current)[3:8] == ["4", "5", "7 shifted", "8 shifted", "9 shifted"]


def test_a_changed_line_is_stale_where_it_stands() -> None:
    assert places(PROFILED, PROFILED.replace("y.sum()", "y.mean() * 2"))[4:7] == ["5", "6 stale", "7"]


def test_a_line_that_was_replaced_as_a_whole_is_stale_but_not_if_it_became_a_comment_or_empty() -> None:
    assert places(PROFILED, PROFILED.replace("    loss = y.sum()", "    other(1, 2)"))[5] == "6 stale"
    assert places(PROFILED, PROFILED.replace("    loss = y.sum()", "    # loss = y.sum()"))[5] == "gone"
    assert places(PROFILED, PROFILED.replace("    loss = y.sum()", ""))[5] == "gone"


def test_a_deleted_line_is_gone() -> None:
    assert places(PROFILED, PROFILED.replace("    y = model(x)\n", ""))[3:6] == ["4", "gone", "5 shifted"]


def test_a_changed_indentation_is_a_change() -> None:
    current = PROFILED.replace("    y = model(x)\n", "    with autocast():\n        y = model(x)\n")
    assert places(PROFILED, current)[4:6] == ["6 stale", "7 shifted"]


def test_blanks_at_the_end_and_line_ends_are_no_change() -> None:
    assert places(PROFILED, PROFILED.replace("\n", "\r\n").replace("loss\r", "loss   \r")) == ["1", "2", "3", "4", "5", "6", "7", "8", "9"]


def test_each_of_two_equal_lines_follows_its_neighbours() -> None:
    profiled = "a()\nx = f(x)\nb()\nx = f(x)\nc()\n"
    assert places(profiled, "a()\nb()\nx = f(x)\nc()\n") == ["1", "gone", "2 shifted", "3 shifted", "4 shifted", "5 shifted"]


def test_functions_that_changed_places_are_not_mixed_up() -> None:
    one, two = "def one():\n    return a\n", "def two():\n    b = 1\n    return b\n"
    assert places(one + two, two + one)[2:5] == ["1 shifted", "2 shifted", "3 shifted"]


def test_in_a_rewritten_block_each_line_goes_to_its_likeness_or_nowhere() -> None:
    profiled = "start\n    q = self.query(x)\n    k = self.key(x)\n    v = self.value(x)\nend\n"
    current = "start\n    n = self.norm(x)\n    print('attention begins here', flush=True)\n    v = self.value(n)\nend\n"
    assert places(profiled, current)[3] == "4 stale"


def test_a_huge_file_written_anew_is_gone_without_much_ado() -> None:
    profiled = "\n".join(f"    value = compute({index % 7})" for index in range(20_000))
    current = "\n".join(f"    result = measure({index % 5})" for index in range(20_000))
    lines = map_lines(profiled, current)
    assert lines.changed_in(1, 20_000) == 20_000
    assert lines.now(1) is None


def test_lines_are_counted_as_python_and_editors_do() -> None:
    assert split_lines("a\x0cb\u2028c\x85d\r\ne\rf\n") == ["a\x0cb\u2028c\x85d", "e", "f", ""]


line = st.sampled_from(["", "    x = x + 1", "    y = model(x)", "    return y", "for i in range(9):", "# note", "    x = x + 2", "pass"])
text = st.lists(line, max_size=40).map("\n".join)


def check(profiled: str, current: str) -> LineMap:
    """What holds for every pair of texts."""
    lines, old, new = map_lines(profiled, current), split_lines(profiled), split_lines(current)
    taken: list[int] = []
    kept: list[int] = []
    for number, was in enumerate(old, 1):
        place = lines.now(number)
        if place is None:
            continue
        taken.append(place.line)
        assert lines.then(place.line) == number
        if place.freshness == "stale":
            assert new[place.line - 1].strip()
        else:
            kept.append(place.line)
            assert new[place.line - 1] == was
            assert (place.freshness == "fresh") == (place.line == number)
    assert len(set(taken)) == len(taken), "no line carries two numbers"
    assert kept == sorted(kept), "equal lines keep their order"
    return lines


@given(text, text)
def test_a_fresh_or_shifted_number_is_always_on_an_equal_line_and_none_is_used_twice(profiled: str, current: str) -> None:
    check(profiled, current)


@given(text, st.integers(0, 40), st.lists(line, max_size=5))
def test_after_an_insertion_every_line_is_still_there(profiled: str, at: int, inserted: list[str]) -> None:
    old = split_lines(profiled)
    at = min(at, len(old))
    current = "\n".join([*old[:at], *inserted, *old[at:]])
    assert check(profiled, current).changed_in(1, len(old)) == 0


@given(st.lists(st.integers(0, 10_000), unique=True, min_size=1, max_size=60), st.data())
def test_with_distinct_lines_what_is_kept_is_found_and_what_is_deleted_is_gone(numbers: list[int], data: st.DataObject) -> None:
    old = [f"call_{number}()" for number in numbers]
    kept = [each for each in old if data.draw(st.booleans())]
    lines = check("\n".join(old), "\n".join(kept))
    for number, was in enumerate(old, 1):
        place = lines.now(number)
        if was in kept:
            assert place is not None
            assert kept[place.line - 1] == was
        elif kept:
            assert place is None or place.freshness == "stale"
