"""Memory of each device: the curve, the blocks with their lifetimes, what each operator allocated, and who owns the peak.

The peak that is owned is that of the recorded allocations (`memory_by_node`), so lines own the same bytes here and in their own view.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from msgspec import Struct, structs

from kinetoscope.analysis.memory_blocks import CATEGORIES, NEVER, Blocks, Categories, blocks_of
from kinetoscope.analysis.memory_by_node import DeviceMemory, memory_of_devices
from kinetoscope.analysis.memory_curve import MemoryCurve, allocated_after, memory_curve
from kinetoscope.analysis.memory_stack import MemoryStack, OwnerCurve, alive_at, lives_of, moments_of, owner_curves
from kinetoscope.analysis.modules import module_calls, module_name
from kinetoscope.analysis.operator_rows import calls_of, operators_of, outermost_of_name
from kinetoscope.analysis.ranges import Below, Places, Window, within
from kinetoscope.analysis.tables import Precision
from kinetoscope.linking.call_tree import OUTSIDE, PRECISIONS
from kinetoscope.linking.linked import LinkedTrace
from kinetoscope.trace.columns import Bools, Ints

EVENTS_AT_MOST = 5000

Category = Literal["unknown", "parameter", "gradient", "optimizer state", "activation", "temporary"]
PHASES = ("other", "forward", "backward", "optimizer")


class MemoryEvent(Struct, frozen=True, kw_only=True):
    """One block: allocated and released, each None where it was not recorded."""

    bytes: int
    allocated_us: float | None
    released_us: float | None
    operator: str
    """The innermost operator that allocated it, as `caller (aten::empty)` for the empty tensors of others; empty where none did."""
    file: str
    """The line that allocated it, for backward work that of the forward operator; empty where it is not known."""
    line: int
    precision: Precision | None
    """Of the line; None where none is known."""
    backward: bool
    """Allocated in a backward operator."""
    category: Category


class OperatorMemory(Struct, frozen=True, kw_only=True):
    """What operators of one name allocated on the device. `*_self_*` is without the operators that they call; an operator that calls
    one of its own name counts once."""

    name: str
    calls: int
    """As in the operators' own view."""
    increase_self_bytes: int
    """Allocated less released."""
    increase_total_bytes: int
    allocation_self_bytes: int
    allocation_total_bytes: int
    allocation_self_count: int
    allocation_total_count: int


class Owner(Struct, frozen=True, kw_only=True):
    """What one line, operator, module, phase or category owns of the peak. Empty name (and file): not known."""

    name: str
    bytes: int
    file: str = ""
    line: int = 0
    precision: Precision | None = None
    """Of a line: the weakest of what was added up."""


class Peak(Struct, frozen=True, kw_only=True):
    """Who owns the peak of the recorded allocations. Each list, largest first, adds up to `recorded_bytes`."""

    at_us: float
    recorded_bytes: int
    """Allocated in the recording and alive at the peak."""
    before_bytes: int | None
    """Allocated before the recording; None where the trace does not say."""
    lines: list[Owner]
    """`name` is the line's function."""
    operators: list[Owner]
    modules: list[Owner]
    """Innermost module; for backward work that of the forward operator."""
    phases: list[Owner]
    """`forward`, `backward`, `optimizer`, `other`."""
    categories: list[Owner]


class DeviceMemoryReport(Struct, frozen=True, kw_only=True):
    """One device's memory."""

    device: str
    curve: MemoryCurve
    events: list[MemoryEvent]
    """The largest 5000 of `blocks`, in time order."""
    blocks: int
    """Blocks that were allocated or released in the window."""
    operators: list[OperatorMemory]
    """By own increase, largest first; those without memory are left out."""
    peak: Peak | None
    """None where nothing was allocated, or the trace has no addresses (torch 1.8 to 1.10)."""
    stack: MemoryStack | None
    """What it is made up of over time; None where `peak` is."""


class MemoryReport(Struct, frozen=True, kw_only=True):
    """No devices where the trace was recorded without memory."""

    devices: list[DeviceMemoryReport]


def memory(linked: LinkedTrace, window_ns: Window = None) -> MemoryReport:
    """Memory within the window: allocations and releases count where they happen in it; blocks from before it are alive in it."""
    parts = _Parts(linked)
    return MemoryReport(devices=[_device(parts, of_device, window_ns) for of_device in memory_of_devices(linked, window_ns)])


