"""What must hold of overview, operators and kernels in every real trace, and between them."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from kinetoscope.analysis.kernels import Kernels, kernels
from kinetoscope.analysis.lines import device_time
from kinetoscope.analysis.op_tree import op_tree
from kinetoscope.analysis.operators import GroupBy, Operators, operators
from kinetoscope.analysis.overview import Overview, overview
from kinetoscope.analysis.steps import steps_of
from kinetoscope.linking.linked import LinkedTrace, link
from kinetoscope.trace.reader import read_trace
from realtraces.test_every_trace import NO_TRACES, TRACES, files

GROUPS: tuple[GroupBy, ...] = ("name", "shape", "stack", "line")


@dataclasses.dataclass
class Views:
    linked: LinkedTrace
    overview: Overview
    operators: dict[str, Operators]
    kernels: Kernels
    launches: Kernels


@pytest.fixture(scope="module", params=files())
def found(request: pytest.FixtureRequest) -> Views:
    path: Path = request.param
    linked = link(read_trace(path, lambda done, total: None), str(path))
    by = {group: operators(linked, None, group) for group in GROUPS}
    return Views(linked, overview(linked), by, kernels(linked), kernels(linked, None, "launch"))


def ns(us: float) -> int:
    return round(us * 1000)


def test_categories_sum_to_the_step_and_none_is_negative(found: Views) -> None:
    view = found.overview
    assert view.steps.count == len(view.steps.each) == len(steps_of(found.linked)) > 0
    for step in view.steps.each:
        assert sum(ns(part.us) for part in step.categories) == ns(step.us) >= 0
        assert all(part.us >= 0 for part in step.categories)
    assert sum(part.us for part in view.categories) == pytest.approx(view.steps.mean_us)
    assert sum(part.percent for part in view.categories) == pytest.approx(100 if view.steps.mean_us else 0)
    starts = [step.start_us for step in view.steps.each]
    assert starts == sorted(starts)


def test_percentages_of_devices_are_percentages(found: Views) -> None:
    for device in found.overview.devices:
        for value in (device.utilization, device.sm_efficiency, device.occupancy, device.tensor_core_share):
            assert value is None or -1e-9 <= value <= 100 + 1e-9
        if device.sm_efficiency is not None:
            assert device.sm_efficiency <= device.utilization + 1e-6


def test_device_time_is_the_same_in_all_views(found: Views) -> None:
    total = ns(device_time(found.linked).total)
    for table in (found.kernels, found.launches):
        assert ns(table.total_us) == sum(ns(row.total_us) for row in table.rows) == total
    for table in found.operators.values():
        assert sum(ns(row.device_self_us) for row in table.rows) + ns(table.unlinked_device_us) == total


def test_host_time_inside_operators_is_all_somebodys(found: Views) -> None:
    tree = op_tree(found.linked)
    own = int(tree.host_self.sum())
    assert (tree.host_self >= 0).all()
    assert (tree.host_self <= tree.host_total).all()
    for table in found.operators.values():
        assert sum(ns(row.host_self_us) for row in table.rows) == own
    # What is not somebody's own is that of the runtime calls which operators made, and no operator is counted in another.
    outermost = int(tree.host_total[tree.parent < 0].sum())
    assert own <= outermost + _beyond(found.linked)


def _beyond(linked: LinkedTrace) -> int:
    """How far operators reach over the end of the one that they start in: they cross it, by rounding or since they are asynchronous."""
    tree, ops = op_tree(linked), linked.trace.ops
    inner = np.flatnonzero(tree.parent >= 0)
    end = ops.ts_ns[tree.row] + tree.host_total
    return int(np.maximum(end[inner] - end[tree.parent[inner]], 0).sum())


def test_no_operator_is_less_than_its_parts(found: Views) -> None:
    beyond_us = _beyond(found.linked) / 1000
    for table in found.operators.values():
        for row in table.rows:
            assert row.calls >= 1
            assert row.host_total_us + beyond_us + 1e-6 >= row.host_self_us
            assert row.device_total_us + 1e-6 >= row.device_self_us >= 0
            for share in (row.tensor_cores_self_percent, row.tensor_cores_total_percent):
                assert share is None or 0 <= share <= 100
    assert len({sum(row.calls for row in table.rows) for table in found.operators.values()}) == 1


def test_kernels_numbers_are_in_order(found: Views) -> None:
    for row in (*found.kernels.rows, *found.launches.rows):
        assert 0 <= row.min_us <= row.mean_us + 1e-9
        assert row.mean_us <= row.max_us + 1e-9
        assert row.occupancy is None or 0 <= row.occupancy <= 100
    assert sum(row.calls for row in found.kernels.rows) == len(found.linked.trace.kernels.ts_ns)


def test_the_steps_together_are_what_a_window_over_them_is(found: Views) -> None:
    steps = steps_of(found.linked)
    whole = overview(found.linked, (steps[0].start_ns, max(step.end_ns for step in steps)))
    if steps[0].end_ns > steps[0].start_ns:
        assert (whole.categories, whole.devices) == (found.overview.categories, found.overview.devices)


def test_the_views_go_over_the_wire(found: Views) -> None:
    tables: list[Any] = [found.overview, *found.operators.values(), found.kernels]
    for table in tables:
        assert msgspec.json.decode(msgspec.json.encode(table), type=type(table)) == table


# Communication in percent of the step; the plugin has 0 or next to it on all of these (F14).
COMMUNICATION = {
    "nvidia_a100_nccl_rank0of2.json.gz": 6.03,
    "nvidia_v100_memory_us.json.gz": 23.05,
    "nvidia_a100_diff_control.json.gz": 18.83,
    "amd_mi300_resnet_checkpoint_train.json.gz": 62.0,
}


@pytest.mark.parametrize("name", COMMUNICATION)
@pytest.mark.skipif(not TRACES.is_dir(), reason=NO_TRACES.kwargs["reason"])
def test_communication_is_seen_whatever_external_ids_are(name: str) -> None:
    path = TRACES / name
    view = overview(link(read_trace(path, lambda done, total: None), str(path)))
    assert {part.name: part.percent for part in view.categories}["Communication"] == pytest.approx(COMMUNICATION[name], abs=0.01)
