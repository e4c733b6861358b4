"""A trace's columns as a file that is opened by mapping it into memory, so that a trace is parsed once.

Layout: a fixed header (magic, format, checksums, lengths), a msgpack index (what is no column, and where each column is), then the
columns as raw little-endian arrays at multiples of 64 bytes. A file of another format or with a wrong checksum is treated as absent:
what it holds can always be read again from the trace.
"""

from __future__ import annotations

import dataclasses
import mmap
import struct
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO, cast

import msgspec
import numpy as np
from isal import isal_zlib
from msgspec import Struct
from numpy.typing import NDArray

from kinetoscope.trace.builder import KINDS
from kinetoscope.trace.columns import DeviceProperties, Distributed, Lost, Trace
from kinetoscope.trace.recording import Recording

FORMAT = 1
"""Raised when the meaning of a column changes. Columns that come or go are noticed by their names."""

_MAGIC = b"KSTC"
_HEADER = struct.Struct("<4sIIIQQ")  # magic, format, CRC-32 of the index, CRC-32 of the columns, length of the index, length of the file
_ALIGN = 64


class _Column(Struct, array_like=True, frozen=True):
    """`offset`: from the start of the columns, bytes; `length`: numbers."""

    table: str
    name: str
    dtype: str
    offset: int
    length: int


class _Index(Struct, frozen=True):
    origin_epoch_ns: int
    end_ns: int
    names: list[str]
    threads: Sequence[tuple[int | float | str | None, int | float | str | None]]
    recording: Recording
    devices: list[DeviceProperties]
    distributed: Distributed | None
    lost: Lost | None
    columns: list[_Column]


def store(trace: Trace, path: Path) -> None:
    """Write the file. Raises `OSError`; what was written by then must not be used."""
    columns: list[_Column] = []
    arrays: list[NDArray[Any]] = []
    offset = 0
    for table in KINDS:
        for name, values in vars(getattr(trace, table)).items():
            array: NDArray[Any] = np.ascontiguousarray(values, dtype=values.dtype.newbyteorder("<"))
            columns.append(_Column(table, name, array.dtype.str, offset, len(array)))
            arrays.append(array)
            offset += -(-array.nbytes // _ALIGN) * _ALIGN
    index = msgspec.msgpack.encode(
        _Index(
            origin_epoch_ns=trace.origin_epoch_ns,
            end_ns=trace.end_ns,
            names=trace.names,
            threads=trace.threads,
            recording=trace.recording,
            devices=trace.devices,
            distributed=trace.distributed,
            lost=trace.lost,
            columns=columns,
        )
    )
    with path.open("wb") as file:
        start = _start_of_columns(len(index))
        file.write(bytes(_HEADER.size) + index + bytes(start - _HEADER.size - len(index)))
        checksum = 0
        for array in arrays:
            checksum = _write(file, array.data.cast("B") if array.nbytes else b"", checksum)
            checksum = _write(file, bytes(-array.nbytes % _ALIGN), checksum)
        file.seek(0)
        file.write(_HEADER.pack(_MAGIC, FORMAT, isal_zlib.crc32(index), checksum, len(index), start + offset))


def load(path: Path) -> Trace | None:
    """The trace, its columns mapped from the file; None where the file is not whole or of another format. Raises `OSError`."""
    with path.open("rb") as file:
        header = file.read(_HEADER.size)
        if len(header) < _HEADER.size:
            return None
        magic, version, index_crc, columns_crc, index_length, length = _HEADER.unpack(header)
        start = _start_of_columns(index_length)
        if magic != _MAGIC or version != FORMAT or sys.byteorder != "little":
            return None
        if length != file.seek(0, 2) or length < start:
            return None
        mapped = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    raw, columns = mapped[_HEADER.size : _HEADER.size + index_length], mapped[start:]
    if isal_zlib.crc32(raw) != index_crc or isal_zlib.crc32(columns) != columns_crc:
        return None
    try:
        index = msgspec.msgpack.decode(raw, type=_Index)
        return _trace(index, columns)
    except (msgspec.MsgspecError, ValueError, TypeError, KeyError):
        return None


def _trace(index: _Index, data: memoryview) -> Trace:
    """Raises `KeyError`, `TypeError` or `ValueError` where a table has other columns than ours."""
    found: dict[str, dict[str, NDArray[Any]]] = {table: {} for table in KINDS}
    for column in index.columns:
        dtype = np.dtype(column.dtype)
        found[column.table][column.name] = np.frombuffer(data, dtype, column.length, column.offset)
    tables: dict[str, Any] = {}
    for table, kind in KINDS.items():
        if {*found[table]} != {field.name for field in dataclasses.fields(kind)}:
            raise ValueError(table)
        tables[table] = cast("type[Any]", kind)(**found[table])
    return Trace(
        origin_epoch_ns=index.origin_epoch_ns,
        end_ns=index.end_ns,
        names=index.names,
        threads=list(index.threads),  # type: ignore[arg-type]
        recording=index.recording,
        devices=index.devices,
        distributed=index.distributed,
        lost=index.lost,
        **tables,
    )


def _start_of_columns(index_length: int) -> int:
    return -(-(_HEADER.size + index_length) // _ALIGN) * _ALIGN


def _write(file: BinaryIO, data: bytes | memoryview, checksum: int) -> int:
    file.write(data)
    return isal_zlib.crc32(data, checksum)
