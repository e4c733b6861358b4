"""Costs per line on programs whose events are placed by hand, so that every number is known."""

from __future__ import annotations

from pathlib import Path

import pytest

from kinetoscope.analysis.tables import LineCost, LineReport
from support.kineto import ENGINE, ENTER, LEAVE, LINE, MAIN, TraceMaker
from support.reports import line_report

TEXT = """def forward(x):
    h = x @ w1
    return h.relu()


def main():
    y = forward(x)
    y.backward()
    optimizer.step()
    print(y.item())
"""
FORWARD_1, FORWARD_2, CALL, BACKWARD, STEP, ITEM = 2, 3, 7, 8, 9, 10


class Program(TraceMaker):
    """`main` calls `forward` at 10–30 µs, `.backward()` at 30–60, the optimizer at 60–80, `.item()` at 80–100."""

    def __init__(self) -> None:
        super().__init__(end_us=100.0)
        file = self.source("/project/train.py", TEXT)
        self.main, self.forward = self.code(file, "main", 6), self.code(file, "forward", 1)
        log = self.log()
        log.add(1, ENTER, self.main, 6).add(5, LINE, self.main, CALL).add(10, ENTER, self.forward, 1)
        log.add(11, LINE, self.forward, FORWARD_1).add(20, LINE, self.forward, FORWARD_2).add(28, LEAVE, self.forward)
        log.add(30, LINE, self.main, BACKWARD).add(60, LINE, self.main, STEP).add(80, LINE, self.main, ITEM)

    def report(self, folder: Path) -> LineReport:
        return line_report(self.write(folder / "rank0.pt.trace.json"))


def by_line(report: LineReport) -> dict[int, LineCost]:
    return {row.line: row for row in report.rows}


def test_host_time_is_the_time_on_the_line_and_totals_hold_what_it_called(tmp_path: Path) -> None:
    rows = by_line(Program().report(tmp_path))
    own = {line: row.cpu_self_us for line, row in rows.items()}
    assert own == {1: 1, FORWARD_1: 9, FORWARD_2: 8, 6: 4, CALL: 7, BACKWARD: 30, STEP: 20, ITEM: 20}
    assert rows[CALL].cpu_total_us == 7 + 1 + 9 + 8
    assert rows[FORWARD_1].cpu_total_us == 9
    assert (rows[CALL].source, rows[CALL].function, rows[CALL].precision, rows[CALL].calls) == ("y = forward(x)", "main", "line", 1)


def test_a_kernel_belongs_to_the_line_that_launched_it_not_to_the_one_during_which_it_ran(tmp_path: Path) -> None:
    program = Program()
    program.op("aten::mm", 12, 5, seq=1).kernel("gemm", 14, 40, 25)
    program.kernel("triton_fused", 22, 70, 6)  # no op around the launch
    rows = by_line(program.report(tmp_path))
    assert (rows[FORWARD_1].gpu_us, rows[FORWARD_2].gpu_us, rows[BACKWARD].gpu_us) == (25, 6, 0)
    assert (rows[FORWARD_1].launches, rows[FORWARD_2].launches) == (1, 1)
    assert (rows[CALL].gpu_us, rows[CALL].gpu_total_us) == (0, 31)


@pytest.mark.parametrize("thread", [MAIN, ENGINE])
def test_backward_work_belongs_to_the_forward_line_wherever_it_runs(tmp_path: Path, thread: int) -> None:
    program = Program()
    program.op("aten::mm", 12, 5, seq=1).op("aten::relu", 21, 5, seq=2)
    program.backward("ReluBackward0", 32, 6, thread, seq=2).kernel("relu_bwd", 34, 50, 3, thread)
    program.backward("MmBackward0", 40, 10, thread, seq=1).kernel("gemm_bwd", 42, 60, 11, thread)
    program.memory(43, 512, 0xA, thread, device_type=1, device_id=0)
    rows = by_line(program.report(tmp_path))
    assert (rows[FORWARD_2].gpu_backward_us, rows[FORWARD_2].cpu_backward_us) == (3, pytest.approx(6))
    assert (rows[FORWARD_1].gpu_backward_us, rows[FORWARD_1].cpu_backward_us) == (11, pytest.approx(10))
    assert (rows[CALL].gpu_backward_us, rows[CALL].gpu_backward_total_us) == (0, 14)
    assert rows[FORWARD_1].peak_backward_bytes == {"cuda:0": 512}
    assert rows[BACKWARD].gpu_us == 0


