"""The table of device work, on traces whose truth is known by construction."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kinetoscope.analysis.kernels import GroupBy, Kernels, kernels
from kinetoscope.linking.linked import link
from kinetoscope.trace.reader import read_trace
from support.kineto import ENGINE, ENTER, LEAVE, LINE, MAIN, TraceMaker


def of(maker: TraceMaker, folder: Path, group_by: GroupBy = "name", window: tuple[float, float] | None = None) -> Kernels:
    path = maker.write(folder / "t.json")
    window_ns = (round(window[0] * 1000), round(window[1] * 1000)) if window else None
    return kernels(link(read_trace(path, lambda done, total: None), str(path)), window_ns, group_by)


def run(maker: TraceMaker, launched_at: float, at: float, dur: float, name: str = "gemm", **told: Any) -> TraceMaker:
    number = len(maker.events) + 1
    maker.event("cuda_runtime", "cudaLaunchKernel", launched_at, 1, correlation=number)
    return maker.event("kernel", name, at, dur, 7, device=0, stream=7, correlation=number, **told)


def test_by_name_calls_add_up_and_means_are_weighted_by_duration(tmp_path: Path) -> None:
    maker = run(TraceMaker(), 0, 10, 30, **{"blocks per SM": 1.0, "est. achieved occupancy %": 20})
    run(maker, 1, 50, 10, **{"blocks per SM": 3.0, "est. achieved occupancy %": 60})
    view = of(run(maker, 2, 70, 5, "add"), tmp_path)
    gemm, add = view.rows
    assert (gemm.calls, gemm.total_us, gemm.mean_us, gemm.min_us, gemm.max_us) == (2, 40, 20, 10, 30)
    assert (gemm.blocks_per_sm, gemm.occupancy, gemm.family, gemm.tensor_cores) == (1.5, 30, "gemm", False)
    assert (add.blocks_per_sm, add.occupancy, add.operator, add.registers) == (None, None, "", None)
    assert view.total_us == 45


def test_by_launch_calls_of_another_operator_grid_or_block_are_apart(tmp_path: Path) -> None:
    maker = TraceMaker().op("aten::mm", 0, 10).op("aten::bmm", 20, 10)
    told: dict[str, Any] = {"block": [256, 1, 1], "registers per thread": 32, "shared memory": 1024}
    run(maker, 1, 50, 5, grid=[8, 1, 1], **told)
    run(maker, 2, 60, 5, grid=[8, 1, 1], **told)
    run(maker, 3, 70, 4, grid=[4, 1, 1], **told)
    run(maker, 21, 80, 3, grid=[8, 1, 1], **told)
    run(maker, 40, 90, 2, grid=[8, 1, 1], **told)
    view = of(maker, tmp_path, "launch")
    assert [(row.operator, row.grid, row.calls, row.total_us) for row in view.rows] == [
        ("aten::mm", "[8, 1, 1]", 2, 10),
        ("aten::mm", "[4, 1, 1]", 1, 4),
        ("aten::bmm", "[8, 1, 1]", 1, 3),
        ("", "[8, 1, 1]", 1, 2),
    ]
    assert {(row.block, row.registers, row.shared_memory_bytes) for row in view.rows} == {("[256, 1, 1]", 32, 1024)}


def test_copies_and_fills_are_in_the_table_with_their_bytes(tmp_path: Path) -> None:
    """The plugin's table has kernels only; so that device time is the same in all views, ours has all of it and says the kind."""
    maker = run(TraceMaker(), 0, 10, 5)
    maker.event("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", 20, 4, 7, device=0, stream=7, correlation=91, bytes=100)
    maker.event("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", 30, 4, 7, device=0, stream=7, correlation=92, bytes=20)
    maker.event("gpu_memset", "Memset (Device)", 40, 1, 7, device=0, stream=7, correlation=93, bytes=8)
    found = {row.kind: (row.family, row.calls, row.total_us, row.bytes) for row in of(maker, tmp_path).rows}
    assert found == {"kernel": ("gemm", 1, 5, None), "memcpy": ("copy", 2, 8, 120), "memset": ("fill", 1, 1, 8)}


def test_a_window_takes_the_work_that_begins_in_it_whole(tmp_path: Path) -> None:
    maker = run(run(run(TraceMaker(), 0, 10, 10), 1, 25, 30), 2, 60, 5)
    assert (of(maker, tmp_path, window=(20, 60)).total_us, of(maker, tmp_path, window=(20, 61)).total_us) == (30, 35)


def test_work_without_a_duration_counts_as_nothing(tmp_path: Path) -> None:
    maker = TraceMaker().event("kernel", "gemm", 10, None, 7, device=0, stream=7, correlation=1)
    (row,) = of(maker, tmp_path).rows
    assert (row.calls, row.total_us, row.mean_us, row.min_us) == (1, 0, 0, 0)


def test_a_trace_without_device_work_has_no_rows(tmp_path: Path) -> None:
    assert of(TraceMaker().op("aten::mm", 0, 5), tmp_path, "launch").rows == []


def test_a_kernel_names_the_lines_that_launched_it_dearest_first_backward_apart(tmp_path: Path) -> None:
    maker = TraceMaker()
    file = maker.source("/project/net.py", "def forward(x):\n    h = x @ x\n    return h @ h\n")
    forward = maker.code(file, "forward", 1)
    maker.log(MAIN).add(1, ENTER, forward, 1).add(10, LINE, forward, 2).add(50, LINE, forward, 3).add(90, LEAVE, forward)
    maker.op("aten::mm", 11, 10, seq=1).kernel("gemm", 12, 100, 30)
    maker.op("aten::mm", 51, 10).kernel("gemm", 52, 140, 5).kernel("gemm", 54, 146, 45)
    maker.backward("MmBackward0", 200, 50, ENGINE, seq=1).kernel("gemm", 210, 220, 20, tid=ENGINE)
    maker.kernel("gemm", 300, 301, 7)
    (row,) = of(maker, tmp_path).rows
    assert [(line.frame.line, line.backward, line.calls, line.total_us) for line in row.lines] == [
        (3, False, 2, 50),
        (2, False, 1, 30),
        (2, True, 1, 20),
    ]
    assert {(frame.file, frame.function, frame.precision) for frame in (line.frame for line in row.lines)} == {
        ("/project/net.py", "forward", "line")
    }
    assert (row.more_lines, row.no_line_calls, row.no_line_us) == (0, 1, 7)
    by_launch = of(maker, tmp_path, "launch").rows
    assert [(row.operator, [line.frame.line for line in row.lines], row.no_line_us) for row in by_launch] == [
        ("aten::mm", [3, 2], 0),
        ("MmBackward0", [2], 0),
        ("", [], 7),
    ]


def test_of_many_lines_the_dearest_are_named_and_the_others_are_what_is_left(tmp_path: Path) -> None:
    maker = TraceMaker()
    file = maker.source("/project/net.py", "def forward(x):\n" + "    x = x @ x\n" * 8)
    forward = maker.code(file, "forward", 1)
    log = maker.log(MAIN).add(1, ENTER, forward, 1)
    for line in range(2, 9):
        log.add(line * 10, LINE, forward, line)
        maker.kernel("gemm", line * 10 + 1, line * 100, line)
    (row,) = of(maker, tmp_path).rows
    assert ([line.frame.line for line in row.lines], row.more_lines, row.no_line_us) == ([8, 7, 6, 5, 4], 2, 0)
    assert row.total_us - sum(line.total_us for line in row.lines) == 2 + 3
