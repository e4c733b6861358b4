"""Every real trace at hand, from torch 1.8 on and of all vendors: read without loss, linked, and no nanosecond of device time lost.

What a file holds is counted here a second time, by another reader than ours. The traces are no part of the repository; they are looked
for beside the checkout. What the rules are is tested with small generated traces (../linking, ../analysis).
"""

from __future__ import annotations

import dataclasses
import gzip
import json
import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from kinetoscope.analysis.lines import report_of
from kinetoscope.analysis.steps import steps_of
from kinetoscope.analysis.tables import DeviceTime, LineCost, LineReport
from kinetoscope.linking.linked import LinkedTrace, link
from kinetoscope.trace.columns import Trace
from kinetoscope.trace.reader import read_trace

TRACES = Path(__file__).resolve().parents[4] / "shared" / "traces"
NO_TRACES = pytest.mark.skip(reason=f"the real traces are not at hand ({TRACES.parent.name}/{TRACES.name} beside the checkout)")
DEVICE_WORK = {"kernel", "Kernel", "gpu_memcpy", "Memcpy", "gpu_memset", "Memset"}
OPS = {"cpu_op", "Operator", "user_annotation"}
_STEPS_AT_MOST = 6
_EARLY, _LATE = -(10**15), 10**15
"""Before and after all there is, in trace time."""
LAUNCHES = {"cuda_runtime", "cuda_driver", "Runtime"}


def files() -> list[Any]:
    found = sorted(path for path in TRACES.rglob("*.json*") if path.name.endswith((".json", ".json.gz")) and not is_expectation(path))
    return [pytest.param(path, id=str(path.relative_to(TRACES))) for path in found] or [pytest.param(None, marks=NO_TRACES, id="none")]


def is_expectation(path: Path) -> bool:
    """Some of the TensorBoard plugin's own tests keep what they expect where events would be: lists of numbers."""
    return path.parent.name == "inline" and not re.search(rb'"traceEvents": \[\s*(\{|\])', path.read_bytes())


class Bare(msgspec.Struct, gc=False):
    """What the other reader takes of an event."""

    ph: str = ""
    cat: str | None = None
    name: str | None = None
    dur: float | str | None = None
    args: dict[str, Any] = {}

    @property
    def is_device_work(self) -> bool:
        """Ascend's has no category."""
        return self.ph == "X" and (self.cat in DEVICE_WORK or "Task Type" in self.args)

    @property
    def is_launch(self) -> bool:
        return (self.ph == "X" and self.cat in LAUNCHES) or (self.ph == "s" and self.cat == "async_npu")


class Whole(msgspec.Struct):
    events: list[Bare] = msgspec.field(name="traceEvents", default_factory=list)


@dataclass
class Read:
    """A file's events by the other reader, and what we make of it."""

    path: Path
    events: list[Bare]
    linked: LinkedTrace
    report: LineReport

    @property
    def trace(self) -> Trace:
        return self.linked.trace


def events_of(path: Path) -> list[Bare]:
    data = path.read_bytes()
    text = gzip.decompress(data) if path.suffix == ".gz" else data
    try:
        if text.lstrip().startswith(b"["):
            return msgspec.json.decode(text, type=list[Bare])
        return msgspec.json.decode(text, type=Whole).events
    except msgspec.MsgspecError:  # control characters in names
        document = json.loads(text, strict=False)
        listed = document if isinstance(document, list) else document["traceEvents"]
        return [Bare(e.get("ph", ""), e.get("cat"), e.get("name"), e.get("dur"), e.get("args", {})) for e in listed]


def read(path: Path) -> Read:
    linked = link(read_trace(path, lambda done, total: None), str(path))
    return Read(path, events_of(path), linked, report_of(linked))


@pytest.fixture(scope="module", params=files())
def found(request: pytest.FixtureRequest) -> Read:
    return read(request.param)


