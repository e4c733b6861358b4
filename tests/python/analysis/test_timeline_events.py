"""The tracks of a recording, and what the timeline knows of an event, finds, locates and sums, on recordings whose every event is known."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import pytest

from kinetoscope.analysis.kernel_names import _FAMILIES, COMMUNICATION, COPY, OTHER  # pyright: ignore[reportPrivateUsage]
from kinetoscope.analysis.kernels import kernels
from kinetoscope.analysis.lines import report_of
from kinetoscope.analysis.operators import operators
from kinetoscope.analysis.timeline.answers import (
    EventCategory,
    EventDetails,
    EventQuestion,
    FindQuestion,
    LocateQuestion,
    SumsQuestion,
)
from kinetoscope.analysis.timeline.details import LINKS_AT_MOST, details
from kinetoscope.analysis.timeline.find import find
from kinetoscope.analysis.timeline.locate import locate
from kinetoscope.analysis.timeline.sums import sums
from kinetoscope.analysis.timeline.timeline import QuestionError, Timeline, tracks
from support.kineto import ENGINE, ENTER, LEAVE, LINE, TraceMaker
from support.timeline import Piece, asked, events_of, opened, pieces

SOURCE = """\
def forward(x):
    h = x @ x
    return h.relu()

for step in range(2):
    forward(x)
"""


def recorded() -> TraceMaker:
    """1,000 µs: line 6 calls `forward` twice. On line 2 of the first call an operator in an operator launches a kernel on stream 7; its
    backward operator runs on the engine's thread and launches two on stream 9. On line 3 of the second call memory is allocated."""
    maker = TraceMaker(end_us=1000)
    file = maker.source("/project/train.py", SOURCE)
    module, forward = maker.code(file, "<module>", 1), maker.code(file, "forward", 1)
    log = maker.log().add(1, ENTER, module, 5)
    for at in (10, 300):
        log.add(at, LINE, module, 6).add(at, ENTER, forward, 1).add(at + 10, LINE, forward, 2).add(at + 100, LINE, forward, 3)
        log.add(at + 150, LEAVE, forward)
    log.add(990, LEAVE, module)
    maker.op("aten::matmul", 30, 50).op("aten::mm", 40, 30, seq=5).kernel("sm80_xmma_gemm", 45, 60, 100)
    maker.op("autograd::engine::evaluate_function: MmBackward0", 500, 60, ENGINE, 5, fwd=1).op("MmBackward0", 502, 56, ENGINE, 5, fwd=1)
    maker.kernel("gemm_nt", 510, 520, 40, ENGINE, stream=9).kernel("gemm_tn", 515, 560, 40, ENGINE, stream=9)
    maker.op("aten::relu", 410, 20).memory(415, 4096, 1, device_type=1, device_id=0, allocated=4096, reserved=8192)
    maker.event("user_annotation", "ProfilerStep#3", 5, 900)
    return maker


@pytest.fixture
def timeline(tmp_path: Path) -> Timeline:
    return opened(recorded(), tmp_path)


def test_tracks_are_steps_then_threads_then_devices(timeline: Timeline) -> None:
    found = tracks(timeline)
    assert [(track.id, track.kind, track.title, track.parent, track.rows, track.events) for track in found.tracks] == [
        ("steps", "steps", "Steps", None, 1, 1),
        ("thread:0", "thread", "Main thread", None, 0, 0),
        ("thread:0/lines", "lines", "Lines", "thread:0", 2, 8),
        ("thread:0/operators", "operators", "Operators", "thread:0", 4, 5),
        ("thread:1", "thread", "Backward thread", None, 0, 0),
        ("thread:1/operators", "operators", "Operators", "thread:1", 3, 4),
        ("device:0", "device", "cuda:0", None, 0, 0),
        ("device:0/utilisation", "counter", "Utilisation", "device:0", 0, 5),
        ("device:0/memory", "counter", "Memory", "device:0", 0, 1),
        ("device:0/stream:7", "stream", "Stream 7", "device:0", 1, 1),
        ("device:0/stream:7/queue", "counter", "Launch queue of stream 7", "device:0", 0, 3),
        ("device:0/stream:9", "stream", "Stream 9", "device:0", 1, 2),
        ("device:0/stream:9/queue", "counter", "Launch queue of stream 9", "device:0", 0, 5),
    ]
    assert (found.start_us, found.end_us, found.recording_us, found.notices) == (0, 1000, 1000, [])
    memory = next(track for track in found.tracks if track.id == "device:0/memory")
    assert (memory.unit, [(series.name, series.high) for series in memory.series]) == ("bytes", [("allocated", 4096), ("reserved", 8192)])


