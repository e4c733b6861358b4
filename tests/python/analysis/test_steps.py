"""Where steps begin and end, on traces whose truth is known."""

from __future__ import annotations

from pathlib import Path

from kinetoscope.analysis.steps import Steps, find_steps
from kinetoscope.linking.linked import link
from kinetoscope.trace.reader import read_trace
from support.kineto import CLOCK_SHIFT_NS, TraceMaker


def steps(maker: TraceMaker, folder: Path) -> Steps:
    path = maker.write(folder / "t.json")
    return find_steps(link(read_trace(path, lambda done, total: None), str(path)))


def spans(found: Steps) -> list[tuple[int, float, float]]:
    return [(step.number, step.start_ns / 1000, step.end_ns / 1000) for step in found.kept]


def marked(*ranges: tuple[int, float, float]) -> TraceMaker:
    maker = TraceMaker().op("aten::first", 0, 1)
    for number, start, end in ranges:
        maker.event("user_annotation", f"ProfilerStep#{number}", start, end - start)
    return maker


def test_without_device_work_steps_are_the_hosts_ranges(tmp_path: Path) -> None:
    found = steps(marked((3, 100, 200), (4, 210, 300)), tmp_path)
    assert spans(found) == [(3, 100, 200), (4, 210, 300)]
    assert (found.left_out, found.marked) == ([], True)


def test_a_step_lasts_until_its_device_work_ends_and_the_next_begins_no_earlier(tmp_path: Path) -> None:
    maker = marked((1, 100, 200), (2, 200, 300))
    maker.kernel("gemm", launched_at=150, at=160, dur=90).kernel("gemm", launched_at=250, at=255, dur=80)
    assert spans(steps(maker, tmp_path)) == [(1, 100, 250), (2, 250, 335)]


def test_the_first_step_begins_after_work_that_was_queued_before_it(tmp_path: Path) -> None:
    maker = marked((1, 100, 200))
    maker.kernel("earlier", launched_at=10, at=50, dur=80).kernel("gemm", launched_at=120, at=140, dur=20)
    assert spans(steps(maker, tmp_path)) == [(1, 130, 200)]


def test_a_launch_that_crosses_the_end_of_a_step_belongs_to_none(tmp_path: Path) -> None:
    maker = marked((1, 100, 200), (2, 205, 300))
    maker.kernel("crossing", launched_at=199.5, at=400, dur=90).kernel("gemm", launched_at=250, at=255, dur=5)
    maker.kernel("gemm", launched_at=110, at=115, dur=5)
    assert spans(steps(maker, tmp_path)) == [(1, 100, 200), (2, 205, 300)]


def test_last_steps_whose_device_work_was_not_all_captured_are_left_out(tmp_path: Path) -> None:
    maker = marked((1, 0, 100), (2, 100, 200), (3, 200, 300), (4, 300, 400))
    for start, kernels in ((0, 5), (100, 5), (200, 3)):
        for number in range(kernels):
            maker.kernel("gemm", launched_at=start + 10 + 2 * number, at=start + 20 + 2 * number, dur=1)
    found = steps(maker, tmp_path)
    assert [step.number for step in found.kept] == [1, 2]
    assert found.left_out == ["ProfilerStep#3", "ProfilerStep#4"]


def test_steps_of_our_recordings_are_on_the_recorders_clock_and_all_kept(tmp_path: Path) -> None:
    maker = TraceMaker()
    maker.source("/project/train.py", "pass\n")
    maker.steps = [(7, CLOCK_SHIFT_NS + 100_000, CLOCK_SHIFT_NS + 200_000), (8, CLOCK_SHIFT_NS + 200_000, CLOCK_SHIFT_NS + 300_000)]
    maker.kernel("gemm", launched_at=110, at=115, dur=5)
    found = steps(maker, tmp_path)
    assert spans(found) == [(7, 100, 200), (8, 200, 300)]
    assert (found.left_out, found.marked) == ([], True)


def test_a_trace_without_steps_is_one_from_its_first_to_its_last_host_event(tmp_path: Path) -> None:
    maker = TraceMaker().op("aten::mm", 10, 20).op("aten::add", 40, 5)
    maker.kernel("gemm", launched_at=12, at=14, dur=50)
    found = steps(maker, tmp_path)
    assert spans(found) == [(0, 0, 54)]
    assert not found.marked


def test_steps_that_do_not_end_or_lie_in_another_are_no_steps(tmp_path: Path) -> None:
    maker = marked((1, 10, 100), (9, 20, 30))
    maker.event("user_annotation", "ProfilerStep#2", 100, None)
    assert spans(steps(maker, tmp_path)) == [(1, 10, 100)]


def test_a_trace_with_device_work_only_is_one_step(tmp_path: Path) -> None:
    maker = TraceMaker().event("kernel", "gemm", 0, 10, 7, device=0, stream=7)
    assert spans(steps(maker, tmp_path)) == [(0, 0, 10)]


def test_the_range_of_a_script_without_steps_is_no_step_of_it(tmp_path: Path) -> None:
    """The recorder opens a range before it knows whether a step will end."""
    maker = marked((0, 100, 200))
    maker.source("/project/plain.py", "x = x @ x\n")
    maker.run = {"outcome": "short"}
    assert not steps(maker, tmp_path).marked
    maker.run = {"outcome": "script"}
    assert steps(maker, tmp_path).marked
