"""`kinetoscope report` and `runs`: the same numbers without an editor, and words for whatever is wrong."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from kinetoscope.analysis.tables import LineCost
from support.kineto import ENGINE, TraceMaker
from support.runs import trace, write_project, write_run


def kinetoscope(*words: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    env = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    command = [sys.executable, "-m", "kinetoscope", *words]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, env=env, timeout=120, check=False)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    project = write_project(tmp_path / "project")
    write_run(project / ".kinetoscope", "old", project, created="2026-11-29T10:00:00Z")
    write_run(project / ".kinetoscope", "run", project, notices=[{"kind": "coarse", "message": "A loop was too hot."}])
    return project


def test_the_table_has_the_dearest_lines_first_with_both_directions_memory_and_precision(project: Path) -> None:
    done = kinetoscope("report", cwd=project)
    assert done.returncode == 0
    lines = [line.split() for line in done.stdout.splitlines()]
    assert " ".join(lines[0]).startswith(".kinetoscope/run: the dearest lines by their own GPU time (per step, mean of 2; cpu, cuda:0)")
    assert lines[2] == "model.py:2 h = x @ x 1 39.0 µs 39.0 µs 400 µs 200 µs line".split()
    assert lines[4] == "train.py:7 loss = y.sum() 1 39.0 µs 39.0 µs 50.0 µs +1.0 MiB line".split()
    assert "Note: A loop was too hot." in done.stdout
    assert done.stderr == ""


def test_device_time_that_belongs_to_no_line_is_shown_with_its_share_and_reason(tmp_path: Path) -> None:
    project = write_project(tmp_path / "project")
    maker = trace(project)
    maker.kernel("outside of user code", 0.2, 900, 300)
    maker.event("kernel", "launch not recorded", 1900, 100.0, 7, correlation=9999, device=0, stream=7)
    maker.kernel("of a thread that logged nothing", 1000, 1950, 100, tid=ENGINE + 1)
    write_run(project / ".kinetoscope", "run", project, maker=maker)
    told = kinetoscope("report", cwd=project).stdout
    assert "GPU 150 µs (15 %) in libraries only" in told
    assert "GPU 50.0 µs (5.0 %) unattributed, launch not recorded" in told
    assert "GPU 50.0 µs (5.0 %) unattributed, no call stacks" in told


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_in_a_narrow_terminal_the_source_gives_way_and_never_the_place(project: Path, columns: int) -> None:
    command = [sys.executable, "-m", "kinetoscope", "report"]
    env = os.environ | {"COLUMNS": str(columns)}
    done = subprocess.run(command, capture_output=True, text=True, cwd=project, env=env, timeout=120, check=False)
    assert [line.split()[0] for line in done.stdout.splitlines()[2:5]] == ["model.py:2", "model.py:3", "train.py:7"]
    assert all(line.split()[-1] == "line" for line in done.stdout.splitlines()[2:14])


def test_the_page_for_a_browser_has_the_table_and_shows_source_as_text(project: Path) -> None:
    page = project / "lines.html"
    done = kinetoscope("report", "--html", str(page), cwd=project)
    assert (done.returncode, done.stdout) == (0, f"Open in a browser: {page.as_uri()}\n"), done.stderr
    html = page.read_text(encoding="utf-8")
    assert "model.py:2" in html
    assert "400 µs" in html
    assert "<script" not in html
    assert "http" not in html


def test_a_page_that_cannot_be_written_says_where_and_what_to_do(project: Path) -> None:
    done = kinetoscope("report", "--html", "missing/lines.html", cwd=project)
    assert done.returncode == 1
    assert "lines.html can't be written" in done.stderr
    assert "Traceback" not in done.stderr


def test_json_has_all_fields_summed_over_the_steps(project: Path) -> None:
    found = json.loads(kinetoscope("report", str(project / ".kinetoscope" / "run"), "--view", "lines", "--json").stdout)
    assert found["steps"] == 2
    assert found["device_us"] == {"attributed": 1500.0, "library": 0.0, "unattributed": 0.0, "without_launch": 0.0, "total": 1500.0}
    assert (found["recording_us"], found["devices"], found["run"]["name"]) == (2020.0, ["cpu", "cuda:0"], "train.py")
    assert len(found["rows"]) == 12
    first = found["rows"][0]
    assert set(first) == set(LineCost.__struct_fields__)
    expected = {"line": 2, "function": "forward", "source": "h = x @ x", "precision": "line", "gpu_us": 800.0, "gpu_backward_us": 400.0}
    assert {name: first[name] for name in expected} == expected
    assert first["file"] == str(project / "model.py")


def test_a_step_or_a_range_has_the_lines_of_it(project: Path) -> None:
    def found(*words: str) -> dict[str, Any]:
        return json.loads(kinetoscope("report", str(project), "--json", *words).stdout)

    whole, *steps = (found(*words) for words in ((), ("--step", "0"), ("--step", "1", "--view", "lines")))
    assert [step["selection"] for step in steps] == [{"step": 0, "range_us": None}, {"step": 1, "range_us": None}]
    assert [step["steps"] for step in steps] == [1, 1]
    assert [step["rows"][0]["gpu_us"] for step in steps] == [400.0, 400.0]
    assert sum(step["device_us"]["total"] for step in steps) == whole["device_us"]["total"]
    of_range = found("--range", "0:200")
    assert (of_range["steps"], of_range["recording_us"], of_range["selection"]["range_us"]) == (0, 200.0, [0.0, 200.0])
    told = kinetoscope("report", "--step", "1", cwd=project).stdout.splitlines()
    assert told[0] == ".kinetoscope/run: the dearest lines by their own GPU time (step 1; cpu, cuda:0)"
    assert told[2].split() == "model.py:2 h = x @ x 1 39.0 µs 39.0 µs 400 µs 200 µs line".split()
    assert "(range 0:200 µs; cpu, cuda:0)" in kinetoscope("report", "--range", "0:200", cwd=project).stdout


@pytest.mark.parametrize(("metric", "first"), [("gpu_time", 2), ("cpu_time", 8), ("memory", 7)])
def test_the_metric_ranks_and_the_limit_cuts(project: Path, metric: str, first: int) -> None:
    found = json.loads(kinetoscope("report", str(project), "--json", "--metric", metric, "--limit", "3").stdout)
    assert (found["rows"][0]["line"], len(found["rows"])) == (first, 3)
    assert "… and 9 more lines" in kinetoscope("report", str(project), "--limit", "3").stdout


def test_lines_are_inferred_unless_that_is_turned_off(tmp_path: Path) -> None:
    trace = TraceMaker()
    trace.source("/project/train.py", "def step(x):\n    h = x @ w\n    return h\n")
    trace.event("python_function", "train.py(1): step", 10, 50).op("aten::matmul", 12, 4)
    file = trace.write(tmp_path / "stacks.pt.trace.json")

    def precisions(*words: str) -> dict[int, str]:
        done = kinetoscope("report", str(file), "--json", *words)
        assert done.returncode == 0, done.stderr
        return {row["line"]: row["precision"] for row in json.loads(done.stdout)["rows"]}

    assert precisions() == {1: "function", 2: "inferred"}
    assert precisions("--no-inference") == {1: "function"}


def test_the_source_of_a_trace_that_others_recorded_is_taken_from_the_working_directory(tmp_path: Path) -> None:
    maker = TraceMaker(end_us=400.0).event("python_function", "train.py(1): step", 10, 300)
    maker.op("aten::matmul", 20, 50).kernel("gemm", 30, 40, 200)
    for folder in ("project", "theirs"):
        (tmp_path / folder).mkdir()
    theirs = maker.write(tmp_path / "theirs" / "x.pt.trace.json")
    (tmp_path / "project" / "train.py").write_text("def step(x):\n    return x @ w\n")

    def precisions(folder: str) -> dict[int, str]:
        done = kinetoscope("report", str(theirs), "--json", cwd=tmp_path / folder)
        return {row["line"]: row["precision"] for row in json.loads(done.stdout)["rows"]}

    assert precisions("project") == {1: "function", 2: "inferred"}
    assert precisions("theirs") == {1: "function"}


def test_a_trace_file_alone_is_enough(project: Path, tmp_path: Path) -> None:
    alone = tmp_path / "copied.pt.trace.json"
    alone.write_bytes((project / ".kinetoscope" / "run" / "rank0.pt.trace.json").read_bytes())
    found = json.loads(kinetoscope("report", str(alone), "--json").stdout)
    assert found["run"] is None
    assert found["rows"][0]["gpu_us"] == 800.0


def put(path: Path, project: Path, changed_s: int = 1_000) -> Path:
    """The project's trace as a file that no run folder holds."""
    path.parent.mkdir(parents=True, exist_ok=True)
    trace(project).write(path)
    os.utime(path, (changed_s, changed_s))
    return path