class _Parts:
    """What all devices need of a trace."""

    def __init__(self, linked: LinkedTrace) -> None:
        self.linked = linked
        self.operators = operators_of(linked)
        self.outermost = outermost_of_name(linked, self.operators)
        call = calls_of(linked.trace.ops.name[self.operators.rows], self.operators.nested.parent)
        self.calls_begin: Bools = call == np.arange(len(call))
        """Which operators count as calls."""
        self.calls = module_calls(linked)
        self.categories = Categories(linked, self.operators, self.calls)
        self.places = Places(linked, self.calls.nested)

    def operator_at(self, rows: Ints) -> Ints:
        """Index of the innermost operator around each row of `trace.memory`."""
        memory = self.linked.trace.memory
        return self.operators.nested.enclosing(memory.thread[rows], memory.ts_ns[rows])


def _device(parts: _Parts, of_device: DeviceMemory, window_ns: Window) -> DeviceMemoryReport:
    linked = parts.linked
    blocks = blocks_of(linked, of_device)
    made = blocks.allocated >= 0
    rows = of_device.rows[blocks.allocated[made]]
    at = linked.trace.memory.ts_ns[of_device.rows]
    released = np.full(len(rows), NEVER, np.int64)
    known = blocks.released[made] >= 0
    released[known] = at[blocks.released[made][known]]
    category = np.zeros(len(made), np.int64)
    category[made] = parts.categories.of(rows, released)
    events, count = _events(parts, of_device, blocks, category, window_ns)
    return DeviceMemoryReport(
        device=of_device.device,
        curve=memory_curve(linked, of_device, window_ns),
        events=events,
        blocks=count,
        operators=_operators(parts, of_device, window_ns),
        peak=_peak(parts, of_device, blocks, category),
        stack=_stack(parts, of_device, category[made], window_ns),
    )


def _events(parts: _Parts, of_device: DeviceMemory, blocks: Blocks, category: Ints, window_ns: Window) -> tuple[list[MemoryEvent], int]:
    linked = parts.linked
    at = linked.trace.memory.ts_ns[of_device.rows]
    inside = within(at, window_ns)
    seen = np.flatnonzero(_picked(inside, blocks.allocated) | _picked(inside, blocks.released))
    size = np.abs(of_device.sizes[np.where(blocks.allocated >= 0, blocks.allocated, blocks.released)])
    largest = seen[np.argsort(-size[seen], kind="stable")[:EVENTS_AT_MOST]]
    first = at[np.where(blocks.allocated >= 0, blocks.allocated, blocks.released)]
    chosen = largest[np.argsort(first[largest], kind="stable")]
    allocated, released = blocks.allocated[chosen], blocks.released[chosen]
    rows = of_device.rows[np.maximum(allocated, 0)]
    operator = parts.operator_at(rows)
    columns = zip(
        size[chosen].tolist(),
        allocated.tolist(),
        (at[np.maximum(allocated, 0)] / 1000).tolist(),
        released.tolist(),
        (at[np.maximum(released, 0)] / 1000).tolist(),
        operator.tolist(),
        linked.memory.node[rows].tolist(),
        (linked.memory.root[rows] >= 0).tolist(),
        category[chosen].tolist(),
        strict=True,
    )
    result: list[MemoryEvent] = []
    for byte, allocation, allocated_us, release, released_us, op, node, backward, kind in columns:
        made = allocation >= 0
        place = _line(linked, node if made else OUTSIDE)
        result.append(
            MemoryEvent(
                bytes=byte,
                allocated_us=allocated_us if made else None,
                released_us=released_us if release >= 0 else None,
                operator=_allocator(parts, op) if made else "",
                file=place.file,
                line=place.line,
                precision=place.precision,
                backward=backward and made,
                category=CATEGORIES[kind],  # type: ignore[arg-type]
            )
        )
    return result, len(seen)


def _picked(values: Bools, index: Ints) -> Bools:
    """`values[index]`, False where the index is -1."""
    result = index >= 0
    result[result] = values[index[result]]
    return result


