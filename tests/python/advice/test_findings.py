"""Each finding on a program made by hand that has the fault, and on one that has not.

A program runs two steps of 1,000 µs; in each its `main` stands on one line for 100 µs after the other: `LINES`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kinetoscope.advice.advise import FINDINGS, advice
from kinetoscope.advice.finding import Advice, Finding
from kinetoscope.analysis.format import counted
from kinetoscope.linking.linked import link
from kinetoscope.trace.reader import read_trace
from support.kineto import ENTER, LEAVE, LINE, MAIN, TraceMaker

LINES = ["batch = next(batches)", "y = model(batch)", "loss.backward()", "optimizer.step()", "optimizer.zero_grad()", "print(loss.item())"]
NEXT, MODEL, BACKWARD, STEP, ZERO, ITEM = range(2, 8)
STEPS, STEP_US = 2, 1000.0


class Program(TraceMaker):
    """`steps`: whether they are marked. Line `n` runs from `at(step, n)` for 100 µs."""

    def __init__(self, steps: bool = True) -> None:
        super().__init__(end_us=10 + STEPS * STEP_US + 10)
        file = self.source("/project/train.py", "\n".join(["def main():", *(f"    {line}" for line in LINES)]) + "\n")
        main = self.code(file, "main", 1)
        log = self.log().add(1, ENTER, main, 1)
        for step in range(STEPS):
            if steps:
                self.event("user_annotation", f"ProfilerStep#{step}", 10 + step * STEP_US, STEP_US)
            for line in range(NEXT, ITEM + 1):
                log.add(at(step, line), LINE, main, line)
        log.add(10 + STEPS * STEP_US, LEAVE, main)

    def call(self, name: str, start: float, dur: float, **args: Any) -> Program:
        """A runtime call."""
        self.event("cuda_runtime", name, start, dur, MAIN, **args)
        return self

    def device_work(self, category: str, name: str, start: float, dur: float, launch: str, launched_at: float, launch_us: float) -> Program:
        """Work of a runtime call that takes `launch_us`."""
        self._correlation += 1
        self.call(launch, launched_at, launch_us, correlation=self._correlation)
        self.event(category, name, start, dur, 7, correlation=self._correlation, device=0, stream=7, bytes=4096)
        return self


def at(step: int, line: int) -> float:
    return 10 + step * STEP_US + 100.0 * (line - NEXT)


def advice_of(program: Program, folder: Path) -> Advice:
    trace = read_trace(program.write(folder / "rank0.pt.trace.json"), lambda done, total: None)
    return advice(link(trace, "trace"), None)


Faulty = Callable[[bool], Program]


def each_step(build: Callable[[Program, int], None]) -> Program:
    program = Program()
    for step in range(STEPS):
        build(program, step)
    return program


def data_loader(fault: bool) -> Program:
    """The loader takes 100 µs; where the device works meanwhile that starves nobody."""

    def build(program: Program, step: int) -> None:
        program.event("user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", at(step, NEXT), 100)
        if not fault:
            program.kernel("gemm", at(step, NEXT) - 5, at(step, NEXT) - 2, 120)

    return each_step(build)


def synchronising(fault: bool) -> Program:
    """`.item()` waits 40 µs for a kernel; the next one starts 60 µs later. Without the fault nobody waits."""

    def build(program: Program, step: int) -> None:
        start = at(step, ITEM)
        program.kernel("gemm", start, start + 5, 45)
        if fault:
            program.op("aten::item", start + 8, 50).op("aten::_local_scalar_dense", start + 9, 48)
            program.call("cudaStreamSynchronize", start + 10, 40)
        program.kernel("relu", start + 100, start + 110, 10)

    return each_step(build)


def blocking_copies(fault: bool) -> Program:
    """A copy to the device, pageable and waited for 30 µs, or pinned and not; a kernel uses it."""

    def build(program: Program, step: int) -> None:
        start = at(step, NEXT)
        program.op("aten::to", start + 1, 60).op("aten::_to_copy", start + 2, 58).op("aten::copy_", start + 3, 56)
        name = "Memcpy HtoD (Pageable -> Device)" if fault else "Memcpy HtoD (Pinned -> Device)"
        program.device_work("gpu_memcpy", name, start + 12, 30, "cudaMemcpyAsync", start + 5, 10 if fault else 2)
        if fault:
            program.call("cudaStreamSynchronize", start + 20, 30)
        program.kernel("gemm", start + 60, start + 65, 10)

    return each_step(build)


def optimizer_loop(fault: bool, name: str = "AdamW", device: bool = True) -> Program:
    """60 operators with a kernel each, or one that is fused."""

    def build(program: Program, step: int) -> None:
        start = at(step, STEP)
        program.event("user_annotation", f"Optimizer.step#{name}.step", start + 1, 98)
        for index in range(60 if fault else 1):
            program.op("aten::mul_" if fault else "aten::_fused_adamw_", start + 2 + 1.5 * index, 1.2)
            if device:
                program.kernel("mul", start + 2.1 + 1.5 * index, start + 50 + 2 * index, 1)

    return each_step(build)


def zero_grad(fault: bool) -> Program:
    """Three gradients are filled, 5 µs each, the second by a call that calls another; or none is."""

    def build(program: Program, step: int) -> None:
        start = at(step, ZERO)
        program.event("user_annotation", "Optimizer.zero_grad#SGD.zero_grad", start + 1, 50)
        program.op("aten::zero_", start + 60, 5)  # another's
        for index in range(3 if fault else 0):
            program.op("aten::zero_", start + 2 + 10 * index, 5)
        if fault:
            program.op("aten::zero_", start + 13, 2)

    return each_step(build)


def unneeded_copies(fault: bool) -> Program:
    """`.to(copy=True)` of a float tensor to float, on the device, 20 µs; or to half."""

    def build(program: Program, step: int) -> None:
        start = at(step, MODEL)
        types = ["float", "float", ""] if fault else ["c10::Half", "float", ""]
        program.op("aten::to", start + 1, 30).op("aten::_to_copy", start + 2, 28)
        program.event("cpu_op", "aten::copy_", start + 3, 26, **{"Input type": types, "Input Dims": [[8], [8], []]})
        program.kernel("copy_kernel", start + 5, start + 20, 20)
        program.op("aten::contiguous", start + 40, 2)  # of a tensor that is contiguous: nothing happens

    return each_step(build)


def contiguous(fault: bool) -> Program:
    """`.contiguous()` that clones, 20 µs; or that has nothing to do."""

    def build(program: Program, step: int) -> None:
        start = at(step, MODEL)
        program.op("aten::contiguous", start + 1, 30)
        if fault:
            program.op("aten::clone", start + 2, 28).op("aten::copy_", start + 3, 26)
            program.kernel("copy_kernel", start + 5, start + 20, 20)

    return each_step(build)


def conv_bias(fault: bool) -> Program:
    """A convolution with a bias, which takes 7 µs to add, before a norm; or without, and one with a bias before no norm."""

    def build(program: Program, step: int) -> None:
        start = at(step, MODEL)
        for first, biased, follower in ((1, fault, "aten::batch_norm"), (50, True, "aten::relu")):
            dims = [[8, 3, 32, 32], [16, 3, 3, 3], [16] if biased else [], [], [], [], []]
            program.event("cpu_op", "aten::conv2d", start + first, 20, **{"Input Dims": dims})
            program.op("aten::convolution", start + first + 1, 18)
            if biased:
                program.op("aten::add_", start + first + 10, 5).kernel("add", start + first + 11, start + first + 13, 7)
            program.op(follower, start + first + 22, 8)

    return each_step(build)


def cudnn_search(fault: bool) -> Program:
    """Convolutions wait for timings in every step; or only in the first, when the search is new."""

    def build(program: Program, step: int) -> None:
        start = at(step, MODEL)
        program.op("aten::cudnn_convolution", start + 1, 60)
        program.kernel("conv", start + 3, start + 10, 10)
        if fault or step == 0:
            program.call("cudaEventSynchronize", start + 6, 15)

    return each_step(build)


def allocation_churn(fault: bool) -> Program:
    """Memory is taken and given back in every step; or taken in the first only."""

    def build(program: Program, step: int) -> None:
        if fault or step == 0:
            program.call("cudaMalloc", at(step, MODEL) + 1, 20)
        if fault:
            program.call("cudaFree", at(step, BACKWARD) + 1, 30)

    return each_step(build)


def data_parallel(fault: bool) -> Program:
    """On two devices, or on one."""

    def build(program: Program, step: int) -> None:
        program.event("user_annotation", "DataParallel.forward", at(step, MODEL), 80)
        program.kernel("gemm", at(step, MODEL) + 10, at(step, MODEL) + 20, 50)
        program.kernel("gemm", at(step, MODEL) + 12, at(step, MODEL) + 20, 50, device=1 if fault else 0)

    return each_step(build)


def gloo(fault: bool) -> Program:
    """The collectives of a program with a device go by gloo, or by NCCL."""

    def build(program: Program, step: int) -> None:
        program.event("user_annotation", "gloo:all_reduce" if fault else "nccl:all_reduce", at(step, BACKWARD), 40)
        program.kernel("gemm", at(step, MODEL) + 10, at(step, MODEL) + 20, 50)

    return each_step(build)


def communication(fault: bool) -> Program:
    """Gradients are reduced for 80 µs while nothing runs; or while a product does."""

    def build(program: Program, step: int) -> None:
        start = at(step, BACKWARD)
        program.event("user_annotation", "nccl:all_reduce", start + 1, 5).kernel(
            "ncclDevKernel_AllReduce", start + 2, start + 10, 80, stream=20
        )
        if not fault:
            program.kernel("gemm", start - 2, start, 95)

    return each_step(build)


def small_kernels(fault: bool) -> Program:
    """60 kernels, launched every 16 µs. Where they take 5 µs the device then waits 9 µs for the next launch, from one step to the next
    49 µs and at the start 20; where they take 14, it never does."""

    def build(program: Program, step: int) -> None:
        for index in range(60):
            launched = 30 + step * STEP_US + 16 * index
            program.kernel("relu", launched, launched + 2, 5 if fault else 14)

    return each_step(build)


def tensor_cores(
    fault: bool, capability: int = 8, types: str = "float", columns: int = 16, kernel: str = "ampere_sgemm_128x64_nn"
) -> Program:
    """A product of 100 µs, in float32 outside the Tensor Cores, or in half precision on them."""
    program = Program()
    program.devices = [{"id": 0, "name": "A GPU", "totalGlobalMem": 1 << 30, "computeMajor": capability, "computeMinor": 0}]
    for step in range(STEPS):
        start = at(step, MODEL)
        args: dict[str, Any] = {"Input type": [types if fault else "c10::Half"] * 2, "Input Dims": [[64, 64], [64, columns]]}
        program.event("cpu_op", "aten::mm", start + 1, 20, **args)
        program.kernel(kernel if fault else "ampere_fp16_s16816gemm_fp16_128x64_nn", start + 3, start + 5, 100)
    return program


MIB = 1 << 20


def with_memory(allocated_mib: int, reserved_mib: int, training: bool = False, of_step_mib: int = 1000) -> Program:
    """Of a device of 10,000 MiB; 1,000 of them, or more, are allocated in the step, by the forward pass."""
    program = Program()
    program.devices = [{"id": 0, "name": "A GPU", "totalGlobalMem": 10_000 * MIB, "computeMajor": 8, "computeMinor": 0}]
    start = at(1, MODEL) + 10
    totals = {"allocated": allocated_mib * MIB, "reserved": reserved_mib * MIB}
    program.memory(start, of_step_mib * MIB, 77, device_type=1, device_id=0, **totals)
    totals = {"allocated": (allocated_mib - of_step_mib) * MIB, "reserved": reserved_mib * MIB}
    program.memory(start + 50, -of_step_mib * MIB, 77, device_type=1, device_id=0, **totals)
    if training:
        program.op("aten::mm", start, 20, seq=1).backward("MmBackward0", at(1, BACKWARD) + 1, 20, seq=1)
    return program


def memory_limit(fault: bool) -> Program:
    return with_memory(9_100 if fault else 8_900, 9_200)


def fragmentation(fault: bool) -> Program:
    return with_memory(5_000 if fault else 6_500, 8_000)


CASES: list[tuple[str, Faulty, int, float | None]] = [
    ("data-loader", data_loader, NEXT, 100),
    ("synchronising-lines", synchronising, ITEM, 40),
    ("blocking-copies", blocking_copies, NEXT, 40),
    ("optimizer-loop", optimizer_loop, STEP, None),
    ("zero-grad", zero_grad, ZERO, 15),
    ("unneeded-copies", unneeded_copies, MODEL, 20),
    ("unneeded-copies", contiguous, MODEL, 20),
    ("conv-bias", conv_bias, MODEL, 7),
    ("cudnn-search", cudnn_search, MODEL, 15),
    ("allocation-churn", allocation_churn, MODEL, 50),
    ("data-parallel", data_parallel, MODEL, None),
    ("gloo", gloo, BACKWARD, None),
    ("communication", communication, BACKWARD, 80),
    ("small-kernels", small_kernels, MODEL, (20 + 2 * 59 * 9 + 49) / STEPS),
    ("tensor-cores", tensor_cores, MODEL, None),
    ("memory-limit", memory_limit, MODEL, None),
    ("fragmentation", fragmentation, MODEL, None),
]
"""id, program, line, gain of a step in µs"""
NAMED = [pytest.param(*case, id=case[1].__name__) for case in CASES]


def found(result: Advice, name: str) -> Finding | None:
    return next((finding for finding in result.findings if finding.id == name), None)


@pytest.mark.parametrize(("name", "program", "line", "gain"), NAMED)
def test_a_program_with_the_fault_is_told_with_line_and_gain(
    tmp_path: Path, name: str, program: Faulty, line: int, gain: float | None
) -> None:
    result = advice_of(program(True), tmp_path)
    finding = found(result, name)
    assert finding is not None
    assert finding.gain_us == (None if gain is None else pytest.approx(gain))
    assert finding.link.startswith("https://docs.pytorch.org/")
    assert finding.evidence
    lines = [each for each in result.lines if each.finding == name]
    assert line in [each.line for each in lines]
    assert {(each.file, each.source) for each in lines} <= {("/project/train.py", source) for source in LINES}
    assert [each.id for each in result.findings] == [name]


@pytest.mark.parametrize(("name", "program", "line", "gain"), NAMED)
def test_a_program_without_it_is_not(tmp_path: Path, name: str, program: Faulty, line: int, gain: float | None) -> None:
    assert advice_of(program(False), tmp_path).findings == []


def test_every_finding_has_its_two_programs() -> None:
    tested = {name for name, *_ in CASES}
    assert len(tested) == len(FINDINGS)


def test_a_trace_of_nothing_gets_no_advice_and_says_that_it_has_no_steps(tmp_path: Path) -> None:
    result = advice_of(Program(steps=False), tmp_path)
    assert (result.findings, result.steps) == ([], 0)
    assert result.notices == ["The recording has no steps: the numbers are of all of it."]


def test_of_a_part_in_which_no_step_begins_it_says_that_the_numbers_are_of_the_part(tmp_path: Path) -> None:
    program = Program().call("cudaMalloc", at(0, MODEL) + 1, 50).call("cudaMalloc", at(0, MODEL) + 60, 30)
    linked = link(read_trace(program.write(tmp_path / "rank0.pt.trace.json"), lambda done, total: None), "trace")
    result = advice(linked, (round(at(0, MODEL) * 1000), round(at(0, BACKWARD) * 1000)))
    assert (result.steps, result.step_us) == (0, 100)
    assert result.notices == ["No step begins in the selected part: the numbers are of that part as it is."]
    assert all("recording" not in finding.seen for finding in result.findings)


def test_numbers_are_of_a_step_and_those_of_a_chosen_step_are_its_own(tmp_path: Path) -> None:
    program = Program()
    program.event("user_annotation", "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", at(0, NEXT), 300)
    program.event("user_annotation", "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", at(1, NEXT), 100)
    finding = found(advice_of(program, tmp_path), "data-loader")
    assert finding is not None
    assert finding.gain_us == pytest.approx(200)
    assert "num_workers or prefetch_factor" in finding.remedy
    trace = read_trace(program.write(tmp_path / "trace.json"), lambda done, total: None)
    second = int(trace.ops.ts_ns[trace.ops.name == trace.names.index("ProfilerStep#1")][0])
    only = advice(link(trace, "trace"), (second, second + 1_000_000))
    chosen = found(only, "data-loader")
    assert chosen is not None
    assert (only.steps, chosen.gain_us) == (1, pytest.approx(100))


def test_where_no_device_worked_the_advice_on_loading_speaks_of_none(tmp_path: Path) -> None:
    on_cpu = found(advice_of(data_loader(True), tmp_path), "data-loader")
    assert on_cpu is not None
    assert "device" not in on_cpu.seen
    assert on_cpu.remedy == "Load in other processes: DataLoader(num_workers=4, persistent_workers=True)."
    program = data_loader(True)
    program.kernel("gemm", at(0, MODEL), at(0, MODEL) + 5, 45)
    with_device = found(advice_of(program, tmp_path), "data-loader")
    assert with_device is not None
    assert "while the device does nothing" in with_device.seen
    assert "pin_memory=True" in with_device.remedy


def test_lines_of_blocking_copies_have_the_hosts_time_and_count_a_copy_once(tmp_path: Path) -> None:
    result = advice_of(blocking_copies(True), tmp_path)
    finding = found(result, "blocking-copies")
    assert finding is not None
    host = next(evidence.value for evidence in finding.evidence if evidence.name == "host time")
    (line,) = [each for each in result.lines if each.finding == "blocking-copies"]
    # Its launch and its wait; the copy itself takes the device 30 µs.
    assert (line.us, line.calls) == (pytest.approx(10 + 30), 1)
    assert line.us == pytest.approx(host)


def test_the_wait_with_which_a_profiler_stops_is_no_line_of_the_program(tmp_path: Path) -> None:
    program = Program(steps=False)
    program.kernel("gemm", at(0, MODEL), at(0, MODEL) + 5, 45)
    program.call("cudaDeviceSynchronize", at(1, ITEM), 400)
    assert advice_of(program, tmp_path).findings == []


def test_an_optimizer_that_torch_cannot_fuse_is_advised_foreach_and_on_the_cpu_nothing(tmp_path: Path) -> None:
    finding = found(advice_of(optimizer_loop(True, "RMSprop"), tmp_path), "optimizer-loop")
    assert finding is not None
    assert finding.remedy == "Use RMSprop(…, foreach=True)."
    assert advice_of(optimizer_loop(True, "RMSprop", device=False), tmp_path).findings == []
    on_cpu = found(advice_of(optimizer_loop(True, "Adagrad", device=False), tmp_path), "optimizer-loop")
    assert on_cpu is not None
    assert on_cpu.remedy == "Use Adagrad(…, fused=True)."
    assert "kernels" not in on_cpu.seen + " ".join(evidence.name for evidence in on_cpu.evidence)
    assert advice_of(optimizer_loop(True, "FusedLAMB"), tmp_path).findings == []


def test_a_wait_after_which_no_device_idles_is_none_of_the_program_s_faults(tmp_path: Path) -> None:
    """The host waits for half of each step, but the device is kept busy by what was launched before."""

    def build(program: Program, step: int) -> None:
        program.kernel("gemm", at(step, NEXT), at(step, NEXT) + 2, 996)
        program.call("cudaStreamSynchronize", at(step, BACKWARD), 500)

    assert advice_of(each_step(build), tmp_path).findings == []


def test_waits_add_up_to_what_the_device_idles_later_since_the_host_is_late(tmp_path: Path) -> None:
    """The host waits for 30 and 30 µs, and only after the second wait the device idles, for 50: so much a step could be shorter at most.
    The 20 µs between two kernels that had both been launched are nobody's fault."""

    def build(program: Program, step: int) -> None:
        start = at(step, MODEL)
        program.kernel("gemm", start, start + 5, 35).kernel("gemm", start + 2, start + 60, 50)
        program.call("cudaStreamSynchronize", start + 10, 30).call("cudaStreamSynchronize", start + 80, 30)
        program.kernel("relu", start + 155, start + 160, 840)

    finding = found(advice_of(each_step(build), tmp_path), "synchronising-lines")
    assert finding is not None
    assert finding.gain_us == pytest.approx(50)


