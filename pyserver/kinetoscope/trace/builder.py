"""The columns of all chunks become the tables of a trace: one numbering of names and threads, one clock, sorted."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, get_type_hints

import numpy as np
from numpy.typing import NDArray

from kinetoscope.trace.chunk_columns import TABLES, ChunkColumns, Columns, Interner
from kinetoscope.trace.columns import Bools, Floats, Ints, Trace

_NAMES = (
    *("name", "call_from", "call_stack", "input_dims", "input_types", "grid", "block"),
    *("collective", "dtype", "group", "group_description", "group_ranks"),
)
KINDS: dict[str, Any] = {name: kind for name, kind in get_type_hints(Trace).items() if name in TABLES}
_DTYPES: dict[Any, Any] = {Ints: np.int64, Floats: np.float64, Bools: np.bool_}
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

    def column(self, name: str, dtype: type[Any]) -> NDArray[Any]:
        parts = self.columns.pop(name, [])
        return np.concatenate(parts) if parts else np.zeros(0, dtype)

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

    def tables(self, origin_us: float) -> dict[str, Any]:
        """All tables of a `Trace` by name, sorted, in nanoseconds since the origin. May be called once: it lets go of what it was given."""
        made: dict[str, Any] = {}
        for name, kind in KINDS.items():
            table = self._tables[name]
            columns = {"ts_ns": table.ts_ns(origin_us)}
            wanted = {field.name for field in fields(kind)}
            if "dur_ns" in wanted:
                columns["dur_ns"] = table.dur_ns()
            dtypes = get_type_hints(kind)
            columns |= {column: table.column(column, _DTYPES[dtypes[column]]) for column in wanted - {*columns}}
            order = _order(columns)
            made[name] = kind(**{column: values[order] for column, values in columns.items()})
        return made


def _order(columns: dict[str, NDArray[Any]]) -> Ints:
    """Host ranges by thread, start, longest first; all else by start."""
    ts = columns["ts_ns"]
    if "thread" in columns and "dur_ns" in columns:
        return np.lexsort((-columns["dur_ns"], ts, columns["thread"]))
    return np.argsort(ts, kind="stable")
