"""The cache beside a trace: found only while nothing it was made from has changed, and never half."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kinetoscope.runs.cache import Cache


@pytest.fixture
def trace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user"))
    run = tmp_path / "run"
    run.mkdir()
    (run / "rank0.pt.trace.json").write_text("a trace")
    return run / "rank0.pt.trace.json"


def test_what_was_stored_is_found_again(trace: Path) -> None:
    Cache(trace, 0, "1", in_run=True).store(b"digest")
    assert Cache(trace, 0, "1", in_run=True).load() == b"digest"
    assert [path.name.split("-")[0] for path in (trace.parent / "cache").iterdir()] == ["rank0"]


def test_another_reader_or_a_changed_trace_finds_nothing(trace: Path) -> None:
    Cache(trace, 0, "1", in_run=True).store(b"digest")
    assert Cache(trace, 0, "2", in_run=True).load() is None
    os.utime(trace, ns=(1, 1))
    assert Cache(trace, 0, "1", in_run=True).load() is None


def test_a_new_entry_replaces_older_ones_of_its_rank_only(trace: Path) -> None:
    for rank in (0, 1):
        Cache(trace, rank, "1", in_run=True).store(b"old")
    Cache(trace, 0, "2", in_run=True).store(b"new")
    assert sorted(path.name.split("-")[0] for path in (trace.parent / "cache").iterdir()) == ["rank0", "rank1"]
    assert Cache(trace, 1, "1", in_run=True).load() == b"old"


@pytest.mark.parametrize("damage", [b"", b"KSC1", b"something else entirely, and long enough"])
def test_damaged_entries_are_as_if_absent(trace: Path, damage: bytes) -> None:
    cache = Cache(trace, 0, "1", in_run=True)
    cache.store(b"digest")
    [file] = (trace.parent / "cache").glob("*/*")
    file.write_bytes(damage)
    assert cache.load() is None


def test_one_wrong_byte_is_noticed(trace: Path) -> None:
    cache = Cache(trace, 0, "1", in_run=True)
    cache.store(b"digest")
    [file] = (trace.parent / "cache").glob("*/*")
    file.write_bytes(file.read_bytes()[:-1] + b"T")
    assert cache.load() is None


def test_where_the_run_cannot_hold_it_the_users_folder_does(trace: Path, tmp_path: Path) -> None:
    (trace.parent / "cache").write_text("in the way")
    Cache(trace, 0, "1", in_run=True).store(b"digest")
    assert Cache(trace, 0, "1", in_run=True).load() == b"digest"
    assert list((tmp_path / "user" / "kinetoscope").glob("*/rank0-*"))


def test_nothing_is_written_beside_a_trace_that_lies_alone(trace: Path) -> None:
    Cache(trace, 0, "1", in_run=False).store(b"digest")
    assert [path.name for path in trace.parent.iterdir()] == [trace.name]
    assert Cache(trace, 0, "1", in_run=False).load() == b"digest"


def test_a_full_disk_leaves_no_halves(trace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(OSError, match="No space left"):
        Cache(trace, 0, "1", in_run=True).store(b"digest")
    assert list((trace.parent / "cache").iterdir()) == []


def test_traces_that_lie_alone_in_one_folder_keep_an_entry_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user"))
    traces = [tmp_path / "alone" / name for name in ("a.json", "b.json")]
    traces[0].parent.mkdir()
    for trace in traces:
        trace.write_text(trace.name)
        Cache(trace, 0, "1", in_run=False).store(trace.name.encode())
    assert [Cache(trace, 0, "1", in_run=False).load() for trace in traces] == [b"a.json", b"b.json"]
    assert sorted(path.name for path in traces[0].parent.iterdir()) == ["a.json", "b.json"]
