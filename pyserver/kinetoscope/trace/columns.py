"""A trace as columns: one table a kind of event, one numpy array a field.

Times are int64 nanoseconds since the trace's origin (`Trace.origin_epoch_ns`), `-1` for a missing duration. Names are indices into
`Trace.names`, threads indices into `Trace.threads`. A missing number is -1.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from kinetoscope.trace.recording import Recording

Ints: TypeAlias = NDArray[np.int64]
Bools: TypeAlias = NDArray[np.bool_]
Floats: TypeAlias = NDArray[np.float64]

KERNEL, MEMCPY, MEMSET = range(3)


def distinct(numbers: Ints) -> list[int]:
    """The different ones of a column of our own numbers, of names or threads: from -1 on and few, so counting them is ten times as fast as
    any search for them."""
    return (np.flatnonzero(np.bincount(numbers + 1)) - 1).tolist()


@dataclass(frozen=True)
class Ops:
    """CPU-side operator ranges and annotations (`cpu_op`, `user_annotation`), sorted by thread, start, longest first."""

    thread: Ints
    ts_ns: Ints
    dur_ns: Ints
    name: Ints
    annotation: Bools
    external_id: Ints
    sequence: Ints
    forward_thread: Ints
    """torch's own small number of the thread that ran the forward op; 0 or -1 on forward ops."""
    call_stack: Ints
    """`Call stack` of torch 1.8–1.11: an index into `Trace.names`, -1 where the op has none."""
    input_dims: Ints
    """Its inputs' shapes as JSON text (`[[8, 16], []]`): an index into `Trace.names`, -1 where they were not recorded."""
    input_types: Ints
    """Likewise their types (`["float", ""]`)."""


@dataclass(frozen=True)
class Launches:
    """Runtime and driver calls on the CPU (`cuda_runtime`, `cuda_driver` and their kin)."""

    thread: Ints
    ts_ns: Ints
    dur_ns: Ints
    name: Ints
    correlation: Ints


@dataclass(frozen=True)
class Kernels:
    """Device work: kernels, memcpy, memset."""

    ts_ns: Ints
    dur_ns: Ints
    name: Ints
    device: Ints
    stream: Ints
    correlation: Ints
    external_id: Ints
    """Of the operator that launched it, or, in traces of some years, the correlation once more (`linking/external_ids.py`)."""
    kind: Ints
    """`KERNEL`, `MEMCPY` or `MEMSET`."""
    grid: Ints
    """Blocks in each dimension as JSON text (`[132, 1, 1]`): an index into `Trace.names`, -1 where the trace does not say."""
    block: Ints
    """Threads of a block, likewise."""
    registers: Ints
    """Per thread."""
    shared_memory: Ints
    """Bytes of a block."""
    blocks_per_sm: Floats
    """Blocks of the grid divided by the device's multiprocessors; NaN where the trace does not say."""
    occupancy: Floats
    """Estimated achieved occupancy, percent; NaN where the trace does not say."""
    bytes: Ints
    """Bytes copied or set."""


@dataclass(frozen=True)
class Frames:
    """`python_function` events, sorted like `Ops`. `call_from` is an index into `Trace.names`, -1 where the trace has none."""

    thread: Ints
    ts_ns: Ints
    dur_ns: Ints
    name: Ints
    python_id: Ints
    parent_id: Ints
    call_from: Ints
    module_id: Ints
    """Of `nn.Module` frames: the number of the instance among those of its class."""


@dataclass(frozen=True)
class MemoryEvents:
    """`[memory]` instants in time order. `bytes` is negative for a release. `device_type` is torch's DeviceType (0 CPU, 1 CUDA)."""

    thread: Ints
    ts_ns: Ints
    address: Ints
    bytes: Ints
    device_type: Ints
    device_id: Ints
    total_allocated: Ints
    total_reserved: Ints


@dataclass(frozen=True)
class Flows:
    """Ends of `fwdbwd` arrows: forward op (`start`) to backward op."""

    id: Ints
    thread: Ints
    ts_ns: Ints
    start: Bools


@dataclass(frozen=True)
class DeviceRanges:
    """Annotations as the device saw them (`gpu_user_annotation`): from the first to the last kernel launched inside, in time order."""

    ts_ns: Ints
    dur_ns: Ints
    name: Ints
    device: Ints
    stream: Ints
    external_id: Ints


@dataclass(frozen=True)
class Collectives:
    """What operators and kernels of collective communication say of it, sorted like `Ops`; `dtype`, `group…` and `collective` are indices
    into `Trace.names`, -1 where not said."""

    thread: Ints
    ts_ns: Ints
    dur_ns: Ints
    name: Ints
    on_device: Bools
    """True for a kernel; the thread is then one of device and stream."""
    collective: Ints
    dtype: Ints
    in_elements: Ints
    out_elements: Ints
    group: Ints
    group_description: Ints
    group_ranks: Ints
    """JSON text, perhaps shortened by torch."""
    group_size: Ints
    source: Ints
    """Rank in the world from which a message is received, -1 where not said."""
    destination: Ints
    """To which it is sent, likewise."""
    external_id: Ints
    correlation: Ints


@dataclass(frozen=True)
class DeviceProperties:
    """One of `deviceProperties`; a missing number is -1."""

    name: str = ""
    memory_bytes: int = -1
    compute_major: int = -1
    compute_minor: int = -1
    multiprocessors: int = -1
    threads_per_multiprocessor: int = -1


@dataclass(frozen=True)
class Distributed:
    """`distributedInfo`: `rank` of `world_size`, -1 where not said."""

    backend: str = ""
    rank: int = -1
    world_size: int = -1


@dataclass(frozen=True)
class Lost:
    """What could not be used: how many events, the byte offset (in the uncompressed text) of the first, -1 where it is not known, and
    why."""

    events: int
    offset: int
    reason: str


@dataclass(frozen=True)
class Trace:
    """One rank's trace."""

    origin_epoch_ns: int
    """Epoch time of trace time 0; 0 where the trace does not say."""
    end_ns: int
    names: list[str]
    threads: list[tuple[int | str, int | str]]
    """`(pid, tid)`"""
    ops: Ops
    launches: Launches
    kernels: Kernels
    frames: Frames
    memory: MemoryEvents
    flows: Flows
    device_ranges: DeviceRanges
    collectives: Collectives
    recording: Recording
    devices: list[DeviceProperties] = field(default_factory=list)
    distributed: Distributed | None = None
    lost: Lost | None = None
