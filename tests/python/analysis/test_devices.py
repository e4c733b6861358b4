"""One GPU has one name, that which users of torch write, whether it worked or allocated."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kinetoscope.analysis.devices import DeviceNames
from kinetoscope.trace.reader import read_trace
from support.kineto import TraceMaker

CUDA, HIP, XPU, MPS, HPU, PRIVATE = 1, 6, 12, 13, 15, 20


def names(maker: TraceMaker, folder: Path) -> DeviceNames:
    return DeviceNames(read_trace(maker.write(folder / "t.json"), lambda done, total: None))


def work(call: str, *devices: int) -> TraceMaker:
    """A kernel on each device, launched by `call`."""
    maker = TraceMaker()
    for number, device in enumerate(devices, start=1):
        maker.event("cuda_runtime", call, number, 1.0, correlation=number)
        maker.event("kernel", "gemm", 10 + number, 1.0, 7, correlation=number, device=device, stream=7)
    return maker


def test_work_and_memory_of_cuda_devices_have_torchs_names(tmp_path: Path) -> None:
    maker = work("cudaLaunchKernel", 1, 3).memory(1, 8, 1, device_type=CUDA, device_id=1).memory(1, 8, 2)
    assert names(maker, tmp_path).all() == ["cpu", "cuda:1", "cuda:3"]


def test_on_rocm_agent_2_is_the_gpu_that_torch_calls_cuda_0_where_it_alone_worked_and_allocated(tmp_path: Path) -> None:
    found = names(work("hipLaunchKernel", 2).memory(1, 8, 1, device_type=HIP, device_id=0), tmp_path)
    assert found.all() == ["cpu", "cuda:0"]
    assert (found.of_work(2), found.of_memory(HIP, 0), found.of_memory(0, -1)) == ("cuda:0", "cuda:0", "cpu")


@pytest.mark.parametrize(("installed", "name"), [(1, "cuda:0"), (8, "cuda (agent 2)")])
def test_on_rocm_without_memory_events_the_number_is_told_only_where_there_is_one_gpu(tmp_path: Path, installed: int, name: str) -> None:
    path = work("hipExtModuleLaunchKernel", 2).write(tmp_path / "t.json", indent=None)
    properties = json.dumps([{"id": number, "name": "AMD Instinct MI300X"} for number in range(installed)])
    path.write_text(path.read_text().replace('"deviceProperties": []', f'"deviceProperties": {properties}'))
    assert DeviceNames(read_trace(path, lambda done, total: None)).all() == ["cpu", name]


def test_several_gpus_on_rocm_are_not_guessed(tmp_path: Path) -> None:
    maker = work("hipLaunchKernel", 2, 3).memory(1, 8, 1, device_type=HIP, device_id=0)
    assert names(maker, tmp_path).all() == ["cpu", "cuda (agent 2)", "cuda (agent 3)", "cuda:0"]


@pytest.mark.parametrize(
    ("call", "device_type", "name"),
    [("urEnqueueKernelLaunch", XPU, "xpu:0"), ("", MPS, "mps:0"), ("", HPU, "hpu:0"), ("aclrtLaunchKernel", PRIVATE, "npu:0")],
)
def test_other_vendors(tmp_path: Path, call: str, device_type: int, name: str) -> None:
    maker = work(call, 0) if call else TraceMaker()
    assert names(maker.memory(1, 8, 1, device_type=device_type, device_id=0), tmp_path).all() == ["cpu", name]


def test_a_vendor_that_the_trace_does_not_name_is_a_device(tmp_path: Path) -> None:
    assert names(TraceMaker().memory(1, 8, 1, device_type=PRIVATE, device_id=2), tmp_path).all() == ["cpu", "device:2"]