def test_the_maker_of_a_backward_node_is_the_last_forward_op_with_its_number_or_the_nearest_below(tmp_path: Path) -> None:
    program = Program()
    program.op("aten::empty", 6, 1, seq=1).op("aten::mm", 12, 5, seq=1).op("aten::slice", 21, 2, seq=4)
    program.backward("MmBackward0", 32, 4, seq=1).kernel("a", 33, 50, 3)
    program.backward("CopySlices", 40, 4, seq=6).kernel("b", 41, 60, 5)
    rows = by_line(program.report(tmp_path))
    assert (rows[FORWARD_1].gpu_backward_us, rows[FORWARD_2].gpu_backward_us, rows[CALL].gpu_backward_us) == (3, 5, 0)


@pytest.mark.parametrize("thread", [MAIN, ENGINE])
def test_backward_work_without_a_forward_op_belongs_to_the_line_that_called_backward(tmp_path: Path, thread: int) -> None:
    program = Program()
    program.op("aten::mm", 12, 5, seq=1)
    program.backward("torch::autograd::AccumulateGrad", 45, 5, thread).kernel("add", 46, 70, 4, thread)
    row = by_line(program.report(tmp_path))[BACKWARD]
    assert (row.gpu_us, row.gpu_backward_us) == (4, 0)


def test_user_frames_entered_inside_backward_win(tmp_path: Path) -> None:
    program = TraceMaker(end_us=100.0)
    file = program.source("/project/train.py", TEXT)
    main, forward = program.code(file, "main", 6), program.code(file, "forward", 1)
    log = program.log().add(1, ENTER, main, 6).add(10, LINE, main, CALL).add(30, LINE, main, BACKWARD)
    log.add(42, ENTER, forward, 1).add(42.5, LINE, forward, FORWARD_1).add(48, LEAVE, forward)
    program.op("CheckpointFunction", 12, 5, seq=1)
    program.backward("CheckpointFunctionBackward", 40, 20, seq=1).kernel("recompute", 44, 70, 7).kernel("rest", 52, 80, 2)
    rows = by_line(_report(program, tmp_path))
    assert (rows[FORWARD_1].gpu_us, rows[FORWARD_1].gpu_backward_us) == (7, 0)
    assert (rows[CALL].gpu_us, rows[CALL].gpu_backward_us) == (0, 2)
    assert rows[CALL].cpu_backward_us == pytest.approx(20 - 6)
    assert rows[FORWARD_1].cpu_self_us == pytest.approx(5.5)


def test_forward_work_done_again_in_backward_is_marked(tmp_path: Path) -> None:
    program = TraceMaker(end_us=100.0)
    file = program.source("/project/train.py", TEXT)
    main, forward = program.code(file, "main", 6), program.code(file, "forward", 1)
    log = program.log().add(1, ENTER, main, 6).add(10, LINE, main, CALL).add(30, LINE, main, BACKWARD)
    log.add(42, ENTER, forward, 1).add(42.5, LINE, forward, FORWARD_1).add(48, LEAVE, forward)
    program.op("CheckpointFunction", 12, 5, seq=1)
    program.backward("CheckpointFunctionBackward", 40, 20, seq=1).kernel("rest", 52, 80, 2)
    program.op("aten::mm", 43, 3, seq=2).kernel("recompute", 44, 70, 7)  # numbered: autograd is on
    rows = by_line(_report(program, tmp_path))
    again = rows[FORWARD_1]
    assert (again.gpu_us, again.gpu_recompute_us, again.gpu_backward_us) == (7, 7, 0)
    assert again.cpu_recompute_us == pytest.approx(again.cpu_self_us) == pytest.approx(5.5)
    assert (rows[CALL].gpu_backward_us, rows[CALL].gpu_recompute_us, rows[CALL].cpu_recompute_us) == (2, 0, 0)


def test_what_a_library_does_again_in_backward_is_a_part_of_the_lines_backward(tmp_path: Path) -> None:
    program = Program()
    program.op("aten::relu", 12, 5, seq=1)
    program.backward("ReluBackward0", 42, 16, ENGINE, seq=1)  # unpacking what it saved runs the checkpointed layer again
    program.op("aten::linear", 44, 6, ENGINE, seq=2).op("aten::addmm", 45, 4, ENGINE, seq=3).kernel("addmm", 46, 70, 7, tid=ENGINE)
    program.op("aten::threshold_backward", 52, 3, ENGINE).kernel("relu_grad", 53, 80, 2, tid=ENGINE)
    row = by_line(program.report(tmp_path))[FORWARD_1]
    assert (row.gpu_us, row.gpu_backward_us, row.gpu_recompute_us) == (0, 9, 7)
    assert (row.cpu_backward_us, row.cpu_recompute_us) == (pytest.approx(16), pytest.approx(6))


