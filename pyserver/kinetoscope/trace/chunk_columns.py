"""One chunk's events become columns: sorted into tables by category, each field of a table a numpy array.

Pure and self-contained, so that it may run in another process: names and threads are numbered within the chunk. Times stay
microseconds as float64, since the trace's origin is known only at the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from msgspec import Raw
from numpy.typing import NDArray

from kinetoscope.trace.columns import KERNEL, MEMCPY, MEMSET, Ints
from kinetoscope.trace.events import NOTHING, Event, EventArgs

OPS, LAUNCHES, KERNELS, FRAMES, FLOWS, MEMORY = "ops", "launches", "kernels", "frames", "flows", "memory"
DEVICE_RANGES, COLLECTIVES = "device_ranges", "collectives"
TABLES = (OPS, LAUNCHES, KERNELS, FRAMES, FLOWS, MEMORY, DEVICE_RANGES, COLLECTIVES)

# Names of the years up to 2021 are capitalised; those of other vendors' runtimes end alike.
_TABLE_OF_CATEGORY: dict[str | None, str] = {
    "cpu_op": OPS,
    "Operator": OPS,
    "user_annotation": OPS,
    "cuda_runtime": LAUNCHES,
    "cuda_driver": LAUNCHES,
    "hip_runtime": LAUNCHES,
    "Runtime": LAUNCHES,
    "privateuse1_runtime": LAUNCHES,
    "privateuse1_driver": LAUNCHES,
    "xpu_runtime": LAUNCHES,
    "kernel": KERNELS,
    "Kernel": KERNELS,
    "gpu_memcpy": KERNELS,
    "Memcpy": KERNELS,
    "gpu_memset": KERNELS,
    "Memset": KERNELS,
    "python_function": FRAMES,
    "gpu_user_annotation": DEVICE_RANGES,
}
_FLOW_CATEGORY = "fwdbwd"
_ASCEND_LAUNCH = "async_npu"
"""Arrows from an operator's start to its work on the device: the only launches that traces of Ascend's profiler have."""
_ANNOTATIONS = frozenset({"user_annotation"})
_WORK_KINDS = {"gpu_memcpy": MEMCPY, "Memcpy": MEMCPY, "gpu_memset": MEMSET, "Memset": MEMSET}
_MEMORY_NAME = "[memory]"

Columns = dict[str, NDArray[Any]]


class Interner(dict[Any, int]):
    """Values to small numbers, in order of first sight."""

    def __missing__(self, value: Any) -> int:
        number = self[value] = len(self)
        return number


@dataclass(frozen=True)
class ChunkColumns:
    """The tables of one chunk; `name`-like and `thread` columns are indices into its own `names` and `threads`."""

    events: int
    names: list[str]
    threads: list[tuple[Any, Any]]
    tables: dict[str, Columns]


def chunk_columns(events: list[Event]) -> ChunkColumns:
    """Sort one chunk's events into tables."""
    buckets: dict[str, list[Event]] = {name: [] for name in TABLES}
    bucket_of = {category: buckets[table] for category, table in _TABLE_OF_CATEGORY.items()}
    flows, memory, kernels, launches = buckets[FLOWS], buckets[MEMORY], buckets[KERNELS], buckets[LAUNCHES]
    for event in events:
        bucket = bucket_of.get(event.cat) if event.ph == "X" else None
        if bucket is not None:
            bucket.append(event)
        elif event.cat == _FLOW_CATEGORY:
            flows.append(event)
        elif event.name == _MEMORY_NAME:
            memory.append(event)
        elif event.args.task_type is not None:
            kernels.append(event)
        elif event.cat == _ASCEND_LAUNCH and event.ph == "s":
            launches.append(event)
    fill = _Fill()
    makers = {
        OPS: fill.ops,
        LAUNCHES: fill.launches,
        KERNELS: fill.kernels,
        FRAMES: fill.frames,
        FLOWS: fill.flows,
        MEMORY: fill.memory,
        DEVICE_RANGES: fill.device_ranges,
        COLLECTIVES: fill.collectives,
    }
    for table in (OPS, KERNELS):
        buckets[COLLECTIVES] += [event for event in buckets[table] if event.args.collective is not None]
    tables = {name: makers[name](bucket, [event.args for event in bucket]) for name, bucket in buckets.items() if bucket}
    return ChunkColumns(len(events), list(fill.names), list(fill.threads), tables)


