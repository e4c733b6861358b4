"""What bounds the steps: the host's overhead, compute, memory, communication or input, with the evidence in one sentence.

Rule: the exclusive categories of a step are put together as device computing (Kernel), device copies (Memcpy, Memset), Communication, input
(DataLoader), and the host alone (Runtime, CPU Exec, Other); the largest is what bounds. Where that is computing, it is compute if at
least half of the kernels' time is in families that do many operations a byte (GEMM, convolution, attention), else memory.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from msgspec import Struct

from kinetoscope.analysis.gpu_metrics import DeviceUse
from kinetoscope.analysis.kernel_names import COMMUNICATION, COMPUTE_BOUND, KernelNames
from kinetoscope.trace.columns import KERNEL, Trace


class Bound(Struct, frozen=True, kw_only=True):
    """`kind` is None where no device worked and the input is not what the steps wait for."""

    kind: Literal["overhead", "compute", "memory", "communication", "input"] | None
    evidence: str


def bound_of(trace: Trace, names: KernelNames, percent: dict[str, float], use: list[DeviceUse], extent_ns: tuple[int, int]) -> Bound:
    """`percent`: of the steps by category; `use`: of the devices; `extent_ns`: the steps' first start and last end."""
    parts = {
        "kernels": percent.get("Kernel", 0.0),
        "copies": percent.get("Memcpy", 0.0) + percent.get("Memset", 0.0),
        "communication": percent.get("Communication", 0.0),
        "input": percent.get("DataLoader", 0.0),
        "host": sum(percent.get(role, 0.0) for role in ("Runtime", "CPU Exec", "Other")),
    }
    largest = max(parts, key=lambda part: parts[part])
    share = f"{parts[largest]:.0f} %"
    if largest == "input":
        return Bound(kind="input", evidence=f"{share} of the step is spent waiting for the data loader.")
    if largest == "communication":
        return Bound(kind="communication", evidence=f"{share} of the step is communication that no kernel overlaps.")
    if not use or not len(trace.kernels.ts_ns):
        return Bound(kind=None, evidence="No kernels of a device were recorded, so it can't be told what bounds the step.")
    if largest == "copies":
        return Bound(kind="memory", evidence=f"{share} of the step is copies and fills while no kernel runs.")
    mean_us, dense = _kernels(trace, names, extent_ns)
    if largest == "host":
        busy = f"kernels run in {parts['kernels']:.0f} % and take {_time(mean_us)} on average"
        return Bound(kind="overhead", evidence=f"In {share} of the step only the host works: {busy}.")
    busy = f"Kernels run in {share} of the step"
    if dense >= 0.5:
        return Bound(kind="compute", evidence=f"{busy}, {100 * dense:.0f} % of their time in matrix products, convolutions and attention.")
    return Bound(
        kind="memory", evidence=f"{busy}, {100 * (1 - dense):.0f} % of their time in kernels that mostly move data (elementwise, norms, …)."
    )


def _kernels(trace: Trace, names: KernelNames, extent_ns: tuple[int, int]) -> tuple[float, float]:
    """Mean time in µs of the kernels that begin in the steps, and the share of the time of compute-bound families."""
    kernels = trace.kernels
    rows = (kernels.kind == KERNEL) & ~names.of_family(COMMUNICATION)[kernels.name]
    rows &= (kernels.ts_ns >= extent_ns[0]) & (kernels.ts_ns < extent_ns[1])
    length = np.maximum(kernels.dur_ns[rows], 0)
    total = int(length.sum())
    if not total:
        return 0.0, 0.0
    return float(length.mean()) / 1000, int(length[names.of_family(*COMPUTE_BOUND)[kernels.name[rows]]].sum()) / total


def _time(us: float) -> str:
    return f"{us:.1f} µs" if us < 1000 else f"{us / 1000:.1f} ms"