def test_a_custom_functions_own_backward_is_not_taken_for_recomputation(tmp_path: Path) -> None:
    program = TraceMaker(end_us=100.0)
    file = program.source("/project/train.py", TEXT)
    main, custom = program.code(file, "main", 6), program.code(file, "Mine.backward", 1)
    log = program.log().add(1, ENTER, main, 6).add(10, LINE, main, CALL).add(30, LINE, main, BACKWARD)
    log.add(42, ENTER, custom, 1).add(42.5, LINE, custom, FORWARD_1).add(48, LEAVE, custom)
    program.op("Mine", 12, 5, seq=1)
    program.backward("MineBackward", 40, 20, seq=1).op("aten::mul", 43, 3).kernel("mul", 44, 70, 7)
    row = by_line(_report(program, tmp_path))[FORWARD_1]
    assert (row.gpu_us, row.gpu_recompute_us, row.cpu_recompute_us) == (7, 0, 0)


def test_a_graph_is_one_launch_and_all_its_kernels_belong_to_the_line_that_replays_it(tmp_path: Path) -> None:
    program = Program()
    program.event("cuda_runtime", "cudaGraphLaunch", 12, 3.0, correlation=900)
    for index in range(5):
        program.event("kernel", f"node {index}", 15 + 4 * index, 3.0, 7, correlation=900, device=0, stream=7)
    row = by_line(program.report(tmp_path))[FORWARD_1]
    assert (row.launches, row.gpu_us) == (1, 15)


def test_kernels_that_overlap_on_streams_add_up_and_one_without_a_duration_counts_as_none(tmp_path: Path) -> None:
    program = Program()
    program.kernel("first", 12, 20, 10, stream=7).kernel("second", 13, 22, 10, stream=8)
    program.event("cuda_runtime", "cudaLaunchKernel", 14, 1.0, correlation=901)
    program.event("kernel", "still running", 25, None, 7, correlation=901, device=0, stream=7)
    report = program.report(tmp_path)
    row = by_line(report)[FORWARD_1]
    assert (row.gpu_us, row.launches, report.device_us.total) == (20, 3, 20)
    assert any("1 piece of device work has no duration" in notice for notice in report.notices)


def test_recursion_counts_a_line_once(tmp_path: Path) -> None:
    program = TraceMaker(end_us=100.0)
    code = program.code(program.source("/project/r.py", "def f(n):\n    return f(n - 1)\n"), "f", 1)
    log = program.log()
    for depth in range(3):
        log.add(10 * depth, ENTER, code, 1).add(10 * depth + 1, LINE, code, 2)
    log.add(50, LEAVE, code).add(60, LEAVE, code).add(70, LEAVE, code)
    row = by_line(_report(program, tmp_path))[2]
    assert (row.calls, row.cpu_self_us, row.cpu_total_us) == (3, 67, 69)


def test_device_time_is_conserved_and_what_cannot_be_tied_is_said(tmp_path: Path) -> None:
    program = Program()
    program.kernel("on a line", 14, 20, 10).kernel("outside of user code", 0.2, 3, 5)
    program.event("kernel", "launch not recorded", 60, 85.0, 7, correlation=999, device=0, stream=7)
    report = program.report(tmp_path)
    time = report.device_us
    assert (time.attributed, time.library, time.unattributed, time.without_launch, time.total) == (10, 5, 85, 85, 100)
    assert any("85 % of the device time could not be tied to a line: its launches were not" in notice for notice in report.notices)


def test_device_time_outside_the_steps_is_said_since_amounts_per_step_have_it_too(tmp_path: Path) -> None:
    program = Program()
    program.event("user_annotation", "ProfilerStep#0", 10, 30).event("user_annotation", "ProfilerStep#1", 40, 30)
    program.kernel("before the steps", 2, 4, 5).kernel("in the first", 14, 20, 10).kernel("of the second, later", 45, 80, 10)
    notices = program.report(tmp_path).notices
    assert [notice for notice in notices if "in none of the steps" in notice] == [
        "20 % of the device time ran in none of the steps: amounts per step are those of the whole recording by its steps."
    ]


def test_device_time_of_threads_without_stacks_is_unattributed_for_another_reason(tmp_path: Path) -> None:
    program = Program()
    program.kernel("on a line", 14, 20, 15).kernel("of a thread that logged nothing", 14, 40, 85, tid=ENGINE + 1)
    report = program.report(tmp_path)
    time = report.device_us
    assert (time.attributed, time.library, time.unattributed, time.without_launch, time.total) == (15, 0, 85, 0, 100)
    assert any("85 % of the device time could not be tied to a line: no call stacks" in notice for notice in report.notices)


