"""Each call that waits for the device: what asked for it, how long it waited, and its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from kinetoscope.analysis.lines import report_of
from kinetoscope.analysis.sync import TO_DEVICE, TO_HOST, Sync, sync
from kinetoscope.linking.linked import LinkedTrace, link
from kinetoscope.trace.reader import read_trace
from support.kineto import ENTER, LINE, MAIN, TraceMaker

TEXT = "def main():\n    loss = model(x)\n    print(loss.item())\n    return y.cpu()\n"
FIRST, ITEM, CPU = 2, 3, 4


def linked(maker: TraceMaker, folder: Path) -> LinkedTrace:
    path = maker.write(folder / "rank0.pt.trace.json")
    return link(read_trace(path, lambda done, total: None), str(path))


class Program(TraceMaker):
    """Line 2 until 100 µs, line 3 until 200, line 4 then."""

    def __init__(self) -> None:
        super().__init__(end_us=300.0)
        main = self.code(self.source("/project/train.py", TEXT), "main", 1)
        self.log().add(1, ENTER, main, 1).add(2, LINE, main, FIRST).add(100, LINE, main, ITEM).add(200, LINE, main, CPU)

    def waits(self, at: float, dur: float, call: str = "cudaStreamSynchronize") -> Program:
        self.event("cuda_runtime", call, at, dur, MAIN, correlation=0)
        return self

    def copies(self, name: str, at: float, dur: float, number: int) -> Program:
        """A blocking copy: it has ended when its call returns."""
        self.event("cuda_runtime", "cudaMemcpyAsync", at, dur, MAIN, correlation=number)
        self.event("gpu_memcpy", name, at + dur - 3, 2, 7, correlation=number, device=0, stream=7)
        return self

    def nested(self, *names: str, at: float, dur: float) -> Program:
        for depth, name in enumerate(names):
            self.op(name, at + depth, dur - 2 * depth)
        return self

    def found(self, folder: Path) -> Sync:
        return sync(linked(self, folder))


TO_PAGEABLE, FROM_PAGEABLE = "Memcpy DtoH (Device -> Pageable)", "Memcpy HtoD (Pageable -> Device)"


def test_item_waits_in_its_copy_and_both_of_its_calls_are_its(tmp_path: Path) -> None:
    program = Program().nested("aten::item", "aten::_local_scalar_dense", at=110, dur=60)
    program.copies(TO_PAGEABLE, 115, 40, 501).waits(156, 2)
    found = program.found(tmp_path)
    assert [(call.call, call.cause, call.wait_us, call.operator) for call in found.calls] == [
        ("cudaMemcpyAsync", ".item()", 40, "aten::_local_scalar_dense"),
        ("cudaStreamSynchronize", ".item()", 2, "aten::_local_scalar_dense"),
    ]
    [line] = found.lines
    assert line.frame
    assert (line.frame.line, line.frame.precision, line.cause, line.call, line.calls, line.wait_us, line.max_us) == (
        *(ITEM, "line", ".item()", "", 2, 42, 40),
    )
    assert (found.wait_us, found.count) == (42, 2)


@pytest.mark.parametrize(
    ("operators", "copy", "cause"),
    [
        (("aten::is_nonzero", "aten::item", "aten::_local_scalar_dense"), None, "bool(tensor)"),
        (("aten::nonzero",), None, "nonzero()"),
        (("aten::index", "aten::nonzero"), None, "indexing with a mask"),
        (("aten::to", "aten::_to_copy", "aten::copy_"), TO_PAGEABLE, TO_HOST),
        (("aten::to", "aten::_to_copy", "aten::copy_"), FROM_PAGEABLE, TO_DEVICE),
        (("aten::index", "aten::to", "aten::_to_copy", "aten::copy_"), FROM_PAGEABLE, TO_DEVICE),
        (("aten::equal", "aten::item"), None, "torch.equal()"),
        (("my::op",), None, "my::op"),
    ],
)
def test_what_asked_is_read_from_the_operators(tmp_path: Path, operators: tuple[str, ...], copy: str | None, cause: str) -> None:
    program = Program().nested(*operators, at=110, dur=60)
    if copy:
        program.copies(copy, 120, 10, 501)
    assert program.waits(140, 5).found(tmp_path).calls[-1].cause == cause


@pytest.mark.parametrize(
    ("call", "cause"),
    [
        ("cudaDeviceSynchronize", "torch.cuda.synchronize()"),
        ("hipStreamSynchronize", "stream.synchronize()"),
        ("cudaEventSynchronize", "event.synchronize()"),
        ("cudaFree", "release of cached memory"),
        ("cudaMemcpy", "cudaMemcpy"),
    ],
)
def test_without_an_operator_the_call_tells(tmp_path: Path, call: str, cause: str) -> None:
    [found] = Program().waits(140, 5, call).found(tmp_path).calls
    assert (found.cause, found.operator) == (cause, "")


def test_an_annotation_is_no_operator(tmp_path: Path) -> None:
    program = Program()
    program.event("user_annotation", "evaluate", 110, 80, MAIN)
    [found] = program.waits(140, 5).found(tmp_path).calls
    assert (found.cause, found.operator) == ("stream.synchronize()", "")


def test_a_print_is_known_by_the_frames_that_make_its_text(tmp_path: Path) -> None:
    maker = TraceMaker()
    maker.event("python_function", "torch/_tensor_str.py(603): _str", 100, 90, MAIN, **{"Python id": 1})
    maker.op("aten::item", 120, 20).event("cuda_runtime", "cudaStreamSynchronize", 125, 5, MAIN, correlation=0)
    assert sync(linked(maker, tmp_path)).calls[0].cause == "print(tensor)"


def test_waits_are_grouped_by_line_and_by_kind_and_all_add_up(tmp_path: Path) -> None:
    program = Program().waits(10, 1).waits(20, 2).waits(110, 4)
    program.nested("aten::item", at=119, dur=20).waits(125, 8).waits(210, 16, "cudaDeviceSynchronize")
    found = program.found(tmp_path)
    assert [(group.frame and group.frame.line, group.cause, group.calls, group.wait_us) for group in found.lines] == [
        (CPU, "torch.cuda.synchronize()", 1, 16),
        (ITEM, ".item()", 1, 8),
        (ITEM, "stream.synchronize()", 1, 4),
        (FIRST, "stream.synchronize()", 2, 3),
    ]
    assert [(group.cause, group.call, group.frame, group.calls, group.wait_us) for group in found.kinds] == [
        ("torch.cuda.synchronize()", "cudaDeviceSynchronize", found.kinds[0].frame, 1, 16),
        (".item()", "cudaStreamSynchronize", found.kinds[1].frame, 1, 8),
        ("stream.synchronize()", "cudaStreamSynchronize", None, 3, 7),
    ]
    assert found.wait_us == 31


def test_waits_of_a_line_are_those_of_the_lines_view(tmp_path: Path) -> None:
    program = Program().waits(10, 1).copies(TO_PAGEABLE, 115, 40, 501).waits(210, 16)
    trace = linked(program, tmp_path)
    ours = {group.frame.line: group.wait_us for group in sync(trace).lines if group.frame}
    assert ours == {row.line: row.sync_us for row in report_of(trace).rows if row.sync_us} == {FIRST: 1, ITEM: 40, CPU: 16}


def test_a_window_takes_the_calls_that_began_in_it_whole(tmp_path: Path) -> None:
    trace = linked(Program().waits(10, 1).waits(110, 40), tmp_path)
    begin = int(trace.trace.launches.ts_ns[1])
    assert [call.wait_us for call in sync(trace, (begin, begin + 5000)).calls] == [40]
    assert [call.wait_us for call in sync(trace, (begin - 5000, begin)).calls] == []


def test_a_trace_without_calls_says_that_it_cannot_know(tmp_path: Path) -> None:
    found = sync(linked(TraceMaker().op("aten::mm", 1, 5), tmp_path))
    assert (found.count, found.notices) == (0, ["The trace has no calls of a device's runtime, so it cannot say where the host waited."])