def test_what_helps_against_waiting_depends_on_the_call_and_on_whether_it_trains(tmp_path: Path) -> None:
    def remedy(call: str, training: bool) -> str:
        program = synchronising(True)
        for event in program.events:
            event["name"] = call if event["name"] == "cudaStreamSynchronize" else event["name"]
        if training:
            program.op("aten::mm", at(0, MODEL) + 1, 5, seq=1).backward("MmBackward0", at(0, BACKWARD) + 60, 5, seq=1)
        finding = found(advice_of(program, tmp_path), "synchronising-lines")
        assert finding is not None
        return finding.remedy

    assert remedy("cudaStreamSynchronize", True).startswith("Keep values on the device: add up losses")
    assert remedy("cudaDeviceSynchronize", False).startswith("Leave out torch.cuda.synchronize()")
    assert "copy results to the host together" in remedy("cudaStreamSynchronize", False)


def test_what_helps_against_communication_depends_on_who_communicates(tmp_path: Path) -> None:
    def remedy(*names: str, dtype: str = "Float", backward: bool = False, kind: str = "all_reduce") -> str:
        def build(program: Program, step: int) -> None:
            for name in names:
                program.event("user_annotation", name, at(step, MODEL), 50)
            if backward:
                program.op("aten::mm", at(step, MODEL) + 1, 5, seq=step).backward("MmBackward0", at(step, BACKWARD) + 60, 5, seq=step)
            program.event("user_annotation", f"nccl:{kind}", at(step, BACKWARD) + 1, 5)
            program.kernel("ncclDevKernel", at(step, BACKWARD) + 2, at(step, BACKWARD) + 10, 80, stream=20)
            program.events[-1]["args"] |= {"Collective name": kind, "dtype": dtype, "In msg nelems": 1000, "Out msg nelems": 1000}

        finding = found(advice_of(each_step(build), tmp_path), "communication")
        assert finding is not None
        return finding.remedy

    ddp = "DistributedDataParallel.forward"
    assert "model.no_sync()" in remedy(ddp)
    assert "bf16_compress_hook" in remedy(ddp)
    assert "bf16_compress_hook" not in remedy(ddp, dtype="BFloat16")
    assert remedy(backward=True).startswith("Let DistributedDataParallel reduce the gradients")
    assert remedy("FSDP::pre_forward (layers.0)", kind="_all_gather_base").startswith("Fetch the next layers' parameters earlier")
    assert "one part computes while the other communicates" in remedy(kind="all_to_all")
    assert remedy().startswith("Call it with async_op=True")


