"""What must hold of idle time, waits and communication in every real trace, and between them and the other views."""

from __future__ import annotations

import dataclasses
import itertools
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from kinetoscope.analysis.distributed import DistributedView, distributed
from kinetoscope.analysis.idle import gaps_of_devices, stretches
from kinetoscope.analysis.idle_view import Idle, idle
from kinetoscope.analysis.intervals import union, union_of
from kinetoscope.analysis.lines import report_of
from kinetoscope.analysis.overview import overview
from kinetoscope.analysis.roles import is_collective
from kinetoscope.analysis.steps import steps_of
from kinetoscope.analysis.sync import Sync, sync
from kinetoscope.analysis.tables import LineReport
from kinetoscope.linking.linked import LinkedTrace, link
from kinetoscope.trace.columns import KERNEL
from kinetoscope.trace.reader import read_trace
from realtraces.test_every_trace import NO_TRACES, TRACES, files

WITHOUT_TRACES = pytest.mark.skipif(not TRACES.is_dir(), reason=NO_TRACES.kwargs["reason"])


@dataclasses.dataclass
class Views:
    linked: LinkedTrace
    lines: LineReport
    idle: Idle
    sync: Sync
    distributed: DistributedView


def linked_of(path: Path) -> LinkedTrace:
    return link(read_trace(path, lambda done, total: None), str(path))


@pytest.fixture(scope="module", params=files())
def found(request: pytest.FixtureRequest) -> Views:
    linked = linked_of(request.param)
    return Views(linked, report_of(linked), idle(linked), sync(linked), distributed({0: linked}))


def ns(us: float) -> int:
    return round(us * 1000)


def test_a_device_is_busy_or_idle_for_one_reason(found: Views) -> None:
    for device in found.idle.devices:
        assert min(device.busy_us, device.idle_us, *device.causes.values()) >= 0
        assert ns(device.busy_us) + ns(device.idle_us) == ns(device.total_us)
        assert sum(ns(us) for us in device.causes.values()) == ns(device.idle_us)
        assert device.longest_gap_us <= device.idle_us


def test_reasons_do_not_overlap(found: Views) -> None:
    for gaps in gaps_of_devices(found.linked):
        parts = [when for _, _, when in stretches(found.linked, gaps)]
        if parts:
            assert union_of(*parts).length() == sum(part.length() for part in parts)


def test_a_device_is_busy_as_long_as_anything_ran_on_it(found: Views) -> None:
    kernels = found.linked.trace.kernels
    for device, number in zip(found.idle.devices, np.unique(kernels.device).tolist(), strict=True):
        mine = kernels.device == number
        ran = union(kernels.ts_ns[mine], (kernels.ts_ns + np.maximum(kernels.dur_ns, 0))[mine])
        assert ns(device.busy_us) == ran.length()


def test_the_steps_idle_time_is_that_of_a_window_over_them(found: Views) -> None:
    edges = [(step.start_ns, step.end_ns) for step in steps_of(found.linked)]
    if any(before[1] != after[0] for before, after in itertools.pairwise(edges)) or not edges:
        pytest.skip("the steps do not follow on each other")
    whole, parts = idle(found.linked, (edges[0][0], edges[-1][1])), [idle(found.linked, edge) for edge in edges]
    for index, device in enumerate(whole.devices):
        assert sum(ns(part.devices[index].busy_us) for part in parts) == ns(device.busy_us)
        assert sum(ns(part.devices[index].idle_us) for part in parts) == ns(device.idle_us)
    assert sum(part.launches.launches for part in parts) == whole.launches.launches


def test_idle_time_of_lines_is_the_hosts_part_and_that_of_the_lines_view(found: Views) -> None:
    host = sum(device.causes[cause] for device in found.idle.devices for cause in ("data_loading", "synchronisation", "host"))
    assert sum(row.idle_us for row in found.idle.lines) == pytest.approx(host)
    for row in found.idle.lines:
        assert row.idle_us == pytest.approx(row.data_loading_us + row.synchronisation_us + row.host_us)
    ours = {(row.frame.file, row.frame.line): row.idle_us for row in found.idle.lines if row.frame}
    theirs = {(row.file, row.line): row.gpu_idle_us for row in found.lines.rows if row.gpu_idle_us}
    assert ours == pytest.approx(theirs)


def test_launches_and_queues_are_in_order(found: Views) -> None:
    launches = found.idle.launches
    assert 0 <= launches.short <= launches.launches
    assert sum(kernel.launches for kernel in launches.kernels) == launches.launches
    assert sum(kernel.short for kernel in launches.kernels) == launches.short
    for spread in (launches.call, launches.device, launches.delay):
        assert 0 <= spread.median_us <= spread.p95_us <= spread.max_us
    for queue in found.idle.queues:
        assert 0 <= queue.mean_length <= queue.max_length == max(queue.most)
        assert sum(queue.mean) / len(queue.mean) == pytest.approx(queue.mean_length, abs=1e-6)
        assert all(mean <= most + 1e-6 for mean, most in zip(queue.mean, queue.most, strict=True))
        assert queue.empty_us + queue.full_us <= queue.end_us - queue.start_us


