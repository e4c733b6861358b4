"""Names of devices as users write them: `cpu`, `cuda:0`."""

from __future__ import annotations

_KIND_OF_TYPE = {0: "cpu", 1: "cuda", 6: "hip", 12: "xpu", 13: "mps", 20: "device"}
"""torch's `DeviceType` numbers (c10/core/DeviceType.h)."""


def device_name(device_type: int, device_id: int) -> str:
    """`device_type` is torch's number; an unknown one is called `device`."""
    kind = _KIND_OF_TYPE.get(device_type, "device")
    return kind if kind == "cpu" else f"{kind}:{max(device_id, 0)}"