def test_nothing_is_said_of_gloo_s_messages_whose_ranges_last_until_somebody_waits(tmp_path: Path) -> None:
    def build(program: Program, step: int) -> None:
        program.event("user_annotation", "gloo:send", at(step, MODEL), 400, 300)

    assert advice_of(each_step(build), tmp_path).findings == []


def test_compiling_is_advised_only_where_it_is_not_done(tmp_path: Path) -> None:
    def remedy(name: str, launch: str) -> str:
        program = small_kernels(True)
        for step in range(STEPS):
            program.event("user_annotation", name, at(step, NEXT), 500)
            program.call(launch, at(step, NEXT) + 1, 1)
        finding = found(advice_of(program, tmp_path), "small-kernels")
        assert finding is not None
        return finding.remedy

    assert "torch.compile(model), which fuses kernels" in remedy("train", "cudaGetDevice")
    assert 'mode="reduce-overhead"' in remedy("Torch-Compiled Region: 0/0", "cudaGetDevice")
    assert "torch.compile" not in remedy("Torch-Compiled Region: 0/0", "cudaGraphLaunch")


def test_few_long_gaps_are_no_series_of_launches(tmp_path: Path) -> None:
    def build(program: Program, step: int) -> None:
        for index in range(30):
            program.kernel("relu", at(step, NEXT) + 2 * index, at(step, NEXT) + 100 + 5 * index, 5)

    assert advice_of(each_step(build), tmp_path).findings == []


