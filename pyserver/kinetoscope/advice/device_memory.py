"""What the findings of memory look at: how full each device was, and who owned its peak."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from kinetoscope.advice.evidence import Case
from kinetoscope.advice.finding import AdviceLine
from kinetoscope.analysis.devices import properties_of
from kinetoscope.analysis.memory_by_node import DeviceMemory, memory_of_devices
from kinetoscope.analysis.memory_curve import memory_curve
from kinetoscope.trace.columns import Ints


@dataclass(frozen=True)
class Held:
    """The most that one device held in the recording or range, in bytes. `reserved` and `total` are None where the trace does not say."""

    device: str
    allocated: int
    reserved: int | None
    total: int | None
    memory: DeviceMemory


def held(case: Case) -> Iterator[Held]:
    """Each device but the CPU whose totals the trace has: without them memory from before the recording would be missing."""
    for memory in memory_of_devices(case.linked, case.window_ns):
        curve = memory_curve(case.linked, memory, case.window_ns)
        if memory.device != "cpu" and not curve.from_start:
            size = properties_of(case.trace, memory.device).memory_bytes
            yield Held(memory.device, curve.peak_allocated_bytes, curve.peak_reserved_bytes, size if size > 0 else None, memory)


def lines_of_peak(case: Case, finding: str, of: DeviceMemory) -> list[AdviceLine]:
    """The lines that own the peak of what was recorded, largest first. They have no time."""
    alive: Ints = np.flatnonzero(of.alive & (of.sizes > 0))
    return case.lines(finding, case.linked.memory.node[of.rows[alive]], np.zeros(len(alive), np.int64), of.sizes[alive])


def gib(size: float) -> str:
    """`31.7 GiB`"""
    return f"{size / (1 << 30):.3g} GiB"
