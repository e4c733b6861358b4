"""The tree of `nn.Module` instances: how often each was called from where, and what it cost on the host, on devices and in memory.

Instances are the `nn.Module: Name_N` frames of traces recorded with stacks and modules. A module called by two others has a row
below each, so that what modules cost themselves adds up to their callers' totals.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from kinetoscope.analysis.line_details import frame_of
from kinetoscope.analysis.memory_by_node import memory_of_devices
from kinetoscope.analysis.operator_rows import operators_of
from kinetoscope.analysis.ranges import (
    Below,
    PathTree,
    Places,
    Ranges,
    Window,
    cut,
    kernel_moments,
    kernel_ns,
    path_tree,
    preorder,
    ranges_of,
    within,
)
from kinetoscope.analysis.tables import StackFrame
from kinetoscope.linking.call_tree import OUTSIDE
from kinetoscope.linking.linked import LinkedTrace
from kinetoscope.linking.places import FileNames, parse_frame
from kinetoscope.trace.columns import Bools, Ints

PREFIX = "nn.Module: "


class ModuleCost(Struct, frozen=True, kw_only=True):
    """One module instance below one caller. `*_self_*` is without the modules that it calls, `*_total_*` with them; what its operators
    cost is its own. Times are microseconds, sizes bytes by device."""

    name: str
    """As torch numbers instances of a class: `Linear_1`."""
    module_id: int
    parent: int
    """Row of the module that called it, -1 for none. Rows stand below their parents, dearest first."""
    depth: int
    file: str
    """Where its `forward` is defined; empty where that was not recorded."""
    line: int
    called_on: StackFrame | None
    """The user's line that called it, of several the first one; None where none is known."""
    calls: int
    operators: int
    """Operators that it ran itself, without those within operators."""
    host_self_us: float
    host_total_us: float
    device_self_us: float
    """Of kernels that were launched while it ran."""
    device_total_us: float
    host_backward_self_us: float
    """Of backward operators whose forward operator it ran."""
    host_backward_total_us: float
    device_backward_self_us: float
    device_backward_total_us: float
    alloc_self_bytes: dict[str, int]
    """Allocated while it ran and in its backward operators."""
    alloc_total_bytes: dict[str, int]
    peak_self_bytes: dict[str, int]
    """The part of `alloc_self_bytes` that was alive at the device's peak."""
    peak_total_bytes: dict[str, int]


class ModuleReport(Struct, frozen=True, kw_only=True):
    """All modules of one rank; no rows where the trace has no module frames."""

    rows: list[ModuleCost]
    device_us: float
    """All device time: the sum of `device_self_us`, `device_backward_self_us` and `device_outside_us`."""
    device_outside_us: float
    """Of work that belongs to no module."""


