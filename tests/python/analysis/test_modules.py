"""The module tree on programs whose events are placed by hand, so that every number is known."""

from __future__ import annotations

from pathlib import Path

import pytest

from kinetoscope.analysis.modules import ModuleCost, ModuleReport, modules
from kinetoscope.analysis.ranges import Window
from kinetoscope.linking.linked import link
from kinetoscope.trace.reader import read_trace
from support.kineto import ENGINE, ENTER, LEAVE, LINE, TraceMaker

GOLDEN = Path(__file__).resolve().parents[4] / "shared" / "traces" / "tb_plugin_golden" / "inline"


def network() -> TraceMaker:
    """Net_0 runs 10–50 µs, in it Linear_0 at 12–30 and ReLU_0 at 32–40; backward on the engine's thread from 60 on."""
    trace = TraceMaker(end_us=200.0)
    trace.frame("train.py(3): forward", 10.5, 39)
    trace.module("Net", 0, 10, 40).module("Linear", 0, 12, 18).module("ReLU", 0, 32, 8)
    trace.frame("torch/nn/modules/linear.py(123): forward", 13, 16)
    trace.op("aten::linear", 14, 10, seq=1).op("aten::addmm", 15, 8, seq=1).kernel("gemm", 16, 20, 25)
    trace.op("aten::relu", 33, 3, seq=2).kernel("relu", 34, 46, 8)
    trace.op("aten::add", 42, 2, seq=3).kernel("add", 43, 55, 2)
    trace.backward("AddBackward0", 60, 4, ENGINE, seq=3).kernel("add_backward", 61, 62, 3, ENGINE)
    trace.backward("ReluBackward0", 65, 5, ENGINE, seq=2).kernel("relu_backward", 66, 67, 9, ENGINE)
    trace.backward("AddmmBackward0", 71, 8, ENGINE, seq=1).kernel("gemm_backward", 72, 77, 40, ENGINE)
    trace.op("Optimizer", 90, 5).kernel("adam", 91, 120, 5)
    return trace


def report_of(trace: TraceMaker, folder: Path, window_ns: Window = None) -> ModuleReport:
    path = trace.write(folder / "rank0.pt.trace.json")
    return modules(link(read_trace(path, lambda done, total: None), str(path)), window_ns)


def by_name(report: ModuleReport) -> dict[str, ModuleCost]:
    return {row.name: row for row in report.rows}


def test_a_module_s_own_time_is_that_without_the_modules_it_calls(tmp_path: Path) -> None:
    rows = by_name(report_of(network(), tmp_path))
    assert {name: (row.host_self_us, row.host_total_us) for name, row in rows.items()} == {
        "Net_0": (40 - 18 - 8, 40),
        "Linear_0": (18, 18),
        "ReLU_0": (8, 8),
    }
    assert {name: (row.calls, row.operators) for name, row in rows.items()} == {"Net_0": (1, 1), "Linear_0": (1, 1), "ReLU_0": (1, 1)}


def test_a_module_names_the_line_that_called_it_first(tmp_path: Path) -> None:
    trace = network()
    file = trace.source("/project/train.py", "def forward(self, x):\n    x = self.linear(x)\n    return self.relu(x)\n")
    forward = trace.code(file, "forward", 1)
    trace.log().add(11, ENTER, forward, 1).add(11.5, LINE, forward, 2).add(31, LINE, forward, 3).add(48, LEAVE, forward)
    trace.module("Linear", 0, 44, 2)
    rows = by_name(report_of(trace, tmp_path))
    called = {name: row.called_on for name, row in rows.items()}
    assert called["Net_0"] is None, "what called it is before the log"
    assert {name: (at.file, at.line, at.function, at.precision) for name, at in called.items() if at is not None} == {
        "Linear_0": ("/project/train.py", 2, "forward", "line"),
        "ReLU_0": ("/project/train.py", 3, "forward", "line"),
    }


def test_device_time_of_a_backward_operator_is_its_forward_module_s(tmp_path: Path) -> None:
    report = report_of(network(), tmp_path)
    rows = by_name(report)
    assert {name: (row.device_self_us, row.device_backward_self_us) for name, row in rows.items()} == {
        "Net_0": (2, 3),
        "Linear_0": (25, 40),
        "ReLU_0": (8, 9),
    }
    assert (rows["Net_0"].device_total_us, rows["Net_0"].device_backward_total_us) == (35, 52)
    assert {name: row.host_backward_self_us for name, row in rows.items()} == {"Net_0": 4, "Linear_0": 8, "ReLU_0": 5}
    assert (report.device_us, report.device_outside_us) == (25 + 8 + 2 + 3 + 9 + 40 + 5, 5)


def test_rows_stand_below_their_callers_dearest_first_with_the_line_of_their_forward(tmp_path: Path) -> None:
    rows = report_of(network(), tmp_path).rows
    assert [(row.name, row.module_id, row.parent, row.depth) for row in rows] == [
        ("Net_0", 0, -1, 0),
        ("Linear_0", 0, 0, 1),
        ("ReLU_0", 0, 0, 1),
    ]
    assert [(row.file, row.line) for row in rows] == [("train.py", 3), ("torch/nn/modules/linear.py", 123), ("", 0)]


