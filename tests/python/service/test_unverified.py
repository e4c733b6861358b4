"""What a text shows that is only taken for the profiled one: nothing where it disagrees with the recording."""

from __future__ import annotations

from kinetoscope.analysis.tables import LineCost, Precision
from kinetoscope.service.unverified import Assumed, Reading
from service.test_scopes import report

TEXT = """\
import torch


class A:
    @torch.no_grad()
    def forward(self, x):
        # a comment
        return call(x)


class B:
    def forward(self, x):
        return [call(y) for y in x]


def train(x):
    y = A().forward(x)

    return y


train(1)
"""
AS_RECORDED = [(5, "forward", "function"), (8, "forward", "call"), (12, "forward", "function"), (13, "<listcomp>", "call")]
REST = [(16, "train", "function"), (17, "train", "call"), (22, "<module>", "call"), (1, "<module>", "function")]


def row(line: int, function: str, precision: Precision) -> LineCost:
    times = dict.fromkeys(LineCost.__struct_fields__, 0)
    sizes: dict[str, dict[str, int]] = {name: {} for name in ("alloc_bytes", "freed_bytes", "peak_bytes", "peak_backward_bytes")}
    return LineCost(**times | sizes | {"file": "a.py", "line": line, "function": function, "source": "", "precision": precision})  # type: ignore[arg-type]


def read(text: str, *rows: tuple[int, str, str]) -> Reading:
    return Reading([row(*each) for each in rows or (*AS_RECORDED, *REST)], text)  # type: ignore[arg-type]


def test_all_lines_agree_with_the_text_that_was_recorded() -> None:
    reading = read(TEXT)
    assert (reading.agreeing, reading.functions, reading.fit) == ({1, 5, 8, 12, 13, 16, 17, 22}, {6, 12, 16}, "yes")


def test_a_line_must_have_code_of_its_function() -> None:
    wrong = [(7, "forward", "call"), (18, "train", "call"), (17, "forward", "call"), (17, "<module>", "call"), (99, "train", "call")]
    assert read(TEXT, *wrong).agreeing == set()
    assert read(TEXT, (6, "<module>", "call"), (5, "<module>", "call"), (13, "B.forward", "call")).agreeing == {5, 6, 13}


def test_a_frame_that_was_open_at_the_start_bears_a_line_inside_its_function() -> None:
    reading = read(TEXT, (18, "train", "function"))
    assert (reading.agreeing, reading.functions, reading.fit) == ({18}, {16}, "unknown")


def test_after_lines_were_put_in_at_the_top_nothing_is_shown_even_where_a_name_is_met_again() -> None:
    # A.forward now stands where B.forward was recorded.
    reading = read("\n" * 7 + TEXT)
    assert (reading.agreeing, reading.functions, reading.fit) == (frozenset(), frozenset(), "unknown")


def test_after_lines_were_put_in_further_down_what_is_above_is_shown_still() -> None:
    text = "def first():\n    pass\n\n\n" + TEXT.replace("    y = A()", "    # new\n    y = A()") + "\n\ndef last():\n    train(2)\n"
    rows = [
        (1, "first", "function"),
        (9, "forward", "function"),
        (20, "train", "function"),
        (21, "train", "call"),
        (29, "last", "function"),
    ]
    reading = read(text, *rows)
    assert (reading.agreeing, reading.functions) == ({1, 9, 20}, {1, 10, 20})


def test_a_text_without_any_of_the_functions_is_another_file() -> None:
    assert read("def other():\n    pass\n").fit == "no"
    assert read("this is no Python\n").fit == "no"
    assert read(TEXT, (22, "<module>", "call")).fit == "unknown"


def test_the_text_that_agrees_best_is_kept_and_edits_are_told_from_it() -> None:
    assumed, rows = Assumed(), [row(16, "train", "function"), row(17, "train", "call")]
    costs = report(([(16, "train")], 2.0))

    def lines(text: str) -> frozenset[int] | None:
        profiled = assumed.of("run", "a.py", "/here/a.py", text, rows, costs)
        return profiled.lines if profiled.text == text else None

    assert lines("\n" + TEXT) == frozenset()
    assert lines(TEXT) == {16, 17}
    assert lines("\n" + TEXT) is None
    assumed.forget("run")
    assert lines("\n" + TEXT) == frozenset()
