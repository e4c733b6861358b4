"""What the hover of a line says in cases that a small run does not have."""

from __future__ import annotations

from kinetoscope.analysis.tables import DeviceTime, LineCost, LineDetail, LineReport
from kinetoscope.service.hover import line_hover
from kinetoscope.service.values import Scale


def report_of(steps: int = 2, whole: bool = True, **numbers: float) -> LineReport:
    fields = dict.fromkeys(LineCost.__struct_fields__, 0.0)
    sizes: dict[str, dict[str, int]] = {name: {} for name in ("alloc_bytes", "freed_bytes", "peak_bytes", "peak_backward_bytes")}
    words = {"file": "a.py", "line": 3, "function": "f", "source": "", "precision": "line", "calls": 2, "launches": 0}
    row = LineCost(**fields | sizes | words | numbers)
    device = DeviceTime(attributed=100, library=0, unattributed=0, without_launch=0, total=100)
    return LineReport(
        steps=steps,
        recording_us=100,
        devices=[],
        device_us=device,
        host_us=0,
        rows=[row],
        details=[LineDetail(work=[], stacks=[])],
        notices=[],
        whole=whole,
    )


def hover(steps: int = 2, whole: bool = True, **numbers: float) -> str:
    report = report_of(steps, whole, **numbers)
    return line_hover(None, report.rows[0], report.details[0], report, stale=False, verified=True)


def test_what_was_recomputed_in_backward_is_told_per_step() -> None:
    told = hover(gpu_us=80.0, gpu_recompute_us=40.0, cpu_self_us=10.0, cpu_recompute_us=6.0)
    assert "of which recomputed in backward: GPU 20.0 µs · CPU 3.0 µs" in told


def test_a_line_without_recomputation_says_nothing_of_it() -> None:
    assert "recomputed" not in hover(gpu_us=80.0)


def test_without_steps_it_says_of_what_the_numbers_are() -> None:
    assert "over the whole recording: it has no steps" in hover(steps=0)
    of_range = hover(steps=0, whole=False)
    assert "over the selected range: it is not made of whole steps" in of_range
    assert "&emsp;selected part" in of_range
    assert "recording" not in of_range
    assert "per step, mean of 2" in hover(whole=False)


def test_a_lens_says_of_what_its_numbers_are() -> None:
    assert Scale(report_of(), "step").over == "per step"
    assert Scale(report_of(steps=0), "step").over == "whole recording"
    assert Scale(report_of(steps=0, whole=False), "step").over == "selected part"
    assert Scale(report_of(whole=False), "run").over == "selected part"
