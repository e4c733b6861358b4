"""Two recordings beside each other, whose differences are known."""

from __future__ import annotations

from typing import Any

import pytest

from kinetoscope.analysis.compare import Comparison, Named, Part, Peak, Place, Side, Totals, compare, exceeded
from kinetoscope.analysis.tables import LineCost


def totals(**fields: Any) -> Totals:
    whole: dict[str, Any] = {
        "steps": 2,
        "step_us": 1000.0,
        "least_us": 900.0,
        "most_us": 1100.0,
        "rank": 0,
        "world_size": 1,
        "torch": "2.13.0",
        "device_type": "GPU",
        "devices": ["H100"],
        "categories": [Part(name="Kernel", us=600.0), Part(name="Other", us=400.0)],
        "operators": [Named(name="aten::mm", calls=4, host_us=80.0, device_us=1000.0)],
        "kernels": [Named(name="gemm", calls=4, host_us=0.0, device_us=1000.0)],
        "memory": [Peak(device="cuda:0", bytes=1024)],
    }
    return Totals(**whole | fields)


def row(line: int, gpu_us: float, file: str = "/a/train.py") -> LineCost:
    times = dict.fromkeys(
        (name for name in LineCost.__struct_fields__ if name.endswith("_us")),
        0.0,
    )
    sizes: dict[str, Any] = {name: {} for name in LineCost.__struct_fields__ if name.endswith("_bytes")}
    known: dict[str, Any] = {"file": file, "line": line, "function": "main", "source": f"line {line}", "precision": "line", "calls": 2}
    return LineCost(**{**times, **sizes, **known, "launches": 2, "gpu_us": gpu_us, "gpu_backward_us": gpu_us / 2})


def of(before: Totals, after: Totals) -> Comparison:
    return compare(Side(before, []), Side(after, []), {})


def test_sums_are_divided_by_each_recording_s_own_steps() -> None:
    longer = totals(steps=4, kernels=[Named(name="gemm", calls=8, host_us=0.0, device_us=3000.0)])
    result = of(totals(), longer)
    assert result.per_step
    [gemm] = result.kernels
    assert (gemm.calls.before, gemm.calls.after, gemm.calls.difference) == (2, 2, 0)
    assert (gemm.total_us.before, gemm.total_us.after, gemm.total_us.percent) == (500, 750, 50)
    assert (result.steps.gpu_us.before, result.steps.gpu_us.after) == (500, 750)
    assert result.notices == []


def test_the_fastest_and_the_slowest_step_of_each_stand_beside_their_means() -> None:
    steps = of(totals(), totals(step_us=950.0, least_us=800.0, most_us=1200.0)).steps
    assert (steps.least_us.before, steps.most_us.before) == (900, 1100)
    assert (steps.least_us.after, steps.most_us.after) == (800, 1200)


def test_what_is_only_in_one_of_them_was_nothing_in_the_other_and_the_greatest_difference_is_first() -> None:
    after = totals(
        kernels=[Named(name="gemm", calls=4, host_us=0.0, device_us=1010.0), Named(name="fused", calls=2, host_us=0.0, device_us=400.0)]
    )
    result = of(totals(), after)
    assert [kernel.name for kernel in result.kernels] == ["fused", "gemm"]
    assert (result.kernels[0].total_us.before, result.kernels[0].total_us.difference, result.kernels[0].total_us.percent) == (0, 200, None)


def test_lines_are_compared_where_they_are_now_and_those_of_one_side_are_new_or_gone() -> None:
    before = Side(totals(), [row(3, 100), row(5, 40), row(9, 20)])
    after = Side(totals(), [row(4, 300), row(5, 40), row(12, 6)])
    places = {("/a/train.py", 3): Place("/a/train.py", 4, "moved"), ("/a/train.py", 5): Place("/a/train.py", 5, "changed")}
    lines = {(line.line_before, line.line): line for line in compare(before, after, places).lines}
    assert {key: line.match for key, line in lines.items()} == {(3, 4): "moved", (5, 5): "changed", (9, 9): "gone", (None, 12): "new"}
    moved = lines[(3, 4)].gpu_us
    assert (moved.before, moved.after, moved.difference) == (75, 225, 150)
    assert lines[(3, 4)].source == "line 4"
    assert (lines[(9, 9)].gpu_us.after, lines[(None, 12)].gpu_us.before) == (0, 0)


def test_a_line_that_is_still_there_but_costs_nothing_any_more_is_no_gone_line() -> None:
    [line] = compare(Side(totals(), [row(3, 100)]), Side(totals(), []), {("/a/train.py", 3): Place("/a/train.py", 8, "moved")}).lines
    assert (line.line, line.match, line.gpu_us.after) == (8, "moved", 0)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"devices": ["A100"]}, "The recordings ran on different devices: H100 before, A100 after."),
        ({"torch": "2.14.1"}, "The recordings ran with different versions of torch: 2.13.0 before, 2.14.1 after."),
        ({"world_size": 8}, "The recordings have a different number of processes: 1 before, 8 after."),
        ({"rank": 3}, "The recordings are of different ranks: 0 before, 3 after."),
        ({"steps": 0}, "The recording after has no steps: numbers are of whole recordings, and differ where one ran longer."),
    ],
)
def test_what_makes_them_hard_to_compare_is_said(fields: dict[str, Any], words: str) -> None:
    result = of(totals(), totals(**fields))
    assert result.notices == [words]
    assert result.per_step == ("steps" not in fields)


def test_a_gate_opens_at_the_limit_and_closes_above_it() -> None:
    slower = of(totals(), totals(step_us=1050.0))
    assert exceeded(slower, 0.05) == []
    assert exceeded(slower, 0.04) == ["The wall time of a step rose by 5.0 %."]
    more_work = of(totals(), totals(kernels=[Named(name="gemm", calls=4, host_us=0.0, device_us=1100.0)]))
    assert exceeded(more_work, 0.05) == ["The GPU time of a step rose by 10.0 %."]
    assert exceeded(of(totals(), totals(step_us=900.0)), 0.0) == []
