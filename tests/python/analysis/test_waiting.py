"""Which calls wait for the device, and that lines and the view of them say the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from kinetoscope.analysis.waiting import waiting_calls
from kinetoscope.linking.linked import LinkedTrace, link
from kinetoscope.trace.reader import read_trace
from support.kineto import MAIN, TraceMaker


def linked(maker: TraceMaker, folder: Path) -> LinkedTrace:
    path = maker.write(folder / "rank0.pt.trace.json")
    return link(read_trace(path, lambda done, total: None), str(path))


def copy(maker: TraceMaker, call: str, name: str, call_us: tuple[float, float], copy_us: tuple[float, float]) -> TraceMaker:
    """An asynchronous copy: when its call was on and when it ran itself."""
    maker.event("cuda_runtime", call, call_us[0], call_us[1] - call_us[0], MAIN, correlation=9)
    return maker.event("gpu_memcpy", name, copy_us[0], copy_us[1] - copy_us[0], 7, correlation=9, device=0, stream=7)


@pytest.mark.parametrize(
    "name",
    [
        "cudaStreamSynchronize",
        "cudaDeviceSynchronize",
        "hipEventSynchronize",
        "cudaMemcpy",
        "hipMemcpyWithStream",
        "cuStreamSynchronize",
        "cudaFree",
    ],
)
def test_a_call_that_waits_is_known_by_its_name(tmp_path: Path, name: str) -> None:
    maker = TraceMaker().event("cuda_runtime", name, 10, 5, MAIN, correlation=1)
    assert waiting_calls(linked(maker, tmp_path)).tolist() == [0]


@pytest.mark.parametrize(
    "name", ["cudaLaunchKernel", "cudaMemcpyAsync", "cudaStreamWaitEvent", "cudaEventQuery", "cudaMalloc", "cudaEventRecord"]
)
def test_a_call_that_only_enqueues_or_asks_does_not_wait(tmp_path: Path, name: str) -> None:
    maker = TraceMaker().event("cuda_runtime", name, 10, 5, MAIN, correlation=1)
    assert waiting_calls(linked(maker, tmp_path)).tolist() == []


def test_an_asynchronous_copy_from_the_device_waits_if_it_had_ended_when_its_call_returned(tmp_path: Path) -> None:
    pageable = copy(TraceMaker(), "cudaMemcpyAsync", "Memcpy DtoH (Device -> Pageable)", (10, 60), (50, 55))
    assert waiting_calls(linked(pageable, tmp_path)).tolist() == [0]
    pinned = copy(TraceMaker(), "cudaMemcpyAsync", "Memcpy DtoH (Device -> Pinned)", (10, 15), (50, 55))
    assert waiting_calls(linked(pinned, tmp_path)).tolist() == []


def test_a_copy_to_the_device_does_not_wait_for_it(tmp_path: Path) -> None:
    """The host copies into a buffer of the driver's and goes on; what PyTorch waits for is the synchronisation after it."""
    maker = copy(TraceMaker(), "cudaMemcpyAsync", "Memcpy HtoD (Pageable -> Device)", (10, 60), (50, 55))
    assert waiting_calls(linked(maker, tmp_path)).tolist() == []
