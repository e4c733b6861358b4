"""What must hold for any file, however broken: it is refused with a `TraceError`, or read to numbers that add up."""

from __future__ import annotations

import math
from pathlib import Path
from typing import get_args

import msgspec

from kinetoscope.advice.advise import advice
from kinetoscope.analysis.distributed import distributed
from kinetoscope.analysis.idle_view import idle
from kinetoscope.analysis.kernels import kernels
from kinetoscope.analysis.lines import report_of
from kinetoscope.analysis.memory import memory
from kinetoscope.analysis.modules import modules
from kinetoscope.analysis.operators import operators
from kinetoscope.analysis.overview import overview
from kinetoscope.analysis.stacks import By, stacks
from kinetoscope.analysis.sync import sync
from kinetoscope.analysis.timeline.answers import EventQuestion, TileQuestion
from kinetoscope.analysis.timeline.details import details
from kinetoscope.analysis.timeline.timeline import Timeline, tile, tracks
from kinetoscope.analysis.totals import totals
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
    found = advice(linked, None)
    assert all(evidence.value >= 0 for finding in found.findings for evidence in finding.evidence)
    tables = [report, found, totals(linked), memory(linked), modules(linked), *(stacks(linked, by=by) for by in get_args(By))]
    assert msgspec.json.encode(tables)
    views_add_up(linked, in_trace, exact)
    idle_and_waiting_add_up(linked)
    the_timeline_shows_all(linked)
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


def idle_and_waiting_add_up(linked: LinkedTrace) -> None:
    """A device is busy or idle for one reason, waits add up by kind, and a rank's step is the sum of its parts, also beside a twin."""
    idleness, waits, ranks = idle(linked), sync(linked), distributed({0: linked, 1: linked})
    for device in idleness.devices:
        assert min(device.busy_us, device.idle_us, *device.causes.values()) >= 0
        assert math.isclose(device.busy_us + device.idle_us, device.total_us, abs_tol=1e-3)
        assert math.isclose(sum(device.causes.values()), device.idle_us, abs_tol=1e-3)
    assert math.isclose(sum(kind.wait_us for kind in waits.kinds), waits.wait_us, abs_tol=1e-3)
    for step in ranks.steps:
        parts = (step.computation_us, step.overlap_us, step.communication_us, step.other_us)
        assert min(parts) >= 0
        assert math.isclose(sum(parts), step.step_us, abs_tol=1e-3)
    assert msgspec.json.encode([idleness, waits, ranks])


def the_timeline_shows_all(linked: LinkedTrace) -> None:
    """A tile of the whole recording has every event of every track, and each event can be asked about."""
    timeline = Timeline(linked)
    found = tracks(timeline)
    every = [track.id for track in found.tracks]
    if found.end_us < 1e15:
        whole = tile(timeline, TileQuestion(tracks=every, start_us=found.start_us, end_us=found.end_us, width_px=100))
        assert sum(each.events for each in whole.tracks) == sum(track.events for track in found.tracks if track.kind != "counter")
        assert msgspec.json.encode(whole)
    for spans in timeline.lanes_with_events(None).values():
        assert msgspec.json.encode([details(timeline, EventQuestion(event=event)) for event in spans.event[:2].tolist()])