def test_a_bare_trace_says_what_it_lacks(tmp_path: Path) -> None:
    timeline = opened(TraceMaker().op("aten::mm", 0, 10), tmp_path)
    found = tracks(timeline)
    assert [track.id for track in found.tracks] == ["thread:0", "thread:0/operators"]
    assert [notice.split(":")[0] for notice in found.notices] == [
        "There are no Python frames",
        "There is no device work",
        "There is no memory curve",
    ]


def test_a_thread_that_only_ran_python_has_its_lines(tmp_path: Path) -> None:
    maker = recorded()
    maker.log(77).add(100, ENTER, 1, 1).add(110, LINE, 1, 2).add(150, LEAVE, 1)
    timeline = opened(maker, tmp_path)
    assert [track.detail for track in tracks(timeline).tracks if track.id == "log:77"] == ["tid 77"]
    [first, second] = pieces(timeline, "log:77/lines", 0, 1000, 1000)
    assert (first, second.start, second.dur) == (Piece(0, 100, 10, "train.py:1  def forward(x):", 1), 110, 40)
    [event] = events_of(asked(timeline, ["log:77/lines"], 120, 130, 10).tracks[0])
    assert details(timeline, EventQuestion(event=event)).thread == ""


def test_lines_are_named_by_their_text_and_lie_below_the_line_that_called(timeline: Timeline) -> None:
    assert pieces(timeline, "thread:0/lines", 0, 470, 1000) == [
        Piece(0, 1, 9, "train.py:5  for step in range(2):", 1),
        Piece(0, 10, 980, "train.py:6  forward(x)", 1),
        Piece(1, 10, 10, "train.py:1  def forward(x):", 1),
        Piece(1, 20, 90, "train.py:2  h = x @ x", 1),
        Piece(1, 110, 50, "train.py:3  return h.relu()", 1),
        Piece(1, 300, 10, "train.py:1  def forward(x):", 1),
        Piece(1, 310, 90, "train.py:2  h = x @ x", 1),
        Piece(1, 400, 50, "train.py:3  return h.relu()", 1),
    ]


def test_a_line_that_is_on_the_stack_twice_is_in_two_rows(tmp_path: Path) -> None:
    maker = TraceMaker()
    file = maker.source("/project/a.py", "def f(n):\n    return n and f(n - 1)\n")
    f = maker.code(file, "f", 1)
    maker.log().add(10, ENTER, f, 2).add(20, ENTER, f, 2).add(30, LEAVE, f).add(35, ENTER, f, 2).add(40, LEAVE, f).add(50, LEAVE, f)
    timeline = opened(maker, tmp_path)
    assert [(piece.row, piece.start, piece.dur) for piece in pieces(timeline, "thread:0/lines", 0, 100, 1000)] == [
        (0, 10, 40),
        (1, 20, 10),
        (1, 35, 5),
    ]


def test_functions_whose_line_is_not_known_are_named_by_function(tmp_path: Path) -> None:
    maker = TraceMaker().frame("train.py(1): forward", 0, 100).op("aten::mm", 10, 20)
    timeline = opened(maker, tmp_path)
    assert pieces(timeline, "thread:0/lines", 0, 100, 100) == [Piece(0, 0, 100, "train.py  forward", 1)]
    assert asked(timeline, ["thread:0/lines"], 0, 100, 100).categories == ["function"]


def test_python_frames_tell_whose_code_they_are(tmp_path: Path) -> None:
    maker = TraceMaker()
    names = ["train.py(1): step", "nn.Module: Linear", "torch/nn/modules/linear.py(123): forward", "<built-in method linear>"]
    for depth, name in enumerate(names):
        maker.frame(name, depth, 100 - 2 * depth, **({"Python module id": 4} if depth == 1 else {}))
    answer = asked(opened(maker, tmp_path), ["thread:0/python"], 0, 100, 100)
    assert dict(zip(answer.names, answer.categories, strict=True)) == {
        "train.py(1): step": "user",
        "Linear_4": "module",
        "torch/nn/modules/linear.py(123): forward": "library",
        "<built-in method linear>": "builtin",
    }


