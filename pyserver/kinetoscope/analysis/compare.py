"""Two recordings beside each other: steps, categories, operators, kernels, lines and memory, each before, after, and the difference.

Operators and kernels are the same where their names are, lines where the caller says so (it knows the sources). Times, calls and bytes
allocated are per step, so that recordings of different length compare; where one of them has no steps, of whole recordings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from msgspec import Struct

from kinetoscope.analysis.tables import LineCost

Match = Literal["same", "moved", "changed", "unverified", "new", "gone"]
"""A line before and after: the same text in the same place, the same text elsewhere, another text in its place, the same number in a file
whose text is not known, only after, only before."""


class Named(Struct, frozen=True, kw_only=True):
    """Sums over a recording of what has one name."""

    name: str
    calls: int
    host_us: float
    """Operators: own host time. Kernels: 0."""
    device_us: float
    """Own device time."""


class Part(Struct, frozen=True, kw_only=True):
    """Mean time a step of one category."""

    name: str
    us: float


class Peak(Struct, frozen=True, kw_only=True):
    """Bytes of the recorded allocations that were alive at a device's peak."""

    device: str
    bytes: int


class Totals(Struct, frozen=True, kw_only=True):
    """What one recording brings to a comparison; sums over the recording."""

    steps: int
    """0: none was marked; `step_us` and the categories are then of the whole."""
    step_us: float
    least_us: float
    most_us: float
    """The fastest and the slowest step that `step_us` is a mean of."""
    rank: int
    world_size: int
    torch: str
    device_type: str
    devices: list[str]
    """The names of their makers."""
    categories: list[Part]
    operators: list[Named]
    kernels: list[Named]
    memory: list[Peak]


class Change(Struct, frozen=True, kw_only=True):
    """`difference` is after − before, `percent` of before; None where that is 0."""

    before: float
    after: float
    difference: float
    percent: float | None


class StepChange(Struct, frozen=True, kw_only=True):
    """Of a step, `mean_us`: wall time, `gpu_us`: device time. `least_us` and `most_us`: wall time of the fastest and the slowest one."""

    count: Change
    mean_us: Change
    least_us: Change
    most_us: Change
    gpu_us: Change


class CategoryChange(Struct, frozen=True, kw_only=True):
    name: str
    us: Change


class OperatorChange(Struct, frozen=True, kw_only=True):
    name: str
    calls: Change
    host_self_us: Change
    device_self_us: Change


class KernelChange(Struct, frozen=True, kw_only=True):
    name: str
    calls: Change
    total_us: Change


class LineChange(Struct, frozen=True, kw_only=True):
    """`file`, `line` and `source` are those after; before where the line is gone. `line_before`: None where it is new."""

    file: str
    line: int
    line_before: int | None
    function: str
    source: str
    match: Match
    calls: Change
    cpu_self_us: Change
    gpu_us: Change
    """Forward and backward."""
    alloc_bytes: Change
    """On all devices."""


class MemoryChange(Struct, frozen=True, kw_only=True):
    device: str
    peak_bytes: Change


class Comparison(Struct, frozen=True, kw_only=True):
    """All lists have the greatest difference first; what is equal in both is in them too."""

    per_step: bool
    steps: StepChange
    categories: list[CategoryChange]
    operators: list[OperatorChange]
    kernels: list[KernelChange]
    lines: list[LineChange]
    memory: list[MemoryChange]
    notices: list[str]


class Side(NamedTuple):
    """One of the two recordings."""

    totals: Totals
    lines: Sequence[LineCost]


class Place(NamedTuple):
    """Where a line of the recording before is in the one after."""

    file: str
    line: int
    match: Match


def compare(before: Side, after: Side, places: Mapping[tuple[str, int], Place]) -> Comparison:
    """`places`: for the `(file, line)` of rows before, where they are after; what has none is gone."""
    sides = before.totals, after.totals
    per_step = all(side.steps for side in sides)
    steps = (sides[0].steps, sides[1].steps) if per_step else (1, 1)
    on_device = any(kernel.device_us for side in sides for kernel in side.kernels)
    return Comparison(
        per_step=per_step,
        steps=StepChange(
            count=_change(sides[0].steps, sides[1].steps),
            mean_us=_change(sides[0].step_us, sides[1].step_us),
            least_us=_change(sides[0].least_us, sides[1].least_us),
            most_us=_change(sides[0].most_us, sides[1].most_us),
            gpu_us=_change(*(sum(kernel.device_us for kernel in side.kernels) / count for side, count in zip(sides, steps, strict=True))),
        ),
        categories=_categories(*sides),
        operators=_operators(*sides, steps, on_device),
        kernels=_kernels(*sides, steps),
        lines=_lines(before.lines, after.lines, places, steps, on_device),
        memory=_memory(*sides),
        notices=_notices(*sides),
    )


def exceeded(comparison: Comparison, limit: float) -> list[str]:
    """In words, what of a step rose by more than `limit` (0.05: 5 %): its wall time, its device time."""
    what = "of a step" if comparison.per_step else "of the recording"
    times = (f"The wall time {what}", comparison.steps.mean_us), (f"The GPU time {what}", comparison.steps.gpu_us)
    return [
        f"{name} rose by {change.percent:.1f} %." if change.percent is not None else f"{name} was 0 and is not any more."
        for name, change in times
        if change.difference > limit * change.before
    ]


