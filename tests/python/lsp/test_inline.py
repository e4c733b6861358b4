"""Inline numbers through the real server: hints, lenses, hover and heat of a run whose every cost is known (support/runs.py)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from lsprotocol import types

from kinetoscope.service import wire
from support.lsp import Editor, editor
from support.runs import MODEL, TRAIN, trace, write_project, write_run

# Per step 750 µs of device time: 550 forward, 200 backward.
TRAIN_HINTS = {6: "GPU 500+200 µs · 93 %", 7: "GPU 50.0 µs · 6.7 %", 14: "GPU 550+200 µs · 100 %"}
MODEL_HINTS = {2: "GPU 400+200 µs · 80 %", 3: "GPU 100 µs · 13 %"}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write_project(tmp_path / "project")


@pytest_asyncio.fixture
async def window(project: Path) -> AsyncIterator[Editor]:
    """An editor with the run's numbers there."""
    run = write_run(project / ".kinetoscope", "run", project)
    async with editor(project) as opened:
        await opened.until_read(run)
        yield opened


async def test_hints_say_forward_and_backward_per_step_and_the_share(window: Editor, project: Path) -> None:
    assert await window.hints(window.open(project / "train.py")) == TRAIN_HINTS
    assert await window.hints(window.open(project / "model.py")) == MODEL_HINTS


async def test_a_hint_stands_at_the_end_of_its_line_counted_in_utf16(window: Editor, project: Path) -> None:
    uri = window.open(project / "model.py", MODEL.replace("h = x @ x", "h = x @ x  # 𝄞 is two units of UTF-16"))
    hint = next(hint for hint in await window.raw_hints(uri) if hint.position.line == 1)
    assert hint.position.character == len("    h = x @ x  # 𝄞 is two units of UTF-16") + 1
    assert hint.padding_left


async def test_a_tooltip_with_the_whole_cost_comes_when_it_is_asked_for(window: Editor, project: Path) -> None:
    hint = (await window.raw_hints(window.open(project / "model.py")))[0]
    assert hint.tooltip is None
    resolved = await window.client.inlay_hint_resolve_async(hint)
    assert isinstance(resolved.tooltip, types.MarkupContent)
    assert "gemm" in resolved.tooltip.value


async def test_editors_that_cannot_ask_for_tooltips_get_them_at_once(project: Path) -> None:
    run = write_run(project / ".kinetoscope", "run", project)
    async with editor(project, resolve=False) as window:
        await window.until_read(run)
        hint = (await window.raw_hints(window.open(project / "model.py")))[0]
        assert isinstance(hint.tooltip, types.MarkupContent)
        assert "gemm" in hint.tooltip.value


async def test_only_hints_of_the_asked_range_are_sent(window: Editor, project: Path) -> None:
    uri = window.open(project / "train.py")
    assert await window.hints(uri, 7, 13) == {7: TRAIN_HINTS[7]}


async def test_lenses_stand_on_functions_loops_and_blocks_and_count_nothing_twice(window: Editor, project: Path) -> None:
    assert await window.lenses(window.open(project / "train.py")) == {
        5: "GPU 550+200 µs (100 %) · CPU 900 µs · +1.0 MiB in its lines · per step",
        12: "GPU 550+200 µs (100 %) · CPU 1.0 ms · per step",
        13: "GPU 550+200 µs (100 %) · CPU 999 µs · per step",
    }
    assert await window.lenses(window.open(project / "model.py")) == {1: "GPU 500+200 µs (93 %) · CPU 80.0 µs · per step"}


async def test_the_hover_has_the_whole_cost_and_a_link_to_the_lines_view(window: Editor, project: Path) -> None:
    text = await window.hover(window.open(project / "model.py"), 2)
    assert text is not None
    for words in (
        "| GPU | 400 µs | 400 µs | 200 µs | 80 % | 1.2 ms |",
        "| CPU | 39.0 µs | 39.0 µs |",
        "1 call · 2 launches",
        "exact line",
        "aten::mm",
        "gemm",
    ):
        assert words in text.replace("&emsp;", "")
    assert "(command:kinetoscope.showLine?%5B%7B%22run%22" in text
    assert await window.hover(window.open(project / "train.py"), 10) is None


async def test_a_line_of_the_buffer_is_known_as_the_one_that_was_profiled(window: Editor, project: Path) -> None:
    uri = window.open(project / "model.py", "# one\n# two\n" + MODEL)
    at = await window.ask("kinetoscope/lines/at", uri=uri, line=4)
    assert (at.file, at.line, at.reason) == (str(project / "model.py"), 2, None)


