"""The session without any host: every message of the wire has its answer, and what does not fit is refused before anyone sees it."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from kinetoscope.service import wire
from kinetoscope.service.errors import RunError
from kinetoscope.service.session import NoDocuments, Session
from support.runs import write_project, write_run


class Told:
    """A listener that only remembers."""

    def __init__(self) -> None:
        self.arrived: list[str | None] = []
        self.changes = 0
        self.stages: list[str] = []

    def runs_changed(self, active: str | None, arrived: str | None) -> None:
        self.arrived.append(arrived)

    def lines_changed(self) -> None:
        self.changes += 1

    def reading(self, progress: wire.ReadProgress) -> None:
        self.stages.append(progress.stage)


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
def session(told: Told) -> Session:
    return Session(told, NoDocuments())


async def test_every_message_that_a_client_may_send_has_its_answer(session: Session) -> None:
    assert set(session.handlers) == wire.REQUESTS.keys() | wire.CLIENT_NOTIFICATIONS.keys()


async def test_a_run_is_read_and_asked_without_an_editor(session: Session, told: Told, tmp_path: Path) -> None:
    run = write_run(tmp_path / "runs", "run", write_project(tmp_path / "project"))
    view = await session.answer("kinetoscope/lines/view", {"run": str(run), "metric": "cpu_time"})
    assert isinstance(view, wire.LinesView)
    assert (view.metric, view.steps) == ("cpu_time", 2)
    assert told.stages[-1] == "done"
    await session.close()


async def test_parameters_that_do_not_fit_name_what_is_wrong(session: Session) -> None:
    with pytest.raises(msgspec.ValidationError, match=r"metric"):
        await session.answer("kinetoscope/lines/view", {"metric": "weight"})


async def test_no_parameters_are_empty_ones(session: Session) -> None:
    assert await session.answer("kinetoscope/runs/list", None) == wire.RunList(runs=[], active=None)


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