def modules(linked: LinkedTrace, window_ns: Window = None) -> ModuleReport:
    """The module tree. Times are clipped to the window; calls, operators and allocations count where they begin in it."""
    calls = module_calls(linked)
    places = Places(linked, calls.nested)
    tree = module_tree(linked, calls, places)
    count = len(tree.parent)

    def by_node(index: Ints, weight: Ints) -> Ints:
        total = np.zeros(count, np.int64)
        np.add.at(total, tree.node[index[index >= 0]], weight[index >= 0])
        return total

    own_ns, _ = calls.self_and_total_ns(window_ns)
    host = by_node(np.arange(len(own_ns)), own_ns)
    device_ns = kernel_ns(linked, window_ns)
    placed = places.at(*kernel_moments(linked))
    device = by_node(placed.index[~placed.backward], device_ns[~placed.backward])
    device_backward = by_node(placed.index[placed.backward], device_ns[placed.backward])
    host_backward = by_node(places.of_root, backward_ns(linked, calls, window_ns))
    calls_of = by_node(np.arange(len(own_ns)), within(calls.nested.ts_ns, window_ns).astype(np.int64))
    operators = by_node(*_operators(linked, calls, window_ns))
    allocated, at_peak = _memory(linked, places, tree, window_ns)
    forwards, called_on = _forwards(linked, calls, tree), _called_on(linked, calls, tree)
    tree_sums = Below(tree.parent)
    order, depth = preorder(tree.parent, tree_sums.with_below(device + device_backward), tree_sums.with_below(host))
    row_of = {node: row for row, node in enumerate(order)}

    def us(values: Ints) -> tuple[list[float], list[float]]:
        """Each node's own microseconds, and with those below."""
        return (values / 1000).tolist(), (tree_sums.with_below(values) / 1000).tolist()

    def sizes(values: dict[str, Ints]) -> tuple[list[dict[str, int]], list[dict[str, int]]]:
        below = {device: tree_sums.with_below(of_device) for device, of_device in values.items()}
        return _by_device(values, count), _by_device(below, count)

    (host_self, host_total), (device_self, device_total) = us(host), us(device)
    (host_backward_self, host_backward_total), (device_backward_self, device_backward_total) = us(host_backward), us(device_backward)
    (alloc_self, alloc_total), (peak_self, peak_total) = sizes(allocated), sizes(at_peak)
    names = _names(linked, calls, tree)
    everything, outside = int(device_ns.sum()), int(device_ns[placed.index < 0].sum())
    return ModuleReport(
        rows=[
            ModuleCost(
                name=names[node][0],
                module_id=names[node][1],
                parent=row_of.get(int(tree.parent[node]), -1),
                depth=depth[node],
                file=forwards[node][0],
                line=forwards[node][1],
                called_on=called_on[node],
                calls=int(calls_of[node]),
                operators=int(operators[node]),
                host_self_us=host_self[node],
                host_total_us=host_total[node],
                device_self_us=device_self[node],
                device_total_us=device_total[node],
                host_backward_self_us=host_backward_self[node],
                host_backward_total_us=host_backward_total[node],
                device_backward_self_us=device_backward_self[node],
                device_backward_total_us=device_backward_total[node],
                alloc_self_bytes=alloc_self[node],
                alloc_total_bytes=alloc_total[node],
                peak_self_bytes=peak_self[node],
                peak_total_bytes=peak_total[node],
            )
            for node in order
        ],
        device_us=everything / 1000,
        device_outside_us=outside / 1000,
    )


def module_calls(linked: LinkedTrace) -> Ranges:
    """The calls of modules, nested among themselves. `rows` are those of `trace.frames`."""
    numbers = [index for index, name in enumerate(linked.trace.names) if name.startswith(PREFIX)]
    rows = np.flatnonzero(np.isin(linked.trace.frames.name, numbers))
    return ranges_of(linked.trace.frames, rows, linked.trace.end_ns)


def module_name(name: str, module_id: int) -> str:
    """`Linear_1`, from the frame's name, which of some traces has the class alone."""
    short = name.removeprefix(PREFIX)
    return short if module_id < 0 or short.endswith(f"_{module_id}") else f"{short}_{module_id}"


def module_tree(linked: LinkedTrace, calls: Ranges, places: Places) -> PathTree:
    """The paths of module calls. Nodes are labelled with the first of `calls` that is of the same instance. A call that checkpointing
    makes again in backward stands where it stood in forward."""
    frames = linked.trace.frames
    instances = (frames.module_id[calls.rows] + 1) * len(linked.trace.names) + frames.name[calls.rows]
    _, first, which = np.unique(instances, return_index=True, return_inverse=True)
    instance = first[which]
    root = linked.links.nested.enclosing(calls.nested.thread, calls.nested.ts_ns)
    parent = calls.nested.parent.copy()
    again = np.flatnonzero((root >= 0) & _entered(calls, root, linked))
    again = again[places.of_root[root[again]] >= 0]
    called = (
        set(zip(instance[parent[parent >= 0]].tolist(), instance[parent >= 0].tolist(), strict=True))
        if len(again)
        else set[tuple[int, int]]()
    )
    for call, forward in zip(again.tolist(), places.of_root[root[again]].tolist(), strict=True):
        above = forward
        while above >= 0 and (instance[above], instance[call]) not in called:
            above = int(calls.nested.parent[above])
        parent[call] = above if above >= 0 else calls.nested.parent[call]
    return path_tree(parent, instance)


def _entered(calls: Ranges, root: Ints, linked: LinkedTrace) -> Bools:
    """Which calls are the outermost ones in their backward operator `root` (-1 for none)."""
    above = calls.nested.parent
    inner = (root >= 0) & (above >= 0)
    entered = root >= 0
    entered[inner] = calls.nested.ts_ns[above[inner]] < linked.links.nested.ts_ns[root[inner]]
    return entered


def _names(linked: LinkedTrace, calls: Ranges, tree: PathTree) -> list[tuple[str, int]]:
    frames = linked.trace.frames
    rows = calls.rows[tree.label]
    ids = frames.module_id[rows].tolist()
    return [(module_name(linked.trace.names[name], number), number) for name, number in zip(frames.name[rows].tolist(), ids, strict=True)]