class _Fill:
    """Makes the columns of each table."""

    def __init__(self) -> None:
        self.names = Interner()
        self.threads = Interner()
        self._raws: dict[bytes, int] = {}

    def _names(self, values: Sequence[str | None]) -> Ints:
        number = self.names.__getitem__
        if None in values:
            values = [value or "" for value in values]
        return np.fromiter(map(number, values), np.int64, len(values))

    def _texts(self, values: Sequence[str | None]) -> Ints:
        """Names that may be missing: -1."""
        number = self.names.__getitem__
        return np.array([-1 if value is None else number(value) for value in values], dtype=np.int64)

    def _raw(self, values: Sequence[Raw]) -> Ints:
        """Lists as their JSON text; -1 for none."""
        number = self._number_of_raw
        return np.fromiter((-1 if value is NOTHING else number(bytes(value)) for value in values), np.int64, len(values))

    def _number_of_raw(self, value: bytes) -> int:
        number = self._raws.get(value)
        if number is None:
            number = self._raws[value] = self.names[value.decode("utf-8", "replace")]
        return number

    def _threads(self, events: list[Event]) -> Ints:
        number = self.threads.__getitem__
        pairs = zip([e.pid for e in events], [e.tid for e in events], strict=True)
        return np.fromiter(map(number, pairs), np.int64, len(events))

    def _host(self, events: list[Event]) -> Columns:
        return {
            "ts": _floats([e.ts for e in events]),
            "dur": _floats([e.dur for e in events]),
            "name": self._names([e.name for e in events]),
            "thread": self._threads(events),
        }

    def ops(self, events: list[Event], args: list[EventArgs]) -> Columns:
        return {
            **self._host(events),
            "annotation": np.array([e.cat in _ANNOTATIONS for e in events]),
            "external_id": _ints([a.external_id for a in args]),
            "sequence": _ints([a.sequence_number for a in args]),
            "forward_thread": _ints([a.forward_thread for a in args]),
            "call_stack": self._texts([a.call_stack for a in args]),
            "input_dims": self._raw([a.input_dims for a in args]),
            "input_types": self._raw([a.input_types for a in args]),
        }

    def launches(self, events: list[Event], args: list[EventArgs]) -> Columns:
        correlation = _ints([a.correlation if e.cat != _ASCEND_LAUNCH else e.id for e, a in zip(events, args, strict=True)])
        return {**self._host(events), "correlation": correlation}

    def kernels(self, events: list[Event], args: list[EventArgs]) -> Columns:
        return {
            "ts": _floats([e.ts for e in events]),
            "dur": _floats([e.dur for e in events]),
            "name": self._names([e.name for e in events]),
            "device": _ints([_device(e, a) for e, a in zip(events, args, strict=True)]),
            "stream": _ints([e.tid if a.stream is None else a.stream for e, a in zip(events, args, strict=True)]),
            "correlation": _ints([a.correlation if a.task_type is None else _ascend_id(e) for e, a in zip(events, args, strict=True)]),
            "external_id": _ints([a.external_id_of_2021 if a.external_id == -1 else a.external_id for a in args]),
            "kind": np.array([_WORK_KINDS.get(e.cat or "", KERNEL) for e in events], dtype=np.int64),
            "grid": self._raw([a.grid for a in args]),
            "block": self._raw([a.block for a in args]),
            "registers": _ints([a.registers for a in args]),
            "shared_memory": _ints([a.shared_memory for a in args]),
            "blocks_per_sm": _floats([a.blocks_per_sm for a in args]),
            "occupancy": _floats([a.occupancy for a in args]),
            "bytes": _ints([a.copied_bytes for a in args]),
        }

    def frames(self, events: list[Event], args: list[EventArgs]) -> Columns:
        return {
            **self._host(events),
            "python_id": _ints([a.python_id for a in args]),
            "parent_id": _ints([a.python_parent for a in args]),
            "call_from": self._texts([a.call_from for a in args]),
            "module_id": _ints([a.module_id for a in args]),
        }

    def flows(self, events: list[Event], args: list[EventArgs]) -> Columns:
        del args
        return {
            "id": _ints([e.id for e in events]),
            "thread": self._threads(events),
            "ts": _floats([e.ts for e in events]),
            "start": np.array([e.ph == "s" for e in events]),
        }

    def memory(self, events: list[Event], args: list[EventArgs]) -> Columns:
        return {
            "thread": self._threads(events),
            "ts": _floats([e.ts for e in events]),
            "address": _ints([a.address for a in args]),
            "bytes": _ints([a.bytes for a in args]),
            "device_type": _ints([a.device_type for a in args]),
            "device_id": _ints([a.device_id for a in args]),
            "total_allocated": _ints([a.total_allocated for a in args]),
            "total_reserved": _ints([a.total_reserved for a in args]),
        }

    def device_ranges(self, events: list[Event], args: list[EventArgs]) -> Columns:
        return {
            "ts": _floats([e.ts for e in events]),
            "dur": _floats([e.dur for e in events]),
            "name": self._names([e.name for e in events]),
            "device": _ints([e.pid if a.device is None else a.device for e, a in zip(events, args, strict=True)]),
            "stream": _ints([e.tid if a.stream is None else a.stream for e, a in zip(events, args, strict=True)]),
            "external_id": _ints([a.external_id for a in args]),
        }

    def collectives(self, events: list[Event], args: list[EventArgs]) -> Columns:
        return {
            **self._host(events),
            "on_device": np.array([_TABLE_OF_CATEGORY[e.cat] == KERNELS for e in events]),
            "collective": self._texts([a.collective for a in args]),
            "dtype": self._texts([a.dtype for a in args]),
            "in_elements": _ints([a.in_elements for a in args]),
            "out_elements": _ints([a.out_elements for a in args]),
            "group": self._texts([a.group for a in args]),
            "group_description": self._texts([a.group_description for a in args]),
            "group_ranks": self._raw([a.group_ranks for a in args]),
            "group_size": _ints([a.group_size for a in args]),
            "source": _ints([a.source for a in args]),
            "destination": _ints([a.destination for a in args]),
            "external_id": _ints([a.external_id for a in args]),
            "correlation": _ints([a.correlation for a in args]),
        }


def _device(event: Event, args: EventArgs) -> Any:
    """The number of the device; -1 where a trace of Ascend's says none."""
    if args.device is not None:
        return args.device
    return event.pid if args.task_type is None else -1


def _ascend_id(event: Event) -> int:
    """The `id` of the arrow that ends at this work: the nanosecond at which it starts, which is written as text in microseconds."""
    whole, _, fraction = str(event.ts).partition(".")
    return _int(whole + fraction.ljust(3, "0")[:3])


def _int(value: Any) -> int:
    """One number as int64; -1 for what is none. Addresses above 2**63 wrap, which keeps them distinct."""
    try:
        number = int(value)
    except (TypeError, ValueError, OverflowError):
        return -1
    return (number + (1 << 63)) % (1 << 64) - (1 << 63)


def _ints(values: Sequence[Any]) -> Ints:
    try:
        return np.array(values, dtype=np.int64)
    except (TypeError, ValueError, OverflowError):
        return np.array([_int(value) for value in values], dtype=np.int64)


def _float(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return float("nan")


def _floats(values: Sequence[Any]) -> NDArray[np.float64]:
    """A missing number is NaN."""
    try:
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        return np.array([_float(value) for value in values], dtype=np.float64)
