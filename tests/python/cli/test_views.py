"""`kinetoscope report --view NAME`: every view of the registry, of a run whose numbers are known, as tables and as JSON."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from kinetoscope.service import computing
from kinetoscope.service.digest import target
from kinetoscope.service.selection import Selection
from kinetoscope.service.views import VIEWS
from support.ranks import Rank, says
from support.runs import STEPS, rich_trace, trace, write_project, write_run

WHOLE = Selection()
SHOWN = [name for name, view in VIEWS.items() if view.tables]


def kinetoscope(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    env = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    command = [sys.executable, "-m", "kinetoscope", *words]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, env=env, timeout=120, check=False)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    project = write_project(tmp_path / "project")
    return write_run(project, "run", project, maker=rich_trace(project))


def computed(run: Path, name: str, selection: Selection = WHOLE) -> dict[str, Any]:
    return msgspec.msgpack.decode(computing.make(target(run), name, selection, lambda stage, done, total: None)[0])


@pytest.mark.parametrize("name", SHOWN)
def test_a_view_returns_the_struct_that_its_entry_names(run: Path, name: str) -> None:
    msgspec.convert(computed(run, name), VIEWS[name].result())


def paths(row: Any, prefix: str = "") -> set[str]:
    """All dotted paths that a row has."""
    if not isinstance(row, dict):
        return {""}
    found = {""}
    for name, value in row.items():
        found |= {f"{prefix}{name}", *(path for path in paths(value, f"{prefix}{name}.") if path)}
    return found


@pytest.mark.parametrize("name", SHOWN)
def test_every_column_of_every_table_is_a_field_of_the_view_s_rows(run: Path, name: str) -> None:
    content = computed(run, name) | ({"advice": ["words"]} if VIEWS[name].with_advice else {})
    for table in VIEWS[name].tables:
        rows: list[Any] = [content]
        for part in table.rows.replace("[]", "").split("."):
            rows = [deeper for row in rows if row is not None for deeper in (row[part] if isinstance(row[part], list) else [row[part]])]
            if table.rows.startswith(f"{part}[]"):
                outer = rows
        if not rows:
            continue
        known = set().union(*(paths(row) for row in rows)) | ({*outer[0]} if "[]" in table.rows else set())
        assert {column.field for column in table.columns} <= known, table.title


@pytest.mark.parametrize("name", SHOWN)
def test_every_view_is_shown_and_is_json(run: Path, name: str) -> None:
    shown = kinetoscope("report", "run", "--view", name, cwd=run.parent)
    assert (shown.returncode, shown.stderr) == (0, "")
    assert shown.stdout.startswith(f"run: {name}\n")
    result = json.loads(kinetoscope("report", "run", "--view", name, "--json", cwd=run.parent).stdout)
    assert (result["view"], result["rank"], result["run"]["name"]) == (name, 0, "train.py")


def test_views_agree_on_the_numbers_that_are_known(run: Path) -> None:
    kernels = {row["name"]: row for row in computed(run, "kernels")["rows"]}
    operators = {row["name"]: row for row in computed(run, "operators")["rows"]}
    assert (kernels["gemm"]["calls"], kernels["gemm"]["total_us"]) == (STEPS, STEPS * 400)
    assert operators["aten::mm"]["device_self_us"] == STEPS * 400
    by_line = {(row["name"], row["backward"]): row["stack"] for row in computed(run, "operators-by-line")["rows"]}
    assert [line["frame"] for line in kernels["gemm"]["lines"]] == by_line["aten::mm", False]
    assert [(line["backward"], line["total_us"]) for line in kernels["gemm_grad"]["lines"]] == [(True, STEPS * 200)]
    assert computed(run, "sync")["wait_us"] == STEPS * 300
    totals = computed(run, "totals")
    assert sum(kernel["device_us"] for kernel in totals["kernels"]) == STEPS * 750
    found = {finding["id"] for finding in computed(run, "advice")["findings"]}
    assert {"data-loader", "zero-grad"} <= found


def test_the_overview_of_a_report_has_the_advice_in_words(run: Path) -> None:
    shown = json.loads(kinetoscope("report", "run", "--view", "overview", "--json", cwd=run.parent).stdout)
    findings = computed(run, "advice")["findings"]
    assert [words.partition(". ")[0] for words in shown["advice"]] == [finding["title"] for finding in findings]
    assert "advice" not in computed(run, "overview")  # A page asks for advice by itself, and both must come soon.


def test_a_step_or_a_range_shows_only_what_is_of_it(run: Path) -> None:
    of_step = json.loads(kinetoscope("report", "run", "--view", "kernels", "--step", "1", "--json", cwd=run.parent).stdout)
    assert of_step["selection"] == {"step": 1, "range_us": None}
    assert {row["name"]: row["calls"] for row in of_step["rows"]}["gemm"] == 1
    assert computed(run, "kernels", Selection(range_us=(0, 200)))["total_us"] == 400


def test_a_view_of_the_whole_recording_is_computed_once(run: Path) -> None:
    of = target(run)
    assert computing.load(of, "kernels", Selection()) is None
    made = computed(run, "kernels")
    assert computing.load(of, "kernels", Selection()) == made
    assert computing.load(of, "kernels", Selection(step=1)) is None


def test_ranks_together_and_one_rank_alone(tmp_path: Path) -> None:
    project = write_project(tmp_path / "project")
    traces = [{"rank": rank, "file": f"rank{rank}.pt.trace.json"} for rank in (0, 1)]
    run = write_run(project, "run", project, world_size=2, traces=traces)
    trace(project).write(run / "rank1.pt.trace.json")
    assert [row["rank"] for row in computed(run, "distributed")["ranks"]] == [0, 1]
    one = json.loads(kinetoscope("report", "run", "--view", "kernels", "--rank", "1", "--json", cwd=project).stdout)
    assert one["rank"] == 1
    both = kinetoscope("report", "run", "--view", "distributed", "--rank", "1", cwd=project)
    assert (both.returncode, "all ranks together" in both.stderr) == (1, True)


def test_the_advice_of_all_ranks_stands_with_that_of_the_one_that_is_shown(tmp_path: Path) -> None:
    """Three ranks; the second comes 400 µs later to the second all-reduce, which one rank alone takes for communication."""
    for number in (0, 1, 2):
        longer = 400 if number == 1 else 0
        rank = Rank(number, 3).step(1, 0, 1000).collective("all_reduce", 20, 30, 20, **says("allreduce", 10, ranks=3))
        rank.op("aten::mm", 110 + longer, 20).kernel("gemm", 112 + longer, 120 + longer, 20)
        rank.collective("all_reduce", 200 + longer, 210 + longer, 490 - longer, **says("allreduce", 10, ranks=3))
        rank.write(tmp_path / f"rank{number}.pt.trace.json")

    def findings(*words: str) -> list[str]:
        shown = kinetoscope("report", ".", "--view", "advice", "--json", *words, cwd=tmp_path)
        return [finding["id"] for finding in json.loads(shown.stdout)["findings"]]

    assert findings() == ["stragglers"]
    assert findings("--rank", "0") == ["communication"]
    assert "Rank 1 is late" in kinetoscope("report", ".", "--view", "advice-of-ranks", cwd=tmp_path).stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--view", "nonsense"), "There is no view nonsense."),
        (("--view", "kernels", "--step", "7"), "The recording has no step 7: it has 0 to 1."),
        (("--view", "kernels", "--range", "9000:9001"), "lies outside the recording"),
        (("--step", "7"), "The recording has no step 7: it has 0 to 1."),
        (("--view", "lines", "--range", "9000:9001"), "lies outside the recording"),
        (("--view", "kernels", "--rank", "4"), "has no rank 4"),
    ],
)
def test_what_is_not_there_is_said(run: Path, words: tuple[str, ...], said: str) -> None:
    done = kinetoscope("report", "run", *words, cwd=run.parent)
    assert done.returncode == 1
    assert said in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize("text", ["5", "a:b", "20:10", "-5:10"])
def test_a_range_that_is_none_is_refused(run: Path, text: str) -> None:
    assert kinetoscope("report", "run", "--view", "kernels", f"--range={text}", cwd=run.parent).returncode == 2
