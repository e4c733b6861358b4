"""What the hover of a line says in cases that a small run does not have."""

from __future__ import annotations

from kinetoscope.analysis.tables import DeviceTime, LineCost, LineDetail, LineReport
from kinetoscope.service.hover import line_hover


def hover(**numbers: float) -> str:
    fields = dict.fromkeys(LineCost.__struct_fields__, 0.0)
    sizes: dict[str, dict[str, int]] = {name: {} for name in ("alloc_bytes", "freed_bytes", "peak_bytes", "peak_backward_bytes")}
    words = {"file": "a.py", "line": 3, "function": "f", "source": "", "precision": "line", "calls": 2, "launches": 0}
    row = LineCost(**fields | sizes | words | numbers)
    device = DeviceTime(attributed=100, library=0, unattributed=0, without_launch=0, total=100)
    report = LineReport(
        steps=2, recording_us=100, devices=[], device_us=device, host_us=0, rows=[row], details=[LineDetail(work=[], stacks=[])], notices=[]
    )
    return line_hover(None, row, report.details[0], report, stale=False, verified=True)


def test_what_was_recomputed_in_backward_is_told_per_step() -> None:
    told = hover(gpu_us=80.0, gpu_recompute_us=40.0, cpu_self_us=10.0, cpu_recompute_us=6.0)
    assert "of which recomputed in backward: GPU 20.0 µs · CPU 3.0 µs" in told


def test_a_line_without_recomputation_says_nothing_of_it() -> None:
    assert "recomputed" not in hover(gpu_us=80.0)
