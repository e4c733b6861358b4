"""Weighted call trees for flame graphs: device time, host time or allocated bytes by call stack.

Stacks are of the user's lines, of all recorded Python frames, of modules or of operators. Device time and memory of backward work stand
below the forward stack that they belong to, as a last frame `[backward]`; stacks of operators are as they ran. What belongs to no
stack has the frame `[not known]`, so the weights add up to all there is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from msgspec import Struct

from kinetoscope.analysis.modules import backward_ns, module_calls, module_name, module_tree
from kinetoscope.analysis.node_costs import host_time
from kinetoscope.analysis.operator_rows import operators_of
from kinetoscope.analysis.ranges import (
    PathTree,
    Places,
    Ranges,
    Window,
    kernel_moments,
    kernel_ns,
    path_tree,
    preorder,
    ranges_of,
    with_below,
    within,
)
from kinetoscope.analysis.tables import Precision
from kinetoscope.linking.call_tree import OUTSIDE, PRECISIONS
from kinetoscope.linking.linked import LinkedTrace
from kinetoscope.linking.places import FileNames, parse_frame
from kinetoscope.trace.columns import Bools, Ints

By = Literal["line", "python", "module", "operator"]
"""`line`: the user's lines; `python`: all recorded Python frames, or the user's lines where there are none; `module`: instances of
`nn.Module`; `operator`: operators."""
Metric = Literal["gpu", "cpu", "memory"]
"""Device time, host time, bytes allocated (on all devices together)."""

BACKWARD = "[backward]"
NOT_KNOWN = "[not known]"


class StackNode(Struct, frozen=True, kw_only=True):
    """One frame below one caller. Weights are in the tree's unit."""

    name: str
    parent: int
    """Index of the caller, -1 for none. Nodes stand below their parents, dearest first."""
    depth: int
    weight_self: int
    weight_total: int
    file: str
    """Of frames of Python; else empty."""
    line: int
    precision: Precision | None
    """Of the line: `function` where it is that of the function's `def`; None where there is no line."""


class StackTree(Struct, frozen=True, kw_only=True):
    """Only frames with a weight, own or below."""

    by: By
    metric: Metric
    unit: Literal["ns", "bytes"]
    total: int
    """The sum of all `weight_self`."""
    nodes: list[StackNode]


_Frame: TypeAlias = tuple[str, str, int, Precision | None]
"""`(name, file, line, precision)`"""


@dataclass(frozen=True)
class _Stacks:
    """A tree of stacks, and what belongs to which of its nodes: index of the node (-1 for none), backward, weight."""

    parent: Ints
    frame_of: Callable[[int], _Frame]
    """What each node is."""
    node: Ints
    backward: Bools
    weight: Ints


def stacks(linked: LinkedTrace, window_ns: Window = None, by: By = "python", metric: Metric | None = None) -> StackTree:
    """The tree. Times are clipped to the window, allocations count where they happen in it. Without a `metric`: device time where
    there is device work, else host time."""
    metric = metric or ("gpu" if len(linked.trace.kernels.ts_ns) else "cpu")
    if by == "line" or (by == "python" and not len(linked.trace.frames.ts_ns)):
        found = _of_lines(linked, window_ns, metric)
    else:
        found = _of_ranges(linked, window_ns, by, metric)
    return StackTree(by=by, metric=metric, unit="bytes" if metric == "memory" else "ns", total=int(found.weight.sum()), nodes=_nodes(found))


def folded(tree: StackTree) -> Iterator[str]:
    """The tree as folded stacks, line by line: `outer;inner weight`. The format of flamegraph.pl, speedscope and their like; a `;` or line
    break in a name becomes a `:` or space."""
    path: list[str] = []
    for node in tree.nodes:
        path[node.depth :] = [" ".join(node.name.replace(";", ":").split())]
        if node.weight_self:
            yield f"{';'.join(path)} {node.weight_self}\n"


def _nodes(found: _Stacks) -> list[StackNode]:
    count = len(found.parent)
    # Three nodes are made for each: itself, its [backward]; and one for what is not known.
    parent = np.concatenate([found.parent, np.arange(count), [-1]])
    own = np.zeros(2 * count + 1, np.int64)
    np.add.at(own, np.where(found.node < 0, 2 * count, found.node + count * found.backward), found.weight)
    total = with_below(parent, own)
    order, depth = preorder(parent, total)
    kept = [node for node in order if total[node]]
    index = {node: position for position, node in enumerate(kept)}

    def frame(node: int) -> _Frame:
        return found.frame_of(node) if node < count else (BACKWARD if node < 2 * count else NOT_KNOWN, "", 0, None)

    return [
        StackNode(
            name=name,
            parent=index.get(int(parent[node]), -1),
            depth=depth[node],
            weight_self=int(own[node]),
            weight_total=int(total[node]),
            file=file,
            line=line,
            precision=precision,
        )
        for node, (name, file, line, precision) in ((node, frame(node)) for node in kept)
    ]


