"""The TensorBoard plugin's golden data: steps, categories, device metrics, operators and kernels are equal, or the test says why not.

The samples' numbers are those that the plugin keeps for its own tests (`result_check_file.txt`); those of the traces that its tests hold
inline were computed with it, version 0.4.3, and are written down here. Times of the plugin are whole microseconds.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from kinetoscope.analysis.gpu_metrics import sm_efficiency_over_time, utilization_over_time
from kinetoscope.analysis.kernels import kernels
from kinetoscope.analysis.operators import operators
from kinetoscope.analysis.overview import Overview, overview
from kinetoscope.analysis.roles import ROLES
from kinetoscope.linking.linked import LinkedTrace, link
from kinetoscope.trace.reader import read_trace

TRACES = Path(__file__).resolve().parents[4] / "shared" / "traces"
GOLDEN = TRACES / "tb_plugin_golden"
pytestmark = pytest.mark.skipif(not GOLDEN.is_dir(), reason="the plugin's golden data is not at hand (shared/traces beside the checkout)")

SAMPLES = {
    "resnet50_num_workers_0": ("worker0.1623143089861.pt.trace.json.gz", 0),
    "resnet50_num_workers_4": ("worker0.1623212756351.pt.trace.json.gz", 5),
}
each_sample = pytest.mark.parametrize("sample", SAMPLES)


@cache
def linked(path: Path) -> LinkedTrace:
    return link(read_trace(path, lambda done, total: None), str(path))


def of_sample(sample: str) -> LinkedTrace:
    return linked(TRACES / "tb_plugin_samples" / sample / SAMPLES[sample][0])


def golden(sample: str, which: int) -> Any:
    """Five lines a sample: overview, operators' charts, operators, kernels, kernels' chart."""
    return json.loads((GOLDEN / "result_check_file.txt").read_text().splitlines()[SAMPLES[sample][1] + which])


def rounded(values: list[float]) -> list[int]:
    return [round(value) for value in values]


@each_sample
def test_every_step_has_the_plugins_categories(sample: str) -> None:
    steps = overview(of_sample(sample)).steps
    assert [(str(one.number), rounded([part.us for part in one.categories])) for one in steps.each] == [
        (row[0], row[1::2]) for row in golden(sample, 0)["steps"]["rows"]
    ]


@each_sample
def test_the_mean_step_is_the_plugins(sample: str) -> None:
    view, (expected,) = overview(of_sample(sample)), golden(sample, 0)["performance"]
    assert round(view.steps.mean_us) == expected["value"]
    found = {part.name: (round(part.us), part.percent) for part in view.categories}
    assert {name: us for name, (us, _) in found.items()} == {part["name"]: part["value"] for part in expected["children"]}
    for part in expected["children"]:
        assert found[part["name"]][1] == pytest.approx(part["extra"], abs=0.0051)


@each_sample
def test_the_devices_metrics_are_the_plugins(sample: str) -> None:
    (device,) = overview(of_sample(sample)).devices
    told = {item["title"]: item["value"] for item in golden(sample, 0)["gpu_metrics"]["data"]}
    assert (device.name, device.compute_capability) == (told["Name"], told["Compute Capability"])
    assert f"{(device.memory_bytes or 0) / (1 << 30):.2f} GB" == told["Memory"]
    assert f"{device.utilization:.2f} %" == told["GPU Utilization"]
    assert f"{device.sm_efficiency:.2f} %" == told["Est. SM Efficiency"]
    assert f"{device.occupancy:.2f} %" == told["Est. Achieved Occupancy"]
    assert f"{device.tensor_core_share:.1f} %" == told["Kernel Time using Tensor Cores"]


@each_sample
def test_operators_are_the_plugins(sample: str) -> None:
    ours = {
        row.name: (
            row.calls,
            *rounded([row.device_self_us, row.device_total_us, row.host_self_us, row.host_total_us]),
            row.tensor_cores_eligible,
            row.tensor_cores_self_percent or 0,
            row.tensor_cores_total_percent or 0,
        )
        for row in operators(of_sample(sample)).rows
    }
    times = ("calls", "device_self_duration", "device_total_duration", "host_self_duration", "host_total_duration")
    assert ours == {
        row["name"]: (*(row[name] for name in times), row["tc_eligible"] == "Yes", row["tc_self_ratio"], row["tc_total_ratio"])
        for row in golden(sample, 2)["data"]
    }


@each_sample
def test_operators_charts_are_the_plugins(sample: str) -> None:
    ours = operators(of_sample(sample)).rows
    charts = {"device_total_time": "device_total_us", "device_self_time": "device_self_us"}
    charts |= {"host_total_time": "host_total_us", "host_self_time": "host_self_us"}
    for chart, field in charts.items():
        expected = dict(golden(sample, 1)[chart]["rows"])
        assert {row.name: us for row in ours if (us := round(getattr(row, field)))} == {n: v for n, v in expected.items() if v}


@each_sample
def test_kernels_are_the_plugins(sample: str) -> None:
    ours = {row.name: row for row in kernels(of_sample(sample)).rows if row.kind == "kernel"}
    expected = golden(sample, 3)["data"]["rows"]
    assert set(ours) == {row[0] for row in expected}
    for name, cores, calls, *times, blocks, occupancy in expected:
        row = ours[name]
        assert (row.tensor_cores, row.calls) == (cores == "Yes", calls)
        assert rounded([row.total_us, row.mean_us, row.max_us, row.min_us]) == times
        # It rounds to two decimals, and half of the last one either way.
        assert row.blocks_per_sm == pytest.approx(blocks, abs=0.00501)
        assert row.occupancy == pytest.approx(occupancy, abs=0.00501)
    assert golden(sample, 4)["total"]["rows"] == [[row[0], row[3]] for row in expected]


# Steps as (number, µs of each of ROLES, µs of the step); devices as number → (utilisation, SM efficiency, occupancy), percent.
INLINE: dict[str, tuple[list[tuple[int, list[float]]], dict[int, tuple[float, float | None, float | None]]]] = {
    "all_categories_0": ([(1, [15, 10, 5, 0, 30, 180, 35, 125, 400])], {0: (3.75, None, None)}),
    "build_module_hierarchy_0": ([(0, [0, 0, 0, 0, 0, 0, 96, 1929, 2025])], {}),
    "distributed_gloo_cpu_0": ([(0, [0, 0, 0, 109, 0, 0, 47, 0, 156])], {}),
    "distributed_gloo_cpu_1": ([(0, [0, 0, 0, 98, 0, 0, 36, 12, 146])], {}),
    "distributed_gloo_gpu_0": ([(0, [101, 0, 0, 39, 0, 0, 16, 0, 156])], {0: (64.74359, None, None)}),
    "distributed_gloo_gpu_1": ([(0, [70, 0, 0, 44, 0, 0, 20, 12, 146])], {0: (47.945205, None, None)}),
    "external_id_0": ([(0, [8, 0, 0, 0, 0, 0, 92, 0, 100])], {0: (8.0, None, None)}),
    "gpu_utilization_0": ([(0, [60, 0, 0, 0, 4, 0, 56, 0, 120])], {1: (50.0, 34.166667, 0.55)}),
    "gpu_utilization_kernel_out_of_step_0": ([(2, [0, 0, 0, 0, 0, 0, 70, 30, 100])], {1: (0.0, None, None)}),
    "group_by_kernel_columns_0": ([(0, [32, 0, 0, 0, 20, 0, 85, 73, 210])], {0: (15.238095, None, None)}),
    "group_by_kernel_columns_invalid_input_0": ([(0, [15, 0, 0, 0, 15, 0, 35, 0, 65])], {0: (23.076923, None, None)}),
    "last_steps_no_kernel_0": ([(1, [180, 0, 0, 0, 5, 0, 5, 30, 220])], {0: (81.818182, None, None)}),
    "memory_view_0": ([(1, [15, 10, 5, 0, 30, 180, 35, 125, 400])], {0: (3.75, None, None)}),
    "multiple_profilersteps_no_overlap_0": (
        [(1, [0, 40, 0, 0, 5, 0, 55, 120, 220]), (2, [200, 0, 0, 0, 5, 0, 45, 10, 260])],
        {0: (39.215686, None, None)},
    ),
    "multiple_profilersteps_with_overlap_0": (
        [(1, [0, 100, 0, 0, 5, 0, 15, 20, 140]), (2, [200, 0, 0, 0, 5, 0, 25, 0, 230])],
        {0: (54.054054, None, None)},
    ),
    "no_profilerstep_0": ([(0, [100, 0, 0, 0, 10, 0, 70, 140, 320])], {0: (31.25, None, None)}),
    "operator_relation_0": ([(0, [0, 0, 0, 0, 0, 0, 100, 0, 100])], {}),
    "operator_relation_1": ([(0, [0, 0, 0, 0, 0, 0, 100, 0, 100])], {}),
    "pure_cpu_0": ([(1, [0, 0, 0, 0, 0, 0, 10, 190, 200]), (2, [0, 0, 0, 0, 0, 0, 40, 60, 100])], {}),
    "remove_dup_nodes_0": ([(0, [8, 0, 0, 0, 20, 0, 80, 20, 128])], {0: (6.25, None, None)}),
    "runtime_called_by_profilerstep_0": ([(1, [8, 0, 0, 0, 20, 0, 0, 272, 300])], {0: (2.666667, None, None)}),
    "self_time_0": ([(0, [36, 0, 0, 0, 25, 0, 55, 10, 126])], {0: (28.571429, None, None)}),
    "tensor_core_0": ([(0, [25, 0, 0, 0, 5, 0, 70, 0, 100])], {0: (25.0, None, None)}),
    "top_level_runtime_0": ([(0, [8, 0, 0, 0, 20, 0, 80, 20, 128])], {0: (6.25, None, None)}),
}
# Ours where it differs on purpose, and why.
DIFFERENT: dict[str, tuple[list[tuple[int, list[float]]], str]] = {
    "datapipe_0": ([(0, [0, 0, 0, 0, 0, 23, 0, 0, 23])], "the plugin gives time a second time where one role fills the steps"),
    "distributed_nccl_0": (
        [(0, [161, 0, 0, 1502, 0, 0, 20, 35, 1718])],
        "it does not know `cuda_runtime` (F1, F4): the step ends with the host, and kernels are cut to it",
    ),
    "distributed_nccl_1": ([(0, [161, 0, 0, 1132, 0, 0, 0, 327, 1620])], "likewise, and it gives time twice"),
    "distributed_nccl_user_annotation_has_communication_0": (
        [(0, [0, 0, 0, 71, 0, 0, 0, 0, 71])],
        "it takes no annotations for host events (F5), so it has a step of −18,446,744,073,709,551,615 µs",
    ),
    "multiple_profilersteps_no_overlap_2": ([(0, [0, 0, 0, 0, 0, 0, 0, 0, 0])], "an empty trace is its other such step (F10)"),
    "runtime_launch_multipe_kernels_0": (
        [(0, [0, 0, 0, 132810, 20, 0, 40, 0, 132870])],
        "it knows NCCL kernels by the names of five operations only (F14)",
    ),
}


def inline(name: str) -> Overview:
    return overview(linked(GOLDEN / "inline" / f"test_{name}.pt.trace.json"))


def steps_of(view: Overview) -> list[tuple[int, list[float]]]:
    """With 0 for what is not shown."""
    return [
        (one.number, [*({part.name: part.us for part in one.categories}.get(role, 0.0) for role in ROLES), one.us])
        for one in view.steps.each
    ]


@pytest.mark.parametrize("name", INLINE)
def test_steps_and_devices_of_inline_traces_are_the_plugins(name: str) -> None:
    steps, devices = INLINE[name]
    view = inline(name)
    assert steps_of(view) == steps
    assert [device.id for device in view.devices] == list(devices)
    for device in view.devices:
        utilization, sm_efficiency, occupancy = devices[device.id]
        assert device.utilization == pytest.approx(utilization)
        # Where no kernel runs in the steps, its efficiency is 0 and not unknown.
        assert device.sm_efficiency == (0 if sm_efficiency is None and device.utilization == 0 else pytest.approx(sm_efficiency))
        assert device.occupancy == (None if occupancy is None else pytest.approx(occupancy))


@pytest.mark.parametrize("name", DIFFERENT)
def test_steps_of_inline_traces_that_the_plugin_has_wrong(name: str) -> None:
    steps, why = DIFFERENT[name]
    assert steps_of(inline(name)) == steps, why


def test_counters_over_time_are_the_plugins() -> None:
    """Utilisation is in percent in its file too. The SM efficiency there is made up (a kernel of 0.025 blocks per SM has
    0.25 in it), so only the stretches are compared with it, and the values with the kernels."""
    file, trace = GOLDEN / "gpu_metrics_expected.json", linked(GOLDEN / "gpu_metrics_input.json").trace
    events = json.loads(file.read_text())["traceEvents"]
    (span,) = [event for event in events if event.get("cat") == "Trace"]
    counters = [event for event in events if event["ph"] == "C"]
    origin_us = trace.origin_epoch_ns // 1000 if trace.origin_epoch_ns else 0
    start = (span["ts"] - origin_us) * 1000
    edges, percent = utilization_over_time(trace, 0, start, start + span["dur"] * 1000)
    expected = [(event["ts"], event["args"]["GPU Utilization"]) for event in counters if "Utilization" in event["name"]][2:]
    assert [*zip((edges // 1000 + origin_us).tolist(), [*percent.tolist(), 0], strict=True)] == [
        (at, pytest.approx(v)) for at, v in expected
    ]
    begin, end, level = sm_efficiency_over_time(trace, 0)
    stretches = [event["ts"] for event in counters if "SM" in event["name"]][2:]
    assert [x // 1000 + origin_us for pair in zip(begin.tolist(), end.tolist(), strict=True) for x in pair] == stretches
    blocks = [event["args"]["blocks per SM"] for event in events if event.get("cat") == "Kernel"]
    assert level.tolist() == pytest.approx([100 * value for value in blocks])