def test_every_family_of_kernels_is_a_category() -> None:
    assert {family for family, _ in _FAMILIES} | {COMMUNICATION, COPY, OTHER} <= set(get_args(EventCategory))


# One event


def named(timeline: Timeline, name: str, number: int = 0) -> EventDetails:
    """All about an event of this name."""
    found = find(timeline, FindQuestion(text=name))
    for _ in range(number):
        assert found.match is not None
        found = find(timeline, FindQuestion(text=name, event=found.match.event))
    assert found.match is not None
    return details(timeline, EventQuestion(event=found.match.event))


def links(one: EventDetails) -> list[tuple[str, str, str]]:
    return [(link.relation, link.to.track, link.to.name) for link in one.links]


def test_an_operator_has_its_line_its_work_and_its_backward(timeline: Timeline) -> None:
    one = named(timeline, "aten::mm")
    assert (one.event.kind, one.event.track, one.event.row, one.event.start_us, one.event.dur_us) == (
        *("operator", "thread:0/operators"),
        *(2, 40, 30),
    )
    assert (one.self_us, one.device_us, one.thread, one.sequence, one.backward, one.ended) == (29, 100, "Main thread", 5, False, True)
    assert [(frame.line, frame.function, frame.precision) for frame in one.stack] == [(6, "<module>", "line"), (2, "forward", "line")]
    assert one.line == one.stack[-1]
    assert links(one) == [
        ("parent", "thread:0/operators", "aten::matmul"),
        ("kernel", "device:0/stream:7", "sm80_xmma_gemm"),
        ("backward", "thread:1/operators", "autograd::engine::evaluate_function: MmBackward0"),
    ]


def test_the_operator_around_has_the_same_backward(timeline: Timeline) -> None:
    assert ("backward", "thread:1/operators", "autograd::engine::evaluate_function: MmBackward0") in links(named(timeline, "aten::matmul"))


def test_a_backward_operator_stands_on_the_line_of_its_forward_one(timeline: Timeline) -> None:
    one = named(timeline, "MmBackward0", 1)
    assert (one.event.row, one.event.category, one.backward, one.thread, one.device_us) == (1, "backward", True, "Backward thread", 80)
    assert one.line is not None
    assert one.line.line == 2
    assert ("forward", "thread:0/operators", "aten::mm") in links(one)
    assert [link for link in links(one) if link[0] == "kernel"] == [
        ("kernel", "device:0/stream:9", "gemm_nt"),
        ("kernel", "device:0/stream:9", "gemm_tn"),
    ]


def test_a_kernel_has_its_launch_its_operator_and_what_the_trace_says(tmp_path: Path) -> None:
    maker = TraceMaker().frame("train.py(1): step", 0, 90).op("aten::mm", 10, 50)
    maker.event("cuda_runtime", "cudaLaunchKernel", 20, 4, correlation=3)
    told: dict[str, Any] = {
        "grid": [8, 1, 1],
        "block": [128, 1, 1],
        "registers per thread": 32,
        "blocks per SM": 0.5,
        "est. achieved occupancy %": 40,
    }
    maker.event("kernel", "sm90_xmma_gemm", 30, 10, 7, correlation=3, device=0, stream=7, **told)
    one = named(opened(maker, tmp_path), "xmma")
    assert one.kernel is not None
    assert (one.kernel.family, one.kernel.tensor_cores, one.kernel.grid, one.kernel.block, one.kernel.registers) == (
        *("gemm", True),
        *("[8, 1, 1]", "[128, 1, 1]", 32),
    )
    assert (one.kernel.blocks_per_sm, one.kernel.occupancy, one.kernel.bytes, one.kernel.delay_us) == (0.5, 40, None, 6)
    assert (one.device, one.stream, one.device_us, one.self_us) == ("cuda:0", 7, None, 10)
    assert links(one) == [
        ("launch", "thread:0/operators", "cudaLaunchKernel"),
        ("operator", "thread:0/operators", "aten::mm"),
    ]
    assert [(frame.name, frame.user) for frame in one.python] == [("train.py(1): step", True)]