def _of_lines(linked: LinkedTrace, window_ns: Window, metric: Metric) -> _Stacks:
    tree, memory = linked.tree, linked.trace.memory
    if metric == "gpu":
        node, backward, weight = linked.kernel.node, linked.kernel.backward, kernel_ns(linked, window_ns)
    elif metric == "cpu":
        node = np.arange(len(tree))
        backward, weight = np.zeros(len(tree), bool), host_time(linked, window_ns).astype(np.int64)
    else:
        which = (memory.bytes > 0) & within(memory.ts_ns, window_ns)
        node, backward, weight = linked.memory.node[which], linked.memory.backward[which], memory.bytes[which]

    def frame_of(number: int) -> _Frame:
        place, line = tree.places[tree.place[number + 1]], tree.line[number + 1]
        precision: Precision = PRECISIONS[tree.precision[number + 1]]  # type: ignore[assignment]
        return f"{place.function} ({place.file}:{line})", place.file, line, precision

    # Node 0 of the call tree is what lies outside of it.
    parent = np.array(tree.parent[1:], np.int64) - 1
    return _Stacks(parent, frame_of, np.where(node == OUTSIDE, -1, node - 1), backward, weight)


def _of_ranges(linked: LinkedTrace, window_ns: Window, by: By, metric: Metric) -> _Stacks:
    trace = linked.trace
    if by == "operator":
        ranges = operators_of(linked)
        places = None
        tree = path_tree(ranges.nested.parent, trace.ops.name[ranges.rows])
        names = _names_alone(linked, tree.label)
    else:
        ranges = module_calls(linked) if by == "module" else ranges_of(trace.frames, np.arange(len(trace.frames.ts_ns)), trace.end_ns)
        places = Places(linked, ranges.nested)
        if by == "module":
            tree = module_tree(linked, ranges, places)
            names = _names_of_modules(linked, ranges, tree)
        else:
            tree = path_tree(ranges.nested.parent, trace.frames.name[ranges.rows])
            names = _names_of_frames(linked, tree.label)
    index, backward, weight = _weights(linked, window_ns, ranges, places, metric, by)
    return _Stacks(tree.parent, names, np.where(index < 0, -1, tree.node[index]) if len(tree.node) else index, backward, weight)


def _weights(
    linked: LinkedTrace, window_ns: Window, ranges: Ranges, places: Places | None, metric: Metric, by: By
) -> tuple[Ints, Bools, Ints]:
    """`(index of the range, backward, weight)` of what there is. Modules' host time has that of their backward operators too."""
    if metric == "cpu":
        own, _ = ranges.self_and_total_ns(window_ns)
        index, backward = np.arange(len(own)), np.zeros(len(own), bool)
        if by != "module" or places is None:
            return index, backward, own
        known = places.of_root >= 0
        more, more_ns = places.of_root[known], backward_ns(linked, ranges, window_ns)[known]
        return np.concatenate([index, more]), np.concatenate([backward, np.ones(len(more), bool)]), np.concatenate([own, more_ns])
    if metric == "gpu":
        thread, ts_ns = kernel_moments(linked)
        weight = kernel_ns(linked, window_ns)
    else:
        memory = linked.trace.memory
        which = (memory.bytes > 0) & within(memory.ts_ns, window_ns)
        thread, ts_ns, weight = memory.thread[which], memory.ts_ns[which], memory.bytes[which]
    if places is None:
        return ranges.nested.enclosing(thread, ts_ns), np.zeros(len(ts_ns), bool), weight
    placed = places.at(thread, ts_ns)
    return placed.index, placed.backward, weight


def _names_alone(linked: LinkedTrace, label: Ints) -> Callable[[int], _Frame]:
    return lambda node: (linked.trace.names[int(label[node])], "", 0, None)


def _names_of_modules(linked: LinkedTrace, calls: Ranges, tree: PathTree) -> Callable[[int], _Frame]:
    frames = linked.trace.frames

    def frame_of(node: int) -> _Frame:
        row = int(calls.rows[tree.label[node]])
        return module_name(linked.trace.names[int(frames.name[row])], int(frames.module_id[row])), "", 0, None

    return frame_of


def _names_of_frames(linked: LinkedTrace, label: Ints) -> Callable[[int], _Frame]:
    files = FileNames(linked.trace.recording)

    def frame_of(node: int) -> _Frame:
        name = linked.trace.names[int(label[node])]
        parsed = parse_frame(name)
        return (name, files.resolve(parsed.path), parsed.line, "function") if parsed else (name, "", 0, None)

    return frame_of
