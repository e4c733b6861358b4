"""Line costs of a step or a range: each cost counts where it lies, and the parts of a recording add up to it."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from kinetoscope.analysis.idle_view import idle
from kinetoscope.analysis.lines import report_of
from kinetoscope.analysis.memory import memory
from kinetoscope.analysis.stacks import stacks
from kinetoscope.analysis.sync import sync
from kinetoscope.analysis.tables import LineCost, LineReport
from kinetoscope.linking.linked import LinkedTrace, link
from kinetoscope.trace.reader import read_trace
from support.kineto import CLOCK_SHIFT_NS, ENTER, LEAVE, LINE, TraceMaker

TEXT = """def forward(x):
    return x @ w


def main():
    for x in data:
        y = forward(x)
        y.backward()
        y.item()
"""
MATMUL, LOAD, CALL, BACKWARD, ITEM = 2, 6, 7, 8, 9
STEP_US = 100
EARLY, LATE = -(10**9), 10**9
"""Before and after all there is, in trace time."""


def three_steps(folder: Path) -> LinkedTrace:
    """Steps 0 to 2 from 10 µs on, 100 µs each: load 0–10, call 10–30 (the product 12–28), backward 30–70, item 70–100, all from its
    start. A kernel of 25 µs is launched at 14 and runs 20–45, that of backward 40–75; `.item()` waits 75–95. Bytes: 100 are allocated in
    forward and released in backward; step 1 keeps 1000 for ever."""
    maker = TraceMaker(end_us=400)
    file = maker.source("/project/train.py", TEXT)
    main, forward = maker.code(file, "main", 5), maker.code(file, "forward", 1)
    log = maker.log().add(1, ENTER, main, 5)
    for step in range(3):
        at = 10 + step * STEP_US
        log.add(at, LINE, main, LOAD).add(at + 10, LINE, main, CALL).add(at + 11, ENTER, forward, 1)
        log.add(at + 12, LINE, forward, MATMUL).add(at + 28, LEAVE, forward)
        log.add(at + 30, LINE, main, BACKWARD).add(at + 70, LINE, main, ITEM)
        maker.event("user_annotation", f"ProfilerStep#{step}", at, STEP_US)
        maker.op("aten::mm", at + 13, 10, seq=step).kernel("gemm", at + 14, at + 20, 25)
        maker.backward("MmBackward0", at + 32, 20, seq=step).kernel("gemm_backward", at + 34, at + 45, 30)
        maker.event("cuda_runtime", "cudaStreamSynchronize", at + 75, 20.0, correlation=1000 + step)
        maker.memory(at + 15, 100, 0xA).memory(at + 35, -100, 0xA)
        if step == 1:
            maker.memory(at + 16, 1000, 0xB)
    log.add(310, LEAVE, main)
    edges = [round((10 + step * STEP_US) * 1000) + CLOCK_SHIFT_NS for step in range(4)]
    maker.steps = [(step, edges[step], edges[step + 1]) for step in range(3)]
    path = maker.write(folder / "rank0.pt.trace.json")
    return link(read_trace(path, lambda done, total: None), str(path))


def us(start: float, end: float) -> tuple[int, int]:
    return round(start * 1000), round(end * 1000)


def by_line(report: LineReport) -> dict[int, LineCost]:
    return {row.line: row for row in report.rows}


def test_a_step_has_its_own_costs_and_is_one_step(tmp_path: Path) -> None:
    linked = three_steps(tmp_path)
    whole, one = report_of(linked), report_of(linked, us(110, 210))
    assert (whole.steps, one.steps, one.recording_us) == (3, 1, STEP_US)
    rows = by_line(one)
    assert {line: row.cpu_self_us for line, row in rows.items()} == {1: 1, MATMUL: 16, LOAD: 10, CALL: 3, BACKWARD: 40, ITEM: 30}
    assert (rows[CALL].cpu_total_us, rows[CALL].calls, rows[MATMUL].calls) == (20, 1, 1)
    product = rows[MATMUL]
    assert (product.gpu_us, product.gpu_backward_us, product.launches, product.cpu_backward_us) == (25, 30, 2, pytest.approx(20))
    assert (rows[CALL].gpu_total_us, rows[CALL].gpu_backward_total_us) == (25, 30)
    assert rows[ITEM].sync_us == 20
    assert (one.device_us.attributed, one.device_us.total, one.host_us) == (55, 55, 100)


def test_a_range_cuts_times_and_counts_what_begins_in_it(tmp_path: Path) -> None:
    found = report_of(three_steps(tmp_path), us(10 + 30, 10 + 80))  # from the line of backward into the wait
    rows = by_line(found)
    assert (found.steps, found.recording_us) == (0, 50)
    assert {line: row.cpu_self_us for line, row in rows.items()} == {MATMUL: 0, CALL: 0, BACKWARD: 40, ITEM: 10}
    assert {line: row.calls for line, row in rows.items()} == {MATMUL: 0, CALL: 0, BACKWARD: 1, ITEM: 1}
    product = rows[MATMUL]
    assert (product.gpu_us, product.gpu_backward_us, product.launches) == (15, 30, 1)
    assert (rows[CALL].gpu_us, rows[CALL].gpu_total_us) == (0, 15)  # what it called before still ran
    assert rows[ITEM].sync_us == 20  # it began here, and the view of waiting shows all of it
    assert (product.alloc_bytes, product.freed_bytes) == ({}, {"cpu": 100})


def test_the_work_behind_a_line_is_that_of_the_part(tmp_path: Path) -> None:
    found = report_of(three_steps(tmp_path), us(40, 90))
    detail = found.details[[row.line for row in found.rows].index(MATMUL)]
    assert {(item.name, item.kind, item.backward): (item.calls, item.host_us, item.device_us) for item in detail.work} == {
        ("MmBackward0", "operator", True): (1, pytest.approx(19.8), 30),
        ("aten::mm", "operator", False): (0, 0, 15),
        ("gemm_backward", "kernel", True): (1, 0, 30),
        ("gemm", "kernel", False): (0, 0, 15),
    }
    [stack] = detail.stacks
    assert ([frame.line for frame in stack.frames], stack.calls, stack.gpu_us, stack.gpu_backward_us) == ([CALL, MATMUL], 0, 15, 30)


@pytest.mark.parametrize(
    ("window", "steps"),
    [((10, 310), 3), ((0, 400), 3), ((110, 310), 2), ((109, 210), 0), ((110, 211), 0), ((310, 400), 0), ((150, 160), 0)],
)
def test_a_range_is_of_the_steps_that_it_is_made_of(tmp_path: Path, window: tuple[float, float], steps: int) -> None:
    assert report_of(three_steps(tmp_path), us(*window)).steps == steps


def test_a_range_that_reaches_over_the_recording_has_nothing_more(tmp_path: Path) -> None:
    linked = three_steps(tmp_path)
    whole, more = report_of(linked), report_of(linked, (EARLY, LATE))
    assert (more.recording_us, more.host_us, more.device_us) == (whole.recording_us, whole.host_us, whole.device_us)
    assert {row.line: row.cpu_self_us for row in more.rows} == {row.line: row.cpu_self_us for row in whole.rows}


@pytest.mark.parametrize("cuts", [[10, 110, 210, 310], [37], [33.5, 47.25, 151, 152, 153, 299.125]])
def test_parts_add_up_to_the_recording(tmp_path: Path, cuts: list[float]) -> None:
    linked = three_steps(tmp_path)
    edges = [EARLY, *(round(cut * 1000) for cut in cuts), LATE]
    parts = [report_of(linked, window) for window in pairwise(edges)]
    whole = report_of(linked)
    for name in ("attributed", "library", "unattributed", "without_launch", "total"):
        assert sum(getattr(part.device_us, name) for part in parts) == pytest.approx(getattr(whole.device_us, name))
    for row in whole.rows:
        mine = [part_row for part in parts for part_row in part.rows if part_row.line == row.line]
        for name in (
            "calls",
            "launches",
            "cpu_self_us",
            "cpu_total_us",
            "cpu_backward_us",
            "gpu_us",
            "gpu_total_us",
            "gpu_backward_us",
            "sync_us",
        ):
            assert sum(getattr(one, name) for one in mine) == pytest.approx(getattr(row, name)), (row.line, name)
        for name in ("alloc_bytes", "freed_bytes"):
            assert sum(sum(getattr(one, name).values()) for one in mine) == sum(getattr(row, name).values())


def test_the_peak_of_a_part_has_what_was_alive_then_also_from_before(tmp_path: Path) -> None:
    linked = three_steps(tmp_path)
    assert by_line(report_of(linked, us(10, 110)))[MATMUL].peak_bytes == {"cpu": 100}
    last = by_line(report_of(linked, us(250, 310)))[MATMUL]
    assert (last.peak_bytes, last.alloc_bytes) == ({"cpu": 1000}, {})


@pytest.mark.parametrize("window", [(10, 110), (40, 90), (33.5, 250)])
def test_a_part_has_the_same_numbers_as_in_the_other_views(tmp_path: Path, window: tuple[float, float]) -> None:
    linked, part = three_steps(tmp_path), us(*window)
    rows = report_of(linked, part).rows
    assert sum(row.gpu_us + row.gpu_backward_us for row in rows) * 1000 == stacks(linked, part, by="line", metric="gpu").total
    assert sum(row.cpu_self_us for row in rows) * 1000 == pytest.approx(stacks(linked, part, by="line", metric="cpu").total)
    assert {row.line: row.sync_us for row in rows if row.sync_us} == {
        group.frame.line: group.wait_us for group in sync(linked, part).lines if group.frame
    }
    assert {row.line: row.gpu_idle_us for row in rows if row.gpu_idle_us} == {
        line.frame.line: line.idle_us for line in idle(linked, part).lines if line.frame
    }
    [device] = memory(linked, part).devices
    owners = {owner.line: owner.bytes for owner in device.peak.lines if owner.file} if device.peak else {}
    assert {row.line: row.peak_bytes["cpu"] for row in rows if row.peak_bytes} == owners
