"""What stands in a trace beside its events: the clock's base, the devices, the rank. Each is read leniently: what is missing or of another
shape is as if it were not there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from kinetoscope.trace.columns import DeviceProperties, Distributed
from kinetoscope.trace.errors import UNREADABLE

Metadata = Mapping[str, msgspec.Raw]
"""The top-level keys of a trace, undecoded."""


def metadata_number(metadata: Metadata, key: str) -> int:
    """A whole number; 0 where there is none."""
    return _int(_decoded(metadata, key), 0)


def device_properties(metadata: Metadata) -> list[DeviceProperties]:
    """`deviceProperties`, in the order of the devices' numbers."""
    devices = _decoded(metadata, "deviceProperties")
    return [_device(device) for device in devices if isinstance(device, dict)] if isinstance(devices, list) else []


def distributed(metadata: Metadata) -> Distributed | None:
    """`distributedInfo`; None where the trace has none."""
    info = _decoded(metadata, "distributedInfo")
    if not isinstance(info, dict):
        return None
    return Distributed(str(info.get("backend") or ""), _int(info.get("rank"), -1), _int(info.get("world_size"), -1))


def _device(device: dict[str, Any]) -> DeviceProperties:
    return DeviceProperties(
        name=str(device.get("name", "")),
        memory_bytes=_int(device.get("totalGlobalMem"), -1),
        compute_major=_int(device.get("computeMajor"), -1),
        compute_minor=_int(device.get("computeMinor"), -1),
        multiprocessors=_int(device.get("numSms"), -1),
        threads_per_multiprocessor=_int(device.get("maxThreadsPerMultiprocessor"), -1),
    )


def _decoded(metadata: Metadata, key: str) -> Any:
    try:
        return msgspec.json.decode(metadata[key])
    except (KeyError, *UNREADABLE):
        return None


def _int(value: Any, missing: int) -> int:
    try:
        return int(value)
    except (TypeError, ValueError, OverflowError):
        return missing
