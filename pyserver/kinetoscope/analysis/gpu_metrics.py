"""How well each device was used in a stretch of time: utilisation, SM efficiency, occupancy, share of Tensor Core kernels.

Formulas are the TensorBoard plugin's (docs/metrics.md). Only kernels count, those of communication too; copies do not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinetoscope.analysis.intervals import Intervals, union
from kinetoscope.analysis.kernel_names import KernelNames
from kinetoscope.trace.columns import KERNEL, Floats, Ints, Trace

_BUCKETS = 100


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
    devices = np.unique(kernels.device[kernels.kind == KERNEL]).tolist()
    return [_use(trace, names, device, start_ns, end_ns) for device in devices]


def utilization_over_time(trace: Trace, device: int, start_ns: int, end_ns: int) -> tuple[Ints, Floats]:
    """`(edges in ns, percent between them)`: buckets of the smallest power of ten microseconds that gives at most 100 of them; the last
    one takes the rest."""
    bucket = 1000
    while (end_ns - start_ns) / bucket > _BUCKETS:
        bucket *= 10
    edges = np.append(start_ns + bucket * np.arange(max((end_ns - start_ns) // bucket, 1)), end_ns)
    return edges, 100 * busy(trace, device).within(edges[:-1], edges[1:]) / np.maximum(np.diff(edges), 1)


def busy(trace: Trace, device: int) -> Intervals:
    """When any kernel ran on the device."""
    return union(*_extents(trace, _kernels_of(trace, device)))


def sm_efficiency_over_time(trace: Trace, device: int) -> tuple[Ints, Ints, Floats]:
    """`(start, end, percent)` of stretches in which kernels with known blocks run: min(1, Σ of their blocks per SM)."""
    rows = _kernels_of(trace, device)
    start, end = _extents(trace, rows)
    return _covered(start, end, trace.kernels.blocks_per_sm[rows])


def _kernels_of(trace: Trace, device: int) -> Ints:
    return np.flatnonzero((trace.kernels.kind == KERNEL) & (trace.kernels.device == device))


def _extents(trace: Trace, rows: Ints) -> tuple[Ints, Ints]:
    start = trace.kernels.ts_ns[rows]
    return start, start + np.maximum(trace.kernels.dur_ns[rows], 0)


def _use(trace: Trace, names: KernelNames, device: int, start_ns: int, end_ns: int) -> DeviceUse:
    kernels, rows = trace.kernels, _kernels_of(trace, device)
    start, end = (np.clip(edge, start_ns, end_ns) for edge in _extents(trace, rows))
    length = (end - start).astype(np.float64)
    occupancy, blocks = kernels.occupancy[rows], kernels.blocks_per_sm[rows]
    said, total = occupancy >= 0, float(length.sum())
    weight = float(length[said].sum())
    begin, stop, percent = _covered(start, end, blocks)
    return DeviceUse(
        device=device,
        utilization=100 * union(start, end).length() / (end_ns - start_ns),
        sm_efficiency=float((percent * (stop - begin)).sum()) / (end_ns - start_ns) if (blocks > 0).any() else None,
        occupancy=float((occupancy[said] * length[said]).sum()) / weight if weight else None,
        tensor_core_share=100 * float(length[names.tensor_cores[kernels.name[rows]]].sum()) / total if total else None,
    )


def _covered(start: Ints, end: Ints, blocks_per_sm: Floats) -> tuple[Ints, Ints, Floats]:
    """Where kernels run, and what part of the multiprocessors has a block, percent. Values that are not positive do not count."""
    real = (blocks_per_sm > 0) & (end > start)
    time = np.concatenate([start[real], end[real]])
    order = np.argsort(time, kind="stable")
    time = time[order]
    level = np.cumsum(np.concatenate([blocks_per_sm[real], -blocks_per_sm[real]])[order])
    running = np.cumsum(np.repeat(np.array([1, -1]), int(real.sum()))[order])
    hit = np.flatnonzero((running[:-1] > 0) & (np.diff(time) > 0))
    return time[hit], time[hit + 1], 100 * np.minimum(level[hit], 1.0)
