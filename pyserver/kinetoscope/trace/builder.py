"""Events become columns: each chunk's events are sorted into tables, and each field of a table becomes a numpy array."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kinetoscope.trace.columns import Bools, Flows, Frames, Ints, Kernels, Launches, MemoryEvents, Ops
from kinetoscope.trace.events import Event

_OPS, _LAUNCHES, _KERNELS, _FRAMES, _FLOWS = "ops", "launches", "kernels", "frames", "flows"

# Names of the years up to 2021 are capitalised; those of other vendors' runtimes end alike.
TABLE_OF_CATEGORY: dict[str, str] = {
    "cpu_op": _OPS,
    "Operator": _OPS,
    "user_annotation": _OPS,
    "cuda_runtime": _LAUNCHES,
    "cuda_driver": _LAUNCHES,
    "hip_runtime": _LAUNCHES,
    "Runtime": _LAUNCHES,
    "privateuse1_runtime": _LAUNCHES,
    "privateuse1_driver": _LAUNCHES,
    "xpu_runtime": _LAUNCHES,
    "kernel": _KERNELS,
    "Kernel": _KERNELS,
    "gpu_memcpy": _KERNELS,
    "Memcpy": _KERNELS,
    "gpu_memset": _KERNELS,
    "Memset": _KERNELS,
    "python_function": _FRAMES,
    "fwdbwd": _FLOWS,
}
_ANNOTATIONS = frozenset({"user_annotation"})
_COPIES = frozenset({"gpu_memcpy", "Memcpy", "gpu_memset", "Memset"})
_MEMORY_NAME = "[memory]"
_LATEST_US = 4e15
"""In the year 2096; what is as far before the epoch and this are less than int64 nanoseconds apart."""
_LONGEST_US = 1e14
"""Three years."""


class Interner:
    """Values to small numbers, in order of first sight."""

    def __init__(self) -> None:
        self.numbers: dict[Any, int] = {}

    def __call__(self, value: Any) -> int:
        return self.numbers.setdefault(value, len(self.numbers))


class ThreadNumbers(Interner):
    """Threads to small numbers. torch 1.8 to 1.10 wrote a thread's id as text on operators and as a number on memory events: both are one
    thread."""

    def __init__(self) -> None:
        super().__init__()
        self.threads: list[tuple[Any, Any]] = []

    def __call__(self, value: Any) -> int:
        number = self.numbers.get(value)
        if number is None:
            pid, tid = value
            same = (_plain(pid), _plain(tid))
            number = self.numbers.get(same)
            if number is None:
                number = self.numbers[same] = len(self.threads)
                self.threads.append(same)
            self.numbers[value] = number
        return number


def _plain(value: Any) -> Any:
    return int(value) if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 20 else value


@dataclass
class _Table:
    """Columns of one table, a list of arrays each (one a chunk)."""

    columns: dict[str, list[Any]] = field(default_factory=dict)

    def add(self, **columns: Any) -> None:
        for name, values in columns.items():
            self.columns.setdefault(name, []).append(values)

    def keep_timed(self) -> int:
        """Drop the rows whose start no clock shows; how many there were."""
        starts = self.floats("ts")
        timed = np.abs(starts) <= _LATEST_US
        if not timed.all():
            self.columns = {name: [np.concatenate(parts)[timed]] for name, parts in self.columns.items()}
        return int(len(starts) - timed.sum())

    def ints(self, name: str) -> Ints:
        parts = self.columns.get(name)
        return np.concatenate(parts).astype(np.int64, copy=False) if parts else np.zeros(0, np.int64)

    def floats(self, name: str) -> np.ndarray[Any, np.dtype[np.float64]]:
        parts = self.columns.get(name)
        return np.concatenate(parts) if parts else np.zeros(0, np.float64)

    def bools(self, name: str) -> Bools:
        parts = self.columns.get(name)
        return np.concatenate(parts).astype(np.bool_, copy=False) if parts else np.zeros(0, np.bool_)


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


def _floats(values: Sequence[Any]) -> np.ndarray[Any, np.dtype[np.float64]]:
    try:
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        return np.array([_float(value) for value in values], dtype=np.float64)


def _external_id(event: Event) -> Any:
    args = event.args
    value = args.external_id_of_2021 if args.external_id is None else args.external_id
    return -1 if value is None else value


class ColumnBuilder:
    """Takes chunks of events and gives tables at the end. Times stay microseconds as float64 until the origin is known."""

    def __init__(self) -> None:
        self.names = Interner()
        self.threads = ThreadNumbers()
        self._tables = {name: _Table() for name in (_OPS, _LAUNCHES, _KERNELS, _FRAMES, _FLOWS, "memory")}
        self._fill: dict[str, Callable[[list[Event]], None]] = {
            _OPS: self._ops,
            _LAUNCHES: self._launches,
            _KERNELS: self._kernels,
            _FRAMES: self._frames,
            _FLOWS: self._flows,
            "memory": self._memory,
        }

    def add(self, events: list[Event]) -> None:
        """Sort one chunk's events into the tables."""
        buckets: dict[str, list[Event]] = {name: [] for name in self._tables}
        append_of = {category: buckets[table].append for category, table in TABLE_OF_CATEGORY.items()}
        memory = buckets["memory"].append
        for event in events:
            append = append_of.get(event.cat)  # type: ignore[arg-type]
            if append is not None and (event.ph == "X" or event.cat == "fwdbwd"):
                append(event)
            elif event.name == _MEMORY_NAME:
                memory(event)
        for name, bucket in buckets.items():
            if bucket:
                self._fill[name](bucket)

    def _host(self, events: list[Event]) -> dict[str, Any]:
        names, threads = self.names, self.threads
        return {
            "thread": np.array([threads((e.pid, e.tid)) for e in events], dtype=np.int64),
            "ts": _floats([e.ts for e in events]),
            "dur": _floats([e.dur for e in events]),
            "name": np.array([names(e.name or "") for e in events], dtype=np.int64),
        }

    def _ops(self, events: list[Event]) -> None:
        names = self.names
        self._tables[_OPS].add(
            **self._host(events),
            annotation=np.array([e.cat in _ANNOTATIONS for e in events]),
            external_id=_ints([-1 if (v := e.args.external_id) is None else v for e in events]),
            sequence=_ints([-1 if (v := e.args.sequence_number) is None else v for e in events]),
            forward_thread=_ints([-1 if (v := e.args.forward_thread) is None else v for e in events]),
            call_stack=np.array([-1 if (v := e.args.call_stack) is None else names(v) for e in events], dtype=np.int64),
        )

    def _launches(self, events: list[Event]) -> None:
        self._tables[_LAUNCHES].add(
            **self._host(events),
            correlation=_ints([-1 if (v := e.args.correlation) is None else v for e in events]),
        )

    def _kernels(self, events: list[Event]) -> None:
        names = self.names
        self._tables[_KERNELS].add(
            ts=_floats([e.ts for e in events]),
            dur=_floats([e.dur for e in events]),
            name=np.array([names(e.name or "") for e in events], dtype=np.int64),
            device=_ints([e.pid if (v := e.args.device) is None else v for e in events]),
            stream=_ints([e.tid if (v := e.args.stream) is None else v for e in events]),
            correlation=_ints([-1 if (v := e.args.correlation) is None else v for e in events]),
            external_id=_ints([_external_id(e) for e in events]),
            copy=np.array([e.cat in _COPIES for e in events]),
        )

    def _frames(self, events: list[Event]) -> None:
        names = self.names
        self._tables[_FRAMES].add(
            **self._host(events),
            python_id=_ints([-1 if (v := e.args.python_id) is None else v for e in events]),
            parent_id=_ints([-1 if (v := e.args.python_parent) is None else v for e in events]),
            call_from=np.array([-1 if (v := e.args.call_from) is None else names(v) for e in events], dtype=np.int64),
        )

    def _flows(self, events: list[Event]) -> None:
        self._tables[_FLOWS].add(
            id=_ints([e.id for e in events]),
            thread=np.array([self.threads((e.pid, e.tid)) for e in events], dtype=np.int64),
            ts=_floats([e.ts for e in events]),
            start=np.array([e.ph == "s" for e in events]),
        )

    def _memory(self, events: list[Event]) -> None:
        self._tables["memory"].add(
            thread=np.array([self.threads((e.pid, e.tid)) for e in events], dtype=np.int64),
            ts=_floats([e.ts for e in events]),
            address=_ints([-1 if (v := e.args.address) is None else v for e in events]),
            bytes=_ints([0 if (v := e.args.bytes) is None else v for e in events]),
            device_type=_ints([-1 if (v := e.args.device_type) is None else v for e in events]),
            device_id=_ints([-1 if (v := e.args.device_id) is None else v for e in events]),
            total_allocated=_ints([-1 if (v := e.args.total_allocated) is None else v for e in events]),
        )

    def keep_timed(self) -> int:
        """Drop events that have no start or an impossible one; how many there were. To be called before the tables are asked for."""
        return sum(table.keep_timed() for table in self._tables.values())

    def origin_us(self) -> float:
        """A whole microsecond at or before every event; 0 for an empty trace."""
        starts = [float(np.nanmin(ts)) for table in self._tables.values() if len(ts := table.floats("ts")) and not np.isnan(ts).all()]
        return float(np.floor(min(starts))) if starts else 0.0

    def tables(self, origin_us: float) -> tuple[Ops, Launches, Kernels, Frames, MemoryEvents, Flows]:
        """All tables, sorted, in nanoseconds since the origin. Subtracting before scaling keeps nanoseconds exact for epoch-sized
        numbers."""

        def ts_ns(table: _Table) -> Ints:
            return np.rint(np.nan_to_num((table.floats("ts") - origin_us) * 1000.0)).astype(np.int64)

        def dur_ns(table: _Table) -> Ints:
            """-1 where the duration is missing or impossible."""
            dur = table.floats("dur")
            possible = (dur >= 0) & (dur <= _LONGEST_US)
            return np.rint(np.where(possible, dur * 1000.0, -1.0)).astype(np.int64)

        def host(table: _Table) -> tuple[Ints, dict[str, Ints]]:
            thread, ts, dur = table.ints("thread"), ts_ns(table), dur_ns(table)
            order = np.lexsort((-dur, ts, thread))
            return order, {"thread": thread[order], "ts_ns": ts[order], "dur_ns": dur[order], "name": table.ints("name")[order]}

        ops, launches, kernels = self._tables[_OPS], self._tables[_LAUNCHES], self._tables[_KERNELS]
        frames, memory, flows = self._tables[_FRAMES], self._tables["memory"], self._tables[_FLOWS]
        op_order, op_host = host(ops)
        launch_order, launch_host = host(launches)
        frame_order, frame_host = host(frames)
        kernel_ts, memory_ts = ts_ns(kernels), ts_ns(memory)
        kernel_order, memory_order = np.argsort(kernel_ts, kind="stable"), np.argsort(memory_ts, kind="stable")
        return (
            Ops(
                **op_host,
                annotation=ops.bools("annotation")[op_order],
                external_id=ops.ints("external_id")[op_order],
                sequence=ops.ints("sequence")[op_order],
                forward_thread=ops.ints("forward_thread")[op_order],
                call_stack=ops.ints("call_stack")[op_order],
            ),
            Launches(**launch_host, correlation=launches.ints("correlation")[launch_order]),
            Kernels(
                ts_ns=kernel_ts[kernel_order],
                dur_ns=dur_ns(kernels)[kernel_order],
                name=kernels.ints("name")[kernel_order],
                device=kernels.ints("device")[kernel_order],
                stream=kernels.ints("stream")[kernel_order],
                correlation=kernels.ints("correlation")[kernel_order],
                external_id=kernels.ints("external_id")[kernel_order],
                copy=kernels.bools("copy")[kernel_order],
            ),
            Frames(
                **frame_host,
                python_id=frames.ints("python_id")[frame_order],
                parent_id=frames.ints("parent_id")[frame_order],
                call_from=frames.ints("call_from")[frame_order],
            ),
            MemoryEvents(
                thread=memory.ints("thread")[memory_order],
                ts_ns=memory_ts[memory_order],
                address=memory.ints("address")[memory_order],
                bytes=memory.ints("bytes")[memory_order],
                device_type=memory.ints("device_type")[memory_order],
                device_id=memory.ints("device_id")[memory_order],
                total_allocated=memory.ints("total_allocated")[memory_order],
            ),
            Flows(id=flows.ints("id"), thread=flows.ints("thread"), ts_ns=ts_ns(flows), start=flows.bools("start")),
        )
