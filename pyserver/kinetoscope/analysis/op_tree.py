"""Operators inside operators, with the host time that each spent itself and the device time that it started.

Operators are all that torch ran on the host, the wrappers of its autograd engine too, but no annotations (`record_function`, steps, data
loading, optimizers): what happens in an annotation belongs to the operator around it. A kernel belongs to the innermost operator on the
launching thread at its launch. Self host time is an operator's duration less its children's, and less that of the runtime calls which
it made itself.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kinetoscope.linking.clock import MARKER
from kinetoscope.linking.linked import LinkedTrace
from kinetoscope.linking.nesting import nest
from kinetoscope.trace.columns import Ints

_NO_OPERATOR = re.compile(rf"{MARKER}|ProfilerStep#|Optimizer\.|enumerate\(Data(Loader|Pipe)\)#|(Distributed)?DataParallel\.forward$")
"""Ranges that torch up to 1.11 wrote as operators, and our own."""


@dataclass(frozen=True)
class OpTree:
    """One entry an operator, sorted by thread and start; times in nanoseconds."""

    row: Ints
    """Of `Trace.ops`."""
    parent: Ints
    """Index into this tree, -1 for none."""
    host_total: Ints
    host_self: Ints
    device_self: Ints
    """Σ time of its own kernels, copies and fills; work at the same moment adds up."""
    op_of_kernel: Ints
    """For each of `Trace.kernels` the index of its operator in this tree, -1 where none is known."""

    def with_inside(self, own: Ints) -> Ints:
        """A number of each operator, plus those of the operators inside it."""
        total = own.copy()
        for rows in self._inner_first:
            np.add.at(total, self.parent[rows], total[rows])
        return total

    @cached_property
    def _inner_first(self) -> list[Ints]:
        """The operators that lie in others, deepest first, those of the same depth together."""
        depth = (self.parent >= 0).astype(np.int64)
        above = self.parent.copy()
        while (rows := np.flatnonzero(above >= 0)).size:  # each round looks twice as far up
            depth[rows] += depth[above[rows]]
            above[rows] = above[above[rows]]
        inner = np.flatnonzero(depth)
        inner = inner[np.argsort(-depth[inner], kind="stable")]
        return np.split(inner, np.flatnonzero(np.diff(depth[inner])) + 1)


def op_tree(linked: LinkedTrace) -> OpTree:
    """The operators of a linked trace."""
    trace, nested = linked.trace, linked.ops_nested
    launches, kernels = trace.launches, trace.kernels
    others = [index for index, name in enumerate(trace.names) if _NO_OPERATOR.match(name)]
    real = ~trace.ops.annotation & ~np.isin(trace.ops.name, others)
    row = np.flatnonzero(real)
    index = np.cumsum(real) - 1

    def operator_at(above: Ints, ts_ns: Ints) -> Ints:
        """The first range from `above` outwards that is an operator and still open, as an index into the tree."""
        if not len(real):
            return above
        while (wrong := np.flatnonzero((above >= 0) & (~real[above] | (nested.end_ns[above] <= ts_ns)))).size:
            above[wrong] = nested.parent[above[wrong]]
        return np.where(above >= 0, index[above], -1)

    ts, end = nested.ts_ns[row], nested.end_ns[row]
    parent = operator_at(nested.parent[row], ts)
    caller = operator_at(nested.enclosing(launches.thread, launches.ts_ns), launches.ts_ns)
    op_of_kernel = np.full(len(kernels.ts_ns), -1, np.int64)
    launched, tied = linked.launch_of_kernel >= 0, linked.op_of_kernel >= 0
    op_of_kernel[launched] = caller[linked.launch_of_kernel[launched]]
    op_of_kernel[tied] = operator_at(linked.op_of_kernel[tied], trace.ops.ts_ns[linked.op_of_kernel[tied]])
    device_self = np.zeros(len(row), np.int64)
    known = op_of_kernel >= 0
    np.add.at(device_self, op_of_kernel[known], np.maximum(kernels.dur_ns[known], 0))
    return OpTree(
        row=row,
        parent=parent,
        host_total=end - ts,
        host_self=_host_self(linked, row, parent, caller),
        device_self=device_self,
        op_of_kernel=op_of_kernel,
    )


def _host_self(linked: LinkedTrace, row: Ints, parent: Ints, caller: Ints) -> Ints:
    """An operator's duration less what operators and runtime calls take of it, each moment once: a call may be made within another, and
    rarely holds operators. What reaches over an operator's end takes none of it there."""
    launches, nested = linked.trace.launches, linked.ops_nested
    ts, end = nested.ts_ns[row], nested.end_ns[row]
    own = end - ts
    inner = np.flatnonzero(parent >= 0)
    np.subtract.at(own, parent[inner], np.minimum(end[inner], end[parent[inner]]) - ts[inner])
    if not len(caller):
        return own
    # A call whose end is not known takes no time: it would hold all that comes after it.
    calls = nest(launches.thread, launches.ts_ns, np.maximum(launches.dur_ns, 0), linked.trace.end_ns)
    made = np.flatnonzero((caller >= 0) & (calls.parent < 0))
    np.subtract.at(own, caller[made], np.minimum(calls.end_ns[made], end[caller[made]]) - calls.ts_ns[made])
    holder = calls.enclosing(nested.thread[row[inner]], ts[inner])
    while (rows := np.flatnonzero((holder >= 0) & (calls.parent[holder] >= 0))).size:
        holder[rows] = calls.parent[holder[rows]]
    twice = (holder >= 0) & (caller[holder] == parent[inner])
    held, call = inner[twice], holder[twice]
    both = np.minimum(np.minimum(end[held], calls.end_ns[call]), end[parent[held]])
    np.add.at(own, parent[held], np.maximum(both - ts[held], 0))
    return own
