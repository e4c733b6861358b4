"""From log events to call paths, arrivals and timelines."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kinetoscope.linking.linked import LinkedTrace, link
from kinetoscope.trace.errors import TraceError
from kinetoscope.trace.reader import read_trace
from support.kineto import DARK, ENTER, LEAVE, LINE, RESET, TraceMaker


def linked(maker: TraceMaker, tmp_path: Path) -> LinkedTrace:
    path = maker.write(tmp_path / "rank0.pt.trace.json")
    return link(read_trace(path, lambda done, total: None), str(path))


def stands_on(trace: LinkedTrace, at: float) -> list[tuple[str, int, str]]:
    """The main thread's call path at a time (µs): outermost first, (function, line, precision)."""
    tree = trace.tree
    ts_ns = round(at * 1000)
    [timeline] = trace.timelines.all
    [node] = timeline.at(np.array([ts_ns])).tolist()
    names = ("line", "call", "inferred", "function")
    return [(tree.places[tree.place[n]].function, tree.line[n], names[tree.precision[n]]) for n in reversed([*tree.path(node)])]


def arrivals(trace: LinkedTrace) -> dict[int, int]:
    """Line → times arrived at, over all paths."""
    counts: dict[int, int] = {}
    for node, count in enumerate(trace.tree.arrivals.count(len(trace.tree)).tolist()):
        if count:
            counts[trace.tree.line[node]] = counts.get(trace.tree.line[node], 0) + count
    return counts


def test_entering_moving_and_leaving(tmp_path: Path) -> None:
    maker = TraceMaker()
    file = maker.source("/project/train.py", "x\n" * 20)
    main, step = maker.code(file, "main", 1), maker.code(file, "step", 10)
    log = maker.log().add(1, RESET).add(1, ENTER, main, 1).add(10, LINE, main, 2)
    log.add(20, ENTER, step, 10).add(21, LINE, step, 11).add(30, LEAVE, step).add(40, LINE, main, 3).add(50, LEAVE, main)
    trace = linked(maker, tmp_path)
    assert stands_on(trace, 0.5) == []
    assert stands_on(trace, 15) == [("main", 2, "line")]
    assert stands_on(trace, 25) == [("main", 2, "line"), ("step", 11, "line")]
    assert stands_on(trace, 35) == [("main", 2, "line")]
    assert stands_on(trace, 45) == [("main", 3, "line")]
    assert stands_on(trace, 55) == []
    assert arrivals(trace) == {2: 1, 3: 1, 11: 1}


def test_a_statement_over_several_lines_counts_once_for_each_execution(tmp_path: Path) -> None:
    maker = TraceMaker()
    text = "def main():\n    for i in range(2):\n        y = f(\n            a,\n            b,\n        )\n"
    code = maker.code(maker.source("/project/train.py", text), "main", 1)
    log = maker.log().add(0, ENTER, code, 1)
    at = 1
    for line in (2, 3, 4, 5, 3, 2, 3, 4, 5, 3, 2):
        log.add(at, LINE, code, line)
        at += 1
    assert arrivals(linked(maker, tmp_path)) == {2: 3, 3: 2, 4: 2, 5: 2}


def test_a_one_line_loop_and_a_comprehension_count_once(tmp_path: Path) -> None:
    maker = TraceMaker()
    file = maker.source("/project/train.py", "def main():\n    y = [f(i) for i in x]\n    z = 1\n")
    main, comprehension = maker.code(file, "main", 1), maker.code(file, "main.<locals>.<listcomp>", 2)
    log = maker.log().add(0, ENTER, main, 1).add(1, LINE, main, 2).add(2, ENTER, comprehension, 2)
    log.add(3, LINE, comprehension, 2).add(4, LINE, comprehension, 2).add(5, LEAVE, comprehension)
    log.add(6, LINE, main, 2).add(7, LINE, main, 3)
    trace = linked(maker, tmp_path)
    assert arrivals(trace) == {2: 1, 3: 1}
    assert stands_on(trace, 4.5) == [("main", 2, "line"), ("main.<locals>.<listcomp>", 2, "line")]


def test_a_coarse_function_is_told_by_its_def_line_from_the_beginning(tmp_path: Path) -> None:
    maker = TraceMaker()
    file = maker.source("/project/train.py", "x\n" * 20)
    main, hot = maker.code(file, "main", 1), maker.code(file, "hot", 10, coarse=True)
    maker.log().add(0, ENTER, main, 1).add(1, LINE, main, 2).add(2, ENTER, hot, 10).add(3, LINE, hot, 11).add(4, LINE, hot, 12)
    trace = linked(maker, tmp_path)
    assert stands_on(trace, 3.5) == [("main", 2, "line"), ("hot", 10, "function")]
    assert stands_on(trace, 10) == [("main", 2, "line"), ("hot", 10, "function")]
    assert arrivals(trace) == {2: 1}


def test_in_the_dark_only_frames_open_on_both_sides_are_known(tmp_path: Path) -> None:
    maker = TraceMaker()
    file = maker.source("/project/train.py", "x\n" * 40)
    main, a, b = (maker.code(file, name, line) for name, line in (("main", 1), ("a", 10), ("b", 20)))
    log = maker.log().add(0, ENTER, main, 1).add(1, LINE, main, 2).add(2, ENTER, a, 10).add(3, LINE, a, 11).add(4, DARK)
    log.add(20, RESET, 0, 1).add(20, ENTER, main, 3).add(20, ENTER, b, 25).add(22, LINE, b, 26).add(30, DARK)
    trace = linked(maker, tmp_path)
    assert stands_on(trace, 10) == [("main", 1, "function")]
    assert stands_on(trace, 21) == [("main", 3, "line"), ("b", 25, "line")]
    assert stands_on(trace, 40) == []  # no RESET follows: nothing is known


def test_an_op_that_starts_with_a_line_belongs_to_it(tmp_path: Path) -> None:
    maker = TraceMaker().op("aten::mm", 10.5, 3)
    code = maker.code(maker.source("/project/train.py", "x\n" * 9), "main", 1)
    maker.log().add(0, ENTER, code, 1).add(5, LINE, code, 2).add(10.2, LINE, code, 3).add(20, LINE, code, 4)
    trace = linked(maker, tmp_path)
    [row] = [row for row, name in enumerate(trace.trace.ops.name) if trace.trace.names[name] == "aten::mm"]
    assert trace.tree.line[int(trace.op.node[row])] == 3


@pytest.mark.parametrize("code", [5, -1])
def test_a_log_that_enters_code_which_the_recording_does_not_have_is_damaged(tmp_path: Path, code: int) -> None:
    maker = TraceMaker()
    maker.code(maker.source("/project/train.py", "x\n"), "main", 1)
    maker.log().add(1, ENTER, code, 1)
    with pytest.raises(TraceError, match="line log of thread 100 is damaged"):
        linked(maker, tmp_path)
