"""How well each device was used in a stretch of time: utilisation, SM efficiency, occupancy, share of Tensor Core kernels.

Formulas are the TensorBoard plugin's (docs/metrics.md). Only kernels count, those of communication too; copies do not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinetoscope.analysis.intervals import union
from kinetoscope.analysis.kernel_names import KernelNames
from kinetoscope.trace.columns import KERNEL, Floats, Ints, Trace


@dataclass(frozen=True)
class DeviceUse:
    """Of one device, in percent; None where the trace does not say."""

    device: int
    utilization: float
    sm_efficiency: float | None
    occupancy: float | None
    tensor_core_share: float | None


def device_use(trace: Trace, names: KernelNames, start_ns: int, end_ns: int) -> list[DeviceUse]:
    """One for each device that ran kernels, at any time; all numbers are of `[start_ns, end_ns)`, which must not be empty."""
    kernels = trace.kernels
    return [
        _use(trace, names, device, np.flatnonzero((kernels.kind == KERNEL) & (kernels.device == device)), start_ns, end_ns)
        for device in np.unique(kernels.device[kernels.kind == KERNEL]).tolist()
    ]


def _use(trace: Trace, names: KernelNames, device: int, rows: Ints, start_ns: int, end_ns: int) -> DeviceUse:
    kernels, whole = trace.kernels, end_ns - start_ns
    start = np.clip(kernels.ts_ns[rows], start_ns, end_ns)
    end = np.clip(kernels.ts_ns[rows] + np.maximum(kernels.dur_ns[rows], 0), start_ns, end_ns)
    length = (end - start).astype(np.float64)
    occupancy, blocks = kernels.occupancy[rows], kernels.blocks_per_sm[rows]
    said, total = occupancy >= 0, float(length.sum())
    weight = float(length[said].sum())
    return DeviceUse(
        device=device,
        utilization=100 * union(start, end).length() / whole,
        sm_efficiency=100 * _covered(start, end, blocks) / whole if (blocks > 0).any() else None,
        occupancy=float((occupancy[said] * length[said]).sum()) / weight if weight else None,
        tensor_core_share=100 * float(length[names.tensor_cores[kernels.name[rows]]].sum()) / total if total else None,
    )


def _covered(start: Ints, end: Ints, blocks_per_sm: Floats) -> float:
    """∫ min(1, Σ blocks per SM of the kernels that run) dt, nanoseconds. Values that are not positive do not count."""
    real = (blocks_per_sm > 0) & (end > start)
    time = np.concatenate([start[real], end[real]])
    if not len(time):
        return 0.0
    order = np.argsort(time, kind="stable")
    change = np.concatenate([blocks_per_sm[real], -blocks_per_sm[real]])[order]
    running = np.cumsum(np.concatenate([np.ones(real.sum(), np.int64), np.full(real.sum(), -1)])[order])
    level = np.where(running > 0, np.minimum(np.cumsum(change), 1.0), 0.0)
    return float((level[:-1] * np.diff(time[order])).sum())
