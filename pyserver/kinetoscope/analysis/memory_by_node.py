"""Allocations by call-tree node: how much, how much was released, and who owns the peak.

A node's `freed` is what was released while the thread stood on it, whoever allocated it. The peak is the moment at which the
running sum of the recorded allocations and releases of a device is greatest: what was allocated before the recording, and
releases of it (Kineto reports none), are not in it. Traces of torch 1.8 to 1.10 give no addresses, so there nobody owns the peak.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from kinetoscope.analysis.devices import DeviceNames
from kinetoscope.linking.linked import LinkedTrace


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
    result: dict[int, NodeMemory] = {}
    names = DeviceNames(linked.trace)
    key = memory.device_type * (1 << 20) + memory.device_id
    for number in np.unique(key).tolist():
        rows = np.flatnonzero(key == number)
        device = names.of_memory(int(memory.device_type[rows[0]]), int(memory.device_id[rows[0]]))
        sizes, nodes = memory.bytes[rows], belonging.node[rows]
        peak = int(np.argmax(np.cumsum(sizes))) if (memory.address[rows] != -1).all() else -1
        alive: dict[int, tuple[int, int, bool]] = {}
        events = zip(memory.address[rows].tolist(), sizes.tolist(), nodes.tolist(), belonging.backward[rows].tolist(), strict=True)
        for position, (address, size, node, backward) in enumerate(events):
            mine = result.setdefault(node, NodeMemory())
            if size >= 0:
                mine.allocated[device] = mine.allocated.get(device, 0) + size
            else:
                mine.freed[device] = mine.freed.get(device, 0) - size
            if position <= peak:
                if size >= 0:
                    alive[address] = (size, node, backward)
                else:
                    alive.pop(address, None)
        for size, node, backward in alive.values():
            mine = result[node]
            mine.at_peak[device] = mine.at_peak.get(device, 0) + size
            if backward:
                mine.at_peak_backward[device] = mine.at_peak_backward.get(device, 0) + size
    return result
