"""Lines from the `Call stack` that torch 1.8 to 1.10 wrote on forward operators."""

from __future__ import annotations

from pathlib import Path

import pytest

from kinetoscope.analysis.tables import LineCost, LineReport
from support.kineto import ENGINE, MAIN, TraceMaker
from support.real_traces import real_trace
from support.reports import line_report

LINEAR = "/opt/lib/python3.8/site-packages/torch/nn/modules/linear.py(93): forward"
FORWARD = f"{LINEAR};train.py(12): forward;train.py(30): main;train.py(40): <module>"
LOSS = "train.py(31): main;train.py(40): <module>"


class OldTrace(TraceMaker):
    """One step: `main` calls `forward` on line 30 and computes a loss on line 31; backward runs on the engine's thread."""

    def __init__(self) -> None:
        super().__init__(end_us=100.0)
        self.stacked("aten::linear", 10, 8, FORWARD, seq=1).kernel("gemm", 12, 20, 5)
        self.event("cpu_op", "aten::t", 10.5, 1)
        self.stacked("aten::mean", 30, 6, LOSS, seq=2).kernel("mean", 32, 34, 2)
        self.backward("MeanBackward0", 50, 5, ENGINE, seq=2).kernel("mean_bwd", 51, 55, 1, ENGINE)
        self.backward("AddmmBackward", 60, 10, ENGINE, seq=1).kernel("gemm_bwd", 61, 65, 9, ENGINE)

    def stacked(self, name: str, at: float, dur: float, stack: str, seq: int) -> OldTrace:
        numbers = {"Sequence number": seq, "Fwd thread id": 0}
        self.event("cpu_op", name, at, dur, MAIN, **numbers, **{"Call stack": stack})
        return self

    def report(self, folder: Path) -> LineReport:
        return line_report(self.write(folder / "old.pt.trace.json"))


def by_line(report: LineReport) -> dict[int, LineCost]:
    return {row.line: row for row in report.rows}


def test_an_operator_belongs_to_the_innermost_user_line_of_its_stack(tmp_path: Path) -> None:
    rows = by_line(OldTrace().report(tmp_path))
    assert {line: (row.function, row.precision, row.gpu_us) for line, row in rows.items()} == {
        12: ("forward", "call", 5),
        30: ("main", "call", 0),
        31: ("main", "call", 2),
        40: ("<module>", "call", 0),
    }
    assert (rows[30].gpu_total_us, rows[31].gpu_total_us, rows[40].gpu_total_us) == (5, 2, 7)
    assert {line: row.calls for line, row in rows.items()} == {12: 1, 30: 1, 31: 1, 40: 1}


def test_backward_goes_to_the_forward_line_by_sequence_number(tmp_path: Path) -> None:
    rows = by_line(OldTrace().report(tmp_path))
    assert (rows[12].gpu_backward_us, rows[31].gpu_backward_us) == (9, 1)
    assert (rows[12].cpu_backward_us, rows[31].cpu_backward_us) == (10, 5)


def test_host_time_is_that_of_the_operators_and_the_notice_says_so(tmp_path: Path) -> None:
    report = OldTrace().report(tmp_path)
    rows = by_line(report)
    assert (rows[12].cpu_self_us, rows[31].cpu_self_us, rows[40].cpu_total_us) == (8, 6, 14)
    assert any("call stacks of the operators" in notice for notice in report.notices)


@pytest.mark.parametrize(
    "stack", ["train.py(5): three;<built-in method mm of type object at 0x7f>", "nn.Module: Linear_0;train.py(5): three"]
)
def test_stacks_of_later_versions_name_first_lines_and_give_no_line(tmp_path: Path, stack: str) -> None:
    trace = OldTrace()
    trace.stacked("aten::mm", 80, 5, stack, seq=9)
    assert trace.report(tmp_path).rows == []


def test_where_python_events_were_recorded_the_stacks_on_operators_do_not_count(tmp_path: Path) -> None:
    trace = OldTrace()
    trace.event("python_function", "train.py(9): forward", 9, 12, **{"Python id": 1})
    rows = by_line(trace.report(tmp_path))
    assert {line: row.precision for line, row in rows.items()} == {9: "function"}


@pytest.mark.parametrize("run", ["resnet50_num_workers_0/worker0.1623143089861", "resnet50_num_workers_4/worker0.1623212756351"])
def test_the_lines_of_a_real_training_script_of_torch_1_9(run: str) -> None:
    report = line_report(real_trace(f"tb_plugin_samples/{run}.pt.trace.json.gz"))
    mine = [row for row in report.rows if row.function == "<module>"]
    assert {row.file for row in mine} == {"resnet50_profiler_api.py"}
    assert [row.line for row in mine] == [42, 44, 46, 47, 49, 50, 51, 54]
    forward = next(row for row in mine if row.line == 46)  # outputs = model(inputs)
    assert forward.calls == report.steps
    assert forward.gpu_backward_us > forward.gpu_us > 0
    time = report.device_us
    assert time.attributed / time.total > 0.95
