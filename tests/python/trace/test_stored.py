"""A trace's columns on disk: the same as those read, or nothing."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from kinetoscope.trace import stored
from kinetoscope.trace.columns import Lost, Trace
from kinetoscope.trace.reader import read_trace
from support.kineto import TraceMaker


def trace_in(folder: Path) -> Trace:
    maker = (
        TraceMaker()
        .op("aten::mm", 1.125, 2.5, seq=3)
        .backward("MmBackward0", 10, 5, seq=3)
        .kernel("gemm", 2, 5, 20)
        .memory(3, 512, 1 << 40)
    )
    maker.event("python_function", "a.py(1): f", 0.5, 9, **{"Python id": 1, "CallFrom": "a.py:7"})
    maker.code(maker.source("/project/a.py", "x = 1"), "<module>", 1)
    maker.log().add(1, 2, 0, 1)
    return dataclasses.replace(read_trace(maker.write(folder / "t.json"), lambda done, total: None), lost=Lost(2, 77, "a reason"))


def test_what_is_loaded_is_what_was_stored(tmp_path: Path) -> None:
    trace = trace_in(tmp_path)
    stored.store(trace, tmp_path / "columns")
    loaded = stored.load(tmp_path / "columns")
    assert loaded is not None
    for field in dataclasses.fields(trace):
        ours, theirs = getattr(trace, field.name), getattr(loaded, field.name)
        if field.name in stored.KINDS:
            assert all(values.tobytes() == vars(theirs)[name].tobytes() for name, values in vars(ours).items())
            assert all(values.dtype == vars(theirs)[name].dtype for name, values in vars(ours).items())
        else:
            assert ours == theirs


def test_an_empty_trace_is_stored_too(tmp_path: Path) -> None:
    trace = read_trace(TraceMaker().write(tmp_path / "t.json"), lambda done, total: None)
    stored.store(trace, tmp_path / "columns")
    loaded = stored.load(tmp_path / "columns")
    assert loaded is not None
    assert len(loaded.ops.ts_ns) == 0


@pytest.mark.parametrize("where", ["magic", "format", "index", "columns", "end"])
def test_one_wrong_byte_anywhere_is_noticed(tmp_path: Path, where: str) -> None:
    path = tmp_path / "columns"
    stored.store(trace_in(tmp_path), path)
    data = bytearray(path.read_bytes())
    place = {"magic": 0, "format": 4, "index": 100, "columns": len(data) - 300, "end": len(data) - 1}[where]
    data[place] ^= 1
    path.write_bytes(data)
    assert stored.load(path) is None


@pytest.mark.parametrize("keep", [0, 10, 60, 500, -1])
def test_a_half_written_file_is_as_if_absent(tmp_path: Path, keep: int) -> None:
    path = tmp_path / "columns"
    stored.store(trace_in(tmp_path), path)
    path.write_bytes(path.read_bytes()[:keep])
    assert stored.load(path) is None


def test_columns_that_came_since_make_it_unusable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "columns"
    stored.store(trace_in(tmp_path), path)
    fields = dataclasses.fields
    monkeypatch.setattr(stored.dataclasses, "fields", lambda kind: (*fields(kind), *fields(Lost)))
    assert stored.load(path) is None
