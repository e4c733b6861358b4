"""Every real trace at hand: memory, modules and stacks neither lose nor invent time or bytes, and say the same as the lines."""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
import pytest

from kinetoscope.analysis.lines import device_time, report_of
from kinetoscope.analysis.memory import memory
from kinetoscope.analysis.memory_by_node import memory_by_node
from kinetoscope.analysis.memory_curve import POINTS_AT_MOST
from kinetoscope.analysis.modules import modules
from kinetoscope.analysis.operators import operators
from kinetoscope.analysis.stacks import By, Metric, StackTree, folded, stacks
from kinetoscope.linking.linked import LinkedTrace, link
from kinetoscope.trace.reader import read_trace
from realtraces.test_every_trace import files

BY: list[By] = ["line", "python", "module", "operator"]
METRICS: list[Metric] = ["gpu", "cpu", "memory"]


@pytest.fixture(scope="module", params=files())
def linked(request: pytest.FixtureRequest) -> LinkedTrace:
    return link(read_trace(request.param, lambda done, total: None), str(request.param))


def halves(linked: LinkedTrace) -> list[tuple[int, int]]:
    """Two windows that are all there is, also what the device did after the host had ended."""
    middle = linked.trace.end_ns // 2
    return [(-(1 << 60), middle), (middle, 1 << 60)]


def device_ns(linked: LinkedTrace) -> int:
    return int(np.maximum(linked.trace.kernels.dur_ns, 0).sum())


def test_modules_share_out_the_device_time(linked: LinkedTrace) -> None:
    report = modules(linked)
    own = sum(round(row.device_self_us * 1000) + round(row.device_backward_self_us * 1000) for row in report.rows)
    assert own + round(report.device_outside_us * 1000) == round(report.device_us * 1000) == device_ns(linked)
    top = sum(row.device_total_us + row.device_backward_total_us for row in report.rows if row.parent < 0)
    assert top + report.device_outside_us == pytest.approx(report.device_us)


def test_what_modules_cost_themselves_adds_up_to_those_that_called_them(linked: LinkedTrace) -> None:
    rows = modules(linked).rows
    for kind in ("host", "device", "host_backward", "device_backward"):
        total = [getattr(row, f"{kind}_self_us") for row in rows]
        assert all(own >= 0 for own in total)
        for index in range(len(rows) - 1, -1, -1):
            if rows[index].parent >= 0:
                assert rows[index].parent < index
                total[rows[index].parent] += total[index]
        assert [getattr(row, f"{kind}_total_us") for row in rows] == pytest.approx(total)


def test_stacks_add_up(linked: LinkedTrace) -> None:
    for by, metric in product(BY, METRICS):
        tree = stacks(linked, by=by, metric=metric)
        total = [node.weight_self for node in tree.nodes]
        assert all(own >= 0 for own in total)
        assert sum(total) == tree.total
        for index in range(len(total) - 1, -1, -1):
            if tree.nodes[index].parent >= 0:
                total[tree.nodes[index].parent] += total[index]
        assert [node.weight_total for node in tree.nodes] == total
        assert sum(int(line.rsplit(" ", 1)[1]) for line in folded(tree)) == tree.total


def test_stacks_of_every_kind_hold_all_device_time_and_all_allocations(linked: LinkedTrace) -> None:
    allocated = int(np.maximum(linked.trace.memory.bytes, 0).sum())
    for by in BY:
        assert stacks(linked, by=by, metric="gpu").total == device_ns(linked)
        assert stacks(linked, by=by, metric="memory").total == allocated


def test_stacks_say_what_lines_and_modules_say(linked: LinkedTrace) -> None:
    def weights(tree: StackTree) -> Counter[bool]:
        """Known or not → weight."""
        found: Counter[bool] = Counter()
        for node in tree.nodes:
            found[node.name != "[not known]"] += node.weight_self
        return found

    time, report = device_time(linked), modules(linked)
    assert weights(stacks(linked, by="line", metric="gpu"))[True] == round(time.attributed * 1000)
    assert weights(stacks(linked, by="module", metric="gpu"))[False] == round(report.device_outside_us * 1000)
    assert stacks(linked, by="line", metric="cpu").total == pytest.approx(report_of(linked).host_us * 1000, abs=len(linked.tree))
    host = sum(row.host_self_us + row.host_backward_self_us for row in report.rows)
    assert stacks(linked, by="module", metric="cpu").total == round(host * 1000)