def test_no_event_is_lost(found: Read) -> None:
    trace = found.trace
    ours = Counter(e.cat for e in found.events if e.ph == "X")
    assert trace.lost is None
    assert len(trace.kernels.ts_ns) == sum(e.is_device_work for e in found.events)
    assert len(trace.ops.ts_ns) == sum(ours[cat] for cat in OPS)
    assert len(trace.launches.ts_ns) == sum(e.is_launch for e in found.events)
    assert len(trace.frames.ts_ns) == ours["python_function"]
    assert len(trace.memory.ts_ns) == sum(e.name == "[memory]" for e in found.events)


def test_device_time_is_conserved_to_the_nanosecond(found: Read) -> None:
    in_file = sum(round(float(e.dur or 0) * 1000) for e in found.events if e.is_device_work)
    time = found.report.device_us
    attributed, library, unattributed, total = (round(us * 1000) for us in (time.attributed, time.library, time.unattributed, time.total))
    assert total == in_file
    assert attributed + library + unattributed == total
    assert 0 <= round(time.without_launch * 1000) <= unattributed
    by_line = sum(round(row.gpu_us * 1000) + round(row.gpu_backward_us * 1000) for row in found.report.rows)
    assert by_line == attributed


def test_the_line_costs_of_the_steps_and_of_what_lies_outside_add_up_to_the_recording(found: Read) -> None:
    linked, whole = found.linked, found.report
    steps = steps_of(linked)[:_STEPS_AT_MOST]
    edges = sorted({_EARLY, _LATE, *(edge for step in steps for edge in (step.start_ns, step.end_ns))})
    parts = [report_of(linked, window) for window in pairwise(edges)]
    for name in DeviceTime.__struct_fields__:
        assert sum(round(getattr(part.device_us, name) * 1000) for part in parts) == round(getattr(whole.device_us, name) * 1000)
    of_line: dict[tuple[str, int], list[LineCost]] = defaultdict(list)
    for part in parts:
        for row in part.rows:
            of_line[(row.file, row.line)].append(row)
    for row in whole.rows:
        mine = of_line[(row.file, row.line)]
        for name in (
            "cpu_self_us",
            "cpu_total_us",
            "cpu_backward_us",
            "gpu_us",
            "gpu_total_us",
            "gpu_backward_us",
            "sync_us",
            "calls",
            "launches",
        ):
            assert sum(getattr(one, name) for one in mine) == pytest.approx(getattr(row, name), abs=1e-3), (row.file, row.line, name)
        for name in ("alloc_bytes", "freed_bytes"):
            assert sum(sum(getattr(one, name).values()) for one in mine) == sum(getattr(row, name).values())


def test_what_lines_cost_themselves_adds_up_and_nothing_is_negative(found: Read) -> None:
    report = found.report
    assert sum(row.cpu_self_us for row in report.rows) == pytest.approx(report.host_us)
    for row in report.rows:
        numbers = msgspec.structs.asdict(row)
        assert all(value >= 0 for name, value in numbers.items() if name.endswith("_us") or name in ("calls", "launches")), row
        assert row.cpu_total_us >= row.cpu_self_us - 1e-3
        assert row.gpu_total_us >= row.gpu_us - 1e-3
        assert row.cpu_recompute_us <= row.cpu_self_us + row.cpu_backward_us + 1e-3
        assert row.gpu_recompute_us <= row.gpu_us + row.gpu_backward_us + 1e-3
        assert row.gpu_total_us + row.gpu_backward_total_us <= report.device_us.total + 1e-3
    started = found.linked.launch_of_kernel[found.linked.launch_of_kernel >= 0]
    assert sum(row.launches for row in report.rows) <= len(np.unique(started))


def test_the_report_goes_over_the_wire(found: Read) -> None:
    assert msgspec.json.decode(msgspec.json.encode(found.report), type=LineReport) == found.report


