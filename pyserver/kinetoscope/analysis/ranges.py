"""Ranges inside ranges, as trees: what a range took itself, which paths there are, and on which path a moment lies.

The views of modules, stacks and memory all ask this of different ranges: `nn.Module` calls, Python frames, operators.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from kinetoscope.linking.linked import LinkedTrace
from kinetoscope.linking.nesting import Nested, nest
from kinetoscope.trace.columns import Bools, Frames, Ints, Ops

Window: TypeAlias = "tuple[int, int] | None"
"""`(start_ns, end_ns)` in trace time; None for the whole recording."""


@dataclass(frozen=True)
class Ranges:
    """Some rows of a table of ranges. Ends are cut to those of the ranges around, so that what rounding lets cross adds up again; what
    begins after the end of what it crosses is left without a length."""

    rows: Ints
    nested: Nested
    end_ns: Ints

    def self_and_total_ns(self, window_ns: Window) -> tuple[Ints, Ints]:
        """Nanoseconds within the window of each range, without and with the ranges inside. Never negative."""
        start, end = window_ns or (_EARLIEST, _LATEST)
        total = np.clip(self.end_ns, start, end) - np.clip(self.nested.ts_ns, start, end)
        own = total.copy()
        inner = self.nested.parent >= 0
        np.subtract.at(own, self.nested.parent[inner], total[inner])
        return own, total


_EARLIEST, _LATEST = np.iinfo(np.int64).min, np.iinfo(np.int64).max


def ranges_of(table: Ops | Frames, rows: Ints, open_until_ns: int) -> Ranges:
    """The ranges of these rows, which must be ascending; one without a duration lasts until `open_until_ns`."""
    return cut(rows, nest(table.thread[rows], table.ts_ns[rows], table.dur_ns[rows], open_until_ns))


def cut(rows: Ints, nested: Nested) -> Ranges:
    """Nested ranges with their ends cut."""
    return Ranges(rows, nested, np.maximum(least_above(nested.parent, nested.end_ns), nested.ts_ns))


def least_above(parent: Ints, values: Ints) -> Ints:
    """For each node the least of its value and those of all nodes above it."""
    least, above = values.copy(), parent
    while (inner := np.flatnonzero(above >= 0)).size:
        least[inner] = np.minimum(least[inner], least[above[inner]])
        above = _twice(above, inner)
    return least


def depths(parent: Ints) -> Ints:
    """How many nodes are above each."""
    depth, above = (parent >= 0).astype(np.int64), parent
    while (inner := np.flatnonzero(above >= 0)).size:
        depth[inner] += depth[above[inner]]
        above = _twice(above, inner)
    return depth


def _twice(above: Ints, inner: Ints) -> Ints:
    """Who is twice as far above as in `above`; `inner` are those who have one."""
    further = above.copy()
    further[inner] = above[above[inner]]
    return further


class Below:
    """Sums over what lies below each node of a tree, for several numbers of the same nodes."""

    def __init__(self, parent: Ints) -> None:
        depth = depths(parent)
        order = np.argsort(-depth, kind="stable")
        edges = np.flatnonzero(np.diff(depth[order], prepend=-1, append=-1))
        levels = [order[low:high] for low, high in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)]
        self._steps = [(level, parent[level]) for level in levels if depth[level[0]]]

    def with_below(self, values: Ints) -> Ints:
        """Each node's value plus those of all nodes below it."""
        total = values.copy()
        for level, above in self._steps:
            np.add.at(total, above, total[level])
        return total


def with_below(parent: Ints, values: Ints) -> Ints:
    """The same for one number."""
    return Below(parent).with_below(values)


@dataclass(frozen=True)
class PathTree:
    """Ranges with the same labels on the way down to them are one node. Parents come before their children."""

    node: Ints
    """Of each range."""
    parent: Ints
    """Of each node, -1 for those at the top."""
    label: Ints
    """Of each node."""


