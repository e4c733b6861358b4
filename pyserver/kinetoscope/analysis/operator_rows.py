"""Which ranges of a trace are operators.

Rule: all that torch ran on the host, the wrappers of its autograd engine too, but no annotations (`record_function`, steps, data loading,
optimizers), which torch up to 1.11 wrote as operators, and not our own markers.
"""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np

from kinetoscope.analysis.ranges import Ranges, ranges_of
from kinetoscope.analysis.steps import STEP_MARK
from kinetoscope.linking.clock import MARKER
from kinetoscope.linking.linked import LinkedTrace
from kinetoscope.linking.nesting import nest
from kinetoscope.trace.columns import Bools, Ints, Trace

_NO_OPERATOR = re.compile(
    rf"{MARKER}|{STEP_MARK}|Optimizer\.|enumerate\(Data(Loader|Pipe)\)#|(Distributed)?DataParallel\.forward$|\[pl\]\["
)

_ROUNDS = 64


def operator_rows(trace: Trace) -> Ints:
    """The rows of `trace.ops` that are operators."""
    others = [index for index, name in enumerate(trace.names) if _NO_OPERATOR.match(name)]
    return np.flatnonzero(~trace.ops.annotation & ~np.isin(trace.ops.name, others))


@lru_cache(maxsize=1)
def operators_of(linked: LinkedTrace) -> Ranges:
    """The operators, nested among themselves. `rows` are those of `trace.ops`. Kept for the next view of the same trace."""
    return ranges_of(linked.trace.ops, operator_rows(linked.trace), linked.trace.end_ns)


def calls_of(name: Ints, parent: Ints) -> Ints:
    """For each operator the one that stands for its call: itself, or the one of the same name around it that holds nothing else. Those two
    are one call, written twice."""
    call = np.arange(len(parent))
    inner = np.flatnonzero(parent >= 0)
    above = parent[inner]
    children = np.bincount(above, minlength=len(call))
    same = (children[above] == 1) & (name[above] == name[inner])
    call[inner[same]] = above[same]
    while (call[call] != call).any():
        call = call[call]
    return call


def outermost_of_name(linked: LinkedTrace, operators: Ranges) -> Bools:
    """Which operators lie in none of the same name, so that inclusive sums by name take nothing twice."""
    ops, rows, nested = linked.trace.ops, operators.rows, operators.nested
    name, start, result = ops.name[rows], nested.ts_ns, np.ones(len(rows), bool)
    left = above = np.arange(len(rows))
    # All look outwards at once: operators lie a few deep. What is deeper is told by nesting those of each name.
    for _ in range(_ROUNDS):
        above = nested.parent[above]
        left, above = left[above >= 0], above[above >= 0]
        if not len(left):
            return result
        same = (name[above] == name[left]) & (nested.end_ns[above] > start[left])
        result[left[same]] = False
        left, above = left[~same], above[~same]
    left = np.flatnonzero(np.isin(name, name[left]))
    key = name[left] * (len(linked.trace.threads) + 1) + ops.thread[rows[left]]
    order = left[np.argsort(key, kind="stable")]
    of_name = nest(np.sort(key, kind="stable"), start[order], ops.dur_ns[rows[order]], linked.trace.end_ns)
    result[order] = of_name.parent < 0
    return result
