"""What must hold for any file, however broken: it is refused with a `TraceError`, or read to numbers that add up."""

from __future__ import annotations

import math
from pathlib import Path

import msgspec

from kinetoscope.analysis.kernels import kernels
from kinetoscope.analysis.lines import report_of
from kinetoscope.analysis.operators import operators
from kinetoscope.analysis.overview import overview
from kinetoscope.linking.linked import LinkedTrace, link
from kinetoscope.trace.errors import TraceError
from kinetoscope.trace.reader import read_trace


def survives(path: Path, helpers: int = 0) -> bool:
    """Read, link and report a file; False where it was refused. Whatever else is raised is a bug."""
    try:
        trace = read_trace(path, lambda done, total: None, helpers)
        linked = link(trace, str(path))
        report = report_of(linked)
    except TraceError:
        return False
    time = report.device_us
    in_trace = sum(max(duration, 0) for duration in trace.kernels.dur_ns.tolist())
    exact = in_trace < 1 << 52  # nanoseconds of two months, as microseconds in a double
    assert round(1000 * time.total) == in_trace if exact else math.isclose(1000 * time.total, in_trace)
    parts = time.attributed + time.library + time.unattributed
    assert round(1000 * parts) == in_trace if exact else math.isclose(1000 * parts, in_trace)
    for table in (trace.ops, trace.launches, trace.kernels, trace.frames):
        assert (table.dur_ns >= -1).all()
        assert (table.ts_ns >= 0).all()
    for row in report.rows:
        assert min(row.cpu_self_us, row.cpu_total_us, row.gpu_us, row.gpu_backward_us, row.launches, row.calls) >= 0
    msgspec.json.encode(report)
    views_add_up(linked, in_trace, exact)
    return True


def views_add_up(linked: LinkedTrace, in_trace: int, exact: bool) -> None:
    """Categories sum to their step, and device time is all there in every table."""
    view = overview(linked)
    for step in view.steps.each:
        assert min(part.us for part in step.categories) >= 0
        assert math.isclose(sum(part.us for part in step.categories), step.us, abs_tol=1e-3)
    for group_by in ("name", "launch"):
        assert math.isclose(1000 * kernels(linked, None, group_by).total_us, in_trace)
    for group_by in ("name", "shape", "stack", "line"):
        table = operators(linked, None, group_by)
        own = sum(row.device_self_us for row in table.rows) + table.unlinked_device_us
        assert math.isclose(1000 * own, in_trace, abs_tol=1e-3) or not exact
        assert all(min(row.host_self_us, row.host_total_us, row.device_total_us, row.calls - 1) >= 0 for row in table.rows)
        msgspec.json.encode(table)
    msgspec.json.encode(view)
