"""Runs through the real server: they arrive, are read with progress, chosen, cancelled, deleted, and the broken ones say what is wrong."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from lsprotocol import types

from kinetoscope.service import wire
from support.lsp import Editor, editor
from support.runs import trace, write_project, write_run

HINTS = {2: "GPU 400+200 µs · 80 %", 3: "GPU 100 µs · 13 %"}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write_project(tmp_path / "project")


@pytest.fixture
def runs(project: Path) -> Path:
    return project / ".kinetoscope"


def stages(window: Editor, run: Path) -> list[str]:
    return [told.stage for told in window.told if isinstance(told, wire.ReadProgress) and told.run == str(run)]


def problem_of(window: Editor, run: Path) -> str | None:
    told = [told for told in window.told if isinstance(told, wire.ReadProgress) and told.run == str(run)]
    return told[-1].problem if told else None


async def test_a_run_that_arrives_is_read_and_becomes_active_and_the_editor_is_refreshed(project: Path, runs: Path) -> None:
    async with editor(project) as window:
        uri = window.open(project / "model.py")
        assert await window.hints(uri) == {}
        assert "No run is active" in (await window.ask("kinetoscope/lines/heat", uri=uri)).reason
        run = write_run(runs, "first", project)
        await window.until(lambda: wire.RunArrived(active=str(run), arrived=str(run)) in window.told)
        await window.until(lambda: {types.WORKSPACE_INLAY_HINT_REFRESH, types.WORKSPACE_CODE_LENS_REFRESH} <= set(window.refreshed))
        assert wire.LinesChanged(uri=None) in window.told
        assert await window.hints(uri) == HINTS
        assert stages(window, run)[-1] == "done"


async def test_a_file_event_of_the_editor_finds_a_run_too(project: Path, runs: Path) -> None:
    async with editor(project) as window:
        await window.until(lambda: bool(window.registered))
        options = window.registered[0].register_options
        assert "**/.kinetoscope/*/run.json" in str(options)
        run = write_run(runs, "first", project)
        event = types.FileEvent(uri=(run / "run.json").as_uri(), type=types.FileChangeType.Created)
        window.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams(changes=[event]))
        await window.until_active(run)


async def test_numbers_of_the_old_run_stay_until_the_new_one_is_read(project: Path, runs: Path) -> None:
    old = write_run(runs, "old", project)
    async with editor(project) as window:
        await window.until_read(old)
        uri = window.open(project / "model.py")
        new = write_run(runs, "new", project, maker=trace(project, coarse_model=True), created="2026-11-30T11:00:00Z")
        await window.until(lambda: bool(stages(window, new)))
        if stages(window, new)[-1] != "done":
            assert await window.hints(uri) == HINTS
        await window.until_active(new)
        assert await window.hints(uri) == {}


async def test_runs_are_listed_newest_first_and_another_can_be_chosen(project: Path, runs: Path) -> None:
    old = write_run(runs, "old", project, created="2026-11-29T10:00:00Z", argv=["train.py", "--lr", "1"])
    new = write_run(runs, "new", project, maker=trace(project, coarse_model=True))
    async with editor(project) as window:
        await window.until_read(new)
        listed = await window.ask("kinetoscope/runs/list")
        assert [run.path for run in listed.runs] == [str(new), str(old)]
        assert listed.active == str(new)
        first = listed.runs[1]
        assert (first.name, first.argv, first.steps, first.devices) == ("train.py", ["train.py", "--lr", "1"], 2, ["cpu", "cuda:0"])
        assert first.size_bytes > 0
        assert first.problem is None
        assert (await window.ask("kinetoscope/runs/set_active", run=str(old))).active == str(old)
        await window.until_read(old)
        assert await window.hints(window.open(project / "model.py")) == HINTS
        assert (await window.ask("kinetoscope/runs/set_active")).active is None
        assert await window.hints((project / "model.py").as_uri()) == {}


async def test_the_remembered_run_is_active_and_a_run_read_before_is_not_read_again(project: Path, runs: Path) -> None:
    old = write_run(runs, "old", project, created="2026-11-29T10:00:00Z")
    write_run(runs, "new", project)
    async with editor(project, active_run=str(old)) as window:
        await window.until_read(old)
        assert "reading" in stages(window, old)
    async with editor(project, active_run=str(old)) as window:
        await window.until_read(old)
        assert stages(window, old) == ["done"]
        assert await window.hints(window.open(project / "model.py")) == HINTS


async def test_a_remembered_run_that_is_gone_gives_way_to_the_newest(project: Path, runs: Path) -> None:
    run = write_run(runs, "new", project)
    async with editor(project, active_run=str(runs / "gone")) as window:
        await window.until_read(run)
        assert (await window.ask("kinetoscope/runs/list")).active == str(run)


async def test_a_damaged_cache_is_made_anew(project: Path, runs: Path) -> None:
    run = write_run(runs, "run", project)
    async with editor(project) as window:
        await window.until_read(run)
    [digest] = run.glob("cache/rank0-digest-*")
    digest.write_bytes(digest.read_bytes()[:-10])
    async with editor(project) as window:
        await window.until_read(run)
        assert await window.hints(window.open(project / "model.py")) == HINTS


async def test_deleting_the_active_run_leaves_the_next(project: Path, runs: Path) -> None:
    old = write_run(runs, "old", project, created="2026-11-29T10:00:00Z")
    new = write_run(runs, "new", project, maker=trace(project, coarse_model=True))
    async with editor(project) as window:
        await window.until_read(new)
        listed = await window.ask("kinetoscope/runs/delete", run=str(new))
        assert ([run.path for run in listed.runs], listed.active) == ([str(old)], str(old))
        assert sorted(path.name for path in runs.iterdir()) == ["old"]
        await window.until_read(old)
        assert await window.hints(window.open(project / "model.py")) == HINTS


async def test_a_run_deleted_behind_the_servers_back_is_gone_too(project: Path, runs: Path) -> None:
    run = write_run(runs, "run", project)
    async with editor(project) as window:
        await window.until_read(run)
        await window.until_active(run)
        shutil.rmtree(run)
        await window.until_active(None)
        assert await window.hints(window.open(project / "model.py")) == {}


async def test_only_runs_of_the_workspace_can_be_deleted(project: Path, tmp_path: Path) -> None:
    other = write_run(tmp_path / "others", "run", project)
    async with editor(project) as window:
        for path in (other, project, project / "missing"):
            with pytest.raises(Exception, match="is not a run of this workspace"):
                await window.ask("kinetoscope/runs/delete", run=str(path))
        assert (other / "run.json").is_file()


async def test_a_newer_format_is_listed_with_who_wrote_it_and_what_to_do(project: Path, runs: Path) -> None:
    good = write_run(runs, "good", project)
    newer = write_run(runs, "newer", project, format=9, written_by="9.1.0", created="2027-01-01T00:00:00Z")
    async with editor(project) as window:
        await window.until_read(good)
        listed = await window.ask("kinetoscope/runs/list")
        problem = next(run.problem for run in listed.runs if run.path == str(newer))
        assert "run format 9, written by Kinetoscope 9.1.0" in problem
        assert "Update Kinetoscope" in problem
        assert listed.active == str(good)
        view = await window.ask("kinetoscope/lines/view", run=str(newer))
        assert "Update Kinetoscope" in view.reason


@pytest.mark.parametrize("damage", ["no manifest", "half a manifest", "no trace", "a trace elsewhere"])
async def test_a_broken_run_says_what_is_wrong_and_the_server_goes_on(project: Path, runs: Path, damage: str) -> None:
    elsewhere = [{"rank": 0, "file": "../../../etc/passwd"}]
    run = write_run(runs, "broken", project, **({"traces": elsewhere} if damage == "a trace elsewhere" else {}))
    words = {
        "no manifest": "has no run.json",
        "half a manifest": "is damaged",
        "no trace": "is missing",
        "a trace elsewhere": "outside the run folder",
    }
    if damage == "no manifest":
        (run / "run.json").unlink()
    elif damage == "half a manifest":
        (run / "run.json").write_text('{"format": 1, "argv": [')
    elif damage == "no trace":
        (run / "rank0.pt.trace.json").unlink()
        (run / "cache").mkdir()
    async with editor(project) as window:
        view = await window.ask("kinetoscope/lines/view", run=str(run))
        assert words[damage] in view.reason
        listed = await window.ask("kinetoscope/runs/list")
        assert [words[damage] in (each.problem or "") for each in listed.runs] == [True]
        good = write_run(runs, "good", project)
        await window.until_active(good)


async def test_a_damaged_trace_fails_with_words_and_the_old_run_stays(project: Path, runs: Path) -> None:
    old = write_run(runs, "old", project)
    async with editor(project) as window:
        await window.until_read(old)
        damaged = project / "damaged"
        write_run(damaged, "run", project)
        (damaged / "run" / "rank0.pt.trace.json").write_bytes(b"\x00\x01 no trace at all")
        (damaged / "run").rename(runs / "damaged")
        await window.until(lambda: stages(window, runs / "damaged")[-1:] == ["failed"])
        assert "rank0.pt.trace.json" in (problem_of(window, runs / "damaged") or "")
        listed = await window.ask("kinetoscope/runs/list")
        assert listed.active == str(old)
        assert [bool(run.problem) for run in listed.runs if run.path.endswith("damaged")] == [True]
        assert await window.hints(window.open(project / "model.py")) == HINTS


def big(project: Path) -> object:
    maker = trace(project)
    for index in range(150_000):
        maker.op("aten::add", 10 + index * 0.01, 0.005)
    return maker


async def test_reading_can_be_cancelled_and_begun_again(project: Path, runs: Path) -> None:
    run = write_run(runs, "big", project, maker=big(project))
    async with editor(project) as window:
        await window.until(lambda: bool(stages(window, run)))
        await window.ask("kinetoscope/runs/cancel_reading", run=str(run))
        await window.until(lambda: stages(window, run)[-1] == "cancelled")
        heat = await window.ask("kinetoscope/lines/heat", uri=window.open(project / "model.py"))
        assert "cancelled" in heat.reason
        assert list(run.glob("cache/rank*")) == []
        await window.ask("kinetoscope/runs/set_active", run=str(run))
        await window.until_read(run)
        assert await window.hints((project / "model.py").as_uri()) == HINTS


async def test_progress_is_shown_by_the_editor_and_its_cancel_button_cancels(project: Path, runs: Path) -> None:
    run = write_run(runs, "big", project, maker=big(project))
    async with editor(project) as window:
        await window.until(lambda: len(stages(window, run)) > 1)
        [token] = window.client.progress_reports
        begin = window.client.progress_reports[token][0]
        assert isinstance(begin, types.WorkDoneProgressBegin)
        assert (begin.title, begin.cancellable) == ("Reading big", True)
        window.client.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams(token=token))
        await window.until(lambda: stages(window, run)[-1] == "cancelled")
        await window.ask("kinetoscope/runs/list")
        assert isinstance(window.client.progress_reports[token][-1], types.WorkDoneProgressEnd)


async def test_a_run_folder_that_cannot_be_written_is_read_all_the_same(project: Path, runs: Path, tmp_path: Path) -> None:
    run = write_run(runs, "run", project)
    (run / "cache").write_text("a file where the cache would be")
    async with editor(project, server_env={"XDG_CACHE_HOME": str(tmp_path / "user"), "PATH": "/usr/bin"}) as window:
        await window.until_read(run)
        assert await window.hints(window.open(project / "model.py")) == HINTS
    assert list((tmp_path / "user" / "kinetoscope").glob("*/rank0-digest-*"))


async def test_options_of_another_shape_do_not_keep_the_server_from_starting(project: Path, runs: Path) -> None:
    write_run(runs, "run", project)
    async with editor(project, inline={"metric": "happiness"}) as window:
        assert (await window.ask("kinetoscope/runs/list")).runs == []
