"""What must hold for any file, however broken: it is refused with a `TraceError`, or read to numbers that add up."""

from __future__ import annotations

import math
from pathlib import Path
from typing import get_args

import msgspec

from kinetoscope.analysis.lines import report_of
from kinetoscope.analysis.memory import memory
from kinetoscope.analysis.modules import modules
from kinetoscope.analysis.stacks import By, stacks
from kinetoscope.linking.linked import link
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
    tables = [report, memory(linked), modules(linked), *(stacks(linked, by=by) for by in get_args(By))]
    assert msgspec.json.encode(tables)
    return True