def test_an_instance_called_by_two_modules_has_a_row_below_each(tmp_path: Path) -> None:
    trace = TraceMaker()
    trace.module("A", 0, 10, 20).module("Shared", 0, 12, 5).module("Shared", 0, 20, 5)
    trace.module("B", 0, 40, 20).module("Shared", 0, 42, 7)
    rows = report_of(trace, tmp_path).rows
    assert [(row.name, rows[row.parent].name, row.calls, row.host_total_us) for row in rows if row.parent >= 0] == [
        ("Shared_0", "A_0", 2, 10),
        ("Shared_0", "B_0", 1, 7),
    ]


def test_memory_is_of_the_module_that_allocated_it_also_in_backward(tmp_path: Path) -> None:
    trace = network()
    trace.memory(17, 1000, 0xA0).memory(43, 10, 0xA2).memory(73, 500, 0xB0, ENGINE).memory(80, -1000, 0xA0).memory(92, 7, 0xC0)
    trace.memory(34, 300, 0xA1, device_type=1, device_id=0)
    rows = by_name(report_of(trace, tmp_path))
    assert rows["Linear_0"].alloc_self_bytes == {"cpu": 1500}
    assert rows["Net_0"].alloc_self_bytes == {"cpu": 10}
    assert rows["Net_0"].alloc_total_bytes == {"cpu": 1510, "cuda:0": 300}
    assert rows["Net_0"].peak_total_bytes == {"cpu": 1510, "cuda:0": 300}
    assert rows["ReLU_0"].peak_self_bytes == {"cuda:0": 300}


def test_a_window_clips_time_and_counts_what_begins_in_it(tmp_path: Path) -> None:
    path = network().write(tmp_path / "rank0.pt.trace.json")
    linked = link(read_trace(path, lambda done, total: None), str(path))
    origin = int(linked.trace.frames.ts_ns.min()) - 10_000
    rows = by_name(modules(linked, (origin + 20_000, origin + 35_000)))
    assert {name: row.host_self_us for name, row in rows.items()} == {"Net_0": 2, "Linear_0": 10, "ReLU_0": 3}
    assert {name: (row.calls, row.operators) for name, row in rows.items()} == {"Net_0": (0, 0), "Linear_0": (0, 0), "ReLU_0": (1, 1)}
    assert rows["Linear_0"].device_self_us == 15


def test_a_module_run_again_by_checkpointing_stands_where_it_stood_in_forward(tmp_path: Path) -> None:
    trace = TraceMaker(end_us=200.0)
    trace.module("Net", 0, 10, 40).module("Block", 0, 12, 20)
    trace.op("CheckpointFunction", 11, 25, seq=1).op("aten::mm", 14, 4).kernel("gemm", 15, 16, 5)
    trace.backward("CheckpointFunctionBackward", 60, 40, seq=1)
    trace.module("Block", 0, 62, 20).op("aten::mm", 64, 4, seq=7).kernel("gemm", 65, 66, 6)
    trace.backward("MmBackward0", 85, 10, seq=7).kernel("gemm_backward", 86, 87, 11)
    rows = report_of(trace, tmp_path).rows
    assert [(row.name, row.depth, row.calls) for row in rows] == [("Net_0", 0, 1), ("Block_0", 1, 2)]
    assert (rows[1].device_self_us, rows[1].device_backward_self_us) == (5 + 6, 11)
    assert (rows[1].host_self_us, rows[0].host_backward_self_us, rows[1].host_backward_self_us) == (20 + 20, 40 - 20 - 10, 10)


def test_a_trace_without_modules_has_no_rows(tmp_path: Path) -> None:
    report = report_of(TraceMaker().op("aten::mm", 10, 5).kernel("gemm", 11, 12, 8), tmp_path)
    assert (report.rows, report.device_us, report.device_outside_us) == ([], 8, 8)


@pytest.mark.skipif(not GOLDEN.is_dir(), reason="the TensorBoard plugin's traces are not at hand (shared/traces beside the checkout)")
def test_the_tree_is_that_of_the_tensorboard_plugin() -> None:
    """Its own test expects two roots, Conv2 and MyModule, and Linear below the latter."""
    path = GOLDEN / "test_build_module_hierarchy_0.pt.trace.json"
    rows = modules(link(read_trace(path, lambda done, total: None), str(path))).rows
    assert [(row.name, row.parent) for row in rows] == [("MyModule_0", -1), ("Linear_1", 0), ("Conv2_100", -1)]
    assert [(row.calls, row.operators, row.host_total_us) for row in rows[:2]] == [(3, 0, 3 * 211), (3, 3, 3 * 62)]
    # The plugin takes operators off a module's own host time (3 * 62 - 31 - 32 - 33 for Linear), but not off its own device time.
    assert [row.host_self_us for row in rows[:2]] == [3 * 211 - 3 * 62, 3 * 62]
