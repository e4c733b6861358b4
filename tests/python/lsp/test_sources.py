"""Recorded names and the files of a workspace through the real server: foreign traces, mappings, what was located."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from kinetoscope.service import wire
from support.kineto import TraceMaker
from support.lsp import Editor, editor
from support.runs import MODEL, TRAIN, foreign_trace, trace, write_project, write_run

REAL = Path(__file__).resolve().parents[4] / "shared" / "traces" / "cpu_torch214_callfrom.json"
"""A trace of torch 2.14 on a CPU whose frames are named `v214/../t1.py`."""

TRAIN_LENS = "GPU 550 µs (100 %) · CPU 900 µs · per step · whole function: its lines are not known · the profiled text is not known"
MODEL_LENS = "GPU 500 µs (91 %) · CPU 80.0 µs · per step · whole function: its lines are not known · the profiled text is not known"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write_project(tmp_path / "project")


async def place(window: Editor, file: str, line: int = 1) -> wire.Place:
    return await window.ask("kinetoscope/source/place", file=file, line=line)


async def until_lenses(window: Editor, uri: str) -> dict[int, str]:
    """Lenses, once there are any: the walk through the workspace goes on beside."""
    for _ in range(50):
        told = len(window.told)
        found = await window.lenses(uri)
        if found:
            return found
        await window.until(lambda count=told: len(window.told) > count)
    raise AssertionError("no lenses came")


async def until_hints(window: Editor, uri: str) -> dict[int, str]:
    """Hints, once there are any."""
    for _ in range(50):
        told = len(window.told)
        found = await window.hints(uri)
        if found:
            return found
        await window.until(lambda count=told: len(window.told) > count)
    raise AssertionError("no hints came")


async def files(window: Editor) -> dict[str, tuple[str | None, str | None, int]]:
    answer = await window.ask("kinetoscope/source/files")
    return {each.file: (each.path, each.how, len(each.candidates)) for each in answer.files}


INFERRED = """def step(x):
    h = x @ w
    return h.sum()
