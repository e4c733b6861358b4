"""The cache beside a trace: found only while nothing it was made from has changed, and never half."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kinetoscope.runs import cache as caches
from kinetoscope.runs.cache import Cache, sealed, unsealed


@pytest.fixture
def trace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user"))
    run = tmp_path / "run"
    run.mkdir()
    (run / "rank0.pt.trace.json").write_text("a trace")
    return run / "rank0.pt.trace.json"


def store(trace: Path, body: bytes, *, rank: int = 0, what: str = "digest", reader: str = "1", in_run: bool = True) -> None:
    Cache(trace, rank, what, reader, in_run=in_run).store(lambda path: path.write_bytes(sealed(body)))


def load(trace: Path, *, rank: int = 0, what: str = "digest", reader: str = "1", in_run: bool = True) -> bytes | None:
    return Cache(trace, rank, what, reader, in_run=in_run).load(lambda path: unsealed(path.read_bytes()))


def test_what_was_stored_is_found_again(trace: Path) -> None:
    store(trace, b"digest")
    assert load(trace) == b"digest"
    assert [path.name.split("-")[0] for path in (trace.parent / "cache").iterdir()] == ["rank0"]


def test_another_reader_or_a_changed_trace_finds_nothing(trace: Path) -> None:
    store(trace, b"digest")
    assert load(trace, reader="2") is None
    os.utime(trace, ns=(1, 1))
    assert load(trace) is None


def test_a_new_entry_replaces_older_ones_of_its_rank_and_kind_only(trace: Path) -> None:
    for rank in (0, 1):
        store(trace, b"old", rank=rank)
    store(trace, b"columns", what="columns")
    store(trace, b"new", reader="2")
    names = sorted(path.name.rsplit("-", 1)[0] for path in (trace.parent / "cache").iterdir())
    assert names == ["rank0-columns", "rank0-digest", "rank1-digest"]
    assert load(trace, rank=1) == b"old"


@pytest.mark.parametrize("damage", [b"", b"KSC1", b"something else entirely, and long enough"])
def test_damaged_entries_are_as_if_absent(trace: Path, damage: bytes) -> None:
    store(trace, b"digest")
    [file] = (trace.parent / "cache").iterdir()
    file.write_bytes(damage)
    assert load(trace) is None


def test_one_wrong_byte_is_noticed(trace: Path) -> None:
    store(trace, b"digest")
    [file] = (trace.parent / "cache").iterdir()
    file.write_bytes(file.read_bytes()[:-1] + b"T")
    assert load(trace) is None


def test_where_the_run_cannot_hold_it_the_users_folder_does(trace: Path, tmp_path: Path) -> None:
    (trace.parent / "cache").write_text("in the way")
    store(trace, b"digest")
    assert load(trace) == b"digest"
    assert list((tmp_path / "user" / "kinetoscope").glob("*/rank0-*"))


def test_nothing_is_written_beside_a_trace_that_lies_alone(trace: Path) -> None:
    store(trace, b"digest", in_run=False)
    assert [path.name for path in trace.parent.iterdir()] == [trace.name]
    assert load(trace, in_run=False) == b"digest"


def test_a_full_disk_leaves_no_halves(trace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(OSError, match="No space left"):
        store(trace, b"digest")
    assert list((trace.parent / "cache").iterdir()) == []


def test_traces_that_lie_in_one_folder_do_not_drop_each_other(trace: Path) -> None:
    other = trace.with_name("another.json")
    other.write_text("another trace")
    store(trace, b"one", in_run=False)
    store(other, b"two", in_run=False)
    assert load(trace, in_run=False) == b"one"
    assert load(other, in_run=False) == b"two"


def test_the_users_folder_stays_below_its_limit_by_dropping_what_was_used_longest_ago(
    trace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(caches, "_USER_CACHE_BYTES", 250)
    traces = [trace.with_name(f"t{number}.json") for number in range(3)]
    for number, path in enumerate(traces):
        path.write_text(path.name)
        store(path, b"x" * 100, in_run=False)
        [entry] = (tmp_path / "user" / "kinetoscope").glob(f"*/{Cache(path, 0, 'digest', '1', in_run=False)._name}")
        os.utime(entry, (number, number))
    assert load(traces[0], in_run=False) is not None  # used now
    last = trace.with_name("last.json")
    last.write_text("last")
    store(last, b"x" * 100, in_run=False)
    assert [load(path, in_run=False) is not None for path in [*traces, last]] == [True, False, True, True]