@pytest.mark.parametrize("name", ["copied.pt.trace.json.gz", "w.1623143089861.pt.trace.json", "step5.trace.json", "anything.json.gz"])
def test_a_trace_file_may_have_any_name_and_nothing_is_written_beside_it(project: Path, tmp_path: Path, name: str) -> None:
    file = put(tmp_path / "elsewhere" / name, project)
    for path in (file, file.parent):
        found = json.loads(kinetoscope("report", str(path), "--json").stdout)
        assert (found["trace"], found["run"], len(found["rows"])) == (str(file), None, 12)
    assert [path.name for path in file.parent.iterdir()] == [name]


def test_of_a_tensorboard_folder_the_newest_recording_its_lowest_rank_and_its_newest_trace_is_shown(project: Path, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    put(logs / "first" / "worker0.1623143089861.pt.trace.json", project, 1_000)
    for time in (1623143089861, 1623143566756):
        for rank in (1, 2):
            put(logs / "second" / f"worker{rank}.{time}.pt.trace.json.gz", project, 2_000)
    lines = kinetoscope("report", "logs", cwd=tmp_path).stdout.splitlines()
    assert lines[0].startswith("logs/second/worker1.1623143566756.pt.trace.json.gz: the dearest lines")
    assert lines[1:4] == [
        f"Shown: the newest of 2 recordings in {logs}; name a folder or a file to see another.",
        "Shown: rank 1, one of 2 (1, 2); --rank chooses another.",
        "Shown: the newest of 2 traces of worker1; name a file to see another.",
    ]
    found = json.loads(kinetoscope("report", str(logs), "--rank", "2", "--json").stdout)
    assert (found["rank"], found["ranks"], Path(found["trace"]).name) == (2, [1, 2], "worker2.1623143566756.pt.trace.json.gz")
    assert "Shown" not in kinetoscope("report", str(logs / "first")).stdout


def test_of_a_run_with_several_ranks_one_is_shown(project: Path) -> None:
    traces = [{"rank": rank, "file": f"rank{rank}.pt.trace.json"} for rank in range(4)]
    run = write_run(project / "ranks", "run", project, traces=traces)
    put(run / "rank3.pt.trace.json", project)
    assert "Shown: rank 0, one of 4 (0 to 3); --rank chooses another." in kinetoscope("report", str(run)).stdout
    assert json.loads(kinetoscope("report", str(run), "--rank", "3", "--json").stdout)["rank"] == 3


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("logs", "have no rank 7: they have 1, 2"),
        ("logs/worker2.pt.trace.json", "is the trace of rank 2"),
        (".kinetoscope", "has no rank 7"),
    ],
)
def test_a_rank_that_is_not_there_fails_with_those_there_are(project: Path, path: str, words: str) -> None:
    for rank in (1, 2):
        put(project / "logs" / f"worker{rank}.pt.trace.json", project)
    done = kinetoscope("report", path, "--rank", "7", cwd=project)
    assert (done.returncode, done.stdout) == (1, "")
    assert words in done.stderr


