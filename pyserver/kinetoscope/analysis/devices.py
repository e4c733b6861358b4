"""Names of devices as users of torch write them: `cpu`, `cuda:0` (on ROCm too), `xpu:1`.

Memory events say the kind and torch's own number of their device. Device work says only a number, and on ROCm that is the number of
the HSA agent, which counts the processors as well: the first GPU is often 2. So what kind of device ran the work is read from the
memory events or from the names of the calls that launched it; and on ROCm the number is torch's only where it cannot be another,
else the agent is named.
"""

from __future__ import annotations

import numpy as np

from kinetoscope.trace.columns import DeviceProperties, Trace, distinct

_KIND_OF_TYPE = {0: "cpu", 1: "cuda", 6: "cuda", 9: "xla", 12: "xpu", 13: "mps", 15: "hpu", 18: "ipu", 19: "mtia"}
"""torch's `DeviceType` numbers (c10/core/DeviceType.h); 6 is HIP. 20 (PrivateUse1) is a vendor's own, whose name no number tells."""
_KIND_OF_CALLS = (
    ("hip", "cuda"),
    ("cuda", "cuda"),
    ("cuLaunch", "cuda"),
    ("acl", "npu"),
    ("torch_to_npu", "npu"),
    ("urEnqueue", "xpu"),
    ("piEnqueue", "xpu"),
    ("zeCommandList", "xpu"),
)
"""How the runtime calls of vendors begin: HIP, CUDA, Ascend's, Intel's Unified Runtime and what was before and is below it."""


class DeviceNames:
    """The names of one trace's devices."""

    def __init__(self, trace: Trace) -> None:
        memory, kernels = trace.memory, trace.kernels
        calls = [trace.names[number] for number in distinct(trace.launches.name)]
        self._kind_of_calls = next((kind for start, kind in _KIND_OF_CALLS if any(call.startswith(start) for call in calls)), None)
        self._counts_agents = any(call.startswith("hip") for call in calls)
        _, first = np.unique(memory.device_type * (1 << 32) + memory.device_id, return_index=True)
        pairs = zip(memory.device_type[first].tolist(), memory.device_id[first].tolist(), strict=True)
        self._allocating = sorted({(self._kind(kind), number) for kind, number in pairs if kind > 0})
        self._working: list[int] = np.unique(kernels.device).tolist()
        self._installed = len(trace.devices)

    def of_memory(self, device_type: int, device_id: int) -> str:
        """`device_type` is torch's number."""
        kind = self._kind(device_type)
        return kind if kind == "cpu" else f"{kind}:{max(device_id, 0)}"

    def of_work(self, device: int) -> str:
        """`device` as kernels have it."""
        alone = len(self._working) == 1
        if alone and len(self._allocating) == 1:
            kind, number = self._allocating[0]
            return f"{kind}:{max(number, 0)}"
        kinds = {kind for kind, _ in self._allocating}
        kind = kinds.pop() if len(kinds) == 1 else self._kind_of_calls or "cuda"
        if device < 0:
            return kind  # a trace of Ascend's does not say which
        if not self._counts_agents:
            return f"{kind}:{max(device, 0)}"
        return f"{kind}:0" if alone and self._installed == 1 else f"{kind} (agent {device})"

    def all(self) -> list[str]:
        """Those that worked or allocated, and the CPU."""
        memory = {f"{kind}:{max(number, 0)}" for kind, number in self._allocating}
        return sorted({"cpu"} | memory | {self.of_work(device) for device in self._working})

    def _kind(self, device_type: int) -> str:
        return _KIND_OF_TYPE.get(device_type) or self._kind_of_calls or "device"


def properties_of(trace: Trace, device: str) -> DeviceProperties:
    """What the trace says of a device: by torch's number, and where that is not known, what all installed ones have in common."""
    number = device.partition(":")[2]
    if number.isdigit() and int(number) < len(trace.devices):
        return trace.devices[int(number)]
    return trace.devices[0] if trace.devices and len(set(trace.devices)) == 1 else DeviceProperties()


def compute_capability(known: DeviceProperties) -> str | None:
    """`9.0`; None where the trace does not say."""
    return f"{known.compute_major}.{max(known.compute_minor, 0)}" if known.compute_major >= 0 else None
