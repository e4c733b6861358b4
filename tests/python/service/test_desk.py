"""Desks: a trace stays open in a process of its own and answers one question after the other.

Known: the run's numbers (support.runs). Said: views of the whole and of a step as the worker makes them, problems in words, and no process
that is left, whatever was given up."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest

from kinetoscope.runs.manifest import RunError
from kinetoscope.service import computing
from kinetoscope.service.desk import Desks
from kinetoscope.service.digest import open_linked, target
from kinetoscope.service.selection import Selection
from kinetoscope.service.session import NoDocuments, Session
from kinetoscope.service.wire import Part, ViewParams
from kinetoscope.web.events import Events
from support.runs import write_project, write_run

T = TypeVar("T")


@pytest.fixture
def run(tmp_path: Path) -> Path:
    project = write_project(tmp_path / "project")
    return write_run(project, "run", project)


def with_desks(use: Callable[[Desks], Awaitable[T]]) -> T:
    async def go() -> T:
        desks = Desks()
        try:
            return await use(desks)
        finally:
            await desks.close()

    return asyncio.run(go())


async def view(desks: Desks, run: Path, name: str, part: Part | None = None, stages: list[str] | None = None) -> Any:
    heard = stages if stages is not None else []
    params = ViewParams(name=name, part=part or Part())
    answer = await desks.ask(str(run), target(run), "stamp", "kinetoscope/view", params, lambda stage, done, total: heard.append(stage))
    return answer.content


def processes(word: str = "desk_process") -> set[int]:
    """The desks, or what else has a word in its command line, that this process started."""
    return {int(name) for name in os.listdir("/proc") if name.isdigit() and _is_ours(Path("/proc", name), word)}


def _is_ours(process: Path, word: str) -> bool:
    try:
        # The parent's number is the second word behind the name in parentheses.
        parent = int((process / "stat").read_text().rpartition(")")[2].split()[1])
        return parent == os.getpid() and word.encode() in (process / "cmdline").read_bytes()
    except OSError:
        return False


def make_endless(file: Path) -> None:
    """Who reads it waits for ever."""
    file.unlink()
    os.mkfifo(file)


async def until(is_so: Callable[[], Any]) -> None:
    async def wait() -> None:
        while not is_so():
            await asyncio.sleep(0.02)

    await asyncio.wait_for(wait(), 60)


def test_views_are_those_of_the_worker(run: Path) -> None:
    async def use(desks: Desks) -> list[Any]:
        return [await view(desks, run, name, part) for name in ("operators", "kernels") for part in (Part(), Part(step=0))]

    answers = with_desks(use)

    def made(name: str, selection: Selection) -> Any:
        return computing.decode(computing.make(target(run), name, selection, lambda *_: None)[0])

    assert answers == [made(name, part) for name in ("operators", "kernels") for part in (Selection(), Selection(step=0))]


def test_one_process_opens_the_trace_once_and_says_so(run: Path) -> None:
    stages: list[str] = []

    async def use(desks: Desks) -> set[int]:
        before = processes()
        await asyncio.gather(*(view(desks, run, name, stages=stages) for name in ("operators", "kernels", "memory")))
        return processes() - before

    if not Path("/proc/self/cmdline").exists():
        pytest.skip("this system has no /proc to count processes in")
    assert len(with_desks(use)) == 1
    assert stages.count("done") == 1
    assert stages[-1] == "done"
    assert processes() == set()


def test_a_part_that_there_is_not_is_named_and_the_desk_goes_on(run: Path) -> None:
    async def use(desks: Desks) -> Any:
        with pytest.raises(RunError, match="no step 7"):
            await view(desks, run, "operators", Part(step=7))
        with pytest.raises(RunError, match="no view operator"):
            await view(desks, run, "operator")
        return await view(desks, run, "operators")

    assert with_desks(use)["rows"]


def test_a_trace_that_cannot_be_read_is_named_to_all_who_wait(tmp_path: Path) -> None:
    broken = tmp_path / "broken.pt.trace.json"
    broken.write_text("no trace")

    async def use(desks: Desks) -> list[Any]:
        return await asyncio.gather(*(view(desks, broken, "operators") for _ in range(2)), return_exceptions=True)

    answers = with_desks(use)
    assert all(isinstance(answer, RunError) and "broken.pt.trace.json" in str(answer) for answer in answers)


def test_giving_up_while_the_trace_is_opened_ends_the_process(run: Path) -> None:
    async def use(desks: Desks) -> None:
        asked = asyncio.create_task(view(desks, run, "operators"))
        await asyncio.sleep(0.05)
        asked.cancel()
        await asyncio.gather(asked, return_exceptions=True)
        await desks.close()

    with_desks(use)
    assert processes() == set()


def test_after_it_was_cancelled_a_question_opens_the_trace_anew(run: Path) -> None:
    async def use(desks: Desks) -> Any:
        asked = asyncio.create_task(view(desks, run, "operators"))
        await asyncio.sleep(0.05)
        desks.cancel(str(run))
        with pytest.raises(RunError, match="cancelled"):
            await asked
        return await view(desks, run, "operators")

    assert with_desks(use)["rows"]


def test_a_trace_that_was_written_anew_is_opened_anew(run: Path) -> None:
    async def use(desks: Desks) -> list[list[str]]:
        heard: list[list[str]] = [[], [], []]
        for stamp, stages in zip(("old", "old", "new"), heard, strict=True):
            params = ViewParams(name="operators")
            await desks.ask(
                str(run), target(run), stamp, "kinetoscope/view", params, lambda stage, done, total, into=stages: into.append(stage)
            )
        return heard

    first, again, anew = with_desks(use)
    assert first
    assert not again
    assert anew


def test_a_question_that_is_given_up_before_its_turn_is_never_put(run: Path) -> None:
    async def use(desks: Desks) -> Any:
        await view(desks, run, "sync")  # The trace is open now.
        first, given_up, last = (asyncio.create_task(view(desks, run, name)) for name in ("operators", "memory", "kernels"))
        for _ in range(5):
            await asyncio.sleep(0)  # All were asked; no answer can be here yet.
        given_up.cancel()
        await asyncio.gather(given_up, return_exceptions=True)
        return [await first, await last]

    assert all(with_desks(use))
    cached = {entry.name.split("-")[2] for entry in (run / "cache").iterdir() if "-view-" in entry.name}
    assert cached == {"sync", "operators", "kernels"}


def test_a_question_that_does_not_end_when_it_is_given_up_ends_with_its_desk_and_others_are_answered(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kinetoscope.service.desk._ENDS_BY_ITSELF_S", 0.2)

    async def use(desks: Desks) -> Any:
        await view(desks, run, "operators")
        make_endless(next((run / "cache").glob("*-view-operators-*")))
        given_up, other = (asyncio.create_task(view(desks, run, name)) for name in ("operators", "kernels"))
        await asyncio.sleep(0.5)
        given_up.cancel()
        return await asyncio.wait_for(other, 60)

    assert with_desks(use)["rows"]
    assert processes() == set()


# All ranks


@pytest.fixture
def of_two_ranks(run: Path) -> Path:
    """Opening the trace of rank 1 never ends."""
    said = json.loads((run / "run.json").read_text())
    said["traces"].append({"rank": 1, "file": "rank1.pt.trace.json"})
    (run / "run.json").write_text(json.dumps(said))
    shutil.copy(run / "rank0.pt.trace.json", run / "rank1.pt.trace.json")
    open_linked(target(run, 1), lambda *_: None)
    make_endless(next((run / "cache").glob("rank1-columns-*")))
    return run


async def test_a_view_of_all_ranks_holds_up_nobody_and_ends_when_it_is_given_up(of_two_ranks: Path) -> None:
    session = Session(Events(), NoDocuments())

    async def asked(name: str) -> Any:
        return await session.answer("kinetoscope/view", {"run": str(of_two_ranks), "name": name})

    together = asyncio.create_task(asked("distributed"))
    await until(lambda: processes("service.worker"))
    assert (await asyncio.wait_for(asked("operators"), 60)).content["rows"]
    assert not together.done()
    together.cancel()
    await until(lambda: not processes("service.worker"))
    assert (await asyncio.wait_for(asked("kernels"), 60)).content["rows"]
    await session.close()


async def test_cancelling_what_is_read_of_a_run_ends_its_view_of_all_ranks(of_two_ranks: Path) -> None:
    session = Session(Events(), NoDocuments())
    together = asyncio.create_task(session.answer("kinetoscope/view", {"run": str(of_two_ranks), "name": "advice-of-ranks"}))
    await until(lambda: processes("--view"))
    await session.answer("kinetoscope/runs/cancel_reading", {"run": str(of_two_ranks)})
    with pytest.raises(RunError, match="cancelled"):
        await together
    await until(lambda: not processes("--view"))
    await session.close()