def test_tensor_cores_are_advised_where_the_device_has_them_and_the_type_allows_it(tmp_path: Path) -> None:
    def remedy(**how: Any) -> str | None:
        finding = found(advice_of(tensor_cores(True, **how), tmp_path), "tensor-cores")
        return None if finding is None else finding.remedy

    assert "allow TF32" in (remedy() or "")
    assert "torch.amp.GradScaler" in (remedy(capability=7) or "")
    assert "allow TF32" not in (remedy(capability=7) or "")
    assert remedy(capability=6) is None
    assert remedy(types="double") is None
    assert remedy(kernel="gemm_of_a_name_that_tells_nothing") is None
    half: dict[str, Any] = {"types": "c10::Half", "kernel": "volta_fp16_sgemm_fp16_128x64_nn"}
    assert remedy(**half) is None
    assert remedy(**half, columns=10) == "Pad these sizes to multiples of 8."
    odd = found(advice_of(tensor_cores(True, **half, columns=10), tmp_path), "tensor-cores")
    assert odd is not None
    assert odd.seen.endswith("In 1 of them sizes are no multiples of 8: aten::mm [[64, 64], [64, 10]] (10).")


def test_what_helps_against_a_full_device_depends_on_whether_it_trains_and_what_fills_it(tmp_path: Path) -> None:
    inference = found(advice_of(with_memory(9_100, 9_200), tmp_path), "memory-limit")
    training = found(advice_of(with_memory(9_100, 9_200, training=True), tmp_path), "memory-limit")
    assert inference is not None
    assert training is not None
    assert (inference.severity, training.severity) == ("low", "high")
    assert "inference_mode" in inference.remedy
    assert training.remedy.startswith("Shard parameters, gradients and optimizer state")
    assert {each.name: each.value for each in training.evidence}["allocated"] == pytest.approx(91)
    batch = found(advice_of(with_memory(9_100, 9_200, training=True, of_step_mib=8_000), tmp_path), "memory-limit")
    assert batch is not None
    assert batch.remedy.startswith("Recompute activations in backward (torch.utils.checkpoint); use smaller batches")
    sharding = with_memory(9_100, 9_200, training=True)
    sharding.event("user_annotation", "FSDP::pre_forward (layers.0)", at(1, MODEL), 90)
    sharded = found(advice_of(sharding, tmp_path), "memory-limit")
    assert sharded is not None
    assert "hard parameters" not in sharded.remedy