def test_idle_time_of_the_device_is_the_hosts_until_it_issues_the_launch(tmp_path: Path) -> None:
    program = Program()
    program.kernel("a", 12, 15, 10)  # busy 15–25
    program.kernel("b", 35, 45, 5)  # issued at 35 on `.backward()`: host's part 25–35, the device's own 35–45
    rows = by_line(program.report(tmp_path))
    assert (rows[FORWARD_2].gpu_idle_us, rows[CALL].gpu_idle_us, rows[BACKWARD].gpu_idle_us) == (3, 2, 5)


def test_synchronising_calls_count_where_they_stand(tmp_path: Path) -> None:
    program = Program()
    program.event("cuda_runtime", "cudaStreamSynchronize", 82, 15.0, correlation=5)
    row = by_line(program.report(tmp_path))[ITEM]
    assert (row.sync_us, row.launches) == (15, 0)


def test_memory_by_line_and_the_owners_of_the_peak(tmp_path: Path) -> None:
    program = Program()
    program.memory(12, 100, 0xA).memory(21, 50, 0xB).memory(31, -100, 0xA).memory(61, 20, 0xA).memory(81, -50, 0xB)
    report = program.report(tmp_path)
    rows = by_line(report)
    assert [rows[line].alloc_bytes for line in (FORWARD_1, FORWARD_2, STEP)] == [{"cpu": 100}, {"cpu": 50}, {"cpu": 20}]
    assert [rows[line].freed_bytes for line in (BACKWARD, ITEM)] == [{"cpu": 100}, {"cpu": 50}]
    assert [rows[line].peak_bytes for line in (FORWARD_1, FORWARD_2, STEP)] == [{"cpu": 100}, {"cpu": 50}, {}]
    assert report.devices == ["cpu"]


def test_without_addresses_allocations_are_counted_and_the_peak_belongs_to_nobody(tmp_path: Path) -> None:
    program = Program()
    program.memory(12, 100, 0xA).memory(21, 50, 0xB).memory(31, -100, 0xA)
    for event in program.events:
        event["args"].pop("Addr", None)
    rows = by_line(program.report(tmp_path))
    assert [rows[line].alloc_bytes for line in (FORWARD_1, FORWARD_2)] == [{"cpu": 100}, {"cpu": 50}]
    assert rows[BACKWARD].freed_bytes == {"cpu": 100}
    assert all(row.peak_bytes == {} for row in rows.values())


def test_operators_and_kernels_behind_a_line_and_its_stacks(tmp_path: Path) -> None:
    program = Program()
    program.op("aten::linear", 12, 6, seq=1).op("aten::mm", 13, 3, seq=1).kernel("gemm", 14, 40, 25)
    report = program.report(tmp_path)
    detail = report.details[[row.line for row in report.rows].index(FORWARD_1)]
    assert [(item.name, item.kind, item.calls, item.host_us, item.device_us) for item in detail.work] == [
        ("aten::linear", "operator", 1, 6, 25),
        ("gemm", "kernel", 1, 0, 25),
    ]
    [stack] = detail.stacks
    assert [(frame.function, frame.line) for frame in stack.frames] == [("main", CALL), ("forward", FORWARD_1)]


def test_without_a_line_log_stacks_give_functions_and_call_lines(tmp_path: Path) -> None:
    program = TraceMaker()
    program.event("python_function", "train.py(6): main", 0, 100, **{"Python id": 1})
    program.event("python_function", "<built-in method relu of Tensor object at 0x7>", 10, 10, CallFrom="train.py:7")
    program.op("aten::relu", 12, 5).kernel("relu", 13, 50, 4)
    program.op("aten::mm", 30, 5).kernel("gemm", 31, 60, 9)
    rows = by_line(_report(program, tmp_path))
    assert (rows[7].precision, rows[7].gpu_us) == ("call", 4)
    assert (rows[6].precision, rows[6].gpu_us) == ("function", 9)
    assert rows[6].gpu_total_us == 9  # the call's line is a place of its own, beside the function's other work


def _report(program: TraceMaker, folder: Path) -> LineReport:
    return line_report(program.write(folder / "t.pt.trace.json"))


def test_a_trace_with_neither_log_nor_stacks_says_so(tmp_path: Path) -> None:
    report = _report(TraceMaker().op("aten::mm", 0, 5), tmp_path)
    assert report.rows == []
    assert any("neither a line log nor Python stacks" in notice for notice in report.notices)


def test_frames_of_the_recorder_in_stacks_are_not_the_users(tmp_path: Path) -> None:
    program = TraceMaker()
    program.source("/project/empty.py", "")
    program.recorder = "/opt/tool/recorder"
    program.event("python_function", "train.py(6): main", 0, 100)
    program.event("python_function", "/opt/tool/recorder/session.py(9): step", 10, 20, CallFrom="train.py:7")
    assert {(row.file, row.line) for row in _report(program, tmp_path).rows} == {("train.py", 6), ("train.py", 7)}
