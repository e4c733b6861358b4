"""What bounds the steps: the host's overhead, compute, memory, communication or input, with the evidence in one sentence.

Rule: the exclusive categories of a step are put together as device computing (Kernel), device copies (Memcpy, Memset), Communication, input
(DataLoader), and the host alone (Runtime, CPU Exec, Other); the largest is what bounds. Where that is computing, it is compute if the
kernels spend no less time in families that do many operations a byte (GEMM, convolution, attention) than in the other families, else
memory; and not told where most of it is in kernels of no known family.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from msgspec import Struct

from kinetoscope.analysis.gpu_metrics import DeviceUse
from kinetoscope.analysis.kernel_names import COMMUNICATION, COMPUTE_BOUND, OTHER, KernelNames
from kinetoscope.trace.columns import KERNEL, Trace


class Bound(Struct, frozen=True, kw_only=True):
    """`kind` is None where it can't be told; the evidence says why."""

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
    mean_us, dense, untold = _kernels(trace, names, extent_ns)
    if largest == "host":
        busy = f"kernels run in {parts['kernels']:.0f} % and take {_time(mean_us)} on average"
        return Bound(kind="overhead", evidence=f"In {share} of the step only the host works: {busy}.")
    busy, moving = f"Kernels run in {share} of the step", 100 - dense - untold
    if untold > max(dense, moving):
        return Bound(kind=None, evidence=f"{busy}, but for {untold:.0f} % of their time their names do not tell what they do.")
    if dense >= moving:
        return Bound(kind="compute", evidence=f"{busy}, {dense:.0f} % of their time in matrix products, convolutions and attention.")
    return Bound(kind="memory", evidence=f"{busy}, {moving:.0f} % of their time in kernels that mostly move data (elementwise, norms, …).")


def _kernels(trace: Trace, names: KernelNames, extent_ns: tuple[int, int]) -> tuple[float, float, float]:
    """Of the kernels that begin in the steps and do not communicate: mean time in µs, percent of their time in compute-bound families, and
    in no known family."""
    kernels = trace.kernels
    rows = (kernels.kind == KERNEL) & ~names.of_family(COMMUNICATION)[kernels.name]
    rows &= (kernels.ts_ns >= extent_ns[0]) & (kernels.ts_ns < extent_ns[1])
    length, name = np.maximum(kernels.dur_ns[rows], 0), kernels.name[rows]
    total = int(length.sum())
    if not total:
        return 0.0, 0.0, 100.0
    shares = [100 * int(length[names.of_family(*families)[name]].sum()) / total for families in (COMPUTE_BOUND, (OTHER,))]
    return float(length.mean()) / 1000, shares[0], shares[1]


def _time(us: float) -> str:
    return f"{us:.1f} µs" if us < 1000 else f"{us / 1000:.1f} ms"