def backward_ns(linked: LinkedTrace, calls: Ranges, window_ns: Window) -> Ints:
    """For each backward operator its time without backward operators and module calls inside (as checkpointing makes)."""
    nested = linked.links.nested
    own, _ = cut(linked.links.roots, nested).self_and_total_ns(window_ns)
    root = nested.enclosing(calls.nested.thread, calls.nested.ts_ns)
    entered = _entered(calls, root, linked)
    _, total = calls.self_and_total_ns(window_ns)
    np.subtract.at(own, root[entered], total[entered])
    return np.maximum(own, 0)


def _operators(linked: LinkedTrace, calls: Ranges, window_ns: Window) -> tuple[Ints, Ints]:
    """`(index of the call, 1)` for each outermost operator of a call that begins in the window."""
    operators = operators_of(linked).nested
    call = calls.nested.enclosing(operators.thread, operators.ts_ns)
    outer = within(operators.ts_ns, window_ns)
    inner = (operators.parent >= 0) & (call >= 0)
    outer[inner] &= operators.ts_ns[operators.parent[inner]] < calls.nested.ts_ns[call[inner]]
    return call[outer], np.ones(int(outer.sum()), np.int64)


def _memory(linked: LinkedTrace, places: Places, tree: PathTree, window_ns: Window) -> tuple[dict[str, Ints], dict[str, Ints]]:
    """`(allocated, alive at the peak)`: device → bytes of each node's own."""
    memory = linked.trace.memory
    allocated: dict[str, Ints] = {}
    at_peak: dict[str, Ints] = {}
    for of_device in memory_of_devices(linked, window_ns):
        thread, ts_ns = memory.thread[of_device.rows], memory.ts_ns[of_device.rows]
        index = places.at(thread, ts_ns).index
        for result, which in ((allocated, (of_device.sizes > 0) & within(ts_ns, window_ns)), (at_peak, of_device.alive)):
            which &= index >= 0
            sizes = np.zeros(len(tree.parent), np.int64)
            np.add.at(sizes, tree.node[index[which]], of_device.sizes[which])
            result[of_device.device] = sizes
    return allocated, at_peak


def _by_device(sizes: dict[str, Ints], nodes: int) -> list[dict[str, int]]:
    """For each node device → bytes, without zeros."""
    result: list[dict[str, int]] = [{} for _ in range(nodes)]
    for device, values in sizes.items():
        some = np.flatnonzero(values)
        for node, size in zip(some.tolist(), values[some].tolist(), strict=True):
            result[node][device] = size
    return result


def _forwards(linked: LinkedTrace, calls: Ranges, tree: PathTree) -> list[tuple[str, int]]:
    """`(file, line)` of each node's `forward`: the first frame of that name that it called."""
    frames, names = linked.trace.frames, linked.trace.names
    numbers = [index for index, name in enumerate(names) if name.endswith("): forward")]
    rows = np.flatnonzero(np.isin(frames.name, numbers))
    call = calls.nested.enclosing(frames.thread[rows], frames.ts_ns[rows])
    rows, call = rows[call >= 0], call[call >= 0]
    found: list[tuple[str, int]] = [("", 0)] * len(tree.parent)
    files = FileNames(linked.trace.recording)
    nodes, first = np.unique(tree.node[call], return_index=True)
    known: dict[int, tuple[str, int]] = {}
    for node, name in zip(nodes.tolist(), frames.name[rows[first]].tolist(), strict=True):
        if name not in known:
            parsed = parse_frame(names[name])
            known[name] = (files.resolve(parsed.path), parsed.line) if parsed else ("", 0)
        found[node] = known[name]
    return found


def _called_on(linked: LinkedTrace, calls: Ranges, tree: PathTree) -> list[StackFrame | None]:
    """The line on which the thread of each node's first call stood when it began, of those calls where it is known."""
    found: list[StackFrame | None] = [None] * len(tree.parent)
    stood = linked.timelines.at(calls.nested.thread, calls.nested.ts_ns)
    known = np.flatnonzero(stood != OUTSIDE)
    known = known[np.argsort(calls.nested.ts_ns[known], kind="stable")]
    nodes, first = np.unique(tree.node[known], return_index=True)
    for node, one in zip(nodes.tolist(), stood[known[first]].tolist(), strict=True):
        found[node] = frame_of(linked, one)
    return found
