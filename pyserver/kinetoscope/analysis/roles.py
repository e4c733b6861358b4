"""What each moment was used for: the roles of host and device events, exclusive by priority.

Roles are the TensorBoard plugin's: Kernel, Memcpy, Memset, Communication, Runtime, DataLoader, CPU Exec, and Other for what is left. A
moment counts for the first of them that anything had in it, so the parts of a step sum to the step. Python frames have no role, so that a
program's numbers are the same with stacks and without: what runs in Python alone is Other.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kinetoscope.analysis.intervals import Intervals, divide, union, union_of, union_of_threads
from kinetoscope.analysis.kernel_names import COMMUNICATION, KernelNames
from kinetoscope.analysis.steps import STEP_MARK
from kinetoscope.linking.clock import MARKER
from kinetoscope.linking.linked import LinkedTrace
from kinetoscope.trace.columns import KERNEL, MEMCPY, MEMSET, Bools, Ints, Ops

ROLES = ("Kernel", "Memcpy", "Memset", "Communication", "Runtime", "DataLoader", "CPU Exec", "Other")
DEVICE_ROLES = ROLES[:3]
_BACKENDS = ("nccl:", "rccl:", "gloo:", "mpi:", "ucc:", "xccl:", "hccl:")
"""How torch begins the name of the range around a collective; what follows may be any operation, FSDP's too."""


def is_data_loading(name: str) -> bool:
    """The range in which the script waits for its next batch."""
    loader = name.startswith("enumerate(DataLoader)#") and name.endswith(".__next__")
    return loader or name.startswith("enumerate(DataPipe)#")


def is_collective(name: str) -> bool:
    """A host range around a collective operation."""
    return name.startswith(_BACKENDS)


def communicates(linked: LinkedTrace, names: KernelNames) -> Bools:
    """Which kernels communicate: by their name, or since their innermost operator or annotation is a collective's."""
    ops, kernels, launch = linked.trace.ops, linked.trace.kernels, linked.launch_of_kernel
    result = names.of_family(COMMUNICATION)[kernels.name]
    wanted = ops.name[_matching(linked, ops, is_collective)]
    if len(wanted):
        launches = linked.trace.launches
        op = linked.op_of_kernel.copy()
        known = launch >= 0
        op[known] = linked.ops_nested.enclosing(launches.thread[launch[known]], launches.ts_ns[launch[known]])
        result |= (op >= 0) & np.isin(ops.name[np.maximum(op, 0)], np.unique(wanted))
    return result & (kernels.kind == KERNEL)


def role_intervals(linked: LinkedTrace, names: KernelNames) -> dict[str, Intervals]:
    """When each role but Other was at work; they may overlap."""
    trace = linked.trace
    kernels, launches, ops = trace.kernels, trace.launches, trace.ops
    collective = communicates(linked, names)

    def work(rows: Bools) -> Intervals:
        return union(kernels.ts_ns[rows], (kernels.ts_ns + np.maximum(kernels.dur_ns, 0))[rows])

    loading, communicating = _matching(linked, ops, is_data_loading), _matching(linked, ops, is_collective)
    apart = _matching(linked, ops, lambda name: name.startswith((STEP_MARK, MARKER)))
    executing = np.flatnonzero(~np.isin(np.arange(len(ops.name)), np.concatenate([loading, communicating, apart])))
    return {
        "Kernel": work((kernels.kind == KERNEL) & ~collective),
        "Memcpy": work(kernels.kind == MEMCPY),
        "Memset": work(kernels.kind == MEMSET),
        "Communication": union_of(work(collective), _on_host(linked, ops, communicating)),
        "Runtime": union_of_threads(launches.thread, launches.ts_ns, launches.ts_ns + np.maximum(launches.dur_ns, 0)),
        "DataLoader": _on_host(linked, ops, loading),
        "CPU Exec": _on_host(linked, ops, executing),
    }


def exclusive(roles: dict[str, Intervals], start_ns: Ints, end_ns: Ints) -> dict[str, Ints]:
    """Nanoseconds of each role in each interval, all of `ROLES`: they sum to the interval's length."""
    free = union(start_ns, end_ns)
    shares: dict[str, Ints] = {}
    for role, busy in roles.items():
        taken, free = divide(free, busy)
        shares[role] = taken.within(start_ns, end_ns)
    return shares | {"Other": free.within(start_ns, end_ns)}


def _matching(linked: LinkedTrace, ops: Ops, wanted: Callable[[str], bool]) -> Ints:
    """Rows of ranges whose names are wanted."""
    numbers = [index for index, name in enumerate(linked.trace.names) if wanted(name)]
    return np.flatnonzero(np.isin(ops.name, numbers)) if numbers else np.zeros(0, np.int64)


def _on_host(linked: LinkedTrace, ops: Ops, rows: Ints) -> Intervals:
    """A range that did not end lasts to the end of the trace."""
    dur = ops.dur_ns[rows]
    end = np.where(dur < 0, linked.trace.end_ns, ops.ts_ns[rows] + dur)
    return union_of_threads(ops.thread[rows], ops.ts_ns[rows], end)