def test_ids_of_operators_never_contradict_a_launch(found: Read) -> None:
    """With every other launch hidden, what External ids tie is tied to the node that the launch would have given."""
    trace, whole = found.trace, found.linked
    hidden = np.arange(len(trace.launches.ts_ns)) % 2 == 0
    correlation = np.where(hidden, -1, trace.launches.correlation)
    half = link(dataclasses.replace(trace, launches=dataclasses.replace(trace.launches, correlation=correlation)), "half")
    tied = half.op_of_kernel >= 0
    assert half.kernel.node[tied].tolist() == whole.kernel.node[tied].tolist()
    assert half.kernel.backward[tied].tolist() == whole.kernel.backward[tied].tolist()
    assert half.kernel.recomputed[tied].tolist() == whole.kernel.recomputed[tied].tolist()


# Shares of device time, in per cent, measured with another tool: tied to a frame of forward work (also one of a library), to the forward
# line of backward work, and to nothing.
SHARES = {
    "nvidia_h100_owlv2_infer.json.gz": (100, 0, 0),
    "nvidia_h100_bert_infer.json.gz": (100, 0, 0),
    "amd_mi300_sd35_infer.json.gz": (100, 0, 0),
    "nvidia_b200_vllm_eager.json.gz": (100, 0, 0),
    "amd_mi300_norm_train.json.gz": (49, 47, 0),
    "nvidia_h100_qwen_infer.json.gz": (69.8, 0, 30.2),
    "amd_mi300_resnet_checkpoint_train.json.gz": (54, 13, 31.8),
    "amd_mi300_vllm_graph_replay.json.gz": (100, 0, 0),
}


@pytest.mark.parametrize("name", SHARES)
@pytest.mark.skipif(not TRACES.is_dir(), reason=NO_TRACES.kwargs["reason"])
def test_at_least_as_much_device_time_is_tied_to_a_frame_as_the_trace_allows(name: str) -> None:
    forward, backward, nothing = SHARES[name]
    report = read(TRACES / name).report
    total = report.device_us.total
    in_backward = 100 * sum(row.gpu_backward_us for row in report.rows) / total
    assert in_backward >= backward
    assert 100 * (report.device_us.attributed + report.device_us.library) / total - in_backward >= forward - 0.01
    assert 100 * report.device_us.unattributed / total <= nothing + 0.01


@pytest.mark.skipif(not TRACES.is_dir(), reason=NO_TRACES.kwargs["reason"])
def test_the_checkpointed_training_shows_what_it_did_again() -> None:
    report = read(TRACES / "amd_mi300_resnet_checkpoint_train.json.gz").report
    again = sum(row.gpu_recompute_us for row in report.rows)
    assert 4000 < again < sum(row.gpu_backward_us for row in report.rows)


@pytest.mark.skipif(not TRACES.is_dir(), reason=NO_TRACES.kwargs["reason"])
def test_a_replayed_graph_is_one_launch_of_hundreds_of_kernels() -> None:
    linked = read(TRACES / "amd_mi300_vllm_graph_replay.json.gz").linked
    launches, kernels = np.unique(linked.launch_of_kernel, return_counts=True)
    graph = int(launches[kernels.argmax()])
    assert kernels.max() == 421
    assert linked.trace.names[int(linked.trace.launches.name[graph])] == "hipGraphLaunch"


@pytest.mark.skipif(not TRACES.is_dir(), reason=NO_TRACES.kwargs["reason"])
def test_memory_and_operators_of_2021_are_on_one_thread() -> None:
    [path] = (TRACES / "tb_plugin_samples" / "resnet50_num_workers_0").glob("*3143566756*")
    trace = read_trace(path, lambda done, total: None)
    assert set(trace.memory.thread.tolist()) <= set(trace.ops.thread.tolist())


def test_ascends_device_work_is_tied_to_its_operators_by_arrows() -> None:
    [path] = [*TRACES.glob("ascend*"), None][:1]
    if path is None:
        pytest.skip("the traces are not at hand")
    linked = link(read_trace(path, lambda done, total: None), str(path))
    assert (linked.launch_of_kernel >= 0).sum() == 274
