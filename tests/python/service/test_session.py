"""The session without any host: every message of the wire has its answer, and what does not fit is refused before anyone sees it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from kinetoscope.service import wire
from kinetoscope.service.errors import RunError
from kinetoscope.service.session import NoDocuments, Session
from support.inferred import TEXT, called_twice
from support.runs import MODEL, foreign_trace, write_project, write_run


class Told:
    """A listener that only remembers."""

    def __init__(self) -> None:
        self.arrived: list[str | None] = []
        self.changes = 0
        self.stages: list[str] = []
        self.parts: list[wire.Part] = []

    def runs_changed(self, active: str | None, arrived: str | None) -> None:
        self.arrived.append(arrived)

    def lines_changed(self) -> None:
        self.changes += 1

    def part_changed(self, run: str, part: wire.Part) -> None:
        self.parts.append(part)

    def reading(self, progress: wire.ReadProgress) -> None:
        self.stages.append(progress.stage)


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
async def session(told: Told) -> AsyncIterator[Session]:
    session = Session(told, NoDocuments())
    yield session
    await session.close()


@pytest.fixture
def run(tmp_path: Path) -> str:
    return str(write_run(tmp_path / "runs", "run", write_project(tmp_path / "project")))


async def test_every_message_that_a_client_may_send_has_its_answer(session: Session) -> None:
    assert set(session.handlers) == wire.REQUESTS.keys() | wire.CLIENT_NOTIFICATIONS.keys()


async def test_a_run_is_read_and_asked_without_an_editor(session: Session, told: Told, tmp_path: Path) -> None:
    run = write_run(tmp_path / "runs", "run", write_project(tmp_path / "project"))
    view = await session.answer("kinetoscope/lines/view", {"run": str(run), "metric": "cpu_time"})
    assert isinstance(view, wire.LinesView)
    assert (view.metric, view.steps) == ("cpu_time", 2)
    assert told.stages[-1] == "done"


async def test_parameters_that_do_not_fit_name_what_is_wrong(session: Session) -> None:
    with pytest.raises(msgspec.ValidationError, match=r"metric"):
        await session.answer("kinetoscope/lines/view", {"metric": "weight"})


async def test_no_parameters_are_empty_ones(session: Session) -> None:
    assert await session.answer("kinetoscope/runs/list", None) == wire.RunList(runs=[], active=None, baseline=None)


async def test_what_can_not_be_answered_says_why(session: Session, tmp_path: Path) -> None:
    with pytest.raises(RunError, match="is not a run"):
        await session.answer("kinetoscope/runs/set_active", {"run": str(tmp_path / "gone")})


async def test_settings_change_the_numbers_once(session: Session, told: Told) -> None:
    settings = {"threshold_percent": 5.0}
    assert await session.answer("kinetoscope/inline/settings", settings) is None
    await session.answer("kinetoscope/inline/settings", settings)
    assert told.changes == 1


async def test_without_an_editor_no_document_is_open(session: Session) -> None:
    heat = await session.answer("kinetoscope/lines/heat", {"uri": "file:///anything.py"})
    assert isinstance(heat, wire.FileHeat)
    assert heat.lines == []


# What pages ask


async def test_a_run_is_described_with_its_steps_and_ranks(session: Session, run: str) -> None:
    description: Any = await session.answer("kinetoscope/run/describe", {"run": run})
    assert (description.run.name, description.active, description.ranks, description.part) == ("train.py", False, [0], wire.Part())
    assert [(step.number, step.start_us, step.dur_us) for step in description.steps] == [(0, 10.0, 1000.0), (1, 1010.0, 1000.0)]


async def test_a_view_is_of_the_part_that_is_asked_for(session: Session, run: str) -> None:
    whole: Any = await session.answer("kinetoscope/view", {"run": run, "name": "kernels"})
    step: Any = await session.answer("kinetoscope/view", {"run": run, "name": "kernels", "part": {"step": 1}})
    assert (whole.content["total_us"], step.content["total_us"]) == (1500.0, 750.0)


async def test_the_selected_part_is_what_the_lines_are_of_and_everyone_is_told(session: Session, told: Told, run: str) -> None:
    before: Any = await session.answer("kinetoscope/lines/view", {"run": run})
    description: Any = await session.answer("kinetoscope/part/select", {"run": run, "part": {"step": 1}})
    of_step: Any = await session.answer("kinetoscope/lines/view", {"run": run})
    assert description.part == wire.Part(step=1)
    assert (before.steps, before.device_us.total) == (2, 1500.0)
    assert (of_step.steps, of_step.device_us.total) == (1, 750.0)
    assert told.parts == [wire.Part(step=1)]
    assert len(description.steps) == 2
    assert description.recording_us > 2000


async def test_a_part_that_there_is_not_is_refused_and_the_one_before_stays(session: Session, run: str) -> None:
    await session.answer("kinetoscope/part/select", {"run": run, "part": {"step": 1}})
    with pytest.raises(RunError, match="no step 9"):
        await session.answer("kinetoscope/part/select", {"run": run, "part": {"step": 9}})
    description: Any = await session.answer("kinetoscope/run/describe", {"run": run})
    assert description.part == wire.Part(step=1)
    view: Any = await session.answer("kinetoscope/lines/view", {"run": run})
    assert (view.steps, view.reason) == (1, None)


async def test_a_part_that_is_given_up_while_it_is_read_is_not_selected(session: Session, told: Told, run: str) -> None:
    await session.answer("kinetoscope/lines/view", {"run": run})
    asked = asyncio.create_task(session.answer("kinetoscope/part/select", {"run": run, "part": {"step": 1}}))
    await asyncio.sleep(0.05)
    asked.cancel()
    await asyncio.gather(asked, return_exceptions=True)
    description: Any = await session.answer("kinetoscope/run/describe", {"run": run})
    view: Any = await session.answer("kinetoscope/lines/view", {"run": run})
    assert (description.part, view.steps) == (wire.Part(), 2)
    chosen: Any = await session.answer("kinetoscope/part/select", {"run": run, "part": {"step": 1}})
    view = await session.answer("kinetoscope/lines/view", {"run": run})
    assert (chosen.part, view.steps) == (wire.Part(step=1), 1)
    assert told.parts == [wire.Part(step=1)]


async def test_ranks_of_traces_in_a_folder_are_those_of_the_files_beside(session: Session, tmp_path: Path) -> None:
    for rank, scale in ((0, 1.0), (1, 2.0)):
        maker = foreign_trace()
        maker.event("kernel", "only here", 3000, 100 * scale)
        content = {**maker.document(), "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": 2}}
        (tmp_path / f"worker{rank}.pt.trace.json").write_text(json.dumps(content))
    first = str(tmp_path / "worker0.pt.trace.json")
    description: Any = await session.answer("kinetoscope/run/describe", {"run": first})
    assert description.ranks == [0, 1]
    totals = [
        (await session.answer("kinetoscope/view", {"run": first, "name": "kernels", "part": {"rank": rank}})).content["total_us"]  # type: ignore[union-attr]
        for rank in (0, 1)
    ]
    assert totals[1] - totals[0] == 100.0
    with pytest.raises(RunError, match="no rank 5: they have 0, 1"):
        await session.answer("kinetoscope/view", {"run": first, "name": "kernels", "part": {"rank": 5}})


async def test_a_search_finds_lines_operators_and_kernels_dearest_first(session: Session, run: str) -> None:
    found: Any = await session.answer("kinetoscope/search", {"run": run, "text": "RELU"})
    assert [(hit.kind, hit.name, hit.us) for hit in found.hits] == [
        ("line", "return h.relu()", 200.0),
        ("operator", "aten::relu", 200.0),
        ("kernel", "relu", 200.0),
    ]
    assert found.hits[0].line == 3
    nothing: Any = await session.answer("kinetoscope/search", {"run": run, "text": " "})
    assert nothing.hits == []


async def test_a_search_finds_lines_by_the_name_of_their_file_and_by_its_path_where_a_separator_asks_for_it(
    session: Session, run: str
) -> None:
    async def lines(text: str) -> list[int]:
        found: Any = await session.answer("kinetoscope/search", {"run": run, "text": text})
        return [hit.line for hit in found.hits if hit.kind == "line"]

    assert 3 in await lines("model.py")
    assert await lines("project") == []
    assert 3 in await lines("project/model.py:3")


async def test_a_run_compared_with_itself_is_the_same(session: Session, run: str) -> None:
    comparison: Any = await session.answer("kinetoscope/compare", {"before": run, "after": run})
    assert comparison.steps.gpu_us.difference == 0
    assert {line.match for line in comparison.lines} == {"same"}


async def test_of_two_traces_lines_are_inferred_in_both_whatever_of_which_was_read(session: Session, tmp_path: Path) -> None:
    read, never_read = (str(called_twice().write(tmp_path / f"{name}.pt.trace.json")) for name in ("read", "never_read"))
    (tmp_path / "train.py").write_text(TEXT)
    session.lines.sources.folders = (tmp_path,)
    for part in ({}, {"range_us": [65.0, 85.0]}):  # The whole; then a part without `step`.
        await session.answer("kinetoscope/part/select", {"run": read, "part": part})
        comparison: Any = await session.answer("kinetoscope/compare", {"before": read, "after": never_read})
        assert {line.line for line in comparison.lines} == {1, 2, 4, 5, 8}
        assert all(line.cpu_self_us.difference == 0 for line in comparison.lines)
        assert not any("precision" in notice for notice in comparison.notices)


async def test_the_text_of_a_file_is_that_which_was_profiled(session: Session, run: str, tmp_path: Path) -> None:
    model = tmp_path / "project" / "model.py"
    model.write_text("changed = True\n")
    source: Any = await session.answer("kinetoscope/source/text", {"run": run, "file": str(model), "line": 2})
    assert (source.text, source.reason) == (MODEL, None)
    assert sorted(row.line for row in source.rows) == [1, 2, 3]


async def test_the_text_of_a_file_that_was_not_kept_says_so(session: Session, tmp_path: Path) -> None:
    trace = tmp_path / "other.json"
    trace.write_text(json.dumps(foreign_trace(str(tmp_path / "gone.py"), str(tmp_path / "model.py")).document()))
    (tmp_path / "model.py").write_text(MODEL)
    there: Any = await session.answer("kinetoscope/source/text", {"run": str(trace), "file": str(tmp_path / "model.py"), "line": 1})
    assert there.text == MODEL
    assert "not known" in there.reason
    gone: Any = await session.answer("kinetoscope/source/text", {"run": str(trace), "file": str(tmp_path / "gone.py"), "line": 1})
    assert gone.text is None
    assert "gone.py" in gone.reason


async def test_what_opens_a_trace_for_a_view_says_when_it_is_done(session: Session, told: Told, tmp_path: Path) -> None:
    run = write_run(tmp_path / "runs", "run", write_project(tmp_path / "project"))
    session.start(wire.InitOptions(run_folders=[str(tmp_path / "runs")]))
    await session.answer("kinetoscope/view", {"run": str(run), "name": "operators"})
    assert told.stages[-1] == "done"
    with pytest.raises(RunError):
        await session.answer("kinetoscope/view", {"run": str(run), "name": "operators", "part": {"step": 77}})
    assert told.stages[-1] == "done"
    await session.close()