def test_waits_add_up_by_line_and_by_kind_and_are_those_of_the_lines_view(found: Views) -> None:
    assert sum(ns(call.wait_us) for call in found.sync.calls) == ns(found.sync.wait_us)
    assert (
        sum(ns(group.wait_us) for group in found.sync.lines)
        == sum(ns(group.wait_us) for group in found.sync.kinds)
        == ns(found.sync.wait_us)
    )
    assert sum(group.calls for group in found.sync.lines) == sum(group.calls for group in found.sync.kinds) == found.sync.count
    ours: dict[tuple[str, int], int] = {}
    for call in found.sync.calls:
        if call.frame:
            key = (call.frame.file, call.frame.line)
            ours[key] = ours.get(key, 0) + ns(call.wait_us)
    assert {key: us for key, us in ours.items() if us} == {(row.file, row.line): ns(row.sync_us) for row in found.lines.rows if row.sync_us}


def test_a_step_is_computation_overlap_communication_and_the_rest(found: Views) -> None:
    for step in found.distributed.steps:
        parts = (step.computation_us, step.overlap_us, step.communication_us, step.other_us)
        assert min(parts) >= 0
        assert sum(map(ns, parts)) == ns(step.step_us)


def test_computation_is_the_overviews_kernels_and_its_communication_has_the_hosts_ranges_as_well(found: Views) -> None:
    """The overview's parts exclude each other, and its communication is also the time in which the host enqueues a collective."""
    trace = found.linked.trace
    if not len(trace.kernels.ts_ns):
        return
    parts = {part.name: part.us for part in overview(found.linked).categories}
    steps = found.distributed.steps
    alone = sum(step.communication_us for step in steps) / len(steps)
    computing = sum(step.computation_us + step.overlap_us for step in steps) / len(steps)
    calls = np.array([is_collective(name) for name in trace.names], bool)[trace.ops.name] if len(trace.ops.name) else np.zeros(0, bool)
    enqueueing = union(trace.ops.ts_ns[calls], found.linked.ops_nested.end_ns[calls]).length() / 1000 / len(steps)
    assert parts.get("Kernel", 0) == pytest.approx(computing, abs=0.01)
    assert parts.get("Communication", 0) <= alone + enqueueing + 0.01


def test_every_communication_kernel_is_of_one_call(found: Views) -> None:
    linked = found.linked
    names = np.array(["nccl" in name.lower() for name in linked.trace.names], bool)
    kernels = linked.trace.kernels
    named = int(kernels.dur_ns[names[kernels.name] & (kernels.kind == KERNEL)].sum()) if len(kernels.name) else 0
    on_device = sum(ns(call.latency_us) for call in found.distributed.calls)
    assert named <= on_device
    assert sum(row.calls for row in found.distributed.collectives) == len(found.distributed.calls)
    assert sum(row.total_latency_us for row in found.distributed.collectives) == pytest.approx(on_device / 1000)


def test_the_views_go_over_the_wire(found: Views) -> None:
    tables: list[Any] = [found.idle, found.sync, found.distributed]
    for table in tables:
        assert msgspec.json.decode(msgspec.json.encode(table), type=type(table)) == table


@WITHOUT_TRACES
def test_eight_ranks_of_dlrm_wait_for_the_seventh() -> None:
    """A collective is shortest on the rank that came last; the same eight were called by all."""
    ranks = {number: linked_of(TRACES / f"nvidia_v100_dlrm_8ranks/worker{number}.pt.trace.json.gz") for number in range(8)}
    view = distributed(ranks)
    latencies = [[call.latency_us for call in view.calls if call.rank == rank] for rank in ranks]
    assert sum(min(together) for together in zip(*latencies, strict=True)) == 217
    assert [(call.name, call.bytes) for call in view.calls if call.rank == 0] == [
        *[("all_to_all", 24576), ("all_to_all", 192), ("all_to_all", 1536), ("all_to_all", 13568)],
        *[("all_reduce", 1576964), ("all_to_all", 24576), ("all_reduce", 448), ("all_reduce", 907840)],
    ]
    assert {row.transfer_us for row in view.ranks} == {217}
    worst = view.stragglers[0]
    assert (worst.rank, worst.late) == (7, 5)
    assert sum(row.waited_us for row in view.stragglers) >= sum(row.caused_wait_us for row in view.stragglers)