"""


def with_operators(steps: int = 2) -> TraceMaker:
    """`step` of `train.py` as another tool recorded it: a matmul and a call of `sum` in each, and what they cost on the GPU."""
    maker = TraceMaker(end_us=1000.0)
    for number in range(steps):
        at = 10 + 400 * number
        maker.event("user_annotation", f"ProfilerStep#{number}", at, 400)
        maker.event("python_function", "train.py(1): step", at + 10, 300)
        maker.op("aten::matmul", at + 20, 50).kernel("gemm", at + 30, at + 40, 200)
        maker.event("python_function", "<built-in method sum of Tensor object at 0x7f>", at + 200, 50).op("aten::sum", at + 210, 30)
        maker.kernel("reduce", at + 220, at + 250, 100)
    return maker


class TestInferredLines:
    async def test_lines_are_inferred_where_the_source_is_in_the_workspace(self, tmp_path: Path) -> None:
        project = tmp_path / "project"
        project.mkdir()
        (project / "train.py").write_text(INFERRED)
        path = with_operators().write(tmp_path / "theirs.pt.trace.json")
        async with editor(project, active_run=path) as window:
            await window.until_read(path)
            hints = await until_hints(window, window.open(project / "train.py"))
            assert {line: hint.split(" ·")[0] for line, hint in hints.items()} == {2: "? GPU 200 µs", 3: "? GPU 100 µs"}

    async def test_lines_of_a_run_of_ours_without_a_line_log_say_that_they_are_inferred(self, project: Path) -> None:
        maker = with_operators()
        maker.source(str(project / "train.py"), INFERRED)
        (project / "train.py").write_text(INFERRED)
        run = write_run(project / ".kinetoscope", "run", project, maker=maker)
        async with editor(project) as window:
            await window.until_read(run)
            hints = await window.hints(window.open(project / "train.py"))
            assert {line: hint[:5] for line, hint in hints.items()} == {2: "~ GPU", 3: "~ GPU"}

    async def test_they_come_when_the_source_is_located_and_not_with_inference_off(self, tmp_path: Path) -> None:
        project, elsewhere = tmp_path / "project", tmp_path / "elsewhere"
        project.mkdir()
        elsewhere.mkdir()
        (elsewhere / "train.py").write_text(INFERRED)
        path = with_operators().write(tmp_path / "theirs.pt.trace.json")
        for infer, lines in ((True, [2, 3]), (False, [])):
            async with editor(project, active_run=path, infer_lines=infer) as window:
                await window.until_read(path)
                uri = window.open(elsewhere / "train.py")
                assert await window.hints(uri) == {}
                window.locate(located=[{"remote_root": "", "local_root": str(elsewhere)}])
                assert sorted(await until_hints(window, uri) if infer else await window.hints(uri)) == lines


class TestForeignTraces:
    async def test_relative_names_show_the_costs_of_functions_in_open_files(self, project: Path) -> None:
        run = write_run(project / ".kinetoscope", "run", project, maker=foreign_trace())
        async with editor(project) as window:
            await window.until_read(run)
            train, model = window.open(project / "train.py"), window.open(project / "model.py")
            assert await until_lenses(window, train) == {5: TRAIN_LENS}
            assert await window.lenses(model) == {1: MODEL_LENS}
            assert await window.hints(train) == {}
            hover = await window.hover(model, 1)
            assert hover is not None
            assert "The text that was profiled is not known" in hover
            assert "whole function" in hover
            assert await files(window) == {
                "train.py": (str(project / "train.py"), "workspace", 0),
                "model.py": (str(project / "model.py"), "workspace", 0),
            }

    async def test_calls_are_hints_that_say_they_are_unverified(self, project: Path) -> None:
        run = write_run(project / ".kinetoscope", "run", project, maker=foreign_trace(call_from=True))
        async with editor(project) as window:
            await window.until_read(run)
            uri = window.open(project / "train.py")
            await until_lenses(window, uri)
            assert await window.hints(uri) == {6: "? GPU 500 µs · 91 %", 14: "? GPU 550 µs · 100 %"}
            heat = await window.ask("kinetoscope/lines/heat", uri=uri)
            assert [(line.line, line.freshness) for line in heat.lines] == [(6, "unverified"), (14, "unverified")]
            hover = await window.hover(uri, 6)
            assert hover is not None
            assert "exact calling line" in hover
            assert [(each.file, each.freshness) for each in (await window.ask("kinetoscope/lines/hot_spots")).spots] == [
                ("model.py", "unverified"),
                ("train.py", "unverified"),
            ]

    async def test_edits_are_followed_from_the_text_that_was_found(self, project: Path) -> None:
        run = write_run(project / ".kinetoscope", "run", project, maker=foreign_trace(call_from=True))
        async with editor(project) as window:
            await window.until_read(run)
            uri = window.open(project / "train.py")
            await until_lenses(window, uri)
            edited = "# new\n" + TRAIN.replace("y = forward(x)", "y = forward(x, 2)")
            window.change(uri, edited)
            (project / "train.py").write_text(edited)
            assert await window.hints(uri) == {7: "≈ GPU 500 µs · 91 %", 15: "? GPU 550 µs · 100 %"}
            assert sorted(await window.lenses(uri)) == [6]
            assert (await place(window, "train.py", 14)).line == 15

    async def test_a_file_that_does_not_agree_with_the_recording_shows_nothing_and_why(self, project: Path) -> None:
        (project / "model.py").write_text("import torch\n\n\n" + MODEL.replace("forward", "predict"))
        run = write_run(project / ".kinetoscope", "run", project, maker=foreign_trace(model=str(project / "model.py")))
        async with editor(project) as window:
            await window.until_read(run)
            uri = window.open(project / "model.py")
            assert await window.lenses(uri) == {}
            assert await window.hover(uri, 4) is None
            assert "No recorded line agrees with this file" in (await window.ask("kinetoscope/lines/heat", uri=uri)).reason
            assert (await place(window, str(project / "model.py"))).freshness == "stale"

    async def test_a_better_text_that_comes_later_is_taken(self, project: Path) -> None:
        (project / "model.py").write_text("\n\n\n" + MODEL)
        run = write_run(project / ".kinetoscope", "run", project, maker=foreign_trace(model=str(project / "model.py")))
        async with editor(project) as window:
            await window.until_read(run)
            uri = window.open(project / "model.py")
            assert await window.lenses(uri) == {}
            window.change(uri, MODEL)
            (project / "model.py").write_text(MODEL)
            assert await window.lenses(uri) == {1: MODEL_LENS}

    async def test_an_absolute_name_of_another_system_is_found_by_how_it_ends(self, project: Path) -> None:
        run = write_run(project / ".kinetoscope", "run", project, maker=foreign_trace("C:\\me\\Project\\train.py", "C:\\me\\x\\model.py"))
        async with editor(project) as window:
            await window.until_read(run)
            assert await until_lenses(window, window.open(project / "train.py")) == {5: TRAIN_LENS}
            # One trailing part is little, but the function stands where it was recorded.
            assert (await place(window, "C:\\me\\x\\model.py")).path == str(project / "model.py")

    async def test_of_a_real_trace_of_torch_2_14_the_calls_show_too(self, project: Path) -> None:
        if not REAL.is_file():
            pytest.skip(f"{REAL} is not there")
        run = write_run(project / ".kinetoscope", "run", project)
        shutil.copy(REAL, run / "rank0.pt.trace.json")
        lines = {1: "import torch", 5: "def three(x):", 17: "    def forward(self, x):", 30: "def main():", 39: "main()", 16: "class Net:"}
        body = dict.fromkeys((*range(6, 12), *range(31, 36)), "    y = call(x)") | dict.fromkeys(range(18, 26), "        y = call(x)")
        (project / "t1.py").write_text("".join((lines | body).get(line, "") + "\n" for line in range(1, 40)))
        async with editor(project) as window:
            await window.until_read(run)
            uri = window.open(project / "t1.py")
            assert sorted(await until_lenses(window, uri)) == [5, 17, 30]
            hints = await window.hints(uri)
            assert {7, 8, 18, 23, 31, 33, 34, 39} <= set(hints)
            assert hints[31] == "? CPU 2.7 ms · 60 %"
            assert all(hint.startswith("? CPU ") for hint in hints.values())


class TestQuestions:
    async def test_two_files_are_a_question_that_an_answer_settles_at_once(self, project: Path) -> None:
        run = write_run(project / ".kinetoscope", "run", project, maker=foreign_trace())
        other = write_project(project / "copy")
        async with editor(project) as window:
            await window.until_read(run)
            uri = window.open(project / "train.py")
            asked = await place(window, "train.py")
            assert asked.path is None
            assert sorted(asked.candidates) == sorted([str(project / "train.py"), str(other / "train.py")])
            assert "may be any of 2 files" in (asked.problem or "")
            assert await window.lenses(uri) == {}
            assert (await files(window))["model.py"] == (None, None, 2)
            window.locate(located=[{"remote_root": "", "local_root": str(project)}])
            await window.until(lambda: wire.LinesChanged(uri=None) in window.told)
            assert await window.lenses(uri) == {5: TRAIN_LENS}
            assert (await files(window))["model.py"] == (str(project / "model.py"), "located", 0)
            window.locate()
            assert (await place(window, "train.py")).path is None

    async def test_the_one_whose_functions_stand_where_they_were_recorded_is_no_question(self, project: Path) -> None:
        run = write_run(project / ".kinetoscope", "run", project, maker=foreign_trace())
        other = write_project(project / "old")
        (other / "train.py").write_text("\n" * 20 + TRAIN)
        async with editor(project) as window:
            await window.until_read(run)
            assert (await place(window, "train.py")).path == str(project / "train.py")

    async def test_of_our_own_recordings_the_one_with_the_profiled_text_is(self, project: Path, tmp_path: Path) -> None:
        run = write_run(project / ".kinetoscope", "run", tmp_path / "x", maker=trace(Path("/cluster/job")), cwd="/elsewhere")
        (project / "old" / "job").mkdir(parents=True)
        (project / "old" / "job" / "train.py").write_text("import os\n")
        async with editor(project) as window:
            await window.until_read(run)
            assert (await place(window, "/cluster/job/model.py")).path == str(project / "model.py")
            assert (await place(window, "/cluster/job/train.py")).candidates == [str(project / "old" / "job" / "train.py")]

    async def test_what_is_missing_says_where_it_was_looked_for(self, project: Path) -> None:
        run = write_run(project / ".kinetoscope", "run", project, maker=foreign_trace(model="/gone/network.py"))
        async with editor(project) as window:
            await window.until_read(run)
            missing = await place(window, "/gone/network.py")
            assert (missing.path, missing.candidates) == (None, [])
            assert "was not found on this machine. Tried: the recorded path, the workspace" in (missing.problem or "")
            (project / "network.py").write_text(MODEL)
            window.locate(mappings=[{"remote_root": "/gone", "local_root": str(project)}])
            assert (await place(window, "/gone/network.py")).path == str(project / "network.py")


class TestOptions:
    @pytest.mark.parametrize("name", ["located", "mappings"])
    async def test_places_are_known_from_the_start(self, project: Path, tmp_path: Path, name: str) -> None:
        run = write_run(project / ".kinetoscope", "run", tmp_path / "x", maker=trace(Path("/cluster/job")), cwd="/elsewhere")
        sources: dict[str, Any] = {name: [{"remote_root": "/cluster/job", "local_root": str(project)}]}
        async with editor(tmp_path / "project" / ".kinetoscope", run_folders=[str(project / ".kinetoscope")], sources=sources) as window:
            await window.until_read(run)
            assert 6 in await window.hints(window.open(project / "train.py"))
            assert (await place(window, "/cluster/job/model.py", 2)).freshness == "fresh"

    async def test_a_file_that_got_another_name_shows_its_numbers(self, project: Path, tmp_path: Path) -> None:
        run = write_run(project / ".kinetoscope", "run", tmp_path / "x", maker=trace(Path("/cluster/job")), cwd="/elsewhere")
        (project / "model.py").rename(project / "network.py")
        located = [{"remote_root": "/cluster/job/model.py", "local_root": str(project / "network.py")}]
        async with editor(project, sources={"located": located}) as window:
            await window.until_read(run)
            assert await window.hints(window.open(project / "network.py")) == {2: "GPU 400+200 µs · 80 %", 3: "GPU 100 µs · 13 %"}

    async def test_installed_files_are_found_by_the_interpreters_sys_path(self, project: Path, tmp_path: Path) -> None:
        linear = tmp_path / "site-packages" / "torch" / "nn" / "linear.py"
        linear.parent.mkdir(parents=True)
        linear.write_text("pass\n")
        run = write_run(project / ".kinetoscope", "run", project, maker=foreign_trace())
        async with editor(project) as window:
            await window.until_read(run)
            assert (await place(window, "torch/nn/linear.py")).path is None
            window.locate(interpreter_paths=[str(tmp_path / "site-packages")])
            found = await place(window, "torch/nn/linear.py", 7)
            assert (found.path, found.line, found.freshness) == (str(linear), 7, "unverified")
