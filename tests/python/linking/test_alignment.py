"""Events aligned with the source: what is said of a line is true, whatever way the program took, and simple cases are resolved.

Programs are run for real with values that note each operator and call with the line on which Python stood.
"""

from __future__ import annotations

import ast
import sys
import textwrap
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kinetoscope.linking.alignment import Aligner, EventKind, kind_of_call, kind_of_operator
from kinetoscope.linking.evaluation import Reading
from kinetoscope.linking.source_code import SourceCode

Noted = list[tuple[EventKind, int]]


class StopRun(Exception):
    """Ends a program that runs too long."""


class Recorder:
    """Runs a source's `program` and notes what happens directly in it."""

    def __init__(self, text: str, choices: list[bool] | None = None) -> None:
        self.text = text
        self.events: Noted = []
        self._choices = [*(choices or [])]
        self.names: dict[str, Any] = {name: self._function(name) for name in ("f", "g", "h")} | {"x": Value(self), "context": Context}
        exec(compile(text, "<program>", "exec"), self.names)
        self.code = self.names["program"].__code__

    def note(self, kind: EventKind) -> None:
        frame = sys._getframe(2)
        if frame.f_code is self.code:
            self.events.append((kind, frame.f_lineno))
        if len(self.events) > 200:
            raise StopRun

    def choice(self) -> bool:
        return self._choices.pop() if self._choices else False

    def _function(self, name: str) -> Callable[..., Any]:
        def called(*_: Any) -> Value:
            self.note(EventKind("function", name))
            if self.choice() and self.choice():
                raise KeyError(name)
            return Value(self)

        return called

    def run(self) -> bool:
        """Whether the program came to its end by itself."""
        try:
            self.names["program"](Value(self))
        except (KeyError, StopRun):
            return False
        return True

    def aligned(self, reading: Reading = Reading.PLAIN, *, known: bool = False, ended: bool = True) -> list[int] | None:
        """The line of each event by alignment, -1 where it is not unique; `known`: the lines of calls are given."""
        source = SourceCode(self.text)
        function = source.around("program", self.code.co_firstlineno)
        assert function is not None
        aligner = Aligner(function, source.names, {"f", "g", "h"}, reading)
        told = [(kind, line if known and kind.kind == "function" else -1) for kind, line in self.events]
        sites = aligner.candidates(told, opened_before=False, left_open=not ended)
        return None if sites is None else [aligner.line(each) for each in sites]


