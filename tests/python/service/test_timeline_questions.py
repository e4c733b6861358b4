"""The timeline over the wire: the session answers each of its questions from the desk, and columns of numbers come through as they were.

Known: the run's numbers (support.runs)."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from kinetoscope.service import wire
from kinetoscope.service.errors import RunError
from kinetoscope.service.session import NoDocuments, Session
from support.runs import foreign_trace, write_project, write_run


class Deaf:
    """A listener that hears nothing."""

    def runs_changed(self, active: str | None, arrived: str | None) -> None: ...

    def lines_changed(self) -> None: ...

    def part_changed(self, run: str, part: wire.Part) -> None: ...

    def reading(self, progress: wire.ReadProgress) -> None: ...


@pytest.fixture
async def session(tmp_path: Path) -> AsyncIterator[Session]:
    session = Session(Deaf(), NoDocuments())
    run = write_run(tmp_path / "runs", "run", write_project(tmp_path / "project"))
    session.start(wire.InitOptions(run_folders=[str(run.parent)], active_run=str(run)))
    yield session
    await session.close()


async def asked(session: Session, verb: str, **params: Any) -> Any:
    """The answer as a client gets it: JSON, and from it the struct."""
    method = f"kinetoscope/timeline/{verb}"
    result = msgspec.json.encode(await session.answer(method, params))
    return msgspec.json.decode(result, type=wire.REQUESTS[method][1])


async def test_tracks_then_a_tile_of_them(session: Session) -> None:
    found = await asked(session, "tracks")
    assert found.recording_us == 2020
    stream = next(track for track in found.tracks if track.kind == "stream")
    tile = await asked(session, "tile", tracks=[stream.id], start_us=0, end_us=1000, width_px=1000)
    [only] = tile.tracks
    assert [tile.names[name] for name in np.frombuffer(only.name, "<u4")] == ["gemm", "relu", "reduce", "gemm_grad"]
    assert np.frombuffer(only.start_us, "<f8").tolist() == [60, 460, 560, 660]
    assert np.frombuffer(only.dur_us, "<f8").tolist() == [400, 100, 50, 200]


async def test_columns_are_base64_in_json_also_where_the_host_wants_plain_data(session: Session) -> None:
    tile = await session.answer(
        "kinetoscope/timeline/tile", {"tracks": ["device:0/stream:7"], "start_us": 0, "end_us": 500, "width_px": 10}
    )
    plain = msgspec.to_builtins(tile)
    assert isinstance(plain["tracks"][0]["start_us"], str)
    assert json.loads(msgspec.json.encode(tile)) == json.loads(json.dumps(plain))


async def test_an_event_its_matches_and_its_line(session: Session) -> None:
    found = await asked(session, "find", text="gemm_grad", part={"step": 1})
    assert (found.matches, found.match.start_us) == (1, 1660)
    one = await asked(session, "details", event=found.match.event)
    assert (one.line.line, one.backward, Path(one.line.file).name) == (2, True, "model.py")
    located = await asked(session, "locate", file=one.line.file, line=2, part={"step": 0})
    assert {"gemm", "gemm_grad", "aten::mm"} <= {event.name for event in located.events}


async def test_sums_are_of_the_part(session: Session) -> None:
    assert {row.name: row.total_us for row in (await asked(session, "sums", part={"range_us": [0, 500]})).kernels} == {
        "gemm": 400,
        "relu": 100,
    }
    assert {row.name: row.calls for row in (await asked(session, "sums")).kernels} == {"gemm": 2, "relu": 2, "reduce": 2, "gemm_grad": 2}


async def test_times_are_since_the_recordings_start_also_in_another_tools_trace(session: Session, tmp_path: Path) -> None:
    trace = foreign_trace().write(tmp_path / "foreign.pt.trace.json")
    session.runs.set_opened([str(trace)])
    tile = await asked(session, "tile", run=str(trace), tracks=["thread:0/operators"], start_us=0, end_us=100, width_px=500)
    assert np.frombuffer(tile.tracks[0].start_us, "<f8")[0] == 9  # The trace begins with its first event, at 1.


async def test_what_has_no_answer_has_words(session: Session) -> None:
    with pytest.raises(RunError, match="no track 'nothing'"):
        await asked(session, "tile", tracks=["nothing"], start_us=0, end_us=1, width_px=10)
    with pytest.raises(RunError, match="no step 9"):
        await asked(session, "sums", part={"step": 9})