def _line(linked: LinkedTrace, node: int) -> Owner:
    """The line of a node, as an owner of nothing yet."""
    if node == OUTSIDE:
        return Owner(name="", bytes=0)
    tree = linked.tree
    place = tree.places[tree.place[node]]
    precision: Precision = PRECISIONS[tree.precision[node]]  # type: ignore[assignment]
    return Owner(name=place.function, bytes=0, file=place.file, line=tree.line[node], precision=precision)


def _operator_name(parts: _Parts, index: int) -> str:
    trace = parts.linked.trace
    return trace.names[int(trace.ops.name[parts.operators.rows[index]])] if index >= 0 else ""


def _allocator(parts: _Parts, index: int) -> str:
    name = _operator_name(parts, index)
    above = int(parts.operators.nested.parent[index]) if index >= 0 else -1
    return f"{_operator_name(parts, above)} ({name})" if name.startswith("aten::empty") and above >= 0 else name


def _operators(parts: _Parts, of_device: DeviceMemory, window_ns: Window) -> list[OperatorMemory]:
    linked, operators = parts.linked, parts.operators
    inside = within(linked.trace.memory.ts_ns[of_device.rows], window_ns)
    sizes = of_device.sizes[inside]
    index = parts.operator_at(of_device.rows[inside])
    name = linked.trace.ops.name[operators.rows]
    count = len(linked.trace.names)
    columns: list[Ints] = []
    below = Below(operators.nested.parent)
    for values in (sizes, np.maximum(sizes, 0), (sizes > 0).astype(np.int64)):
        own = np.zeros(len(name), np.int64)
        np.add.at(own, index[index >= 0], values[index >= 0])
        total = below.with_below(own) * parts.outermost
        for part in (own, total):
            by_name = np.zeros(count, np.int64)
            np.add.at(by_name, name, part)
            columns.append(by_name)
    calls = np.bincount(name[parts.calls_begin & within(operators.nested.ts_ns, window_ns)], minlength=count)
    some = np.flatnonzero(np.any(np.array(columns) != 0, axis=0)).tolist()
    rows = [
        OperatorMemory(
            name=linked.trace.names[number],
            calls=int(calls[number]),
            increase_self_bytes=int(columns[0][number]),
            increase_total_bytes=int(columns[1][number]),
            allocation_self_bytes=int(columns[2][number]),
            allocation_total_bytes=int(columns[3][number]),
            allocation_self_count=int(columns[4][number]),
            allocation_total_count=int(columns[5][number]),
        )
        for number in some
    ]
    return sorted(rows, key=lambda row: (-row.increase_self_bytes, -row.allocation_self_bytes, row.name))


def _peak(parts: _Parts, of_device: DeviceMemory, blocks: Blocks, category: Ints) -> Peak | None:
    if of_device.peak < 0 or not of_device.addressed:
        return None
    linked, memory = parts.linked, parts.linked.trace.memory
    alive = np.flatnonzero(of_device.alive & (of_device.sizes > 0))
    rows, sizes = of_device.rows[alive], of_device.sizes[alive]
    recorded = int(sizes.sum())
    allocated, counted = allocated_after(linked, of_device)
    before = int(allocated[of_device.peak]) - recorded
    category_of = np.zeros(len(of_device.rows), np.int64)
    made = blocks.allocated >= 0
    category_of[blocks.allocated[made]] = category[made]
    owners = {kind: _owners(key, sizes, named) for kind, (key, named) in _keys(parts, rows, category_of[alive]).items()}
    return Peak(
        at_us=int(memory.ts_ns[of_device.rows[of_device.peak]]) / 1000,
        recorded_bytes=recorded,
        before_bytes=None if counted or before < 0 else before,
        **owners,
    )


