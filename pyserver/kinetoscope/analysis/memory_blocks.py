"""Blocks of memory: which release belongs to which allocation, and what a block was for.

Rules of the category, first that holds; what they do not tell is `unknown`:
1. Allocated in an operator with a backward operator (or in one within it): `activation` if alive when that backward operator began,
also where checkpointing runs the operator again; else as below.
2. Allocated in backward: `gradient` if alive after the last operator of that backward pass, `temporary` if released before.
3. Allocated in an optimizer's step: `temporary` if released before its end, `optimizer state` if never.
4. Allocated while torch constructs a module or moves one to a device: `parameter` (or buffer), if alive after that.
5. Released before the outermost operator or module call that allocated it ended: `temporary`. So are all results between layers where
nothing is kept for backward.
A block that was not released can be told only if operators go on after the moment in question: the recording may end before.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from kinetoscope.analysis.memory_by_node import DeviceMemory
from kinetoscope.analysis.ranges import Ranges, least_above, ranges_of
from kinetoscope.linking.linked import LinkedTrace
from kinetoscope.trace.columns import Bools, Ints

CATEGORIES = ("unknown", "parameter", "gradient", "optimizer state", "activation", "temporary")
UNKNOWN, PARAMETER, GRADIENT, OPTIMIZER_STATE, ACTIVATION, TEMPORARY = range(6)
NEVER: int = np.iinfo(np.int64).max

_CONSTRUCTS = re.compile(r"(^|[/\\])torch[/\\]nn[/\\]modules[/\\][^(]*\(\d+\): (__init__|reset_parameters|_apply)$")


@dataclass(frozen=True)
class Blocks:
    """One device's blocks: indices into its events (`DeviceMemory.rows`), -1 where there is none; those with an allocation come first."""

    allocated: Ints
    released: Ints


def blocks_of(linked: LinkedTrace, of_device: DeviceMemory) -> Blocks:
    """A release belongs to the last allocation at its address, if nothing lies between. Without addresses nothing is paired."""
    sizes = of_device.sizes
    released = np.full(len(sizes), -1, np.int64)
    if of_device.addressed:
        address = linked.trace.memory.address[of_device.rows]
        order = np.argsort(address, kind="stable")
        before, after = order[:-1], order[1:]
        pair = (address[before] == address[after]) & (sizes[before] > 0) & (sizes[after] < 0)
        released[before[pair]] = after[pair]
    allocations = np.flatnonzero(sizes > 0)
    alone = sizes < 0
    alone[released[released >= 0]] = False
    alone_at = np.flatnonzero(alone)
    return Blocks(np.concatenate([allocations, np.full(len(alone_at), -1, np.int64)]), np.concatenate([released[allocations], alone_at]))


