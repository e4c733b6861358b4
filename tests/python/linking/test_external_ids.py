"""Which operator a kernel belongs to whose launch was not recorded, and when the trace's ids are not believed."""

from __future__ import annotations

from pathlib import Path

from kinetoscope.linking.linked import LinkedTrace, link
from kinetoscope.trace.reader import read_trace
from support.kineto import ENTER, LEAVE, LINE, MAIN, TraceMaker

TEXT = "def main():\n    a()\n    b()\n    c()\n"
FIRST, SECOND, THIRD = 2, 3, 4


def program() -> TraceMaker:
    """Three lines: from 10, 30 and 50 µs on, each with an operator of 10 µs (External id 1, 2, 3)."""
    maker = TraceMaker(end_us=100.0)
    main = maker.code(maker.source("/project/train.py", TEXT), "main", 1)
    log = maker.log().add(1, ENTER, main, 1)
    for number, (at, line) in enumerate(((10, FIRST), (30, SECOND), (50, THIRD)), start=1):
        log.add(at, LINE, main, line)
        maker.event("cpu_op", "aten::mm", at + 2, 10.0, **{"External id": number})
    log.add(90, LEAVE, main)
    return maker


def launched(maker: TraceMaker, at: float, external: int, correlation: int, *, tid: int = MAIN) -> None:
    """A launch and its kernel."""
    maker.event("cuda_runtime", "cudaLaunchKernel", at, 1.0, tid, correlation=correlation)
    kernel(maker, at + 20, external, correlation)


def kernel(maker: TraceMaker, at: float, external: int, correlation: int) -> None:
    maker.event("kernel", "gemm", at, 5.0, 7, correlation=correlation, device=0, stream=7, **{"External id": external})


def linked(maker: TraceMaker, folder: Path) -> LinkedTrace:
    return link(read_trace(maker.write(folder / "t.json"), lambda done, total: None), "t.json")


def lines(found: LinkedTrace) -> list[int]:
    """The line of each kernel, in the order of their starts; 0 for none."""
    return [found.tree.line[node] for node in found.kernel.node.tolist()]


def test_a_kernel_without_a_launch_belongs_to_the_line_of_its_operator_where_the_ids_bear_out(tmp_path: Path) -> None:
    maker = program()
    launched(maker, 14, 1, 501)
    kernel(maker, 70, 2, 502)
    found = linked(maker, tmp_path)
    assert lines(found) == [FIRST, SECOND]
    assert found.launch_of_kernel.tolist() == [0, -1]
    assert found.op_of_kernel.tolist() == [-1, found.trace.ops.external_id.tolist().index(2)]


def test_where_no_launch_was_recorded_ids_that_differ_from_the_correlation_are_operators(tmp_path: Path) -> None:
    maker = program()
    kernel(maker, 60, 1, 1)  # the same by chance
    kernel(maker, 70, 2, 501)
    kernel(maker, 80, 3, 502)
    assert lines(linked(maker, tmp_path)) == [FIRST, SECOND, THIRD]


def test_ids_that_repeat_the_correlation_are_no_operators(tmp_path: Path) -> None:
    maker = program()
    kernel(maker, 70, 2, 2)
    kernel(maker, 80, 3, 3)
    assert lines(linked(maker, tmp_path)) == [0, 0]


def test_one_launch_outside_of_the_operator_that_its_kernel_names_disproves_all(tmp_path: Path) -> None:
    maker = program()
    launched(maker, 14, 1, 501)
    launched(maker, 34, 1, 502)  # within the second operator
    kernel(maker, 70, 2, 503)
    assert lines(linked(maker, tmp_path)) == [FIRST, SECOND, 0]


def test_a_launch_on_another_thread_disproves_too(tmp_path: Path) -> None:
    maker = program()
    launched(maker, 14, 1, 501, tid=MAIN + 1)
    kernel(maker, 70, 2, 503)
    assert lines(linked(maker, tmp_path)) == [0, 0]


def test_an_id_that_two_operators_have_ties_nothing(tmp_path: Path) -> None:
    maker = program()
    maker.event("cpu_op", "aten::add", 65, 2.0, **{"External id": 2})
    kernel(maker, 70, 2, 501)
    assert lines(linked(maker, tmp_path)) == [0]


def test_a_kernel_that_starts_before_its_operator_is_not_tied(tmp_path: Path) -> None:
    maker = program()
    kernel(maker, 20, 3, 501)
    assert lines(linked(maker, tmp_path)) == [0]


def test_a_range_over_several_lines_does_not_say_which(tmp_path: Path) -> None:
    maker = program()
    maker.event("user_annotation", "training", 5, 80.0, **{"External id": 4})
    kernel(maker, 70, 4, 501)
    assert lines(linked(maker, tmp_path)) == [0]
