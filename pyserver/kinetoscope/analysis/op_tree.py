"""Operators inside operators, with the host time that each spent itself and the device time that it started.

Operators are all that torch ran on the host, the wrappers of its autograd engine too, but no annotations (`record_function`, steps, data
loading, optimizers): what happens in an annotation belongs to the operator around it. A kernel belongs to the innermost operator on the
launching thread at its launch. Self host time is an operator's duration less its children's, and less that of the runtime calls which
it made itself.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinetoscope.analysis.operator_rows import operator_rows
from kinetoscope.analysis.ranges import Below
from kinetoscope.linking.linked import LinkedTrace
from kinetoscope.linking.nesting import nest
from kinetoscope.trace.columns import Ints


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
    device_total: Ints
    """The same plus that of the operators inside."""
    op_of_kernel: Ints
    """For each of `Trace.kernels` the index of its operator in this tree, -1 where none is known."""
    below: Below

    def with_inside(self, own: Ints) -> Ints:
        """A number of each operator, plus those of the operators inside it."""
        return self.below.with_below(own)


def op_tree(linked: LinkedTrace) -> OpTree:
    """The operators of a linked trace."""
    trace = linked.trace
    ops, launches = trace.ops, trace.launches
    row = operator_rows(trace)
    count = len(row)
    thread = np.concatenate([ops.thread[row], launches.thread])
    start = np.concatenate([ops.ts_ns[row], launches.ts_ns])
    # A call whose end is not known takes no time: it would hold all that comes after it.
    length = np.concatenate([ops.dur_ns[row], np.maximum(launches.dur_ns, 0)])
    order = np.lexsort((-np.where(length < 0, trace.end_ns, length), start, thread))
    nested = nest(thread[order], start[order], length[order], trace.end_ns)
    end = nested.end_ns
    held = np.flatnonzero(nested.parent >= 0)
    inside = np.minimum(end[held], end[nested.parent[held]]) - nested.ts_ns[held]
    own = end - nested.ts_ns
    np.subtract.at(own, nested.parent[held], inside)
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    above = np.where(nested.parent >= 0, order[np.maximum(nested.parent, 0)], -1)[place]
    above = _operators_above(above, count)
    op_of_kernel = _op_of_kernel(linked, row, above[count:])
    device_self = np.zeros(count, np.int64)
    known = op_of_kernel >= 0
    np.add.at(device_self, op_of_kernel[known], np.maximum(trace.kernels.dur_ns[known], 0))
    below = Below(above[:count])
    return OpTree(
        row=row,
        parent=above[:count],
        host_total=(end - nested.ts_ns)[place][:count],
        host_self=own[place][:count],
        device_self=device_self,
        device_total=below.with_below(device_self),
        op_of_kernel=op_of_kernel,
        below=below,
    )


def _operators_above(above: Ints, count: int) -> Ints:
    """Entries from `count` on are runtime calls: what lies in one lies in the operator that made the call."""
    while (rows := np.flatnonzero(above >= count)).size:
        above[rows] = above[above[rows]]
    return above


def _op_of_kernel(linked: LinkedTrace, row: Ints, op_of_launch: Ints) -> Ints:
    result = np.full(len(linked.launch_of_kernel), -1, np.int64)
    launched = linked.launch_of_kernel >= 0
    result[launched] = op_of_launch[linked.launch_of_kernel[launched]]
    tied = linked.op_of_kernel >= 0
    if tied.any() and len(row):
        index = np.minimum(np.searchsorted(row, linked.op_of_kernel[tied]), len(row) - 1)
        result[tied] = np.where(row[index] == linked.op_of_kernel[tied], index, -1)
    return result