def _change(before: float, after: float) -> Change:
    difference = after - before
    return Change(before=before, after=after, difference=difference, percent=100 * difference / before if before else None)


def _names(before: Sequence[Named], after: Sequence[Named]) -> list[tuple[str, Named, Named]]:
    """Both of each name; what is not there is nothing."""
    here, there = {each.name: each for each in before}, {each.name: each for each in after}
    nothing = Named(name="", calls=0, host_us=0.0, device_us=0.0)
    return [(name, here.get(name, nothing), there.get(name, nothing)) for name in {**here, **there}]


def _operators(before: Totals, after: Totals, steps: tuple[int, int], on_device: bool) -> list[OperatorChange]:
    rows = [
        OperatorChange(
            name=name,
            calls=_change(one.calls / steps[0], other.calls / steps[1]),
            host_self_us=_change(one.host_us / steps[0], other.host_us / steps[1]),
            device_self_us=_change(one.device_us / steps[0], other.device_us / steps[1]),
        )
        for name, one, other in _names(before.operators, after.operators)
    ]
    return sorted(rows, key=lambda row: (-abs((row.device_self_us if on_device else row.host_self_us).difference), row.name))


def _kernels(before: Totals, after: Totals, steps: tuple[int, int]) -> list[KernelChange]:
    rows = [
        KernelChange(
            name=name,
            calls=_change(one.calls / steps[0], other.calls / steps[1]),
            total_us=_change(one.device_us / steps[0], other.device_us / steps[1]),
        )
        for name, one, other in _names(before.kernels, after.kernels)
    ]
    return sorted(rows, key=lambda row: (-abs(row.total_us.difference), row.name))


def _categories(before: Totals, after: Totals) -> list[CategoryChange]:
    here, there = {part.name: part.us for part in before.categories}, {part.name: part.us for part in after.categories}
    rows = [CategoryChange(name=name, us=_change(here.get(name, 0.0), there.get(name, 0.0))) for name in {**here, **there}]
    return sorted(rows, key=lambda row: -abs(row.us.difference))


def _memory(before: Totals, after: Totals) -> list[MemoryChange]:
    here, there = {peak.device: peak.bytes for peak in before.memory}, {peak.device: peak.bytes for peak in after.memory}
    rows = [MemoryChange(device=device, peak_bytes=_change(here.get(device, 0), there.get(device, 0))) for device in {**here, **there}]
    return sorted(rows, key=lambda row: -abs(row.peak_bytes.difference))


def _lines(
    before: Sequence[LineCost],
    after: Sequence[LineCost],
    places: Mapping[tuple[str, int], Place],
    steps: tuple[int, int],
    on_device: bool,
) -> list[LineChange]:
    there = {(row.file, row.line): row for row in after}
    rows: list[LineChange] = []
    for row in before:
        place = places.get((row.file, row.line))
        other = there.pop((place.file, place.line), None) if place else None
        rows.append(_line(row, other, place, steps))
    rows += [_line(None, row, None, steps) for row in there.values()]

    def order(row: LineChange) -> tuple[float, float, str, int]:
        gpu, cpu = -abs(row.gpu_us.difference), -abs(row.cpu_self_us.difference)
        return (gpu, cpu, row.file, row.line) if on_device else (cpu, gpu, row.file, row.line)

    return sorted(rows, key=order)


def _line(before: LineCost | None, after: LineCost | None, place: Place | None, steps: tuple[int, int]) -> LineChange:
    shown = after or before
    assert shown is not None
    calls, cpu, gpu, size = map(_change, _per(before, steps[0]), _per(after, steps[1]))
    return LineChange(
        file=place.file if place else shown.file,
        line=place.line if place else shown.line,
        line_before=before.line if before else None,
        function=shown.function,
        source=shown.source,
        match=place.match if place else "gone" if before else "new",
        calls=calls,
        cpu_self_us=cpu,
        gpu_us=gpu,
        alloc_bytes=size,
    )


def _per(row: LineCost | None, steps: int) -> tuple[float, float, float, float]:
    """A row's calls, own CPU time, GPU time and allocated bytes, for each step; 0 for no row."""
    if row is None:
        return 0.0, 0.0, 0.0, 0.0
    return row.calls / steps, row.cpu_self_us / steps, (row.gpu_us + row.gpu_backward_us) / steps, sum(row.alloc_bytes.values()) / steps


def _notices(before: Totals, after: Totals) -> list[str]:
    """What makes the two hard to compare."""
    notices: list[str] = []
    facts = (
        ("ran on different devices", ", ".join(before.devices) or before.device_type, ", ".join(after.devices) or after.device_type),
        ("have a different number of processes", str(max(1, before.world_size)), str(max(1, after.world_size))),
        ("are of different ranks", str(max(0, before.rank)), str(max(0, after.rank))),
        ("ran with different versions of torch", before.torch or "unknown", after.torch or "unknown"),
    )
    notices += [f"The recordings {what}: {one} before, {other} after." for what, one, other in facts if one != other]
    without = [name for name, side in (("before", before), ("after", after)) if not side.steps]
    if without:
        which = "Neither recording has steps" if len(without) == 2 else f"The recording {without[0]} has no steps"
        notices.append(f"{which}: numbers are of whole recordings, and differ where one ran longer.")
    return notices