def test_lines_of_memory_say_what_they_own_of_the_peak(tmp_path: Path) -> None:
    [line] = advice_of(memory_limit(True), tmp_path).lines
    assert (line.line, line.bytes, line.us) == (MODEL, 1000 * MIB, 0)


def test_fragmentation_is_grave_where_the_device_is_nearly_full_and_growing_segments_are_not_advised_twice(tmp_path: Path) -> None:
    full = with_memory(6_000, 9_500)
    finding = found(advice_of(full, tmp_path), "fragmentation")
    assert finding is not None
    assert finding.severity == "high"
    assert "expandable_segments:True" in finding.remedy
    again = found(advice_of(full.call("cuMemMap", at(0, MODEL), 1), tmp_path), "fragmentation")
    assert again is not None
    assert "expandable_segments" not in again.remedy


def test_the_numbers_of_sentences_are_written_out_with_the_noun_that_belongs_to_them() -> None:
    assert [counted(value, "call", "calls") for value in (1, 2.5, 12_345)] == ["1 call", "2.5 calls", "12,345 calls"]


def test_one_wait_is_said_in_plain_numbers(tmp_path: Path) -> None:
    waits = found(advice_of(synchronising(True), tmp_path), "synchronising-lines")
    assert waits is not None
    assert "in 1 call per step, for 4.0 % of the time" in waits.seen