def test_operators_say_the_same_in_their_own_view(linked: LinkedTrace) -> None:
    rows = {row.name: row for row in operators(linked).rows}
    device: Counter[str] = Counter()
    for node in stacks(linked, by="operator", metric="gpu").nodes:
        device[node.name] += node.weight_self
    assert {name: ns for name, ns in device.items() if ns and name != "[not known]"} == {
        name: round(row.device_self_us * 1000) for name, row in rows.items() if row.device_self_us
    }
    for of_device in memory(linked).devices:
        assert all(row.calls == rows[row.name].calls for row in of_device.operators)


def test_two_halves_are_the_whole(linked: LinkedTrace) -> None:
    first, second = halves(linked)
    for by in BY:
        parts = [stacks(linked, window, by, metric).total for window in (first, second) for metric in ("gpu", "memory")]
        assert parts[0] + parts[2] == stacks(linked, None, by, "gpu").total
        assert parts[1] + parts[3] == stacks(linked, None, by, "memory").total
    whole, parts_of = modules(linked), [modules(linked, window) for window in (first, second)]
    for name in ("calls", "operators", "host_self_us", "host_backward_self_us", "device_self_us", "device_backward_self_us"):
        assert sum(getattr(row, name) for part in parts_of for row in part.rows) == pytest.approx(
            sum(getattr(row, name) for row in whole.rows)
        )
    allocated = [
        sum(row.allocation_self_bytes for device in memory(linked, window).devices for row in device.operators)
        for window in (first, second)
    ]
    assert sum(allocated) == sum(row.allocation_self_bytes for device in memory(linked).devices for row in device.operators)


def test_the_peak_s_owners_own_the_peak_and_lines_what_lines_own(linked: LinkedTrace) -> None:
    by_node = memory_by_node(linked)
    of_lines = {(row.file, row.line): row.peak_bytes for row in report_of(linked).rows}
    for device in memory(linked).devices:
        peak = device.peak
        if peak is None:
            assert not any(node.at_peak.get(device.device) for node in by_node.values())
            continue
        assert peak.recorded_bytes == sum(node.at_peak.get(device.device, 0) for node in by_node.values())
        for owners in (peak.lines, peak.operators, peak.modules, peak.phases, peak.categories):
            assert sum(owner.bytes for owner in owners) == peak.recorded_bytes
        for owner in peak.lines:
            if owner.file:
                assert of_lines[(owner.file, owner.line)][device.device] == owner.bytes


def test_modules_and_the_peak_s_modules_own_the_same(linked: LinkedTrace) -> None:
    own: Counter[tuple[str, str]] = Counter()
    for row in modules(linked).rows:
        for device, size in row.peak_self_bytes.items():
            own[(device, row.name)] += size
    peaks = [(device.device, device.peak) for device in memory(linked).devices if device.peak is not None]
    assert own == Counter({(device, owner.name): owner.bytes for device, peak in peaks for owner in peak.modules if owner.name})


def test_curves_and_blocks_hold_what_was_recorded(linked: LinkedTrace) -> None:
    devices = memory(linked).devices
    assert sum(device.curve.events for device in devices) == len(linked.trace.memory.ts_ns)
    for device in devices:
        curve = device.curve
        assert len(curve.at_us) == len(curve.allocated_bytes) <= POINTS_AT_MOST
        assert max(curve.allocated_bytes) == curve.peak_allocated_bytes
        assert curve.at_us == sorted(curve.at_us)
        for event in device.events:
            assert event.bytes > 0
            assert event.allocated_us is None or event.released_us is None or event.allocated_us <= event.released_us
        for row in device.operators:
            assert 0 <= row.allocation_self_bytes <= row.allocation_total_bytes
            assert row.allocation_self_count >= 0
