"""Weighted call trees on programs whose events are placed by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from kinetoscope.analysis.stacks import By, Metric, StackNode, StackTree, folded, stacks
from kinetoscope.linking.linked import LinkedTrace, link
from kinetoscope.trace.reader import read_trace
from support.kineto import ENGINE, ENTER, LINE, TraceMaker


def linked_of(trace: TraceMaker, folder: Path) -> LinkedTrace:
    path = trace.write(folder / "rank0.pt.trace.json")
    return link(read_trace(path, lambda done, total: None), str(path))


def program() -> TraceMaker:
    """`main` calls Net_0 at 20–40 µs, which runs an operator in an operator; its backward operator runs on the engine's thread."""
    trace = TraceMaker(end_us=100.0)
    trace.frame("train.py(1): <module>", 5, 90).frame("train.py(6): main", 10, 80).module("Net", 0, 20, 20)
    trace.op("aten::linear", 22, 10, seq=1).op("aten::addmm", 24, 6, seq=1).kernel("gemm", 25, 30, 12).memory(26, 400, 0xA)
    trace.backward("AddmmBackward0", 50, 10, ENGINE, seq=1).kernel("gemm_backward", 52, 53, 20, ENGINE).memory(53, 100, 0xB, ENGINE)
    trace.op("aten::mul", 70, 5).kernel("mul", 71, 80, 3)
    trace.event("kernel", "lost", 90, 2, 7, correlation=999, device=0, stream=7)
    return trace


def by_path(tree: StackTree) -> dict[str, tuple[int, int]]:
    """`outer;inner` → `(own, total)`."""
    paths: list[str] = []
    for node in tree.nodes:
        paths.append(f"{paths[node.parent]};{node.name}" if node.parent >= 0 else node.name)
    return {path: (node.weight_self, node.weight_total) for path, node in zip(paths, tree.nodes, strict=True)}


def test_device_time_stands_on_python_frames_backward_work_on_those_of_its_forward(tmp_path: Path) -> None:
    tree = stacks(linked_of(program(), tmp_path))
    outer = "train.py(1): <module>;train.py(6): main"
    assert (tree.by, tree.metric, tree.unit, tree.total) == ("python", "gpu", "ns", 37_000)
    assert by_path(tree) == {
        "train.py(1): <module>": (0, 35_000),
        outer: (3_000, 35_000),
        f"{outer};nn.Module: Net_0": (12_000, 32_000),
        f"{outer};nn.Module: Net_0;[backward]": (20_000, 20_000),
        "[not known]": (2_000, 2_000),
    }
    places = [(node.file, node.line, node.precision) for node in tree.nodes[:3]]
    assert places == [("train.py", 1, "function"), ("train.py", 6, "function"), ("", 0, None)]


def test_operators_stand_as_they_ran(tmp_path: Path) -> None:
    tree = stacks(linked_of(program(), tmp_path), by="operator", metric="gpu")
    assert by_path(tree) == {
        "autograd::engine::evaluate_function: AddmmBackward0": (0, 20_000),
        "autograd::engine::evaluate_function: AddmmBackward0;AddmmBackward0": (20_000, 20_000),
        "aten::linear": (0, 12_000),
        "aten::linear;aten::addmm": (12_000, 12_000),
        "aten::mul": (3_000, 3_000),
        "[not known]": (2_000, 2_000),
    }
    host = by_path(stacks(linked_of(program(), tmp_path), by="operator", metric="cpu"))
    assert host["aten::linear"] == (4_000, 10_000)


def test_host_time_of_a_frame_is_without_those_it_calls(tmp_path: Path) -> None:
    tree = by_path(stacks(linked_of(program(), tmp_path), by="python", metric="cpu"))
    assert list(tree.values()) == [(10_000, 90_000), (60_000, 80_000), (20_000, 20_000)]


def test_modules_have_the_host_time_of_their_backward_operators(tmp_path: Path) -> None:
    assert by_path(stacks(linked_of(program(), tmp_path), by="module", metric="cpu")) == {
        "Net_0": (20_000, 30_000),
        "Net_0;[backward]": (10_000, 10_000),
    }


def test_memory_is_what_was_allocated(tmp_path: Path) -> None:
    linked = linked_of(program().memory(60, -400, 0xA).memory(75, 8, 0xC), tmp_path)
    assert by_path(stacks(linked, by="module", metric="memory")) == {
        "Net_0": (400, 500),
        "Net_0;[backward]": (100, 100),
        "[not known]": (8, 8),
    }


def test_the_user_s_lines_come_from_the_line_log(tmp_path: Path) -> None:
    trace = TraceMaker(end_us=100.0)
    file = trace.source("/project/train.py", "def main():\n    a()\n    b()\n")
    main = trace.code(file, "main", 1)
    trace.log().add(10, ENTER, main, 1).add(11, LINE, main, 2).add(40, LINE, main, 3)
    trace.op("aten::mm", 20, 5).kernel("gemm", 21, 25, 30).op("aten::mm", 50, 5).kernel("gemm", 51, 60, 6)
    linked = linked_of(trace, tmp_path)
    assert [(node.line, node.precision) for node in stacks(linked, by="line").nodes] == [(2, "line"), (3, "line")]
    by: list[By] = ["line", "python"]
    for one in by:  # no Python frames were recorded
        assert by_path(stacks(linked, by=one)) == {
            "main (/project/train.py:2)": (30_000, 30_000),
            "main (/project/train.py:3)": (6_000, 6_000),
        }


@pytest.mark.parametrize(("metric", "total"), [("gpu", 5_000), ("cpu", 30_000), ("memory", 400)])
def test_a_window_clips_time_and_takes_the_allocations_in_it(metric: Metric, total: int, tmp_path: Path) -> None:
    linked = linked_of(program(), tmp_path)
    start = int(linked.trace.frames.ts_ns.min()) - 5_000
    tree = stacks(linked, (start, start + 35_000), by="python", metric=metric)
    assert tree.total == total


def test_the_default_metric_is_host_time_where_no_device_worked(tmp_path: Path) -> None:
    assert stacks(linked_of(TraceMaker().frame("train.py(1): main", 5, 10), tmp_path)).metric == "cpu"


def test_an_empty_trace_has_an_empty_tree(tmp_path: Path) -> None:
    linked = linked_of(TraceMaker(), tmp_path)
    every: list[By] = ["line", "python", "module", "operator"]
    assert [(stacks(linked, by=by).total, stacks(linked, by=by).nodes) for by in every] == [(0, [])] * 4


def test_folded_stacks_are_one_line_each_with_separators_taken_out_of_names() -> None:
    def node(name: str, parent: int, own: int, total: int) -> StackNode:
        return StackNode(name=name, parent=parent, depth=parent + 1, weight_self=own, weight_total=total, file="", line=0, precision=None)

    nodes = [node("main", -1, 0, 9), node("a;b\nc", 0, 4, 9), node("d", 1, 5, 5), node("other", -1, 3, 3)]
    lines = folded(StackTree(by="python", metric="gpu", unit="ns", total=12, nodes=nodes))
    assert [*lines] == ["main;a:b c 4\n", "main;a:b c;d 5\n", "other 3\n"]