def test_inputs_are_shapes_and_types(tmp_path: Path) -> None:
    maker = TraceMaker()
    told: dict[str, Any] = {"Input Dims": [[8, 16], [], [16, 4]], "Input type": ["float", "Scalar"]}
    maker.event("cpu_op", "aten::mm", 0, 10, **told)
    one = named(opened(maker, tmp_path), "mm")
    assert [(each.shape, each.type) for each in one.inputs] == [("[8, 16]", "float"), ("[]", "Scalar"), ("[16, 4]", "")]


def test_an_operator_that_did_not_end_lasts_until_the_trace_does(tmp_path: Path) -> None:
    one = named(opened(TraceMaker().op("open", 10, None).op("other", 0, 5).op("inside", 20, 30), tmp_path), "open")
    assert (one.event.dur_us, one.ended, one.self_us) == (40, False, 10)


def test_a_launch_of_a_graph_names_its_first_kernels_and_says_how_many_more_there_are(tmp_path: Path) -> None:
    maker = TraceMaker().event("cuda_runtime", "cudaGraphLaunch", 0, 5, correlation=1)
    for number in range(LINKS_AT_MOST + 7):
        maker.event("kernel", f"k{number}", 10 + 2 * number, 1, 7, correlation=1, device=0, stream=7)
    one = named(opened(maker, tmp_path), "cudaGraphLaunch")
    assert len(one.links) == LINKS_AT_MOST
    assert one.links_left_out == {"kernel": 7}
    assert one.device_us == LINKS_AT_MOST + 7


def test_annotations_are_tied_to_how_the_device_saw_them(tmp_path: Path) -> None:
    maker = TraceMaker().event("user_annotation", "loss", 0, 30, **{"External id": 8}).kernel("k", 5, 20, 40)
    maker.event("gpu_user_annotation", "loss", 20, 40, 7, device=0, stream=7, **{"External id": 8})
    timeline = opened(maker, tmp_path)
    assert ("device_annotation", "device:0/stream:7/annotations", "loss") in links(named(timeline, "loss"))
    assert ("annotation", "thread:0/operators", "loss") in links(named(timeline, "loss", 1))


@pytest.mark.parametrize("event", [-1, 7, 8 * 10**6 + 5])
def test_there_is_no_other_event(timeline: Timeline, event: int) -> None:
    with pytest.raises(QuestionError, match="no event"):
        details(timeline, EventQuestion(event=event))


def test_the_recorders_clock_marks_are_not_shown(timeline: Timeline) -> None:
    assert find(timeline, FindQuestion(text="kinetoscope.clock")).matches == 0


# Finding


def test_from_match_to_match_in_time_and_around(timeline: Timeline) -> None:
    places: list[tuple[str, int]] = []
    event = None
    for _ in range(5):
        found = find(timeline, FindQuestion(text="GEMM", event=event))
        assert found.match is not None
        places.append((found.match.name, found.index))
        event = found.match.event
    assert places == [("sm80_xmma_gemm", 0), ("gemm_nt", 1), ("gemm_tn", 2), ("sm80_xmma_gemm", 0), ("gemm_nt", 1)]
    back = find(timeline, FindQuestion(text="gemm", event=event, backwards=True))
    assert (back.index, back.matches) == (0, 3)


def test_from_a_time_or_from_another_event(timeline: Timeline) -> None:
    def name(question: FindQuestion) -> str:
        found = find(timeline, question)
        assert found.match is not None
        return found.match.name

    assert name(FindQuestion(text="gemm", from_us=100)) == "gemm_nt"
    assert name(FindQuestion(text="gemm", from_us=100, backwards=True)) == "sm80_xmma_gemm"
    assert name(FindQuestion(text="gemm", event=named(timeline, "aten::relu").event.event)) == "gemm_nt"
    assert name(FindQuestion(text="gemm", backwards=True)) == "gemm_tn"