class Value:
    """What a tensor is to this test."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder

    def __add__(self, _: Any) -> Value:
        self.recorder.note(EventKind("operator", "add"))
        return Value(self.recorder)

    def __iadd__(self, _: Any) -> Value:
        self.recorder.note(EventKind("operator", "add"))
        return self

    def __matmul__(self, _: Any) -> Value:
        self.recorder.note(EventKind("operator", "matmul"))
        return Value(self.recorder)

    def __neg__(self) -> Value:
        self.recorder.note(EventKind("operator", "neg"))
        return Value(self.recorder)

    def __getitem__(self, _: Any) -> Value:
        self.recorder.note(EventKind("operator", "select"))
        return Value(self.recorder)

    def __setitem__(self, _: Any, value: Any) -> None:
        self.recorder.note(EventKind("operator", "copy"))

    def __gt__(self, _: Any) -> Value:
        self.recorder.note(EventKind("operator", "gt"))
        return Value(self.recorder)

    def __bool__(self) -> bool:
        self.recorder.note(EventKind("operator", "is_nonzero"))
        return self.recorder.choice()

    @property
    def T(self) -> Value:
        self.recorder.note(EventKind("operator", "numpy_T"))
        return Value(self.recorder)


class Context:
    """A context manager that makes no event."""

    def __enter__(self) -> None: ...
    def __exit__(self, *_: object) -> None: ...


def program(body: str) -> str:
    return "def program(a):\n" + textwrap.indent(textwrap.dedent(body).strip("\n"), "    ") + "\n"


@pytest.mark.parametrize(
    "body",
    [
        "b = a + x\nc = b @ a\nreturn c[0]",
        "for i in range(3):\n    b = f(a)\n    b += x\n    g(b)\n    a[i] = b",
        "b = f(\n    a + x,\n    a @ x,\n)\nreturn b",
        "b = (a +\n  f(x)\n  + g(a))\nreturn -b",
        "b = [f(c) for c in (a, x)]\nd = h(x)\nreturn d + x",
        "with context():\n    b = a @ x\nreturn f(b) + x",
        "b = a.T\nc = f(b)\nreturn (c @\n        x.T)",
        "b = f(a) if a > x else g(a)\nreturn b @ x",
    ],
)
@pytest.mark.parametrize("choices", [[], [True, False] * 20])
def test_simple_functions_are_resolved_as_a_whole(body: str, choices: list[bool]) -> None:
    recorder = Recorder(program(body), choices)
    ended = recorder.run()
    assert recorder.aligned(ended=ended) == [line for _, line in recorder.events]


def test_what_may_stand_on_two_lines_is_left_open() -> None:
    recorder = Recorder(program("if choose:\n    a = a + x\nelse:\n    a = a + x\nb = f(a)\nreturn b @ x").replace("choose", "x is a"))
    recorder.run()
    assert recorder.aligned() == [-1, 6, 7]


def test_the_line_of_a_call_tells_which_branch_was_taken() -> None:
    recorder = Recorder(program("if x is a:\n    a = f(a) + x\nelse:\n    a = f(a) + x\nreturn a"))
    recorder.run()
    assert recorder.aligned() == [-1, -1]
    assert recorder.aligned(known=True) == [5, 5]


def test_a_function_that_calls_what_the_source_does_not_show_is_not_aligned() -> None:
    recorder = Recorder(program("f(a)\nreturn a + x"))
    recorder.run()
    recorder.events.append((EventKind("operator", "matmul"), 3))
    assert recorder.aligned() is None


def test_a_call_open_before_the_recording_may_begin_anywhere() -> None:
    recorder = Recorder(program("for i in range(3):\n    b = f(a)\n    b = b + x\n    b = b @ x\nreturn b"))
    recorder.run()
    source = SourceCode(recorder.text)
    function = source.at("program", 1)
    assert function is not None
    aligner = Aligner(function, source.names, {"f"}, Reading.PLAIN)
    rest = [(kind, -1) for kind, _ in recorder.events[2:]]
    assert aligner.candidates(rest, opened_before=False, left_open=True) is None
    sites = aligner.candidates(rest, opened_before=True, left_open=True)
    assert sites is not None
    assert [aligner.line(each) for each in sites] == [line for _, line in recorder.events[2:]]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("train.py(5): three", EventKind("function", "three")),
        ("<built-in method relu of Tensor object at 0x7f5a>", EventKind("function", "relu")),
        ("<built-in function linear>", EventKind("function", "linear")),
        ("nn.Module: Linear_0", EventKind("module", "nn.Module: Linear_0")),
    ],
)
def test_the_kind_of_a_python_event_is_in_its_name(name: str, kind: EventKind) -> None:
    assert kind_of_call(name) == kind


def test_an_operator_is_known_without_its_namespace_and_in_place_mark() -> None:
    assert kind_of_operator("aten::add_") == EventKind("operator", "add")
    assert kind_of_operator("aten::__and__") == EventKind("operator", "__and__")
    assert kind_of_operator("mine::add_") == EventKind("operator", "mine::add_")


# Random programs

names = st.sampled_from(["a", "x", "b"])


@st.composite
def expressions(draw: st.DrawFn, depth: int = 0) -> str:
    if depth > 2:
        return draw(names)
    inner = expressions(depth + 1)
    kind = draw(st.integers(0, 11))
    one, two = (draw(inner), draw(inner)) if kind > 1 else ("", "")
    gap = draw(st.sampled_from(["", "\n        "]))
    return [
        draw(names),
        draw(names),
        f"({one} +{gap} {two})",
        f"({one} @{gap} {two})",
        f"(-{one})",
        f"{one}[0]" if one.isidentifier() else f"({one})[0]",
        f"f({gap}{one})",
        f"g({one},{gap} {two})",
        f"({one}).T",
        f"({one} if {two} > x else{gap} {two})",
        f"({one} and{gap} {two})",
        f"[{one} for _ in range(2)][0]",
    ][kind]


@st.composite
def blocks(draw: st.DrawFn, depth: int = 0, looped: bool = False) -> list[str]:
    lines: list[str] = []
    for _ in range(draw(st.integers(1, 3))):
        kind = draw(st.integers(0, 11 if depth < 2 else 4))
        value = draw(expressions())
        body = [f"    {line}" for line in draw(blocks(depth + 1, looped or kind in (6, 7)))] if kind > 4 else []
        other = [f"    {line}" for line in draw(blocks(depth + 1, looped))] if kind in (8, 9, 10, 11) else []
        if kind < 2:
            lines.append(f"b = {value}")
        elif kind == 2:
            lines.append(f"a += {value}")
        elif kind == 3:
            lines.append(f"x[0] = {value}")
        elif kind == 4:
            lines.append(draw(st.sampled_from(["break", "continue"])) if looped and draw(st.booleans()) else f"h({value})")
        elif kind == 5:
            lines += ["with context():", *body]
        elif kind == 6:
            lines += ["for _ in range(2):", *body]
        elif kind == 7:
            lines += [f"while {value} > x:", *body]
        elif kind == 8:
            lines += [f"if {value}:", *body, "else:", *other]
        elif kind == 9:
            lines += ["try:", *body, "except KeyError:", *other]
        elif kind == 10:
            lines += ["try:", *body, "finally:", *[line.replace("break", "pass").replace("continue", "pass") for line in other]]
        else:
            lines += [f"if {value}:", *body, *other, f"    return {value}"]
    return lines


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(blocks(), st.lists(st.booleans(), max_size=60), st.booleans(), st.sampled_from(list(Reading)))
def test_no_line_is_wrong_whatever_the_program(body: list[str], choices: list[bool], known: bool, reading: Reading) -> None:
    text = "def program(a):\n    global x\n    b = a\n" + "".join(f"    {line}\n" for line in body)
    ast.parse(text)
    recorder = Recorder(text, choices)
    ended = recorder.run()
    found = recorder.aligned(reading, known=known, ended=ended)
    assert found is not None, "a way that the program took is missing"
    wrong = [(line, truth) for line, (_, truth) in zip(found, recorder.events, strict=True) if line not in (-1, truth)]
    assert not wrong