async def test_a_line_without_cost_and_a_file_that_was_not_profiled_are_told_apart(window: Editor, project: Path) -> None:
    nothing = await window.ask("kinetoscope/lines/at", uri=window.open(project / "train.py"), line=10)
    assert (nothing.file, nothing.line, nothing.reason) == (None, None, "This line has no cost in the active run.")
    other = project / "other.py"
    other.write_text("x = 1\n")
    assert (await window.ask("kinetoscope/lines/at", uri=window.open(other), line=1)).reason == "This file is not in the active run."


async def test_heat_has_the_hints_lines_with_levels(window: Editor, project: Path) -> None:
    heat = await window.ask("kinetoscope/lines/heat", uri=window.open(project / "train.py"))
    assert [(line.line, line.level, line.text) for line in heat.lines] == [
        (6, 5, TRAIN_HINTS[6]),
        (7, 3, TRAIN_HINTS[7]),
        (14, 5, TRAIN_HINTS[14]),
    ]
    assert heat.version == 1
    assert heat.reason is None


async def test_numbers_follow_their_lines_through_edits_and_a_changed_line_is_stale(window: Editor, project: Path) -> None:
    uri = window.open(project / "train.py")
    window.change(uri, "# new\n# lines\n" + TRAIN.replace("loss = y.sum()", "loss = y.sum() * 2"))
    assert await window.hints(uri) == {8: TRAIN_HINTS[6], 9: "≈ " + TRAIN_HINTS[7], 16: TRAIN_HINTS[14]}
    heat = await window.ask("kinetoscope/lines/heat", uri=uri)
    assert [line.freshness for line in heat.lines] == ["shifted", "stale", "shifted"]
    lenses = await window.lenses(uri)
    assert lenses[7].startswith("≈ GPU 550+200 µs")
    assert lenses[7].endswith("1 of 5 lines changed")
    hover = await window.hover(uri, 9)
    assert hover is not None
    assert "changed since it was profiled" in hover
    window.change(uri, TRAIN, 3)
    assert await window.hints(uri) == TRAIN_HINTS


async def test_a_deleted_line_takes_its_number_with_it(window: Editor, project: Path) -> None:
    uri = window.open(project / "train.py")
    window.change(uri, TRAIN.replace("    loss = y.sum()\n", ""))
    assert await window.hints(uri) == {6: TRAIN_HINTS[6], 13: TRAIN_HINTS[14]}


async def test_reopening_an_edited_file_keeps_numbers_right(window: Editor, project: Path) -> None:
    uri = window.open(project / "train.py")
    window.close(uri)
    (project / "train.py").write_text("\n" + TRAIN)
    assert await window.hints(window.open(project / "train.py")) == {line + 1: text for line, text in TRAIN_HINTS.items()}


async def test_form_feeds_and_line_separators_inside_lines_shift_nothing(window: Editor, project: Path) -> None:
    uri = window.open(project / "train.py", "\x0c# page\u2028two\n" + TRAIN)
    assert await window.hints(uri) == {line + 1: text for line, text in TRAIN_HINTS.items()}


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        (wire.InlineSettings(enabled=False), {}),
        (wire.InlineSettings(hints=False), {}),
        (wire.InlineSettings(per="run"), {6: "GPU 1.0+0.4 ms · 93 %", 7: "GPU 100 µs · 6.7 %", 14: "GPU 1.1+0.4 ms · 100 %"}),
        (wire.InlineSettings(threshold_percent=10), {6: TRAIN_HINTS[6], 14: TRAIN_HINTS[14]}),
        (wire.InlineSettings(value="percent"), {6: "GPU 93 %", 7: "GPU 6.7 %", 14: "GPU 100 %"}),
        (wire.InlineSettings(value="absolute"), {6: "GPU 500+200 µs", 7: "GPU 50.0 µs · +1.0 MiB", 14: "GPU 550+200 µs"}),
        (wire.InlineSettings(metric="memory"), {7: "+1.0 MiB · 100 %"}),
        (
            wire.InlineSettings(metric="cpu_time", threshold_percent=5),
            {6: "CPU 90.0 µs · 8.9 %", 8: "CPU 760 µs · 75 %", 14: "CPU 998 µs · 99 %"},
        ),
    ],
)
async def test_settings_take_effect_at_once(window: Editor, project: Path, settings: wire.InlineSettings, expected: dict[int, str]) -> None:
    uri = window.open(project / "train.py")
    window.tell(settings)
    assert await window.hints(uri) == expected
    await window.until(lambda: wire.LinesChanged(uri=None) in window.told)