def path_tree(parent: Ints, label: Ints) -> PathTree:
    """The tree of ranges with these parents (indices of ranges, -1 for none) and labels (any numbers from 0 on)."""
    depth = depths(parent)
    order = np.argsort(depth, kind="stable")
    edges = np.flatnonzero(np.diff(depth[order], prepend=-1, append=-1))
    node = np.full(len(parent), -1, np.int64)
    parents: list[Ints] = [np.zeros(0, np.int64)]
    labels: list[Ints] = [np.zeros(0, np.int64)]
    count, width = 0, int(label.max(initial=0)) + 1
    for low, high in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        level = order[low:high]
        above = node[parent[level]] if depth[level[0]] else np.full(len(level), -1, np.int64)
        keys, which = np.unique((above + 1) * width + label[level], return_inverse=True)
        node[level] = which + count
        parents.append(keys // width - 1)
        labels.append(keys % width)
        count += len(keys)
    return PathTree(node, np.concatenate(parents), np.concatenate(labels))


def preorder(parent: Ints, *dear: Ints) -> tuple[list[int], list[int]]:
    """`(nodes so that each stands below its parent, dearest first; depth of each node)`."""
    order = np.lexsort([*(-values for values in reversed(dear)), parent])
    children: dict[int, list[int]] = {}
    for node, above in zip(order.tolist(), parent[order].tolist(), strict=True):
        children.setdefault(above, []).append(node)
    depth = [0] * len(parent)
    result: list[int] = []
    waiting = children.get(-1, [])[::-1]
    while waiting:
        node = waiting.pop()
        result.append(node)
        for child in reversed(children.get(node, [])):
            depth[child] = depth[node] + 1
            waiting.append(child)
    return result, depth


@dataclass(frozen=True)
class Placement:
    """For each moment: the index of the range that it belongs to (-1 for none), and whether as backward work of it."""

    index: Ints
    backward: Bools


class Places:
    """Which of some ranges a moment on a thread belongs to, by the rules of `linking/attribution.py`: ranges entered since a backward
    operator began win; else a backward operator's work belongs to the range in which its forward operator ran; else the innermost
    range of the thread."""

    def __init__(self, linked: LinkedTrace, nested: Nested) -> None:
        self._roots = linked.links.nested
        self._nested = nested
        self.of_root: Ints = self._ranges_of_roots(linked)
        """The range of each backward operator's forward operator, -1 where there is none."""

    def at(self, thread: Ints, ts_ns: Ints) -> Placement:
        """The placement of each (thread of the trace, -1 for an unknown one; time)."""
        own, root, entered = self._own(thread, ts_ns)
        known = np.zeros(len(own), bool)
        backward = (root >= 0) & ~entered
        known[backward] = self.of_root[root[backward]] >= 0
        own[known] = self.of_root[root[known]]
        return Placement(own, known)

    def _own(self, thread: Ints, ts_ns: Ints) -> tuple[Ints, Ints, Bools]:
        """Innermost range, backward operator, and whether the former was entered since the latter began."""
        own, root = self._nested.enclosing(thread, ts_ns), self._roots.enclosing(thread, ts_ns)
        entered = (own >= 0) & (root >= 0)
        entered[entered] = self._nested.ts_ns[own[entered]] >= self._roots.ts_ns[root[entered]]
        return own, root, entered

    def _ranges_of_roots(self, linked: LinkedTrace) -> Ints:
        """The forward operator may itself be work of a backward operator (a second derivative), which began earlier: then that one's."""
        forward = linked.links.forward_op
        result = np.full(len(forward), -1, np.int64)
        known = np.flatnonzero(forward >= 0)
        ops = linked.trace.ops
        own, outer, entered = self._own(ops.thread[forward[known]], ops.ts_ns[forward[known]])
        result[known] = own
        source = np.arange(len(forward))
        source[known] = np.where((outer >= 0) & ~entered, outer, known)
        while not np.array_equal(further := source[source], source):
            source = further
        return np.where(result[source] >= 0, result[source], result)


def kernel_moments(linked: LinkedTrace) -> tuple[Ints, Ints]:
    """`(thread, ts_ns)` of what started each kernel: its launch, else its operator; thread -1 where neither is known."""
    launch, op = linked.launch_of_kernel, linked.op_of_kernel
    launches, ops = linked.trace.launches, linked.trace.ops
    ts_ns = np.zeros(len(launch), np.int64)
    ts_ns[launch >= 0] = launches.ts_ns[launch[launch >= 0]]
    by_op = (launch < 0) & (op >= 0)
    ts_ns[by_op] = ops.ts_ns[op[by_op]]
    return linked.kernel_thread, ts_ns


def kernel_ns(linked: LinkedTrace, window_ns: Window) -> Ints:
    """Nanoseconds that each kernel ran within the window; one without a duration counts as 0."""
    return clipped_ns(linked.trace.kernels.ts_ns, linked.trace.kernels.dur_ns, window_ns)


def clipped_ns(ts_ns: Ints, dur_ns: Ints, window_ns: Window) -> Ints:
    """Nanoseconds within the window of ranges with these starts and durations; one without a duration counts as 0."""
    if window_ns is None:
        return np.maximum(dur_ns, 0)
    return np.clip(ts_ns + np.maximum(dur_ns, 0), *window_ns) - np.clip(ts_ns, *window_ns)


def within(ts_ns: Ints, window_ns: Window) -> Bools:
    """Which moments lie in the window, its start included."""
    return np.ones(len(ts_ns), bool) if window_ns is None else (window_ns[0] <= ts_ns) & (ts_ns < window_ns[1])
