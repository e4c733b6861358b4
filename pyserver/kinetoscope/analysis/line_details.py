"""What stands behind a line's cost: its operators and kernels by name, and its call stacks."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinetoscope.analysis.node_costs import NodeCosts, kernels_by_node
from kinetoscope.analysis.ranges import Window, clipped_ns, kernel_ns, within
from kinetoscope.analysis.tables import LineDetail, LineStack, StackFrame, WorkItem
from kinetoscope.linking.call_tree import OUTSIDE, PRECISIONS
from kinetoscope.linking.linked import LinkedTrace
from kinetoscope.trace.columns import Bools, Ints

WORK_AT_MOST = 20
STACKS_AT_MOST = 20


@dataclass
class _Sum:
    calls: int = 0
    host_ns: float = 0
    device_ns: float = 0


_Work = dict[tuple[str, str, bool], _Sum]
"""(name, kind, backward) → sums"""


def line_details(linked: LinkedTrace, costs: NodeCosts, nodes_of_rows: list[list[int]], window_ns: Window = None) -> list[LineDetail]:
    """One detail for each row, which is given by its nodes. At most 20 work items of each kind and 20 stacks, dearest first. Work counts
    as a call where it begins in the window, its times are clipped to it."""
    work = _work_by_node(linked, window_ns)
    return [
        LineDetail(work=_merged([work[node] for node in nodes if node in work]), stacks=_stacks(linked, costs, nodes))
        for nodes in nodes_of_rows
    ]


def _work_by_node(linked: LinkedTrace, window_ns: Window) -> dict[int, _Work]:
    result: dict[int, _Work] = defaultdict(dict)
    outermost = outermost_ops(linked)
    ops, kernels = linked.trace.ops, linked.trace.kernels
    host_ns, device_ns = clipped_ns(ops.ts_ns, ops.dur_ns, window_ns), _device_ns_of_ops(linked, outermost, window_ns)
    calls = within(ops.ts_ns, window_ns)
    some = calls | (host_ns > 0) | (device_ns > 0)
    rows = np.flatnonzero((outermost == np.arange(len(outermost))) & (linked.op.node != OUTSIDE) & some)
    work = linked.op.node[rows], ops.name[rows], linked.op.backward[rows], calls[rows], host_ns[rows], device_ns[rows]
    _add_work(result, linked, "operator", *work)
    node, backward, device_ns = kernels_by_node(linked, window_ns)
    calls = within(kernels.ts_ns, window_ns)
    rows = np.flatnonzero((node != OUTSIDE) & (calls | (device_ns > 0)))
    none = np.zeros(len(rows), np.int64)
    _add_work(result, linked, "kernel", node[rows], kernels.name[rows], backward[rows], calls[rows], none, device_ns[rows])
    return result


def _add_work(
    result: dict[int, _Work],
    linked: LinkedTrace,
    kind: str,
    node: Ints,
    name: Ints,
    backward: Bools,
    calls: Bools,
    host_ns: Ints,
    device_ns: NDArray[Any],
) -> None:
    """Sum up by node, name and direction."""
    keys, place = np.unique((node * len(linked.trace.names) + name) * 2 + backward, return_inverse=True)
    called = np.bincount(place[calls], minlength=len(keys))
    host = np.bincount(place, weights=host_ns, minlength=len(keys))
    device = np.bincount(place, weights=device_ns, minlength=len(keys))
    for key, *sums in zip(keys.tolist(), called.tolist(), host.tolist(), device.tolist(), strict=True):
        of_node, of_name = divmod(key // 2, len(linked.trace.names))
        result[of_node][(linked.trace.names[of_name], kind, bool(key % 2))] = _Sum(*sums)


def outermost_ops(linked: LinkedTrace) -> Ints:
    """For each op, the outermost operator around it (or itself) with the same node and direction; -1 for what is no operator. A
    backward op's wrapper does not count, so the outermost of backward work is the backward op itself."""
    parent, node, backward, is_work = linked.ops_nested.parent, linked.op.node, linked.op.backward, linked.work_op
    safe = np.maximum(parent, 0)
    joins = (parent >= 0) & is_work & is_work[safe] & (node[safe] == node) & (backward[safe] == backward)
    top = np.where(joins, parent, np.arange(len(parent)))
    while not np.array_equal(further := top[top], top):
        top = further
    return np.where(is_work, top, -1)


def _device_ns_of_ops(linked: LinkedTrace, outermost: Ints, window_ns: Window) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Device time of the kernels launched within each outermost operator."""
    total = np.zeros(len(outermost))
    if len(outermost):
        launch, launches = linked.launch_of_kernel, linked.trace.launches
        op = linked.op_of_kernel.copy()
        launched = launch >= 0
        op[launched] = linked.ops_nested.enclosing(launches.thread[launch[launched]], launches.ts_ns[launch[launched]])
        inside = op >= 0
        top = outermost[op[inside]]
        valid = top >= 0
        np.add.at(total, top[valid], kernel_ns(linked, window_ns)[inside][valid])
    return total


def _merged(parts: list[_Work]) -> list[WorkItem]:
    sums: dict[tuple[str, str, bool], _Sum] = defaultdict(_Sum)
    for part in parts:
        for key, item in part.items():
            total = sums[key]
            total.calls += item.calls
            total.host_ns += item.host_ns
            total.device_ns += item.device_ns
    ranked = sorted(sums.items(), key=lambda entry: (-entry[1].device_ns, -entry[1].host_ns, entry[0]))
    items: list[WorkItem] = []
    for kind in ("operator", "kernel"):
        mine = [entry for entry in ranked if entry[0][1] == kind][:WORK_AT_MOST]
        items += [
            WorkItem(
                name=name,
                kind="operator" if kind == "operator" else "kernel",
                backward=backward,
                calls=total.calls,
                host_us=total.host_ns / 1000,
                device_us=total.device_ns / 1000,
            )
            for (name, _, backward), total in mine
        ]
    return items


def _stacks(linked: LinkedTrace, costs: NodeCosts, nodes: list[int]) -> list[LineStack]:
    tree = linked.tree

    def own(node: int) -> float:
        return float(costs.device[node] + costs.device_backward[node])

    ranked = sorted(nodes, key=lambda node: (-own(node), -float(costs.host[node])))[:STACKS_AT_MOST]
    return [
        LineStack(
            frames=[frame_of(linked, above) for above in reversed([*tree.path(node)])],
            calls=int(costs.arrivals[node]),
            cpu_self_us=float(costs.host[node]) / 1000,
            cpu_backward_us=float(costs.host_backward[node]) / 1000,
            gpu_us=float(costs.device[node]) / 1000,
            gpu_backward_us=float(costs.device_backward[node]) / 1000,
        )
        for node in ranked
    ]


def frame_of(linked: LinkedTrace, node: int) -> StackFrame:
    """A node of the call tree as a place in the source."""
    tree = linked.tree
    place = tree.places[tree.place[node]]
    return StackFrame(
        file=place.file,
        line=tree.line[node],
        function=place.function,
        precision=PRECISIONS[tree.precision[node]],  # type: ignore[arg-type]
    )