def _stack(parts: _Parts, of_device: DeviceMemory, category: Ints, window_ns: Window) -> MemoryStack | None:
    """`category` is of the allocations, in time order."""
    if of_device.peak < 0 or not of_device.addressed:
        return None
    memory = parts.linked.trace.memory
    at = memory.ts_ns[of_device.rows]
    allocated, counted = allocated_after(parts.linked, of_device)
    moments = moments_of(at, allocated, of_device.peak, window_ns)
    lives = lives_of(memory.address[of_device.rows], of_device.sizes, moments)
    before = allocated[moments] - alive_at(lives)
    shown_at = at[moments] if window_ns is None else np.maximum(at[moments], window_ns[0])
    curves: dict[str, list[OwnerCurve]] = {}
    for kind, (key, named) in _keys(parts, of_device.rows[of_device.sizes > 0], category).items():
        group, owners = _grouped(key, named)
        curves[kind] = owner_curves(lives, group, [(owner.name, owner.file, owner.line) for owner in owners])
    return MemoryStack(
        at_us=(shown_at / 1000).tolist(),
        before_bytes=[] if counted or (before < 0).any() else before.tolist(),
        **curves,
    )


def _keys(parts: _Parts, rows: Ints, category: Ints) -> dict[str, tuple[Ints, Callable[[int], Owner]]]:
    """For each kind of owner a key of each allocation, and what a key names."""
    trace, memory = parts.linked.trace, parts.linked.trace.memory
    operator, call = parts.operator_at(rows), parts.places.at(memory.thread[rows], memory.ts_ns[rows]).index
    # Keys are few, so that the names of many allocations are looked up once each.
    frames, called = trace.frames, parts.calls.rows
    ids = int(frames.module_id.max(initial=0)) + 2
    module = _values(frames.name[called].astype(np.int64) * ids + frames.module_id[called] + 1, call)
    return {
        "lines": (parts.linked.memory.node[rows], lambda node: _line(parts.linked, node)),
        "operators": (
            _values(trace.ops.name[parts.operators.rows], operator),
            lambda name: Owner(name=trace.names[name] if name >= 0 else "", bytes=0),
        ),
        "modules": (
            module,
            lambda key: Owner(name=module_name(trace.names[key // ids], key % ids - 1) if key >= 0 else "", bytes=0),
        ),
        "phases": (_phases(parts, rows, operator, call), lambda number: Owner(name=PHASES[number], bytes=0)),
        "categories": (category, lambda number: Owner(name=CATEGORIES[number], bytes=0)),
    }


def _values(of: Ints, index: Ints) -> Ints:
    """`of[index]`, -1 where the index is -1."""
    result = np.full(len(index), -1, np.int64)
    result[index >= 0] = of[index[index >= 0]]
    return result


def _owners(key: Ints, sizes: Ints, named: Callable[[int], Owner]) -> list[Owner]:
    """Bytes by what the key names, largest first."""
    group, owners = _grouped(key, named)
    total = np.zeros(len(owners), np.int64)
    np.add.at(total, group, sizes)
    found = [structs.replace(owner, bytes=size) for owner, size in zip(owners, total.tolist(), strict=True)]
    return sorted(found, key=lambda row: (-row.bytes, row.file, row.line, row.name))


def _grouped(key: Ints, named: Callable[[int], Owner]) -> tuple[Ints, list[Owner]]:
    """The owners that the keys name, of no bytes yet, and of each key the index of its owner. Keys that name the same are one owner."""
    keys, which = np.unique(key, return_inverse=True)
    owners: list[Owner] = []
    indices: dict[tuple[str, int, str], int] = {}
    of_key = np.zeros(len(keys), np.int64)
    for at, number in enumerate(keys.tolist()):
        new = named(number)
        index = indices.setdefault((new.file, new.line, "" if new.file else new.name), len(owners))
        if index == len(owners):
            owners.append(new)
        old = owners[index]
        weakest = max(old.precision, new.precision, key=PRECISIONS.index) if old.precision and new.precision else None
        owners[index] = structs.replace(old, precision=weakest)
        of_key[at] = index
    return of_key[which], owners


def _phases(parts: _Parts, rows: Ints, operator: Ints, call: Ints) -> Ints:
    """Of each allocation an index into `PHASES`: within a backward operator; in an optimizer's step; in a module's call or in an operator
    that has a backward one; none of these."""
    linked, memory = parts.linked, parts.linked.trace.memory
    has_backward = parts.categories.has_backward(operator)
    result = np.where((call >= 0) | has_backward, PHASES.index("forward"), PHASES.index("other"))
    result[parts.categories.in_step(memory.thread[rows], memory.ts_ns[rows])] = PHASES.index("optimizer")
    result[linked.memory.root[rows] >= 0] = PHASES.index("backward")
    return result
