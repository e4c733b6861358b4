"""Which function a Python frame runs, where its name has another line than the function's first."""

from __future__ import annotations

from pathlib import Path

from kinetoscope.analysis.lines import report_of
from kinetoscope.linking.linked import link
from kinetoscope.trace.reader import read_trace
from support.kineto import TraceMaker

TEXT = """class A:
    def run(self):
        self.start()

    @decorated
    def step(self):
        pass


def numbers():
    for i in range(3):
        yield i


class B:
    def run(self):
        x = 1
        return x
"""


class Stacks(TraceMaker):
    """`run` is open when the recording begins; everything else is entered later."""

    def frame(self, name: str, at: float, dur: float) -> Stacks:
        self.event("python_function", name, at, dur)
        return self

    def functions(self, folder: Path, text: str | None) -> list[tuple[str, int]]:
        trace = read_trace(self.write(folder / "x.pt.trace.json"), lambda done, total: None)
        report = report_of(link(trace, "x", lambda path: text if path == "train.py" else None, infer=False))
        return [(row.function, row.line) for row in report.rows]


def opened_at(line: int) -> Stacks:
    return Stacks().frame(f"train.py({line}): run", 0, 100).frame("torch/profiler/profiler.py(1214): start", 0.1, 5)


def test_with_the_source_a_frame_open_at_the_start_stands_at_its_def(tmp_path: Path) -> None:
    assert opened_at(3).functions(tmp_path, TEXT) == [("run", 2)]
    assert opened_at(17).functions(tmp_path, TEXT) == [("run", 16)]


def test_without_the_source_the_only_function_of_that_name_that_was_entered_is_taken(tmp_path: Path) -> None:
    assert opened_at(3).frame("train.py(2): run", 50, 10).functions(tmp_path, None) == [("run", 2)]


def test_without_the_source_and_with_two_functions_of_that_name_the_line_it_stood_on_is_kept(tmp_path: Path) -> None:
    trace = opened_at(17).frame("train.py(2): run", 50, 10).frame("train.py(16): run", 70, 10)
    assert trace.functions(tmp_path, None) == [("run", 2), ("run", 16), ("run", 17)]
    assert trace.functions(tmp_path, TEXT) == [("run", 2), ("run", 16)]


def test_a_generator_that_goes_on_stands_at_its_def_and_a_decorated_function_at_its_decorator(tmp_path: Path) -> None:
    trace = opened_at(3).frame("train.py(10): numbers", 50, 5).frame("train.py(12): numbers", 60, 5).frame("train.py(5): step", 70, 5)
    assert trace.functions(tmp_path, TEXT) == [("run", 2), ("step", 5), ("numbers", 10)]


def test_a_text_in_which_an_entered_function_begins_elsewhere_is_not_the_source(tmp_path: Path) -> None:
    trace = opened_at(3).frame("train.py(11): numbers", 50, 5).frame("train.py(7): step", 60, 5)
    assert trace.functions(tmp_path, TEXT) == [("run", 3), ("step", 7), ("numbers", 11)]
