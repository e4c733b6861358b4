"""The worker process from outside: what it delivers, and what is said when it doesn't."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest

from kinetoscope.runs.manifest import RunError
from kinetoscope.service import digest, reading
from kinetoscope.service.selection import Selection
from support.runs import write_project, write_run


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return write_run(tmp_path / "runs", "run", write_project(tmp_path / "project"))


def pretend_worker(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, script: str) -> None:
    worker = tmp_path / "worker"
    worker.write_text(f"#!/bin/sh\n{script}\n")
    worker.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(worker))


async def test_stages_are_told_in_order_and_the_second_time_nothing_is_read(run: Path) -> None:
    told: list[str] = []
    made = await reading.read(digest.target(run), lambda stage, _done, _total: told.append(stage))
    assert list(dict.fromkeys(told)) == ["reading", "linking", "lines"]
    told.clear()
    assert await reading.read(digest.target(run), lambda stage, _done, _total: told.append(stage)) == made
    assert told == []


async def test_with_and_without_inference_are_two_digests(run: Path) -> None:
    await reading.read(digest.target(run), lambda *_: None)
    assert digest.load(digest.target(run, infer=False)) is None
    stages: list[str] = []
    await reading.read(digest.target(run, infer=False), lambda stage, _done, _total: stages.append(stage))
    assert "linking" in stages
    assert digest.load(digest.target(run, infer=False)) is not None


async def test_a_part_is_made_anew_each_time_and_leaves_the_whole_as_it_was(run: Path) -> None:
    of = digest.target(run)
    whole = await reading.read(of, lambda *_: None)
    for part in (Selection(step=1), Selection(range_us=(0.0, 200.5))):
        stages: list[str] = []
        made = await reading.read(of, lambda stage, _done, _total: stages.append(stage), part)
        assert "lines" in stages
        assert 0 < made.report.device_us.total < whole.report.device_us.total
        assert digest.load(of, part) is None
    assert (await reading.read(of, lambda *_: None, Selection(step=1))).report.steps == 1
    assert digest.load(of) == whole


async def test_a_part_that_is_not_there_is_a_problem(run: Path) -> None:
    with pytest.raises(RunError, match="has no step 7: it has 0 to 1"):
        await reading.read(digest.target(run), lambda *_: None, Selection(step=7))


async def test_a_worker_that_crashes_is_a_problem_with_its_last_words(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pretend_worker(monkeypatch, tmp_path, "echo first >&2; echo out of luck >&2; exit 3")
    with pytest.raises(RunError, match="ended with code 3: out of luck"):
        await reading.read(digest.target(run), lambda *_: None)


async def test_a_worker_that_is_killed_while_it_delivers_is_a_problem_too(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend_worker(monkeypatch, tmp_path, """echo '{"stage": "done", "size": 100}'; printf half; kill -9 $$""")
    with pytest.raises(RunError, match="ended with code -9"):
        await reading.read(digest.target(run), lambda *_: None)


async def test_cancelling_ends_the_worker(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pid_file = tmp_path / "pid"
    pretend_worker(monkeypatch, tmp_path, f"""echo $$ > {pid_file}; echo '{{"stage": "reading", "done": 1, "total": 2}}'; exec sleep 600""")
    begun = asyncio.Event()
    task = asyncio.create_task(reading.read(digest.target(run), lambda *_: begun.set()))
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid_file.read_text()), 0)


def test_a_changed_reader_finds_nothing_that_an_older_one_kept(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    digest.make(digest.target(run), lambda *_: None)
    assert digest.load(digest.target(run)) is not None
    monkeypatch.setattr(digest, "reader_version", lambda: "another")
    assert digest.load(digest.target(run)) is None
