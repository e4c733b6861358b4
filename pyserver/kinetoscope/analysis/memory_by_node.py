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
from kinetoscope.linking.linked import LinkedTrace
from kinetoscope.trace.columns import Bools, Ints


@dataclass
class NodeMemory:
    """Bytes by device for one node."""

    allocated: dict[str, int] = field(default_factory=dict)
    freed: dict[str, int] = field(default_factory=dict)
    at_peak: dict[str, int] = field(default_factory=dict)
    at_peak_backward: dict[str, int] = field(default_factory=dict)


def memory_by_node(linked: LinkedTrace) -> dict[int, NodeMemory]:
    """Node → its memory. `OUTSIDE` is among them."""
    memory, belonging = linked.trace.memory, linked.memory
    result: dict[int, NodeMemory] = defaultdict(NodeMemory)
    names = DeviceNames(linked.trace)
    key = memory.device_type * (1 << 20) + memory.device_id
    for number in np.unique(key).tolist():
        rows = np.flatnonzero(key == number)
        device = names.of_memory(int(memory.device_type[rows[0]]), int(memory.device_id[rows[0]]))
        sizes, nodes = memory.bytes[rows], belonging.node[rows]
        addressed = bool((memory.address[rows] != -1).all())
        alive = _alive_at_peak(memory.address[rows], sizes) if addressed else np.zeros(len(rows), bool)
        for node, size in _sums(nodes, sizes, sizes >= 0):
            result[node].allocated[device] = size
        for node, size in _sums(nodes, -sizes, sizes < 0):
            result[node].freed[device] = size
        for node, size in _sums(nodes, sizes, alive):
            result[node].at_peak[device] = size
        for node, size in _sums(nodes, sizes, alive & belonging.backward[rows]):
            result[node].at_peak_backward[device] = size
    return dict(result)


def _alive_at_peak(address: Ints, sizes: Ints) -> Bools:
    """Which events are allocations that lived at the peak: the last event of their address up to it."""
    alive = np.zeros(len(sizes), bool)
    until = int(np.argmax(np.cumsum(sizes))) + 1
    order = np.argsort(address[:until], kind="stable")
    last = np.append(address[order][1:] != address[order][:-1], True)
    alive[order[last]] = sizes[order[last]] >= 0
    return alive


def _sums(nodes: Ints, sizes: Ints, which: Bools) -> Iterator[tuple[int, int]]:
    """`(node, sum)` of those events."""
    found, place = np.unique(nodes[which], return_inverse=True)
    total = np.zeros(len(found), np.int64)
    np.add.at(total, place, sizes[which])
    return zip(found.tolist(), total.tolist(), strict=True)