def test_only_on_some_tracks_or_in_a_part(timeline: Timeline) -> None:
    assert find(timeline, FindQuestion(text="gemm", tracks=["device:0/stream:9"])).matches == 2
    assert find(timeline, FindQuestion(text="gemm"), (0, 530_000)).matches == 2
    assert find(timeline, FindQuestion(text="nowhere")) == find(timeline, FindQuestion(text="gemm", tracks=["steps"]))
    with pytest.raises(QuestionError, match="no text"):
        find(timeline, FindQuestion(text=""))


# Locating


def test_a_line_is_where_threads_stood_on_it_what_it_ran_and_its_device_work(timeline: Timeline) -> None:
    found = locate(timeline, LocateQuestion(file="/project/train.py", line=2))
    assert [(event.kind, event.name, event.start_us) for event in found.events] == [
        ("line", "train.py:2  h = x @ x", 20),
        ("operator", "aten::matmul", 30),
        ("kernel", "sm80_xmma_gemm", 60),
        ("line", "train.py:2  h = x @ x", 310),
        ("operator", "MmBackward0", 502),
        ("kernel", "gemm_nt", 520),
        ("kernel", "gemm_tn", 560),
    ]
    assert (found.matches, found.events[found.longest].name, found.reason) == (7, "sm80_xmma_gemm", None)


def test_a_name_is_all_events_of_exactly_that_name(timeline: Timeline) -> None:
    assert [event.start_us for event in locate(timeline, LocateQuestion(name="aten::mm")).events] == [40]


def test_what_is_nowhere_has_a_reason(timeline: Timeline) -> None:
    assert "did not run in this recording" in str(locate(timeline, LocateQuestion(file="/project/train.py", line=4)).reason)
    assert "this part" in str(locate(timeline, LocateQuestion(file="/project/train.py", line=3), (0, 1000)).reason)
    assert "is called nothing" in str(locate(timeline, LocateQuestion(name="nothing")).reason)
    with pytest.raises(QuestionError):
        locate(timeline, LocateQuestion(line=3))


# Sums


@pytest.mark.parametrize("window", [None, (0, 200_000), (35_000, 530_000)])
def test_sums_are_those_of_the_views(timeline: Timeline, window: tuple[int, int] | None) -> None:
    found = sums(timeline, SumsQuestion(), window)
    linked = timeline.linked
    assert [(row.name, row.calls, row.host_self_us, row.device_total_us) for row in found.operators] == [
        (row.name, row.calls, row.host_self_us, row.device_total_us) for row in operators(linked, window).rows
    ]
    assert [(row.name, row.calls, row.total_us) for row in found.kernels] == [
        (row.name, row.calls, row.total_us) for row in kernels(linked, window).rows
    ]
    view = {(row.file, row.line): row for row in report_of(linked, window).rows}
    assert {(row.file, row.line): (row.cpu_self_us, row.cpu_total_us, row.gpu_us, row.gpu_total_us) for row in found.lines} == {
        key: (row.cpu_self_us, row.cpu_total_us, row.gpu_us + row.gpu_backward_us, row.gpu_total_us + row.gpu_backward_total_us)
        for key, row in view.items()
        if row.cpu_total_us or row.gpu_total_us or row.gpu_backward_total_us
    }


def test_sums_of_some_tracks_are_of_their_threads_and_streams(timeline: Timeline) -> None:
    engine = sums(timeline, SumsQuestion(tracks=["thread:1"]))
    assert {row.name for row in engine.operators} == {"autograd::engine::evaluate_function: MmBackward0", "MmBackward0"}
    assert (engine.kernels, engine.lines) == ([], [])
    stream = sums(timeline, SumsQuestion(tracks=["device:0/stream:9"]))
    assert [(row.name, row.total_us) for row in stream.kernels] == [("gemm_nt", 40), ("gemm_tn", 40)]
    assert stream.operators == []
    assert [(row.line, row.gpu_us, row.gpu_total_us, row.cpu_total_us) for row in stream.lines] == [(2, 80, 80, 0), (6, 0, 80, 0)]
    lines = sums(timeline, SumsQuestion(tracks=["thread:0/lines"]))
    assert {(row.line, row.cpu_total_us) for row in lines.lines} == {(1, 20), (2, 180), (3, 100), (5, 9), (6, 980)}
    device = sums(timeline, SumsQuestion(tracks=["device:0"]))
    assert sum(row.total_us for row in device.kernels) == 180
