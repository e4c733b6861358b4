"""The columns of all chunks become the tables of a trace: one numbering of names and threads, one clock, sorted."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinetoscope.trace.chunk_columns import FLOWS, FRAMES, KERNELS, LAUNCHES, MEMORY, OPS, TABLES, ChunkColumns, Columns, Interner
from kinetoscope.trace.columns import Bools, Flows, Frames, Ints, Kernels, Launches, MemoryEvents, Ops

_NAMES = ("name", "call_from", "call_stack")
_LATEST_US = 4e15
"""In the year 2096; what is as far before the epoch and this are less than int64 nanoseconds apart."""
_LONGEST_US = 1e14
"""Three years."""


class ThreadNumbers(Interner):
    """Threads to small numbers. torch 1.8 to 1.10 wrote a thread's id as text on operators and as a number on memory events: both are one
    thread."""

    def __init__(self) -> None:
        super().__init__()
        self.threads: list[tuple[Any, Any]] = []

    def __missing__(self, value: Any) -> int:
        pid, tid = value
        same = (_plain(pid), _plain(tid))
        if same == value:
            self.threads.append(same)
            number = len(self.threads) - 1
        else:
            number = self[same]
        self[value] = number
        return number


def _plain(value: Any) -> Any:
    return int(value) if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 20 else value


@dataclass
class _Table:
    """Columns of one table, a list of arrays each (one a chunk). Taking a column lets go of its parts."""

    columns: dict[str, list[NDArray[Any]]] = field(default_factory=dict)

    def add(self, columns: Columns) -> None:
        for name, values in columns.items():
            self.columns.setdefault(name, []).append(values)

    def ints(self, name: str) -> Ints:
        return _joined(self.columns.pop(name, []))

    def bools(self, name: str) -> Bools:
        parts = self.columns.pop(name, None)
        return np.concatenate(parts) if parts else np.zeros(0, np.bool_)

    def ts_ns(self, origin_us: float) -> Ints:
        """Subtracting before scaling keeps nanoseconds exact for epoch-sized numbers."""
        return _joined([np.rint((part - origin_us) * 1000.0).astype(np.int64) for part in self.columns.pop("ts", [])])

    def dur_ns(self) -> Ints:
        """-1 where the duration is missing or impossible."""
        parts = self.columns.pop("dur", [])
        possible = [(part >= 0) & (part <= _LONGEST_US) for part in parts]
        return _joined(
            [np.rint(np.where(sound, part * 1000.0, -1.0)).astype(np.int64) for part, sound in zip(parts, possible, strict=True)]
        )

    def keep_timed(self) -> int:
        """Drop the rows whose start no clock shows; how many there were."""
        timed = [np.abs(part) <= _LATEST_US for part in self.columns.get("ts", [])]
        dropped = sum(int((~rows).sum()) for rows in timed)
        if dropped:
            self.columns = {name: [part[rows] for part, rows in zip(parts, timed, strict=True)] for name, parts in self.columns.items()}
        return dropped


def _joined(parts: list[Ints]) -> Ints:
    return np.concatenate(parts) if parts else np.zeros(0, np.int64)


class TableBuilder:
    """Takes the columns of chunks in the order of the file and gives tables at the end."""

    def __init__(self) -> None:
        self.names = Interner()
        self.threads = ThreadNumbers()
        self._tables = {name: _Table() for name in TABLES}

    def add(self, chunk: ChunkColumns) -> None:
        """Take one chunk's columns, renumbering its names and threads."""
        # The index -1 means none and finds the last entry.
        names = np.array([*(self.names[name] for name in chunk.names), -1], dtype=np.int64)
        threads = np.array([self.threads[thread] for thread in chunk.threads], dtype=np.int64)
        for table, columns in chunk.tables.items():
            for name in _NAMES:
                if name in columns:
                    columns[name] = names[columns[name]]
            if "thread" in columns:
                columns["thread"] = threads[columns["thread"]]
            self._tables[table].add(columns)

    def keep_timed(self) -> int:
        """Drop events that have no start or an impossible one; how many there were. To be called before the tables are asked for."""
        return sum(table.keep_timed() for table in self._tables.values())

    def origin_us(self) -> float:
        """A whole microsecond at or before every event; 0 for an empty trace."""
        starts = [float(part.min()) for table in self._tables.values() for part in table.columns.get("ts", []) if len(part)]
        return float(np.floor(min(starts))) if starts else 0.0

    def tables(self, origin_us: float) -> tuple[Ops, Launches, Kernels, Frames, MemoryEvents, Flows]:
        """All tables, sorted, in nanoseconds since the origin. May be called once: it lets go of what it was given."""

        def host(table: _Table) -> tuple[Ints, dict[str, Ints]]:
            thread, ts, dur = table.ints("thread"), table.ts_ns(origin_us), table.dur_ns()
            order = np.lexsort((-dur, ts, thread))
            return order, {"thread": thread[order], "ts_ns": ts[order], "dur_ns": dur[order], "name": table.ints("name")[order]}

        ops, launches, kernels = self._tables[OPS], self._tables[LAUNCHES], self._tables[KERNELS]
        frames, memory, flows = self._tables[FRAMES], self._tables[MEMORY], self._tables[FLOWS]
        op_order, op_host = host(ops)
        launch_order, launch_host = host(launches)
        frame_order, frame_host = host(frames)
        kernel_ts, memory_ts = kernels.ts_ns(origin_us), memory.ts_ns(origin_us)
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
                dur_ns=kernels.dur_ns()[kernel_order],
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
            Flows(id=flows.ints("id"), thread=flows.ints("thread"), ts_ns=flows.ts_ns(origin_us), start=flows.bools("start")),
        )
