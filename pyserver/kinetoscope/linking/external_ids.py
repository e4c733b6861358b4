"""Kernel → operator, for kernels whose launch was not recorded.

Rule: device work carries the `External id` of the operator that was open when it was launched. In traces with whole microseconds of
the years between torch 1.11 and 2.1 the same field only repeats the `correlation`, so the ids are believed only if the trace bears
them out: each kernel whose launch *is* recorded must have been launched within the operator that its id names. Where no launch was
recorded at all, fewer than half may equal their correlation: a few do by chance, in traces that repeat it all do. And an operator
answers for a kernel only if it is the only one with its id, starts before the kernel, and its thread stays at one place of the user's
code from its start to its end.
"""

from __future__ import annotations

import numpy as np

from kinetoscope.linking.call_tree import Timelines
from kinetoscope.trace.columns import Bools, Ints, Trace

_ROUNDING_NS = 1000
"""Times are rounded, to a microsecond in older traces."""


def op_of_kernel(trace: Trace, launch_of_kernel: Ints, timelines: Timelines) -> Ints:
    """Row of `trace.ops` for each kernel without a launch, -1 where the launch was recorded or the operator is not known."""
    none = np.full(len(launch_of_kernel), -1, np.int64)
    lacking = (launch_of_kernel < 0) & (trace.kernels.external_id > 0)
    if not lacking.any() or not len(trace.ops.ts_ns):
        return none
    named = _ops_by_id(trace)
    if not _are_operators(trace, named, launch_of_kernel):
        return none
    ops, kernels = trace.ops, trace.kernels
    op = np.where(lacking, named, -1)
    safe = np.maximum(op, 0)
    steady = timelines.steady(ops.thread[safe], ops.ts_ns[safe], ops.ts_ns[safe] + np.maximum(ops.dur_ns[safe], 0))
    return np.where((op >= 0) & (ops.dur_ns[safe] >= 0) & steady & (ops.ts_ns[safe] <= kernels.ts_ns), op, -1)


def _ops_by_id(trace: Trace) -> Ints:
    """For each kernel the only op with its External id; -1 where there is none or several."""
    wanted = trace.kernels.external_id
    rows = np.flatnonzero(trace.ops.external_id > 0)
    if not len(rows):
        return np.full(len(wanted), -1, np.int64)
    order = rows[np.argsort(trace.ops.external_id[rows], kind="stable")]
    ids = trace.ops.external_id[order]
    low, high = np.searchsorted(ids, wanted, side="left"), np.searchsorted(ids, wanted, side="right")
    return np.where(high - low == 1, order[np.minimum(low, len(order) - 1)], -1)


def _are_operators(trace: Trace, named: Ints, launch_of_kernel: Ints) -> bool:
    """Whether the trace's External ids name operators."""
    kernels = trace.kernels
    told: Bools = kernels.external_id > 0
    proofs = told & (launch_of_kernel >= 0)
    if not proofs.any():
        return float(np.mean(kernels.external_id[told] == kernels.correlation[told])) < 0.5
    ops, launches = trace.ops, trace.launches
    op, launch = named[proofs], launch_of_kernel[proofs]
    if (op < 0).any():
        return False
    end_ns = ops.ts_ns[op] + np.where(ops.dur_ns[op] < 0, trace.end_ns, ops.dur_ns[op])
    at = launches.ts_ns[launch]
    within = (ops.ts_ns[op] - _ROUNDING_NS <= at) & (at <= end_ns + _ROUNDING_NS)
    return bool((within & (ops.thread[op] == launches.thread[launch])).all())