def test_a_folder_of_traces_does_not_hide_the_runs_beside_it(project: Path) -> None:
    put(project / "logs" / "worker0.pt.trace.json", project, 4_000_000_000)
    assert kinetoscope("report", cwd=project).stdout.startswith(".kinetoscope/run: the dearest lines")


def test_where_nothing_is_found_it_is_said_what_was_looked_for(tmp_path: Path) -> None:
    (tmp_path / "package.json").write_text('{"name": "no trace"}')
    done = kinetoscope("report", str(tmp_path))
    assert done.returncode == 1
    assert f"There is neither a run nor a trace in {tmp_path}." in done.stderr
    assert all(word in done.stderr for word in ("run.json", "WORKER.[TIME.]pt.trace.json", ".gz or .zst"))


def test_runs_are_listed_newest_first_with_problems(project: Path) -> None:
    write_run(project / ".kinetoscope", "newer", project, format=7, written_by="7.0.0")
    lines = kinetoscope("runs", cwd=project).stdout.splitlines()
    assert "Update Kinetoscope" in lines[-1]
    assert [line.split()[0] for line in lines if "complete" in line] == [".kinetoscope/run", ".kinetoscope/old"]
    assert "There is no run" in kinetoscope("runs", cwd=project / ".kinetoscope" / "run").stdout


def damage(project: Path, how: str) -> Path:
    run = project / ".kinetoscope" / "run"
    if how == "missing":
        return project / "missing"
    if how == "no run":
        (project / "empty").mkdir()
        return project / "empty"
    if how == "newer":
        return write_run(project / "other", "newer", project, format=7, written_by="7.0.0")
    if how == "manifest":
        (run / "run.json").write_text("[")
    elif how == "trace":
        (run / "rank0.pt.trace.json").write_bytes(b"\x1f\x8b no gzip either")
    elif how == "no trace":
        (run / "rank0.pt.trace.json").unlink()
    return run


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("missing", "does not exist"),
        ("no run", "There is neither a run nor a trace in"),
        ("newer", "Update Kinetoscope"),
        ("manifest", "is damaged"),
        ("trace", "rank0.pt.trace.json"),
        ("no trace", "is missing"),
    ],
)
def test_what_cannot_be_read_fails_with_words_on_standard_error(project: Path, how: str, words: str) -> None:
    done = kinetoscope("report", str(damage(project, how)), "--json")
    assert done.returncode == 1
    assert done.stdout == ""
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_a_reader_that_stops_early_is_no_error(project: Path) -> None:
    command = f"'{sys.executable}' -m kinetoscope report . --json | head -c 1"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, cwd=project, timeout=120, check=False)
    assert (done.stdout, done.stderr) == ("{", "")


def test_the_version_needs_no_numpy_and_no_pygls() -> None:
    asked = "try: c.main(['--version'])\nexcept SystemExit: pass\n"
    code = f"import sys, kinetoscope.cli as c\n{asked}print({{'numpy', 'pygls', 'rich'}} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.splitlines() == ["kinetoscope 0.1.0", "set()"]


def test_answering_from_a_digest_needs_no_numpy(project: Path) -> None:
    kinetoscope("report", cwd=project)
    code = "import sys, kinetoscope.cli as c\nc.main(['report', '--json'])\nprint({'numpy'} & set(sys.modules), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=project, timeout=60, check=True)
    assert done.stderr == "set()\n"
