"""Which calls of the host wait for the device.

Rule: the calls whose purpose that is, those that free memory and the copies that return only when they are done; and asynchronous copies
from the device whose copy had ended when the call returned: a copy into memory that is not pinned is not asynchronous (CUDA's "API
synchronization behavior"), and this is where `.item()` and `.cpu()` wait, not in the stream's synchronisation that follows.
"""

from __future__ import annotations

import numpy as np

from kinetoscope.linking.linked import LinkedTrace
from kinetoscope.trace.columns import MEMCPY, Bools, Ints

_CUDA = (
    "DeviceSynchronize",
    "StreamSynchronize",
    "EventSynchronize",
    "Memcpy",
    "MemcpyWithStream",
    "Memcpy2D",
    "Free",
    "HostFree",
)
_WAITING = frozenset(f"{vendor}{call}" for vendor in ("cuda", "hip") for call in _CUDA) | frozenset(
    {
        *("cuCtxSynchronize", "cuStreamSynchronize", "cuEventSynchronize"),
        *("aclrtSynchronizeDevice", "aclrtSynchronizeStream", "aclrtSynchronizeEvent"),
        *("urQueueFinish", "urEventWait", "piQueueFinish", "piEventsWait", "zeCommandQueueSynchronize", "zeEventHostSynchronize"),
    }
)
"""CUDA and HIP, runtime and driver; Ascend; Intel's Unified Runtime, what was before it and Level Zero."""
_ROUNDING_NS = 1000


def waiting_calls(linked: LinkedTrace) -> Ints:
    """Rows of `trace.launches` in which the host waits."""
    trace = linked.trace
    by_name = np.isin(trace.launches.name, [index for index, name in enumerate(trace.names) if name in _WAITING])
    by_name[_blocking_copies(linked)] = True
    return np.flatnonzero(by_name)


def from_device(linked: LinkedTrace) -> Bools:
    """Of each kernel, whether it is a copy from the device to the host."""
    kernels, names = linked.trace.kernels, linked.trace.names
    of_name = [index for index, name in enumerate(names) if "DtoH" in name or "DeviceToHost" in name]
    return (kernels.kind == MEMCPY) & np.isin(kernels.name, of_name)


def _blocking_copies(linked: LinkedTrace) -> Ints:
    kernels, launches, names = linked.trace.kernels, linked.trace.launches, linked.trace.names
    copies = np.flatnonzero(from_device(linked) & (linked.launch_of_kernel >= 0) & (kernels.dur_ns >= 0))
    call = linked.launch_of_kernel[copies]
    asynchronous = np.isin(launches.name[call], [index for index, name in enumerate(names) if "Memcpy" in name and "Async" in name])
    returned = launches.ts_ns[call] + launches.dur_ns[call]
    done = kernels.ts_ns[copies] + kernels.dur_ns[copies] <= returned + _ROUNDING_NS
    return call[asynchronous & done & (launches.dur_ns[call] >= 0)]
