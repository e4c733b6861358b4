"""Operators' times and what they are put together by, on traces whose truth is known by construction."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kinetoscope.analysis.operators import GroupBy, Operator, Operators, operators
from kinetoscope.linking.linked import link
from kinetoscope.trace.reader import read_trace
from support.kineto import ENGINE, ENTER, LINE, TraceMaker


def of(maker: TraceMaker, folder: Path, group_by: GroupBy = "name", window: tuple[float, float] | None = None) -> Operators:
    path = maker.write(folder / "t.json")
    window_ns = (round(window[0] * 1000), round(window[1] * 1000)) if window else None
    return operators(link(read_trace(path, lambda done, total: None), str(path)), window_ns, group_by)


def by_name(view: Operators) -> dict[str, Operator]:
    return {row.name: row for row in view.rows}


def times(row: Operator) -> tuple[int, float, float, float, float]:
    return row.calls, row.host_self_us, row.host_total_us, row.device_self_us, row.device_total_us


def launch(maker: TraceMaker, category: str, call: str, at: float, dur: float, kernel: str = "gemm", **args: Any) -> TraceMaker:
    """A call of 2 µs and its kernel, 100 µs later."""
    number = len(maker.events) + 1
    maker.event(category, call, at, 2, correlation=number, **args)
    return maker.event("kernel", kernel, at + 100, dur, 7, device=0, stream=7, correlation=number, **args)


def test_self_is_without_operators_inside_and_own_runtime_calls(tmp_path: Path) -> None:
    maker = TraceMaker().op("aten::linear", 0, 50).op("aten::addmm", 10, 30)
    launch(launch(maker, "cuda_runtime", "cudaLaunchKernel", 15, 7), "cuda_runtime", "cudaLaunchKernel", 45, 5, "add")
    rows = by_name(of(maker, tmp_path))
    assert times(rows["aten::linear"]) == (1, 18, 50, 5, 12)
    assert times(rows["aten::addmm"]) == (1, 28, 30, 7, 7)


@pytest.mark.parametrize(
    ("category", "call"),
    [("cuda_runtime", "cudaLaunchKernel"), ("cuda_driver", "cuLaunchKernelEx"), ("Runtime", "cudaLaunchKernel")],
)
def test_device_time_comes_through_every_kind_of_launch(category: str, call: str, tmp_path: Path) -> None:
    """F1 and F3: the plugin knew no `cuda_runtime` in its last release and no `cuda_driver` ever."""
    view = of(launch(TraceMaker().op("aten::mm", 0, 50), category, call, 10, 9), tmp_path)
    assert view.rows[0].device_self_us == 9
    assert view.unlinked_device_us == 0


def test_an_external_id_that_is_the_correlation_misleads_nobody(tmp_path: Path) -> None:
    """F2: the plugin joined launch and operator by External id only."""
    maker = TraceMaker()
    maker.event("cpu_op", "aten::mm", 0, 50, **{"External id": 77}).event("cpu_op", "aten::add", 60, 20, **{"External id": 2})
    maker.event("cuda_runtime", "cudaLaunchKernel", 10, 2, correlation=2, **{"External id": 2})
    maker.event("kernel", "gemm", 110, 9, 7, device=0, stream=7, correlation=2, **{"External id": 2})
    rows = by_name(of(maker, tmp_path))
    assert (rows["aten::mm"].device_self_us, rows["aten::add"].device_self_us) == (9, 0)


def test_ranges_that_cross_by_rounding_are_all_kept_and_none_is_negative(tmp_path: Path) -> None:
    """F15: the plugin dropped a range that ended a fraction of a microsecond after the one around it."""
    maker = TraceMaker().op("aten::conv2d", 0.125, 10.25).op("aten::convolution", 0.25, 10.5).op("aten::relu", 10.75, 2)
    rows = by_name(of(maker, tmp_path))
    assert times(rows["aten::conv2d"]) == (1, 0.125, 10.25, 0, 0)
    assert times(rows["aten::convolution"]) == (1, 10.5, 10.5, 0, 0)
    assert times(rows["aten::relu"]) == (1, 2, 2, 0, 0)


def test_fractions_of_microseconds_are_not_rounded(tmp_path: Path) -> None:
    maker = TraceMaker().op("aten::mm", 0.125, 1.375)
    assert times(of(maker, tmp_path).rows[0]) == (1, 1.375, 1.375, 0, 0)


def test_an_operator_in_one_of_its_own_name_counts_once_in_totals(tmp_path: Path) -> None:
    maker = TraceMaker().op("aten::to", 0, 50).op("aten::copy_", 5, 10).op("aten::to", 20, 20)
    launch(maker, "cuda_runtime", "cudaMemcpyAsync", 25, 6)
    assert times(by_name(of(maker, tmp_path))["aten::to"]) == (2, 38, 50, 6, 6)


def test_an_operator_that_is_all_its_namesake_holds_is_the_same_call(tmp_path: Path) -> None:
    """As in the plugin."""
    maker = TraceMaker().op("aten::mm", 0, 50).op("aten::mm", 5, 40)
    assert times(of(maker, tmp_path).rows[0]) == (1, 50, 50, 0, 0)
    assert times(of(maker, tmp_path, window=(0, 2)).rows[0]) == (1, 50, 50, 0, 0)
    assert of(maker, tmp_path, window=(2, 60)).rows == []


def test_annotations_are_no_operators_and_hide_none(tmp_path: Path) -> None:
    maker = TraceMaker().op("aten::linear", 0, 50)
    maker.event("user_annotation", "my range", 5, 40)
    launch(maker, "cuda_runtime", "cudaLaunchKernel", 30, 4).op("aten::mm", 10, 10)
    maker.op("Optimizer.step#SGD.step", 60, 20)
    rows = by_name(of(maker, tmp_path))
    assert set(rows) == {"aten::linear", "aten::mm"}
    assert times(rows["aten::linear"]) == (1, 38, 50, 4, 4)


def test_calls_within_calls_and_operators_within_calls_count_once(tmp_path: Path) -> None:
    maker = TraceMaker().op("aten::mm", 0, 50)
    maker.event("cuda_runtime", "cudaLaunchKernel", 10, 20, correlation=1).event("cuda_driver", "cuLaunchKernel", 12, 5, correlation=2)
    maker.op("loading a module", 25, 3)
    assert times(by_name(of(maker, tmp_path))["aten::mm"]) == (1, 30, 50, 0, 0)


def test_a_call_that_reaches_over_its_operators_end_takes_none_beyond_it(tmp_path: Path) -> None:
    maker = TraceMaker().op("aten::mm", 0, 10).event("cuda_runtime", "cudaLaunchKernel", 8, 5, correlation=1)
    assert times(of(maker, tmp_path).rows[0]) == (1, 8, 10, 0, 0)


def test_device_work_of_no_operator_is_said_apart(tmp_path: Path) -> None:
    maker = TraceMaker().op("aten::mm", 0, 5)
    launch(maker, "cuda_runtime", "cudaLaunchKernel", 30, 4)
    maker.event("kernel", "unlaunched", 200, 3, 7, device=0, stream=7, correlation=999)
    assert of(maker, tmp_path).unlinked_device_us == 7


def test_a_graph_replay_belongs_to_the_operator_around_its_launch(tmp_path: Path) -> None:
    maker = TraceMaker().op("graphed", 0, 50).event("cuda_runtime", "cudaGraphLaunch", 10, 2, correlation=5)
    for number in range(3):
        maker.event("kernel", "gemm", 100 + 10 * number, 4, 7, device=0, stream=7, correlation=5)
    assert of(maker, tmp_path).rows[0].device_self_us == 12


def test_operators_of_other_threads_are_on_their_own(tmp_path: Path) -> None:
    maker = TraceMaker().op("aten::mm", 0, 50).op("MmBackward0", 10, 30, ENGINE)
    assert times(by_name(of(maker, tmp_path))["aten::mm"]) == (1, 50, 50, 0, 0)


def test_by_shape_operators_of_different_inputs_are_apart(tmp_path: Path) -> None:
    maker = TraceMaker()
    for number, size in enumerate((8, 4, 8)):
        inputs: dict[str, Any] = {"Input Dims": [[size, size], [size, size]]}
        maker.event("cpu_op", "aten::mm", 10 * number, 5, **inputs)
    view = of(maker, tmp_path, "shape")
    assert sorted((row.input_shape, row.calls) for row in view.rows) == [("[[4, 4], [4, 4]]", 1), ("[[8, 8], [8, 8]]", 2)]


def recorded() -> TraceMaker:
    """Two lines: 4 multiplies, forward and backward; 5 multiplies."""
    maker = TraceMaker()
    code = maker.code(maker.source("/project/train.py", "\n" * 9), "step", 3)
    maker.log().add(2, ENTER, code, 3).add(5, LINE, code, 4).add(50, LINE, code, 5).add(90, LINE, code, 6)
    maker.op("aten::mm", 10, 20, seq=1).op("aten::mm", 60, 10, seq=2)
    maker.op("MmBackward0", 100, 30, ENGINE, seq=1, fwd=1).op("aten::mm", 105, 10, ENGINE)
    return maker


def test_by_line_operators_go_to_the_line_of_the_user_and_backward_to_that_of_the_forward(tmp_path: Path) -> None:
    view = of(recorded(), tmp_path, "line")
    found = {(row.name, row.stack[-1].line, row.backward): row.host_self_us for row in view.rows if row.stack}
    assert found == {("aten::mm", 4, False): 20, ("aten::mm", 5, False): 10, ("MmBackward0", 4, True): 20, ("aten::mm", 4, True): 10}
    assert {row.stack[-1].precision for row in view.rows if row.stack} == {"line"}


def test_by_stack_operators_have_their_callers(tmp_path: Path) -> None:
    rows = [row for row in of(recorded(), tmp_path, "stack").rows if row.stack]
    assert {(row.stack[0].file, row.stack[0].function, row.stack[0].line) for row in rows} == {
        ("/project/train.py", "step", 4),
        ("/project/train.py", "step", 5),
    }


def test_call_stacks_that_old_torch_wrote_on_operators_give_lines_too(tmp_path: Path) -> None:
    text = "torch/nn/functional.py(1690): linear;model.py(12): forward;train.py(30): <module>"
    maker = TraceMaker().event("cpu_op", "aten::linear", 0, 5, **{"Call stack": text})
    (row,) = of(maker, tmp_path, "stack").rows
    assert [(frame.file, frame.line, frame.function) for frame in row.stack] == [("train.py", 30, "<module>"), ("model.py", 12, "forward")]
    (row,) = of(maker, tmp_path, "line").rows
    assert [(frame.file, frame.line, frame.precision) for frame in row.stack] == [("model.py", 12, "call")]


@pytest.mark.parametrize(
    ("name", "eligible"),
    [
        *((name, True) for name in ("aten::mm", "aten::conv2d", "aten::convolution_backward", "aten::mkldnn_convolution", "aten::lstm")),
        *((name, True) for name in ("aten::_scaled_dot_product_flash_attention_backward", "AddmmBackward0", "CudnnConvolutionBackward")),
        *((name, True) for name in ("ConvolutionBackward0", "aten::_scaled_mm", "ScaledDotProductEfficientAttentionBackward0")),
        *((name, False) for name in ("aten::add", "aten::mul", "AddBackward0", "aten::cumsum", "MulBackward0", "aten::comm")),
    ],
)
def test_operators_that_can_run_on_tensor_cores(name: str, eligible: bool, tmp_path: Path) -> None:
    assert of(TraceMaker().op(name, 0, 5), tmp_path).rows[0].tensor_cores_eligible is eligible


def test_the_share_of_tensor_cores_is_of_the_groups_device_time(tmp_path: Path) -> None:
    maker = TraceMaker().op("aten::conv2d", 0, 50).op("aten::cudnn_convolution", 10, 30)
    launch(maker, "cuda_runtime", "cudaLaunchKernel", 15, 15, "turing_fp16_s1688cudnn_fp16")
    launch(maker, "cuda_runtime", "cudaLaunchKernel", 45, 10, "add_bias")
    rows = by_name(of(maker, tmp_path))
    assert (rows["aten::conv2d"].tensor_cores_self_percent, rows["aten::conv2d"].tensor_cores_total_percent) == (0, 60)
    assert rows["aten::cudnn_convolution"].tensor_cores_self_percent == 100


def test_a_window_takes_the_operators_that_start_in_it_whole(tmp_path: Path) -> None:
    maker = TraceMaker().op("aten::linear", 0, 50).op("aten::mm", 10, 30).op("aten::add", 60, 10)
    launch(maker, "cuda_runtime", "cudaLaunchKernel", 15, 7)
    view = of(maker, tmp_path, window=(5, 60))
    assert {row.name: times(row) for row in view.rows} == {"aten::mm": (1, 28, 30, 7, 7)}


def test_a_trace_without_operators_has_no_rows(tmp_path: Path) -> None:
    for group_by in ("name", "shape", "stack", "line"):
        assert of(TraceMaker().kernel("gemm", launched_at=0, at=5, dur=5), tmp_path, group_by).rows == []
        assert of(TraceMaker(), tmp_path, group_by).rows == []
