"""Memory of devices on programs whose events are placed by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from kinetoscope.analysis.lines import report_of
from kinetoscope.analysis.memory import DeviceMemoryReport, Owner, Peak, memory
from kinetoscope.analysis.memory_curve import POINTS_AT_MOST
from kinetoscope.analysis.memory_stack import MOMENTS_AT_MOST, OWNERS_AT_MOST, MemoryStack, OwnerCurve
from kinetoscope.linking.linked import LinkedTrace, link
from kinetoscope.trace.reader import read_trace
from support.kineto import ENGINE, ENTER, LINE, MAIN, TraceMaker

GOLDEN = Path(__file__).resolve().parents[4] / "shared" / "traces" / "tb_plugin_golden" / "inline"
LATER = 400.0


class OnGpu(TraceMaker):
    """A trace whose memory is on the first GPU. It begins at 0 and goes on until after `LATER`."""

    def __init__(self) -> None:
        super().__init__(end_us=500.0)
        self.op("start", 0, 1).op("end", LATER, 1)

    def memory(
        self, at: float, size: int, address: int, tid: int = MAIN, device_type: int = 1, device_id: int = 0, **totals: int
    ) -> TraceMaker:
        return super().memory(at, size, address, tid, device_type, device_id, **totals)


def linked_of(trace: TraceMaker, folder: Path) -> LinkedTrace:
    path = trace.write(folder / "rank0.pt.trace.json")
    return link(read_trace(path, lambda done, total: None), str(path))


def device_of(trace: TraceMaker, folder: Path, window_us: tuple[float, float] | None = None) -> DeviceMemoryReport:
    linked = linked_of(trace, folder)
    window = (round(window_us[0] * 1000), round(window_us[1] * 1000)) if window_us else None
    [device] = memory(linked, window).devices
    return device


def peak_of(trace: TraceMaker, folder: Path) -> Peak:
    peak = device_of(trace, folder).peak
    assert peak is not None
    return peak


def category_of(trace: TraceMaker, folder: Path) -> str:
    """Of the only block."""
    [event] = device_of(trace, folder).events
    return event.category


def named(owners: list[Owner]) -> dict[str, int]:
    return {owner.name: owner.bytes for owner in owners}


def test_the_curve_is_what_the_trace_says_was_allocated_and_reserved(tmp_path: Path) -> None:
    trace = OnGpu().memory(10, 100, 0xA, allocated=1100, reserved=4096).memory(20, 50, 0xB, allocated=1150, reserved=4096)
    trace.memory(30, -100, 0xA, allocated=1050, reserved=2048)
    device = device_of(trace, tmp_path)
    assert (device.device, device.curve.allocated_bytes, device.curve.reserved_bytes) == ("cuda:0", [1100, 1150, 1050], [4096, 4096, 2048])
    assert [at - device.curve.at_us[0] for at in device.curve.at_us] == [0, 10, 20]
    assert (device.curve.peak_allocated_bytes, device.curve.peak_reserved_bytes, device.curve.from_start) == (1150, 4096, False)
    assert device.peak is not None
    assert (device.peak.recorded_bytes, device.peak.before_bytes) == (150, 1000)


def test_without_totals_the_curve_counts_from_the_start_of_the_recording(tmp_path: Path) -> None:
    device = device_of(OnGpu().memory(10, 100, 0xA).memory(20, 50, 0xB).memory(30, -100, 0xA), tmp_path)
    assert (device.curve.allocated_bytes, device.curve.reserved_bytes, device.curve.from_start) == ([100, 150, 50], [], True)
    assert device.curve.peak_reserved_bytes is None
    assert device.peak is not None
    assert device.peak.before_bytes is None


def test_a_long_curve_has_a_bounded_number_of_points_and_both_peaks(tmp_path: Path) -> None:
    trace, total = OnGpu(), 0
    for number in range(3 * POINTS_AT_MOST):
        size = 700 if number == 5001 else 10 if number % 2 == 0 else -10
        total += size
        trace.memory(2 + number * 0.03, size, number // 2, allocated=total, reserved=9000 if number == 7000 else 800)
    curve = device_of(trace, tmp_path).curve
    assert len(curve.at_us) <= POINTS_AT_MOST
    assert curve.events == 3 * POINTS_AT_MOST
    assert max(curve.allocated_bytes) == curve.peak_allocated_bytes == 720
    assert max(curve.reserved_bytes) == curve.peak_reserved_bytes == 9000
    assert curve.at_us == sorted(curve.at_us)
    assert curve.allocated_bytes[-1] == total


def test_a_block_lives_from_its_allocation_to_the_next_release_at_its_address(tmp_path: Path) -> None:
    trace = OnGpu().op("aten::add", 10, 20).op("aten::empty_strided", 11, 5)
    trace.memory(12, 100, 0xA).memory(20, 30, 0xB).memory(40, -100, 0xA).memory(50, 200, 0xA).memory(60, -7, 0xC)
    events = device_of(trace, tmp_path).events
    start = events[0].allocated_us or 0

    def at(us: float | None) -> float | None:
        return None if us is None else us - start

    assert [(e.bytes, at(e.allocated_us), at(e.released_us), e.operator) for e in events] == [
        (100, 0, 28, "aten::add (aten::empty_strided)"),
        (30, 8, None, "aten::add"),
        (200, 38, None, ""),
        (7, None, 48, ""),
    ]


def test_operators_have_what_they_allocated_themselves_and_with_those_they_call(tmp_path: Path) -> None:
    trace = OnGpu().op("aten::linear", 10, 40).op("aten::addmm", 20, 10).op("aten::linear", 60, 10).op("aten::linear", 61, 5)
    trace.memory(12, 100, 0xA).memory(22, 30, 0xB).memory(25, -100, 0xA).memory(62, 8, 0xC)
    rows = {row.name: row for row in device_of(trace, tmp_path).operators}
    linear, addmm = rows["aten::linear"], rows["aten::addmm"]
    assert (linear.calls, addmm.calls) == (2, 1)  # a call that holds nothing but itself is one
    assert (linear.increase_self_bytes, linear.allocation_self_bytes, linear.allocation_self_count) == (108, 108, 2)
    assert (linear.increase_total_bytes, linear.allocation_total_bytes, linear.allocation_total_count) == (38, 138, 3)
    assert (addmm.increase_self_bytes, addmm.allocation_self_bytes, addmm.allocation_self_count) == (-70, 30, 1)


def test_the_peak_is_owned_by_lines_operators_modules_and_phases(tmp_path: Path) -> None:
    trace = OnGpu()
    file = trace.source("/project/train.py", "def main():\n    y = net(x)\n    y.backward()\n    optimizer.step()\n")
    main = trace.code(file, "main", 1)
    trace.log().add(2, ENTER, main, 1).add(3, LINE, main, 2).add(60, LINE, main, 3).add(100, LINE, main, 4)
    trace.module("Linear", 3, 10, 20).op("aten::addmm", 12, 10, seq=1).memory(13, 1000, 0xA)
    trace.op("aten::to", 40, 5).memory(41, 5, 0xB)
    trace.backward("AddmmBackward0", 70, 10, ENGINE, seq=1).memory(72, 300, 0xC, ENGINE)
    trace.event("user_annotation", "Optimizer.step#Adam.step", 101, 20).op("aten::zeros_like", 102, 5).memory(103, 80, 0xD)
    trace.memory(150, -1000, 0xA)
    linked = linked_of(trace, tmp_path)
    peak = peak_of(trace, tmp_path)
    assert peak.recorded_bytes == 1385
    lines = [(row.file, row.line, row.precision, row.bytes) for row in peak.lines]
    assert lines == [("/project/train.py", 2, "line", 1305), ("/project/train.py", 4, "line", 80)]
    assert named(peak.operators) == {"aten::addmm": 1000, "AddmmBackward0": 300, "aten::zeros_like": 80, "aten::to": 5}
    assert named(peak.modules) == {"Linear_3": 1300, "": 85}
    assert named(peak.phases) == {"forward": 1000, "backward": 300, "optimizer": 80, "other": 5}
    assert named(peak.categories) == {"activation": 1000, "gradient": 300, "optimizer state": 80, "unknown": 5}
    of_lines = {(row.file, row.line): row.peak_bytes["cuda:0"] for row in report_of(linked).rows if row.peak_bytes}
    assert {(row.file, row.line): row.bytes for row in peak.lines} == of_lines


def test_an_activation_is_alive_when_its_backward_operator_begins(tmp_path: Path) -> None:
    trace = OnGpu().op("aten::linear", 10, 10, seq=1).op("aten::addmm", 11, 8, seq=1).memory(12, 100, 0xA)
    trace.backward("AddmmBackward0", 60, 10, seq=1).memory(65, -100, 0xA)
    assert category_of(trace, tmp_path) == "activation"


def test_what_forward_drops_before_backward_is_temporary_if_its_operator_dropped_it_else_not_known(tmp_path: Path) -> None:
    def released(at: float) -> TraceMaker:
        trace = OnGpu().op("aten::linear", 10, 10, seq=1).op("aten::addmm", 11, 3, seq=1).memory(12, 100, 0xA).memory(at, -100, 0xA)
        trace.backward("AddmmBackward0", 60, 10, seq=1)
        return trace

    assert category_of(released(18), tmp_path) == "temporary"
    assert category_of(released(30), tmp_path) == "unknown"


def test_what_backward_allocates_is_a_gradient_if_it_outlives_the_pass(tmp_path: Path) -> None:
    def backward(released_at: float | None) -> TraceMaker:
        trace = OnGpu().op("aten::mm", 10, 5, seq=1).op("aten::relu", 20, 5, seq=2)
        trace.backward("ReluBackward0", 60, 10, ENGINE, seq=2).memory(62, 100, 0xA, ENGINE).backward("MmBackward0", 75, 10, ENGINE, seq=1)
        return trace.memory(released_at, -100, 0xA, ENGINE) if released_at else trace

    assert category_of(backward(80), tmp_path) == "temporary"
    assert category_of(backward(200), tmp_path) == "gradient"
    assert category_of(backward(None), tmp_path) == "gradient"


def test_where_the_recording_ends_with_backward_nothing_is_called_a_gradient(tmp_path: Path) -> None:
    trace = OnGpu().op("aten::mm", LATER + 10, 5, seq=1)
    trace.backward("MmBackward0", LATER + 20, 10, ENGINE, seq=1).memory(LATER + 22, 100, 0xA, ENGINE)
    assert category_of(trace, tmp_path) == "unknown"


def test_an_optimizer_keeps_its_state_and_drops_the_rest(tmp_path: Path) -> None:
    def step(released_at: float | None) -> TraceMaker:
        trace = OnGpu().event("user_annotation", "Optimizer.step#Adam.step", 20, 30)
        trace.op("aten::zeros_like", 22, 5).memory(23, 64, 0xA)
        return trace.memory(released_at, -64, 0xA) if released_at else trace

    assert category_of(step(None), tmp_path) == "optimizer state"
    assert category_of(step(40), tmp_path) == "temporary"
    assert category_of(step(100), tmp_path) == "unknown"


def test_what_torch_allocates_for_a_new_module_is_a_parameter(tmp_path: Path) -> None:
    trace = OnGpu()
    trace.frame("torch/nn/modules/linear.py(95): __init__", 10, 20).op("aten::empty", 12, 5).memory(13, 64, 0xA)
    assert category_of(trace, tmp_path) == "parameter"


def test_what_a_model_drops_before_it_returns_is_temporary(tmp_path: Path) -> None:
    trace = OnGpu().module("Net", 0, 10, 50).module("Linear", 0, 12, 10).op("aten::addmm", 13, 5)
    assert category_of(trace.memory(14, 64, 0xA).memory(40, -64, 0xA), tmp_path) == "temporary"


def test_a_window_has_its_own_peak_to_which_what_was_alive_counts(tmp_path: Path) -> None:
    trace = OnGpu().op("aten::mm", 10, 5).op("aten::add", 50, 5).op("aten::mul", 60, 5)
    trace.memory(12, 1000, 0xA).memory(20, 500, 0xB).memory(30, -500, 0xB).memory(52, 40, 0xC).memory(62, 2, 0xD).memory(70, -2, 0xD)
    device = device_of(trace, tmp_path, (40, 65))
    assert (device.curve.allocated_bytes, device.curve.events) == ([1000, 1040, 1042], 2)
    assert device.curve.at_us[0] == 40
    assert device.peak is not None
    assert named(device.peak.operators) == {"aten::mm": 1000, "aten::add": 40, "aten::mul": 2}
    assert {(row.name, row.calls, row.allocation_self_bytes) for row in device.operators} == {("aten::add", 1, 40), ("aten::mul", 1, 2)}
    assert [event.bytes for event in device.events] == [40, 2]


def test_a_trace_without_memory_has_no_devices(tmp_path: Path) -> None:
    assert memory(linked_of(OnGpu(), tmp_path)).devices == []


@pytest.mark.skipif(not GOLDEN.is_dir(), reason="the TensorBoard plugin's traces are not at hand (shared/traces beside the checkout)")
def test_operators_are_those_of_the_tensorboard_plugin() -> None:
    """Its own test expects, by operator: self increase, self allocation, self count, increase, allocation, count, calls."""
    path = GOLDEN / "test_memory_view_0.pt.trace.json"
    devices = memory(link(read_trace(path, lambda done, total: None), str(path))).devices
    found = {
        device.device: {
            row.name: [
                row.increase_self_bytes,
                row.allocation_self_bytes,
                row.allocation_self_count,
                row.increase_total_bytes,
                row.allocation_total_bytes,
                row.allocation_total_count,
                row.calls,
            ]
            for row in device.operators
        }
        for device in devices
    }
    assert found == {
        "cpu": {
            "aten::to": [4, 4, 1, 4, 4, 1, 4],
            "aten::liner": [0, 100, 1, 50, 150, 2, 1],
            "aten::tranas_stride": [50, 50, 1, 50, 50, 1, 1],
            "aten::transpose": [0, 0, 0, 50, 50, 1, 1],
            "aten::t": [0, 0, 0, 50, 50, 1, 1],
        },
        "cuda:0": {
            "aten::to": [104, 104, 2, 104, 204, 3, 4],
            "aten::nll_loss_backward": [0, 10, 1, 0, 10, 1, 1],
            "aten::copy_": [0, 100, 1, 0, 100, 1, 1],
            "aten::addmm": [0, 30, 1, 0, 30, 1, 1],
            "aten::tranas_stride": [0, 50, 1, 0, 50, 1, 1],
            "aten::transpose": [0, 50, 1, 0, 100, 2, 1],
            "aten::t": [0, 100, 1, 0, 200, 3, 1],
            "aten::liner": [20, 130, 3, 20, 360, 7, 1],
        },
    }


def stack_of(trace: TraceMaker, folder: Path, window_us: tuple[float, float] | None = None) -> MemoryStack:
    stack = device_of(trace, folder, window_us).stack
    assert stack is not None
    return stack


def curves(of: list[OwnerCurve]) -> dict[str, list[int]]:
    return {curve.name: curve.bytes for curve in of}


def test_the_stack_says_who_had_the_memory_after_each_event(tmp_path: Path) -> None:
    trace = OnGpu().module("Linear", 3, 10, 20).op("aten::mm", 12, 10).op("aten::add", 40, 10)
    trace.memory(13, 100, 0xA, allocated=1100, reserved=4096).memory(41, 30, 0xB, allocated=1130, reserved=4096)
    trace.memory(60, -100, 0xA, allocated=1030, reserved=4096)
    stack = stack_of(trace, tmp_path)
    assert curves(stack.operators) == {"aten::mm": [100, 100, 0], "aten::add": [0, 30, 30]}
    assert curves(stack.modules) == {"Linear_3": [100, 100, 0], "": [0, 30, 30]}
    assert curves(stack.phases) == {"forward": [100, 100, 0], "other": [0, 30, 30]}
    assert stack.before_bytes == [1000, 1000, 1000]
    assert [at - stack.at_us[0] for at in stack.at_us] == [0, 28, 47]


def test_a_block_ends_where_its_address_is_given_again(tmp_path: Path) -> None:
    trace = OnGpu().op("aten::mm", 12, 10).op("aten::add", 40, 10).memory(13, 100, 0xA).memory(41, 30, 0xA)
    stack = stack_of(trace, tmp_path)
    assert curves(stack.operators) == {"aten::mm": [100, 0], "aten::add": [0, 30]}
    assert stack.before_bytes == []  # the trace has no totals


def test_a_window_begins_with_what_was_alive(tmp_path: Path) -> None:
    trace = OnGpu().op("aten::mm", 12, 10).op("aten::add", 40, 10).memory(13, 100, 0xA).memory(41, 30, 0xB).memory(80, -100, 0xA)
    stack = stack_of(trace, tmp_path, (30, 70))
    assert curves(stack.operators) == {"aten::mm": [100, 100], "aten::add": [0, 30]}
    assert stack.at_us == [30, 41]


def test_owners_beyond_the_first_are_put_together(tmp_path: Path) -> None:
    trace = OnGpu()
    for number in range(OWNERS_AT_MOST + 2):
        trace.op(f"op{number}", 10 * number + 10, 5).memory(10 * number + 11, 100 - number, number)
    operators = stack_of(trace, tmp_path).operators
    assert [(curve.name, curve.owners, curve.bytes[-1]) for curve in operators[-2:]] == [("op5", 1, 95), ("", 2, 94 + 93)]
    assert len(operators) == OWNERS_AT_MOST + 1


def test_a_long_stack_is_bounded_keeps_the_peak_and_adds_up(tmp_path: Path) -> None:
    trace, total = OnGpu(), 5000
    for number in range(20 * MOMENTS_AT_MOST):
        at, size = 2 + number * 0.05, 700 if number == 2501 else 10 if number % 2 == 0 else -10
        total += size
        if number % 40 == 0:
            trace.op(f"op{number % 7}", at - 0.01, 1)
        trace.memory(at, size, 10**6 if number == 2501 else number // 2, allocated=total, reserved=9000)
    device = device_of(trace, tmp_path)
    stack, peak = device.stack, device.peak
    assert stack is not None
    assert peak is not None
    assert len(stack.at_us) <= MOMENTS_AT_MOST
    assert stack.at_us == sorted(stack.at_us)
    assert stack.at_us[-1] == device.curve.at_us[-1]
    at_peak = stack.at_us.index(peak.at_us)
    for kind in ("lines", "operators", "modules", "phases", "categories"):
        sums = [sum(column) for column in zip(*(curve.bytes for curve in getattr(stack, kind)), strict=True)]
        assert max(sums) == sums[at_peak] == peak.recorded_bytes
        owned = {owner.name: owner.bytes for owner in getattr(peak, kind)}
        assert {curve.name: curve.bytes[at_peak] for curve in getattr(stack, kind) if curve.bytes[at_peak] > 0} == owned
    assert set(stack.before_bytes) == {5000}


def test_a_pause_has_what_was_alive_in_it_not_what_was_at_most_before_it(tmp_path: Path) -> None:
    trace = OnGpu()
    for number in range(2 * MOMENTS_AT_MOST):
        trace.memory(2 + number * 0.001, 10 if number % 2 == 0 else -10, number // 2)
    trace.memory(LATER, 5, 10**6)
    stack = stack_of(trace, tmp_path)
    assert [curve.bytes for curve in stack.phases] == [[10, 0, 5]]


def test_without_addresses_nobody_is_in_the_stack(tmp_path: Path) -> None:
    assert device_of(OnGpu().memory(10, 100, -1).memory(20, -100, -1), tmp_path).stack is None