class Categories:
    """What blocks of one trace were for."""

    def __init__(self, linked: LinkedTrace, operators: Ranges, calls: Ranges) -> None:
        """`calls` are those of modules."""
        self._linked = linked
        self._operators = operators
        self._calls = calls
        self._needed_ns = self._first_need()
        self._pass_end_ns = self._ends_of_passes()
        self._steps = _named(linked, "Optimizer.step")
        self._constructors = _constructors(linked)
        self._last_op_ns = int(linked.trace.ops.ts_ns.max(initial=0))

    def of(self, rows: Ints, released_ns: Ints) -> Ints:
        """The category of the blocks that these rows of `trace.memory` allocated; `released_ns` is `NEVER` for those that were not."""
        linked, memory = self._linked, self._linked.trace.memory
        thread, ts_ns = memory.thread[rows], memory.ts_ns[rows]
        root, again = linked.memory.root[rows], linked.memory.recomputed[rows]
        operator, call = self._operators.nested.enclosing(thread, ts_ns), self._calls.nested.enclosing(thread, ts_ns)
        result = np.full(len(rows), UNKNOWN, np.int64)
        for around, index in ((self._operators, operator), (self._calls, call)):
            result[(index >= 0) & (released_ns <= _end(_ends_of_outermost(around), index)) & (released_ns < NEVER)] = TEMPORARY

        constructor = self._constructors.nested.enclosing(thread, ts_ns)
        result[self._outlives(constructor >= 0, _end(self._constructors.end_ns, constructor), released_ns)] = PARAMETER

        step = self._steps.nested.enclosing(thread, ts_ns)
        step_end = _end(self._steps.end_ns, step)
        result[step >= 0] = UNKNOWN
        result[(step >= 0) & (released_ns <= step_end)] = TEMPORARY
        result[self._outlives((step >= 0) & (released_ns == NEVER), step_end, released_ns)] = OPTIMIZER_STATE

        backward = (root >= 0) & ~again
        pass_end = _end(self._pass_end_ns, root)
        result[backward] = UNKNOWN
        result[backward & (released_ns <= pass_end)] = TEMPORARY
        result[self._outlives(backward, pass_end, released_ns)] = GRADIENT

        needed = _end(self._needed_ns, operator)
        result[(operator >= 0) & (needed > ts_ns) & (needed < NEVER) & (released_ns > needed)] = ACTIVATION
        return result

    def in_step(self, thread: Ints, ts_ns: Ints) -> Bools:
        """Which moments lie in an optimizer's step."""
        return self._steps.nested.enclosing(thread, ts_ns) >= 0

    def has_backward(self, operator: Ints) -> Bools:
        """Which operators (-1 for none) have a backward operator, they or one around them."""
        return (operator >= 0) & (_end(self._needed_ns, operator) < NEVER)

    def _outlives(self, which: Bools, end_ns: Ints, released_ns: Ints) -> Bools:
        """Those alive after a moment, as far as the recording can tell."""
        return which & (released_ns > end_ns) & ((released_ns < NEVER) | (end_ns < self._last_op_ns))

    def _first_need(self) -> Ints:
        """For each operator when the first backward operator of it, or of one around it, began; `NEVER` where there is none."""
        links, trace = self._linked.links, self._linked.trace
        by_row = np.full(len(trace.ops.ts_ns), NEVER, np.int64)
        known = links.forward_op >= 0
        np.minimum.at(by_row, links.forward_op[known], links.nested.ts_ns[known])
        return least_above(self._operators.nested.parent, by_row[self._operators.rows])

    def _ends_of_passes(self) -> Ints:
        """For each backward operator when its pass ended. A pass is the backward operators between two numbered forward operators that
        are not within any."""
        links, ops = self._linked.links, self._linked.trace.ops
        forward = np.flatnonzero((ops.sequence >= 0) & (ops.forward_thread <= 0) & self._linked.work_op)
        forward = forward[links.nested.enclosing(ops.thread[forward], ops.ts_ns[forward]) < 0]
        number = np.searchsorted(np.sort(ops.ts_ns[forward]), links.nested.ts_ns)
        end_ns = np.zeros(len(forward) + 1, np.int64)
        np.maximum.at(end_ns, number, links.nested.end_ns)
        return end_ns[number]


def _end(end_ns: Ints, index: Ints) -> Ints:
    """`end_ns[index]`, and `NEVER` where the index is -1."""
    result = np.full(len(index), NEVER, np.int64)
    result[index >= 0] = end_ns[index[index >= 0]]
    return result


def _ends_of_outermost(ranges: Ranges) -> Ints:
    """When the outermost range around each, or itself, ended."""
    parent = ranges.nested.parent
    top = np.where(parent >= 0, parent, np.arange(len(parent)))
    while not np.array_equal(further := top[top], top):
        top = further
    return ranges.end_ns[top]


def _named(linked: LinkedTrace, prefix: str) -> Ranges:
    ops = linked.trace.ops
    numbers = [index for index, name in enumerate(linked.trace.names) if name.startswith(prefix)]
    return ranges_of(ops, np.flatnonzero(np.isin(ops.name, numbers)), linked.trace.end_ns)


def _constructors(linked: LinkedTrace) -> Ranges:
    frames = linked.trace.frames
    numbers = [index for index, name in enumerate(linked.trace.names) if _CONSTRUCTS.search(name)]
    return ranges_of(frames, np.flatnonzero(np.isin(frames.name, numbers)), linked.trace.end_ns)
