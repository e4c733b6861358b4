"""The overview's numbers, on traces whose truth is known by construction."""

from __future__ import annotations

from pathlib import Path

import pytest

from kinetoscope.analysis.overview import Overview, overview
from kinetoscope.linking.linked import link
from kinetoscope.trace.reader import read_trace
from support.kineto import ENGINE, TraceMaker
from support.matmul_add import matmul_add


def of(maker: TraceMaker, folder: Path, window: tuple[float, float] | None = None) -> Overview:
    path = maker.write(folder / "t.json")
    window_ns = (round(window[0] * 1000), round(window[1] * 1000)) if window else None
    return overview(link(read_trace(path, lambda done, total: None), str(path)), window_ns)


def us(view: Overview) -> dict[str, float]:
    return {category.name: category.us for category in view.categories}


def step(end: float, number: int = 1, start: float = 0) -> TraceMaker:
    return TraceMaker().event("user_annotation", f"ProfilerStep#{number}", start, end - start)


def copy(maker: TraceMaker, category: str, name: str, at: float, dur: float) -> TraceMaker:
    return maker.event(category, name, at, dur, 7, device=0, stream=7, correlation=0)


def test_each_moment_of_a_step_counts_for_the_first_role_that_had_work_in_it(tmp_path: Path) -> None:
    maker = step(100)
    maker.event("user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 60, 20)
    maker.op("aten::mm", 10, 40).kernel("gemm", launched_at=20, at=25, dur=10)
    copy(maker, "gpu_memcpy", "Memcpy HtoD", 30, 10)
    copy(maker, "gpu_memset", "Memset (Device)", 38, 4)
    maker.op("aten::stack", 65, 5)
    assert us(of(maker, tmp_path)) == {
        "Kernel": 10,
        "Memcpy": 5,
        "Memset": 2,
        "Runtime": 1,
        "DataLoader": 20,
        "CPU Exec": 22,
        "Other": 40,
    }


def test_categories_are_means_over_the_steps_and_sum_to_the_mean_step(tmp_path: Path) -> None:
    maker = step(100).event("user_annotation", "ProfilerStep#2", 100, 200).op("aten::mm", 10, 40).op("aten::mm", 110, 60)
    view = of(maker, tmp_path)
    assert (view.steps.count, view.steps.mean_us) == (2, 150)
    assert us(view) == {"DataLoader": 0, "CPU Exec": 50, "Other": 100}
    assert [category.percent for category in view.categories] == pytest.approx([0, 100 / 3, 200 / 3])
    assert [[category.us for category in one.categories] for one in view.steps.each] == [[0, 40, 60], [0, 60, 140]]


def test_time_in_python_alone_is_other_with_stacks_and_without(tmp_path: Path) -> None:
    maker = step(100).op("aten::mm", 10, 40)
    plain = us(of(maker, tmp_path))
    maker.event("python_function", "train.py(1): main", 0, 100, **{"Python id": 1, "Python parent id": -1})
    assert us(of(maker, tmp_path)) == plain == {"DataLoader": 0, "CPU Exec": 40, "Other": 60}


def test_runtime_calls_have_their_own_role_and_extend_steps_to_the_device(tmp_path: Path) -> None:
    """F4 of the plugin: it knew no `cuda_runtime`, so Runtime was 0 and steps ended with the host."""
    maker = step(100).op("aten::mm", 10, 10).kernel("gemm", launched_at=12, at=50, dur=80)
    view = of(maker, tmp_path)
    assert view.steps.each[0].us == 130
    assert us(view)["Runtime"] == 1


@pytest.mark.parametrize("category", ["cpu_op", "user_annotation"])
def test_data_loading_counts_whichever_way_torch_wrote_it(category: str, tmp_path: Path) -> None:
    """F5: the plugin dropped annotations, so DataLoader was always 0 on traces since torch 1.12."""
    maker = step(100)
    maker.event(category, "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", 5, 30)
    maker.event(category, "enumerate(DataPipe)#Shuffler", 50, 7)
    assert us(of(maker, tmp_path))["DataLoader"] == 37


@pytest.mark.parametrize("operation", ["_all_gather_base", "_reduce_scatter_base", "all_to_all", "send", "all_reduce"])
def test_every_collective_is_communication(operation: str, tmp_path: Path) -> None:
    """F14: the plugin knew five operations and matched their kernels by External id only."""
    maker = step(100).event("user_annotation", f"nccl:{operation}", 10, 5)
    maker.kernel("ncclDevKernel_Generic(ncclDevKernelArgsStorage<4096ul>)", launched_at=12, at=20, dur=30)
    view = of(maker, tmp_path)
    assert us(view)["Communication"] == 35
    assert us(view)["Kernel"] == 0


def test_a_kernel_of_any_name_launched_by_a_collective_communicates(tmp_path: Path) -> None:
    maker = step(100).event("user_annotation", "nccl:all_reduce", 10, 5, ENGINE)
    maker.kernel("my_ring", launched_at=12, at=20, dur=30, tid=ENGINE)
    assert us(of(maker, tmp_path))["Communication"] == 35


def test_the_use_of_a_device_is_of_the_time_from_the_first_step_to_the_last(tmp_path: Path) -> None:
    maker = step(100, start=0)
    maker.devices = [{"id": 0, "name": "A100", "totalGlobalMem": 1 << 30, "computeMajor": 8, "computeMinor": 0}]
    for number, (name, at, dur, blocks, occupancy) in enumerate(
        (("ampere_fp16_s16816gemm", 10, 20, 0.5, 40), ("plain", 20, 20, 0.7, 10), ("plain", 60, 10, 3.0, 70)), start=1
    ):
        maker.event("cuda_runtime", "cudaLaunchKernel", number, 0.5, correlation=number)
        told = {"blocks per SM": blocks, "est. achieved occupancy %": occupancy}
        maker.event("kernel", name, at, dur, 7, device=0, stream=number, correlation=number, **told)
    (device,) = of(maker, tmp_path).devices
    assert (device.id, device.device, device.name, device.memory_bytes, device.compute_capability) == (0, "cuda:0", "A100", 1 << 30, "8.0")
    assert device.utilization == pytest.approx(40)  # 10–40 and 60–70
    assert device.sm_efficiency == pytest.approx(0.5 * 10 + 1.0 * 10 + 0.7 * 10 + 1.0 * 10)
    assert device.occupancy == pytest.approx((40 * 20 + 10 * 20 + 70 * 10) / 50)
    assert device.tensor_core_share == pytest.approx(40)


def test_what_the_trace_does_not_say_of_a_device_is_none(tmp_path: Path) -> None:
    (device,) = of(step(100).kernel("gemm", launched_at=1, at=10, dur=20), tmp_path).devices
    assert (device.name, device.memory_bytes, device.compute_capability) == ("", None, None)
    assert (device.sm_efficiency, device.occupancy) == (None, None)


def test_a_window_takes_the_parts_of_steps_inside_it(tmp_path: Path) -> None:
    maker = step(100).event("user_annotation", "ProfilerStep#2", 100, 100).op("aten::mm", 10, 40).op("aten::mm", 110, 60)
    view = of(maker, tmp_path, (40, 120))
    assert [(one.number, one.us) for one in view.steps.each] == [(1, 60), (2, 20)]
    assert us(view) == {"DataLoader": 0, "CPU Exec": 10, "Other": 30}
    aside = of(maker, tmp_path, (300, 320))
    assert (aside.steps.count, aside.steps.marked, aside.steps.mean_us) == (1, False, 20)


def test_an_empty_trace_has_an_overview(tmp_path: Path) -> None:
    """F10: the plugin showed a step of −18,446,744,073,709,551,616 µs."""
    view = of(TraceMaker(), tmp_path)
    assert (view.steps.count, view.steps.mean_us, view.bound.kind) == (1, 0, None)


def test_the_world_of_small_matrices_is_bound_by_overhead(tmp_path: Path) -> None:
    view = of(matmul_add(64), tmp_path)
    assert view.bound.kind == "overhead"
    assert view.bound.evidence == "In 84 % of the step only the host works: kernels run in 16 % and take 2.0 µs on average."


def test_the_world_of_large_matrices_is_bound_by_compute(tmp_path: Path) -> None:
    view = of(matmul_add(4096), tmp_path)
    assert view.bound.kind == "compute"
    assert view.bound.evidence == "Kernels run in 100 % of the step, 94 % of their time in matrix products, convolutions and attention."


def test_kernels_that_move_data_make_a_step_bound_by_memory(tmp_path: Path) -> None:
    maker = step(100).kernel("void at::native::vectorized_elementwise_kernel", launched_at=1, at=5, dur=90)
    assert of(maker, tmp_path).bound.kind == "memory"


def test_kernels_whose_names_tell_nothing_bound_nothing(tmp_path: Path) -> None:
    bound = of(step(100).kernel("my_own", launched_at=1, at=5, dur=90), tmp_path).bound
    assert (bound.kind, bound.evidence) == (
        None,
        "Kernels run in 90 % of the step, but for 100 % of their time their names do not tell what they do.",
    )


def test_waiting_for_batches_makes_a_step_bound_by_input(tmp_path: Path) -> None:
    maker = step(100).event("user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 5, 60)
    bound = of(maker.kernel("gemm", launched_at=70, at=72, dur=20), tmp_path).bound
    assert (bound.kind, bound.evidence) == ("input", "60 % of the step is spent waiting for the data loader.")


def test_communication_that_nothing_overlaps_makes_a_step_bound_by_it(tmp_path: Path) -> None:
    maker = step(100).kernel("ncclDevKernel_AllReduce", launched_at=1, at=5, dur=60).kernel("gemm", launched_at=10, at=12, dur=5)
    assert of(maker, tmp_path).bound.kind == "communication"