async def test_stale_lines_can_be_hidden(window: Editor, project: Path) -> None:
    uri = window.open(project / "model.py", MODEL.replace("x @ x", "x @ x.T"))
    assert await window.hints(uri) == {2: "≈ " + MODEL_HINTS[2], 3: MODEL_HINTS[3]}
    window.tell(wire.InlineSettings(stale="hide"))
    assert await window.hints(uri) == {3: MODEL_HINTS[3]}


async def test_a_cost_known_only_by_function_is_in_its_lens_and_never_a_lines_number(project: Path) -> None:
    run = write_run(project / ".kinetoscope", "run", project, maker=trace(project, coarse_model=True))
    async with editor(project) as window:
        await window.until_read(run)
        uri = window.open(project / "model.py")
        assert await window.hints(uri) == {}
        assert (await window.ask("kinetoscope/lines/heat", uri=uri)).lines == []
        assert (await window.lenses(uri))[1].endswith("whole function: its lines are not known")
        spots = await window.ask("kinetoscope/lines/hot_spots")
        assert (spots.spots[0].precision, spots.spots[0].profiled_line) == ("function", 1)
        assert spots.spots[0].text.endswith("(function)")


async def test_documents_that_are_no_profiled_file_get_nothing_and_a_reason(window: Editor, project: Path) -> None:
    other = project / "other.py"
    other.write_text(TRAIN)
    for uri, reason in ((window.open(other), "not in the active run"), ("untitled:Untitled-1", "not in the active run")):
        assert await window.hints(uri) == {}
        assert reason in (await window.ask("kinetoscope/lines/heat", uri=uri)).reason


async def test_a_run_of_another_machine_is_found_below_the_workspace(project: Path, tmp_path: Path) -> None:
    run = write_run(project / ".kinetoscope", "run", tmp_path / "elsewhere", maker=trace(Path("/cluster/job")), cwd="/cluster/job")
    async with editor(project) as window:
        await window.until_read(run)
        assert await window.hints(window.open(project / "train.py")) == TRAIN_HINTS
        place = await window.ask("kinetoscope/source/place", file="/cluster/job/model.py", line=2)
        assert (place.path, place.line, place.freshness) == (str(project / "model.py"), 2, "fresh")


async def test_places_and_hot_spots_follow_the_open_buffer(window: Editor, project: Path) -> None:
    uri = window.open(project / "model.py")
    window.change(uri, "\n\n" + MODEL)
    spots = await window.ask("kinetoscope/lines/hot_spots")
    assert [(Path(spot.file).name, spot.profiled_line, spot.line, spot.freshness) for spot in spots.spots] == [
        ("model.py", 2, 4, "shifted"),
        ("model.py", 3, 5, "shifted"),
        ("train.py", 7, 7, "fresh"),
    ]
    assert (spots.metric, spots.spots[0].text, spots.spots[0].source) == ("gpu_time", "GPU 400+200 µs", "h = x @ x")
    (project / "train.py").unlink()
    gone = await window.ask("kinetoscope/source/place", file=str(project / "train.py"), line=7)
    assert gone.path is None
    assert "not found" in gone.problem


async def test_the_lines_view_has_all_rows_and_details_come_by_line(window: Editor, project: Path) -> None:
    view = await window.ask("kinetoscope/lines/view")
    assert (view.steps, view.metric, view.device_us.total) == (2, "gpu_time", 1500.0)
    assert sum(row.gpu_us + row.gpu_backward_us for row in view.rows) == view.device_us.attributed
    detail = await window.ask("kinetoscope/lines/detail", file=str(project / "model.py"), line=2)
    assert [frame.line for frame in detail.stacks[0].frames] == [14, 6, 2]
    with pytest.raises(Exception, match="has no cost in this run"):
        await window.ask("kinetoscope/lines/detail", file="nothing.py", line=1)


async def test_parameters_of_another_shape_are_refused_with_words(window: Editor) -> None:
    with pytest.raises(Exception, match="Expected `int`"):
        await window.ask("kinetoscope/lines/detail", file="x", line="two")
