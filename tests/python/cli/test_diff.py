"""`kinetoscope diff`: two runs of a small project, the second after an edit, and the exit code for gates."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support.inferred import TEXT, called_twice
from support.kineto import TraceMaker
from support.runs import foreign_trace, trace, write_project, write_run

MOVED = 2
"""Lines that the edit puts in front of `forward`."""


def kinetoscope(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    env = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    command = [sys.executable, "-m", "kinetoscope", *words]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, env=env, timeout=120, check=False)


def slower(project: Path) -> TraceMaker:
    """The trace of the edited project: two comments above `forward`, and gemm takes 100 µs longer."""
    maker = trace(project)
    for file in maker.files:
        if file["path"].endswith("model.py"):
            file["text"] = "# a model\n" * MOVED + file["text"]
    for log in maker.logs.values():  # code 2 is `forward`
        log.events = [(t, word + (MOVED << 4) if word >> 36 == 2 and word & 15 != 3 else word) for t, word in log.events]
    for code in maker.codes:
        code["line"] += MOVED if code["name"] == "forward" else 0
    for event in maker.events:
        if event["name"] == "gemm":
            event["dur"] += 100
    return maker


@pytest.fixture
def project(tmp_path: Path) -> Path:
    project = write_project(tmp_path / "project")
    write_run(project, "before", project)
    write_run(project, "after", project, maker=slower(project))
    return project


def by_name(rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {row["name"]: row for row in rows}


def test_kernels_operators_and_moved_lines_show_what_became_slower(project: Path) -> None:
    done = kinetoscope("diff", "before", "after", "--json", cwd=project)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["before"]["run"]["path"].endswith("before")
    assert by_name(result["kernels"])["gemm"]["total_us"] == {"before": 400, "after": 500, "difference": 100, "percent": 25}
    assert by_name(result["operators"])["aten::mm"]["device_self_us"]["difference"] == 100
    assert result["steps"]["gpu_us"] == {"before": 750, "after": 850, "difference": 100, "percent": pytest.approx(13.33, abs=0.01)}
    line = result["lines"][0]
    assert (line["source"], line["match"], line["line_before"], line["line"]) == ("h = x @ x", "moved", 2, 2 + MOVED)
    assert (line["gpu_us"]["before"], line["gpu_us"]["after"]) == (600, 700)
    assert {row["match"] for row in result["lines"] if row["file"].endswith("train.py")} == {"same"}
    assert result["notices"] == []


def test_the_tables_name_the_runs_and_the_differences(project: Path) -> None:
    done = kinetoscope("diff", "before", "after", cwd=project)
    assert done.stdout.splitlines()[0] == "before → after (per step)"
    assert "+100 µs" in done.stdout
    assert "model.py:4" in done.stdout


def test_a_gate_fails_where_a_step_s_gpu_time_rose_by_more_than_it_allows(project: Path) -> None:
    failed = kinetoscope("diff", "before", "after", "--fail-over", "5%", cwd=project)
    assert failed.returncode == 1
    assert "The GPU time of a step rose by 13.3 %. More than 5 % fails." in failed.stderr
    assert kinetoscope("diff", "before", "after", "--fail-over", "20%", cwd=project).returncode == 0
    assert kinetoscope("diff", "after", "before", "--fail-over", "0%", cwd=project).returncode == 0


def test_a_gate_on_a_run_and_a_trace_without_steps_is_not_judged(project: Path) -> None:
    maker = TraceMaker(end_us=100)
    maker.op("aten::mm", 10, 20).kernel("gemm", 12, 20, 50)
    maker.write(project / "bare.json")
    done = kinetoscope("diff", "before", "bare.json", "--fail-over", "5%", cwd=project)
    assert done.returncode == 2
    assert "Only one of the two has steps" in done.stderr
    assert "The recording after has no steps" in done.stdout


def test_lines_of_traces_without_sources_are_matched_by_number_and_marked(project: Path) -> None:
    for name in ("one.json", "other.json"):
        foreign_trace().write(project / name)
    result = json.loads(kinetoscope("diff", "one.json", "other.json", "--json", cwd=project).stdout)
    assert {line["match"] for line in result["lines"]} == {"unverified"}
    assert any("matched by number" in notice for notice in result["notices"])
    assert all(line["gpu_us"]["difference"] == 0 for line in result["lines"])


def test_lines_that_are_known_better_in_one_of_them_are_said_to_be(project: Path) -> None:
    foreign_trace(str(project / "train.py"), str(project / "model.py")).write(project / "other.json")
    os.remove(project / "model.py")  # So that nothing is inferred.
    result = json.loads(kinetoscope("diff", "before", "other.json", "--json", cwd=project).stdout)
    [notice] = [notice for notice in result["notices"] if "precision" in notice and "forward in model.py" in notice]
    assert "`line` before and `function` after" in notice
    same = json.loads(kinetoscope("diff", "before", "after", "--json", cwd=project).stdout)
    assert not any("precision" in notice for notice in same["notices"])


def test_lines_of_two_traces_are_inferred_from_the_source_that_is_here(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(TEXT)
    for name in ("one.json", "other.json"):
        called_twice().write(tmp_path / name)
    result = json.loads(kinetoscope("diff", "one.json", "other.json", "--json", cwd=tmp_path).stdout)
    assert {line["line"] for line in result["lines"]} == {1, 2, 4, 5, 8}
    assert not any("precision" in notice for notice in result["notices"])


def test_the_same_project_in_another_folder_is_the_same_project(project: Path, tmp_path: Path) -> None:
    elsewhere = write_project(tmp_path / "elsewhere")
    write_run(project, "moved", elsewhere)
    result = json.loads(kinetoscope("diff", "before", "moved", "--json", cwd=project).stdout)
    assert {line["match"] for line in result["lines"]} == {"same"}


@pytest.mark.parametrize("words", [("--fail-over", "much"), ("--fail-over", "-3%")])
def test_a_limit_that_is_none_is_refused(project: Path, words: tuple[str, str]) -> None:
    assert kinetoscope("diff", "before", "after", "=".join(words), cwd=project).returncode == 2
