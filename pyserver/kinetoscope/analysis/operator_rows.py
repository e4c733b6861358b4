"""Which ranges of a trace are operators, and which operator a moment belongs to.

Rule: `cpu_op` ranges without the marks that torch sets around a program's phases (steps, the data loader, optimizers, DataParallel and
DDP), which traces of torch 1.8 to 1.11 write as operators too.
"""

from __future__ import annotations

import numpy as np

from kinetoscope.analysis.ranges import Ranges, ranges_of
from kinetoscope.linking.linked import LinkedTrace
from kinetoscope.linking.nesting import nest
from kinetoscope.trace.columns import Bools

_MARKS = ("ProfilerStep#", "Optimizer.", "enumerate(", "DataParallel.forward", "DistributedDataParallel.forward", "[pl][")


def operators_of(linked: LinkedTrace) -> Ranges:
    """The operators, nested among themselves. `rows` are those of `trace.ops`."""
    marks = [index for index, name in enumerate(linked.trace.names) if name.startswith(_MARKS)]
    rows = np.flatnonzero(linked.work_op & ~np.isin(linked.trace.ops.name, marks))
    return ranges_of(linked.trace.ops, rows, linked.trace.end_ns)


def outermost_of_name(linked: LinkedTrace, operators: Ranges) -> Bools:
    """Which operators lie in none of the same name, so that inclusive sums by name take nothing twice."""
    ops, rows, parent = linked.trace.ops, operators.rows, operators.nested.parent
    # Only where operators of a name have others in them can one lie in another of its name.
    calling = np.zeros(len(linked.trace.names), bool)
    calling[ops.name[rows[parent[parent >= 0]]]] = True
    result = ~calling[ops.name[rows]]
    left = np.flatnonzero(~result)
    key = ops.name[rows[left]] * (len(linked.trace.threads) + 1) + ops.thread[rows[left]]
    order = left[np.argsort(key, kind="stable")]
    nested = nest(np.sort(key, kind="stable"), ops.ts_ns[rows[order]], ops.dur_ns[rows[order]], linked.trace.end_ns)
    result[order] = nested.parent < 0
    return result
