"""The overview of one rank: what it ran on, its steps, what their time went to, how well the devices were used, and what bounds it."""

from __future__ import annotations

from typing import Literal

import numpy as np
from msgspec import Struct

from kinetoscope.analysis.bound import Bound, bound_of
from kinetoscope.analysis.devices import DeviceNames, compute_capability, properties_of
from kinetoscope.analysis.gpu_metrics import DeviceUse, device_use
from kinetoscope.analysis.kernel_names import KernelNames
from kinetoscope.analysis.roles import DEVICE_ROLES, ROLES, exclusive, role_intervals
from kinetoscope.analysis.steps import Step, find_steps
from kinetoscope.linking.linked import LinkedTrace
from kinetoscope.trace.columns import Ints, Trace


class Configuration(Struct, frozen=True, kw_only=True):
    """`rank`, `world_size`: None where the trace does not say. `torch`, `python`: of our recordings, else empty."""

    device_type: Literal["GPU", "CPU"]
    devices: list[str]
    """That worked or allocated."""
    rank: int | None
    world_size: int | None
    backend: str
    torch: str
    python: str


class Category(Struct, frozen=True, kw_only=True):
    """Mean time a step of one role, and its share of the mean step."""

    name: str
    us: float
    percent: float


class StepTime(Struct, frozen=True, kw_only=True):
    """One step; the `us` of its categories sum to `us`, `percent` is of it."""

    number: int
    name: str
    start_us: float
    us: float
    categories: list[Category]


class StepTimes(Struct, frozen=True, kw_only=True):
    """`marked`: False where the trace has no steps (or the window none), so that the whole stands as one. `left_out`: steps at the end
    whose device work was perhaps not all captured."""

    count: int
    mean_us: float
    marked: bool
    left_out: list[str]
    each: list[StepTime]


class DeviceSummary(Struct, frozen=True, kw_only=True):
    """One device that ran kernels. Percentages are of the time from the first step's start to the last one's end; None where the trace
    does not say."""

    id: int
    """As the trace numbers it."""
    device: str
    """As torch calls it."""
    name: str
    memory_bytes: int | None
    compute_capability: str | None
    utilization: float
    sm_efficiency: float | None
    occupancy: float | None
    tensor_core_share: float | None


class Overview(Struct, frozen=True, kw_only=True):
    """The view's table. `categories` are means over the steps."""

    configuration: Configuration
    steps: StepTimes
    categories: list[Category]
    devices: list[DeviceSummary]
    bound: Bound


def overview(linked: LinkedTrace, window_ns: tuple[int, int] | None = None) -> Overview:
    """The overview; with a window (trace time), of the parts of steps inside it, or of the window itself where it holds no step."""
    trace = linked.trace
    names = KernelNames(trace.names, trace.kernels.name)
    found = find_steps(linked)
    steps = found.kept if window_ns is None else _clipped(found.kept, window_ns)
    marked = found.marked and bool(steps)
    if not steps and window_ns is not None:
        steps = [Step(number=0, name="selection", start_ns=window_ns[0], end_ns=max(window_ns))]
    start = np.array([step.start_ns for step in steps], np.int64)
    end = np.array([step.end_ns for step in steps], np.int64)
    shares = exclusive(role_intervals(linked, names), start, end)
    shown = _shown(trace, shares)
    devices = DeviceNames(trace)
    by_step = np.stack([shares[role] for role in shown], axis=1)
    first, last = int(start.min()), int(end.max())
    use = device_use(trace, names, first, last) if last > first else []
    categories = _categories(shown, by_step.sum(axis=0).tolist(), len(steps))
    return Overview(
        configuration=_configuration(trace, devices),
        steps=StepTimes(
            count=len(steps),
            mean_us=float((end - start).mean()) / 1000,
            marked=marked,
            left_out=found.left_out if window_ns is None else [],
            each=[
                StepTime(
                    number=step.number,
                    name=step.name,
                    start_us=step.start_ns / 1000,
                    us=(step.end_ns - step.start_ns) / 1000,
                    categories=_categories(shown, parts, 1),
                )
                for step, parts in zip(steps, by_step.tolist(), strict=True)
            ],
        ),
        categories=categories,
        devices=_devices(trace, devices, use),
        bound=bound_of(trace, names, {one.name: one.percent for one in categories}, use, (first, last)),
    )


def _clipped(steps: list[Step], window_ns: tuple[int, int]) -> list[Step]:
    """The parts of steps inside a window."""
    low, high = window_ns
    return [
        Step(number=step.number, name=step.name, start_ns=max(step.start_ns, low), end_ns=min(step.end_ns, high))
        for step in steps
        if step.start_ns < high and step.end_ns > low
    ]


def _shown(trace: Trace, shares: dict[str, Ints]) -> list[str]:
    """Roles of devices where the trace has any device work or runtime call, communication where there was some; else all."""
    on_device = len(trace.kernels.ts_ns) > 0 or len(trace.launches.ts_ns) > 0
    absent = set() if on_device else {*DEVICE_ROLES, "Runtime"}
    return [role for role in ROLES if role not in absent and (role != "Communication" or shares[role].any())]


def _categories(roles: list[str], total_ns: list[int], steps: int) -> list[Category]:
    """From the sums over so many steps."""
    whole = sum(total_ns)
    return [
        Category(name=role, us=part / steps / 1000, percent=100 * part / whole if whole else 0.0)
        for role, part in zip(roles, total_ns, strict=True)
    ]


def _configuration(trace: Trace, devices: DeviceNames) -> Configuration:
    told, run = trace.distributed, trace.recording.run
    return Configuration(
        device_type="GPU" if len(trace.kernels.ts_ns) or len(trace.launches.ts_ns) else "CPU",
        devices=devices.all(),
        rank=_said(told.rank if told else run.get("rank")),
        world_size=_said(told.world_size if told else run.get("world_size")),
        backend=told.backend if told else "",
        torch=str(run.get("torch", "")),
        python=str(run.get("python", "")),
    )


def _devices(trace: Trace, names: DeviceNames, use: list[DeviceUse]) -> list[DeviceSummary]:
    return [
        DeviceSummary(
            id=one.device,
            device=names.of_work(one.device),
            name=(known := properties_of(trace, names.of_work(one.device))).name,
            memory_bytes=known.memory_bytes if known.memory_bytes >= 0 else None,
            compute_capability=compute_capability(known),
            utilization=one.utilization,
            sm_efficiency=one.sm_efficiency,
            occupancy=one.occupancy,
            tensor_core_share=one.tensor_core_share,
        )
        for one in use
    ]


def _said(number: object) -> int | None:
    return number if isinstance(number, int) and number >= 0 else None
