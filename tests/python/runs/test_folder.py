"""Folders of runs: what is listed, in which order, with which problems, and what may be deleted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kinetoscope.runs.folder import delete_run, list_runs, names, newest_run
from kinetoscope.runs.manifest import RunError, read_manifest, trace_of
from support.runs import write_project, write_run


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    project = write_project(tmp_path / "project")
    write_run(project / ".kinetoscope", "old", project, created="2026-01-01T00:00:00Z")
    write_run(project / ".kinetoscope", "new", project, created="2026-01-01T02:00:00+01:00")
    return project / ".kinetoscope"


def test_newest_first_by_the_time_of_recording_in_any_zone(runs: Path) -> None:
    assert [run.path.name for run in list_runs([runs])] == ["new", "old"]
    assert newest_run(runs).name == "new"


def test_what_is_no_run_is_not_listed(runs: Path) -> None:
    (runs / ".half.partial").mkdir()
    (runs / "notes").mkdir()
    (runs / ".gitignore").write_text("*")
    assert [run.path.name for run in list_runs([runs, runs, runs / "missing"])] == ["new", "old"]
    assert names([runs]) == {runs / "old", runs / "new"}


def test_a_run_that_cannot_be_read_is_listed_with_its_problem(runs: Path) -> None:
    (runs / "old" / "run.json").write_text("{}")
    (runs / "new" / "run.json").unlink()
    problems = {run.path.name: run.problem or "" for run in list_runs([runs])}
    assert "damaged" in problems["old"]
    assert "has no run.json" in problems["new"]
    with pytest.raises(RunError, match=r"No run in .* can be read"):
        newest_run(runs)


def test_a_manifest_of_the_same_format_with_unknown_fields_is_read(runs: Path) -> None:
    file = runs / "old" / "run.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"later": [1]}))
    assert read_manifest(runs / "old").steps == 2


def test_a_rank_is_chosen_from_those_that_are_there(runs: Path) -> None:
    manifest = read_manifest(runs / "old")
    assert trace_of(runs / "old", manifest) == (0, runs / "old" / "rank0.pt.trace.json")
    with pytest.raises(RunError, match="has no rank 3: it has 0"):
        trace_of(runs / "old", manifest, 3)


def test_deleting_takes_the_run_and_nothing_else(runs: Path, tmp_path: Path) -> None:
    delete_run(runs / "old", [runs])
    assert [path.name for path in runs.iterdir()] == ["new"]
    for path in (runs, tmp_path, runs / "old", runs / "new" / "cache", runs / ".." / "train.py"):
        with pytest.raises(RunError, match="Nothing was deleted"):
            delete_run(path, [runs])


def test_a_link_to_a_run_is_not_followed(runs: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (runs / "link").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(RunError, match="Nothing was deleted"):
        delete_run(runs / "link", [runs])
    assert (tmp_path / "elsewhere").is_dir()
