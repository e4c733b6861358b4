"""A run beside a baseline, through the real server: hints, lenses and hover say what became of each line.

In the baseline `h = x @ x` took 200 µs of device time forward a step, in the active run 400; its backward took 200 in both
(support/runs.py).
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from support.kineto import ENTER, LEAVE, LINE, MAIN, TraceMaker
from support.lsp import Editor, editor
from support.runs import MODEL, STEP_US, trace, write_project, write_run

HINTS = {2: "GPU 400+200 µs · 80 %", 3: "GPU 100 µs · 13 %"}
DIFFERENCES = {2: "GPU 400+200 µs · +50 %", 3: "GPU 100 µs · ±0 %"}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write_project(tmp_path / "project")


@pytest.fixture
def before(project: Path) -> Path:
    return write_run(project / ".kinetoscope", "before", project, maker=trace(project, gemm_us=200), created="2026-11-29T10:00:00Z")


@pytest.fixture
def after(project: Path, before: Path) -> Path:
    del before  # written first
    return write_run(project / ".kinetoscope", "after", project)


@pytest_asyncio.fixture
async def window(project: Path, after: Path) -> AsyncIterator[Editor]:
    """An editor with the numbers of the run after there."""
    async with editor(project) as opened:
        await opened.until_read(after)
        yield opened


async def test_hints_say_the_difference_instead_of_the_share_until_there_is_no_baseline(
    window: Editor, project: Path, before: Path
) -> None:
    uri = window.open(project / "model.py")
    assert await window.hints(uri) == HINTS
    assert (await window.ask("kinetoscope/runs/set_baseline", run=str(before))).baseline == str(before)
    assert await window.hints(uri) == DIFFERENCES
    assert (await window.ask("kinetoscope/runs/set_baseline")).baseline is None
    assert await window.hints(uri) == HINTS


async def test_a_hover_says_what_the_line_cost_before(window: Editor, project: Path, before: Path) -> None:
    await window.ask("kinetoscope/runs/set_baseline", run=str(before))
    said = await window.hover(window.open(project / "model.py"), 2)
    assert said is not None
    plain = said.replace("\\", "")
    assert "In train.py, 2026-11-29 10:00: GPU 200+200 µs · CPU" in plain
    assert "per step. Since then: GPU +50 %" in plain


async def test_a_lens_says_the_difference_of_its_function(window: Editor, project: Path, before: Path) -> None:
    await window.ask("kinetoscope/runs/set_baseline", run=str(before))
    lenses = await window.lenses(window.open(project / "model.py"))
    assert "GPU 500+200 µs (93 %) · +40 % to the baseline" in lenses[1]  # 500 µs before


async def test_a_line_that_was_inserted_since_is_new_and_the_others_are_found(project: Path, before: Path) -> None:
    longer = MODEL.replace("    return", "    h = h + 1\n    return")
    maker = _with_a_line_more(project, longer)
    after = write_run(project / ".kinetoscope", "after", project, maker=maker)
    (project / "model.py").write_text(longer)
    async with editor(project) as window:
        await window.until_read(after)
        await window.ask("kinetoscope/runs/set_baseline", run=str(before))
        uri = window.open(project / "model.py", longer)
        assert await window.hints(uri) == {2: "GPU 400 µs · ±0 %", 3: "GPU 60.0 µs · new", 4: "GPU 50.0 µs · −50 %"}
        said = await window.hover(uri, 3)
        assert said is not None
        assert "it is not: the line is new, or did not run" in said.replace("\\", "")


async def test_of_a_part_no_difference_is_said(window: Editor, project: Path, before: Path) -> None:
    await window.ask("kinetoscope/runs/set_baseline", run=str(before))
    await window.ask("kinetoscope/part/select", part={"step": 1})
    assert await window.hints(window.open(project / "model.py")) == HINTS


async def test_where_a_recording_knows_functions_only_no_difference_is_said(project: Path) -> None:
    runs = project / ".kinetoscope"
    before = write_run(runs, "before", project, maker=trace(project, coarse_model=True), created="2026-11-29T10:00:00Z")
    after = write_run(runs, "after", project)
    async with editor(project) as window:
        await window.until_read(after)
        await window.ask("kinetoscope/runs/set_baseline", run=str(before))
        assert (await window.hints(window.open(project / "train.py")))[6] == "GPU 500+200 µs · ±0 %"
        assert await window.hints(window.open(project / "model.py")) == {2: "GPU 400+200 µs", 3: "GPU 100 µs"}


async def test_a_run_is_not_its_own_baseline(window: Editor, project: Path, after: Path) -> None:
    with pytest.raises(Exception, match="can't be compared with itself"):
        await window.ask("kinetoscope/runs/set_baseline", run=str(after))
    assert await window.hints(window.open(project / "model.py")) == HINTS


async def test_a_baseline_that_is_deleted_is_none(window: Editor, project: Path, before: Path) -> None:
    await window.ask("kinetoscope/runs/set_baseline", run=str(before))
    assert (await window.ask("kinetoscope/runs/delete", run=str(before))).baseline is None
    assert await window.hints(window.open(project / "model.py")) == HINTS


async def test_the_remembered_baseline_is_there_again(project: Path, before: Path, after: Path) -> None:
    async with editor(project, baseline=str(before)) as window:
        await window.until_read(after)
        uri = window.open(project / "model.py")
        await window.until_read(before)
        assert (await window.ask("kinetoscope/runs/list")).baseline == str(before)
        assert await window.hints(uri) == DIFFERENCES


def _with_a_line_more(project: Path, text: str) -> TraceMaker:
    """Two steps of `forward` with a line between: 400, 60 and 50 µs of device time."""
    maker = TraceMaker(end_us=2 * STEP_US + 20)
    forward = maker.code(maker.source(str(project / "model.py"), text), "forward", 1)
    for step in range(2):
        at = 10 + step * STEP_US
        maker.event("user_annotation", f"ProfilerStep#{step}", at, STEP_US)
        maker.steps.append((step, round(at * 1000), round((at + STEP_US) * 1000)))
        maker.log(MAIN).add(at + 10, ENTER, forward, 1)
        for line, (name, begin, dur) in enumerate((("gemm", 50, 400), ("add", 450, 60), ("relu", 510, 50)), start=2):
            maker.log(MAIN).add(at + 10 * line, LINE, forward, line)
            maker.op(f"aten::{name}", at + 10 * line + 1, 6).kernel(name, at + 10 * line + 2, at + begin, dur)
        maker.log(MAIN).add(at + 60, LEAVE, forward)
    return maker
