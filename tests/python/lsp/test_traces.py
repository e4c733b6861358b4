"""Trace files that lie alone, through the real server: shown, made active, found in folders, and their reading given up."""

from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path

import pytest

from kinetoscope.service import wire
from support.kineto import TraceMaker
from support.lsp import Editor, editor
from support.runs import trace, write_project, write_run

HINTS = {2: "GPU 400+200 µs · 80 %", 3: "GPU 100 µs · 13 %"}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write_project(tmp_path / "project")


@pytest.fixture
def copied(project: Path, tmp_path: Path) -> Path:
    (tmp_path / "copied").mkdir()
    return trace(project).write(tmp_path / "copied" / "worker3.pt.trace.json.gz")


def large(project: Path, path: Path) -> Path:
    maker = trace(project)
    for index in range(150_000):
        maker.op("aten::add", 10 + index * 0.01, 0.005)
    return maker.write(path)


def stages(window: Editor, run: Path) -> list[str]:
    return [told.stage for told in window.told if isinstance(told, wire.ReadProgress) and told.run == str(run)]


async def test_a_trace_alone_is_shown_under_its_files_name_without_becoming_active(project: Path, copied: Path) -> None:
    run = write_run(project / ".kinetoscope", "run", project)
    async with editor(project) as window:
        await window.until_read(run)
        view = await window.ask("kinetoscope/lines/view", run=str(copied))
        assert (view.run.kind, view.run.name, view.run.path) == ("trace", "worker3.pt.trace.json.gz", str(copied))
        assert (view.active, view.reason, len(view.rows), view.run.steps) == (False, None, 12, 2)
        listed = await window.ask("kinetoscope/runs/list")
        assert ([each.path for each in listed.runs], listed.active) == ([str(run)], str(run))
        assert [path.name for path in copied.parent.iterdir()] == [copied.name]


async def test_made_active_its_numbers_are_in_the_editor_and_it_is_listed(project: Path, copied: Path) -> None:
    async with editor(project) as window:
        listed = await window.ask("kinetoscope/runs/set_active", run=str(copied))
        assert [(each.kind, each.path) for each in listed.runs] == [("trace", str(copied))]
        await window.until_read(copied)
        assert await window.hints(window.open(project / "model.py")) == HINTS
        assert (await window.ask("kinetoscope/lines/view", run=str(copied))).active
        assert (await window.ask("kinetoscope/runs/set_active")).runs == []
    async with editor(project, active_run=str(copied)) as window:
        await window.until_read(copied)
        assert await window.hints(window.open(project / "model.py")) == HINTS


async def test_open_traces_are_listed_after_the_runs_until_they_are_closed(project: Path, copied: Path) -> None:
    run = write_run(project / ".kinetoscope", "run", project)
    async with editor(project, open_traces=[str(copied)]) as window:
        await window.until_read(run)
        assert [each.path for each in (await window.ask("kinetoscope/runs/list")).runs] == [str(run), str(copied)]
        window.has_open()
        assert [each.path for each in (await window.ask("kinetoscope/runs/list")).runs] == [str(run)]
        window.has_open(copied)
        assert [each.path for each in (await window.ask("kinetoscope/runs/list")).runs] == [str(run), str(copied)]
        with pytest.raises(Exception, match="is not a run of this workspace"):
            await window.ask("kinetoscope/runs/delete", run=str(copied))
        assert copied.is_file()


async def test_a_trace_of_others_says_what_is_known_of_it(project: Path, tmp_path: Path) -> None:
    maker = TraceMaker(end_us=100)
    maker.op("aten::mm", 10, 20).kernel("gemm", 12, 30, 40)
    foreign = maker.write(tmp_path / "bert.json.gz")
    async with editor(project) as window:
        view = await window.ask("kinetoscope/lines/view", run=str(foreign))
        assert (view.run.name, view.run.torch, view.devices, view.run.devices) == ("bert.json.gz", "", view.run.devices, view.devices)
        assert "no user line" in view.reason
        assert view.run.problem is None


