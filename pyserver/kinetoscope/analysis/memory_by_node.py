"""Allocations by call-tree node: how much, how much was released, and who owns the peak.

A node's `freed` is what was released while the thread stood on it, whoever allocated it. The peak is the moment at which the
running sum of the recorded allocations and releases of a device is greatest: what was allocated before the recording, and
releases of it (Kineto reports none), are not in it. Traces of torch 1.8 to 1.10 give no addresses, so there nobody owns the peak.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from kinetoscope.analysis.devices import DeviceNames
from kinetoscope.analysis.ranges import within
from kinetoscope.linking.linked import LinkedTrace
from kinetoscope.trace.columns import Bools, Ints


@dataclass(frozen=True)
class DeviceMemory:
    """One device's memory events."""

    device: str
    rows: Ints
    """Of `trace.memory`, in time order."""
    sizes: Ints
    addressed: bool
    """Whether all have an address, so that releases are tied to their allocations."""
    peak: int
    """The event after which most was allocated: an index into `rows`; -1 where there is none."""
    alive: Bools
    """Which events are allocations that lived at the peak."""


@dataclass
class NodeMemory:
    """Bytes by device for one node."""

    allocated: dict[str, int] = field(default_factory=dict)
    freed: dict[str, int] = field(default_factory=dict)
    at_peak: dict[str, int] = field(default_factory=dict)
    at_peak_backward: dict[str, int] = field(default_factory=dict)


def memory_of_devices(linked: LinkedTrace, window_ns: tuple[int, int] | None = None) -> Iterator[DeviceMemory]:
    """Each device's events, all of them, and its peak within the window, to which what was alive at its start counts."""
    memory = linked.trace.memory
    names = DeviceNames(linked.trace)
    key = memory.device_type * (1 << 20) + memory.device_id
    for number in np.unique(key).tolist():
        rows = np.flatnonzero(key == number)
        device = names.of_memory(int(memory.device_type[rows[0]]), int(memory.device_id[rows[0]]))
        sizes, address = memory.bytes[rows], memory.address[rows]
        addressed = bool((address != -1).all())
        peak = _peak(memory.ts_ns[rows], sizes, window_ns)
        alive = _alive_after(address, sizes, peak) if addressed else np.zeros(len(rows), bool)
        yield DeviceMemory(device, rows, sizes, addressed, peak, alive)


def memory_by_node(linked: LinkedTrace, window_ns: tuple[int, int] | None = None) -> dict[int, NodeMemory]:
    """Node → its memory: what happened in the window, and what was alive at the window's peak. `OUTSIDE` is among them."""
    belonging = linked.memory
    result: dict[int, NodeMemory] = defaultdict(NodeMemory)
    for of_device in memory_of_devices(linked, window_ns):
        device, rows, sizes, alive = of_device.device, of_device.rows, of_device.sizes, of_device.alive
        nodes, now = belonging.node[rows], within(linked.trace.memory.ts_ns[rows], window_ns)
        for node, size in _sums(nodes, sizes, now & (sizes >= 0)):
            result[node].allocated[device] = size
        for node, size in _sums(nodes, -sizes, now & (sizes < 0)):
            result[node].freed[device] = size
        for node, size in _sums(nodes, sizes, alive):
            result[node].at_peak[device] = size
        for node, size in _sums(nodes, sizes, alive & belonging.backward[rows]):
            result[node].at_peak_backward[device] = size
    return dict(result)


def _peak(ts_ns: Ints, sizes: Ints, window_ns: tuple[int, int] | None) -> int:
    low, high = (0, len(sizes)) if window_ns is None else np.searchsorted(ts_ns, window_ns, side="left").tolist()
    first = max(low - 1, 0) if window_ns else 0  # what was alive when the window began
    return first + int(np.argmax(np.cumsum(sizes)[first:high])) if high > first else -1


def _alive_after(address: Ints, sizes: Ints, event: int) -> Bools:
    """Which events are allocations that lived after an event: the last event of their address up to it."""
    alive = np.zeros(len(sizes), bool)
    until = event + 1
    order = np.argsort(address[:until], kind="stable")
    last = np.append(address[order][1:] != address[order][:-1], True)[: len(order)]
    alive[order[last]] = sizes[order[last]] >= 0
    return alive


def _sums(nodes: Ints, sizes: Ints, which: Bools) -> Iterator[tuple[int, int]]:
    """`(node, sum)` of those events."""
    found, place = np.unique(nodes[which], return_inverse=True)
    total = np.zeros(len(found), np.int64)
    np.add.at(total, place, sizes[which])
    return zip(found.tolist(), total.tolist(), strict=True)