async def test_a_file_that_was_written_anew_is_read_anew(project: Path, copied: Path) -> None:
    async with editor(project) as window:
        await window.ask("kinetoscope/runs/set_active", run=str(copied))
        await window.until_read(copied)
        uri = window.open(project / "model.py")
        assert await window.hints(uri) == HINTS
        trace(project, coarse_model=True).write(copied)
        os.utime(copied, (1, 1))
        await window.ask("kinetoscope/lines/view", run=str(copied))
        assert await window.hints(uri) == {}


async def test_a_file_that_is_no_trace_or_is_gone_says_so_and_can_be_tried_again(project: Path, copied: Path) -> None:
    whole = copied.read_bytes()
    copied.write_bytes(b"\x00\x01 no trace at all")
    async with editor(project) as window:
        view = await window.ask("kinetoscope/lines/view", run=str(copied))
        assert str(copied) in view.run.problem
        assert view.reason == view.run.problem
        copied.write_bytes(whole)
        assert len((await window.ask("kinetoscope/lines/view", run=str(copied))).rows) == 12
        window.has_open(copied)
        copied.unlink()
        [listed] = (await window.ask("kinetoscope/runs/list")).runs
        assert (listed.kind, "does not exist any more" in listed.problem) == ("trace", True)
        with pytest.raises(Exception, match="is not a run"):
            await window.ask("kinetoscope/runs/set_active", run=str(copied))


async def test_reading_ends_when_the_last_who_waits_gives_up_and_begins_anew_when_asked(project: Path, tmp_path: Path) -> None:
    path = large(project, tmp_path / "large.json")
    async with editor(project) as window:
        first = window.begin("kinetoscope/lines/view", run=str(path))
        second = window.begin("kinetoscope/lines/view", run=str(path))
        await window.until(lambda: "reading" in stages(window, path))
        first()
        await window.ask("kinetoscope/runs/list")
        assert "cancelled" not in stages(window, path)
        second()
        await window.until(lambda: stages(window, path)[-1] == "cancelled")
        view = await window.ask("kinetoscope/lines/view", run=str(path))
        assert (view.run.problem, len(view.rows)) == (None, 12)


async def test_progress_counts_the_bytes_of_the_file(project: Path, tmp_path: Path) -> None:
    path = large(project, tmp_path / "large.json.gz")
    async with editor(project) as window:
        await window.ask("kinetoscope/lines/view", run=str(path))
        told = [told for told in window.told if isinstance(told, wire.ReadProgress) and told.stage == "reading"]
        assert {each.total for each in told} == {path.stat().st_size}
        assert [each.done for each in told] == sorted(each.done for each in told)


async def test_a_folder_lists_its_runs_and_its_traces_by_recording_and_rank(project: Path, tmp_path: Path) -> None:
    run = write_run(project / ".kinetoscope", "run", project)
    for rank in (0, 1):
        path = trace(project).write(project / f"worker{rank}.1623143089861.pt.trace.json")
        os.utime(path, (1_700_000_000, 1_700_000_000))
    (project / "old").mkdir()
    old = trace(project).write(project / "old" / "step.json.gz")
    os.utime(old, (1_600_000_000, 1_600_000_000))
    async with editor(tmp_path) as window:
        found = await window.ask("kinetoscope/traces/find", folder=str(project))
        assert ([each.path for each in found.runs], found.note) == ([str(run)], None)
        assert [(each.recording, each.rank, each.ranks, each.worker, each.folder) for each in found.traces] == [
            (0, 0, 2, "worker0", ""),
            (0, 1, 2, "worker1", ""),
            (1, 0, 1, "step", "old"),
        ]
        assert (found.traces[2].path, found.traces[2].size_bytes) == (str(old), old.stat().st_size)
        assert datetime.fromisoformat(found.traces[2].changed).timestamp() == 1_600_000_000
        only_run = await window.ask("kinetoscope/traces/find", folder=str(run))
        assert ([each.path for each in only_run.runs], only_run.traces) == ([str(run)], [])


async def test_a_folder_with_nothing_in_it_says_what_was_looked_for(project: Path) -> None:
    async with editor(project) as window:
        found = await window.ask("kinetoscope/traces/find", folder=str(project))
        assert (found.runs, found.traces) == ([], [])
        assert f"There is neither a run nor a trace in {project}." in found.note
        assert "pt.trace.json" in found.note
