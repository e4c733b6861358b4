"""The collective calls of one rank: what each is, how much it moves, for which group, when it ran and who called it.

A call is a range of PyTorch's (`nccl:all_reduce`, `gloo:…`) with the communication kernels that were launched in it. Its time is that
of its kernels; of a library that works on the host (gloo, MPI) that of the range. A communication kernel whose range is not known is a
call of its own. What it says of itself stands on its kernel, else on the `record_param_comms` around its range, else in its range's inputs.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np

from kinetoscope.analysis.intervals import Intervals, union
from kinetoscope.analysis.kernel_names import KernelNames
from kinetoscope.analysis.roles import communicates, is_collective
from kinetoscope.linking.linked import LinkedTrace
from kinetoscope.trace.columns import Bools, Ints

_OTHER_RANGES = re.compile(r"(symm_mem|_C_custom_ar)::.*(reduce|gather|scatter|all_to_all)")
"""Operators that are a collective themselves, without one of `torch.distributed`'s ranges."""
_ON_HOST = re.compile(r"(gloo|mpi):(?!:)")
_RECORD = "record_param_comms"
_KINDS = (
    *("all_reduce", "reduce_scatter", "all_gather", "all_to_all", "send_recv", "broadcast", "reduce", "scatter", "gather"),
    *("send", "recv", "barrier"),
)
"""In the order in which they are looked for in a name."""
POINT_TO_POINT = frozenset({"send", "recv", "send_recv"})
UNKNOWN = "unknown"
_SIZES = {
    1: "byte char bool uint8 int8 signedchar unsignedchar float8_e4m3fn float8_e5m2 float8_e4m3fnuz float8_e5m2fnuz",
    2: "half bfloat16 short shortint float16 int16",
    4: "float int float32 int32 unsignedint",
    8: "double long longint float64 int64 complexfloat complex<float>",
    16: "complexdouble complex<double>",
}
_BYTES_OF = {name: size for size, names in _SIZES.items() for name in names.split()}
_ROUNDS = 64


@dataclass(frozen=True)
class Group:
    """The processes that take part. Texts are empty and the size 0 where the trace does not say."""

    name: str
    description: str
    ranks: str
    """JSON text, perhaps shortened by torch."""
    size: int


@dataclass(frozen=True, eq=False)
class Call:
    """One collective call, equal to itself alone. `bytes` as nccl-tests count a collective's size, -1 where it is not known.
    `called_ns`: on the host. `dur_ns`: the union of its kernels. `peer`: the rank that a message is sent to or received from, -1 where
    that is not known or the call is no message."""

    kind: str
    dtype: str
    bytes: int
    group: Group
    peer: int
    on_host: bool
    """Of a library that works on the host."""
    called_ns: int
    start_ns: int
    end_ns: int
    dur_ns: int
    thread: int
    """That called it, -1 where that is not known."""
    node: int
    backward: bool

    @property
    def times_data(self) -> bool:
        """Whether its time is that in which the data went, waiting included. The ranges of gloo's and MPI's messages are not: sending
        begins before the range does, and the range lasts until somebody waits for it."""
        return not (self.on_host and self.kind in POINT_TO_POINT)


@dataclass(frozen=True)
class Communication:
    """`calls` in the order in which the host made them. `kernels`: which kernels communicate. `host`: when ranges of libraries that work
    on the host were on."""

    calls: list[Call]
    kernels: Bools
    host: Intervals


@dataclass(frozen=True)
class _Said:
    kind: str
    dtype: str
    in_elements: int
    out_elements: int
    group: Group
    source: int = -1
    destination: int = -1


_NO_GROUP = Group("", "", "", 0)


def communication(linked: LinkedTrace) -> Communication:
    """All collective calls of a rank."""
    trace = linked.trace
    ops, kernels = trace.ops, trace.kernels
    is_range = np.array([is_collective(name) or bool(_OTHER_RANGES.match(name)) for name in trace.names], bool)
    talks = communicates(linked, KernelNames(trace.names, kernels.name))
    rows = np.flatnonzero(talks & (kernels.dur_ns >= 0))
    range_of: Ints = np.full(len(kernels.ts_ns), -1, np.int64)
    range_of[rows] = _range_around(linked, rows, is_range)
    told = _Told(linked)
    known = rows[range_of[rows] >= 0]
    ranges, which = np.unique(range_of[known], return_inverse=True)
    members = np.split(known[np.argsort(which, kind="stable")], np.cumsum(np.bincount(which, minlength=len(ranges)))[:-1])
    # splitting nothing gives one empty piece, so there may be one more than ranges
    calls = [_on_device(linked, told, one, mine) for one, mine in zip(ranges.tolist(), members, strict=False)]
    calls += [_on_device(linked, told, -1, rows[place : place + 1]) for place in np.flatnonzero(range_of[rows] < 0).tolist()]
    at_host = np.array([bool(_ON_HOST.match(name)) for name in trace.names], bool)
    on_host = np.flatnonzero(_of(at_host, ops.name) & (ops.dur_ns >= 0))
    on_host = on_host[~np.isin(on_host, ranges)]
    calls += [_on_host(linked, told, row) for row in on_host.tolist()]
    return Communication(
        calls=sorted(calls, key=lambda call: (call.called_ns, call.start_ns)),
        kernels=talks,
        host=union(ops.ts_ns[on_host], ops.ts_ns[on_host] + ops.dur_ns[on_host]),
    )


def _of(values: Bools, index: Ints) -> Bools:
    return values[index] if len(index) else np.zeros(0, bool)


def _range_around(linked: LinkedTrace, rows: Ints, is_range: Bools) -> Ints:
    """The innermost communication range in which each of these kernels was launched, -1 where none is known."""
    launches = linked.trace.launches
    launch = linked.launch_of_kernel[rows]
    found = linked.op_of_kernel[rows]
    known = launch >= 0
    found[known] = linked.ops_nested.enclosing(launches.thread[launch[known]], launches.ts_ns[launch[known]])
    inside = np.flatnonzero(found >= 0)
    for _ in range(_ROUNDS):
        inside = inside[~is_range[linked.trace.ops.name[found[inside]]]]
        found[inside] = linked.ops_nested.parent[found[inside]]
        inside = inside[found[inside] >= 0]
        if not len(inside):
            return found
    found[inside] = -1
    return found


class _Told:
    """What the trace says of collectives, by kernel and by range."""

    def __init__(self, linked: LinkedTrace) -> None:
        self._linked = linked
        collectives = linked.trace.collectives
        device = collectives.on_device
        self._of_kernel = {(int(collectives.correlation[row]), int(collectives.ts_ns[row])): row for row in np.flatnonzero(device).tolist()}
        self._of_op = {(int(collectives.thread[row]), int(collectives.ts_ns[row])): row for row in np.flatnonzero(~device).tolist()}

    def of(self, op: int, kernel: int) -> _Said:
        """`op`: the range, `kernel`: one of its kernels; -1 for none."""
        trace = self._linked.trace
        row = -1
        if kernel >= 0:
            row = self._of_kernel.get((int(trace.kernels.correlation[kernel]), int(trace.kernels.ts_ns[kernel])), -1)
        if row < 0 and op >= 0:
            row = self._record_around(op)
        if row >= 0:
            return self._row(row)
        return self._inputs(op) if op >= 0 else _Said("", "", -1, -1, _NO_GROUP)

    def _record_around(self, op: int) -> int:
        trace, parent = self._linked.trace, self._linked.ops_nested.parent
        while op >= 0 and trace.names[trace.ops.name[op]] != _RECORD:
            op = int(parent[op])
        return self._of_op.get((int(trace.ops.thread[op]), int(trace.ops.ts_ns[op])), -1) if op >= 0 else -1

    def _row(self, row: int) -> _Said:
        collectives, names = self._linked.trace.collectives, self._linked.trace.names

        def text(column: Ints) -> str:
            return names[column[row]] if column[row] >= 0 else ""

        size = int(collectives.group_size[row])
        return _Said(
            kind=text(collectives.collective),
            dtype=text(collectives.dtype),
            in_elements=int(collectives.in_elements[row]),
            out_elements=int(collectives.out_elements[row]),
            group=Group(text(collectives.group), text(collectives.group_description), _ranks(text(collectives.group_ranks)), max(size, 0)),
            source=int(collectives.source[row]),
            destination=int(collectives.destination[row]),
        )

    def _inputs(self, op: int) -> _Said:
        ops, names = self._linked.trace.ops, self._linked.trace.names
        dims = _first(names[ops.input_dims[op]]) if ops.input_dims[op] >= 0 else None
        dtype = _first(names[ops.input_types[op]]) if ops.input_types[op] >= 0 else None
        return _Said("", dtype if isinstance(dtype, str) else "", _elements(dims), -1, _NO_GROUP)


def _first(text: str) -> Any:
    """The first of a JSON list, None where there is none."""
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return values[0] if isinstance(values, list) and values else None


def _ranks(text: str) -> str:
    """Torch writes the list as a text of its own."""
    return text.strip('"') if text.strip('"') != "[]" else ""


def _elements(dims: Any) -> int:
    """Of a tensor or a list of tensors; -1 where its shape is not known."""
    if not isinstance(dims, list):
        return -1
    shapes = dims if dims and isinstance(dims[0], list) else [dims]
    if not all(isinstance(shape, list) and all(isinstance(size, int) and size >= 0 for size in shape) for shape in shapes):
        return -1
    return sum(prod(shape) for shape in shapes)


def _on_device(linked: LinkedTrace, told: _Told, op: int, rows: Ints) -> Call:
    """`op`: its range or -1; `rows`: its kernels in time order."""
    kernels, launches = linked.trace.kernels, linked.trace.launches
    first = int(rows[0])
    on = union(kernels.ts_ns[rows], kernels.ts_ns[rows] + kernels.dur_ns[rows])
    launch = int(linked.launch_of_kernel[first])
    begin, end = int(kernels.ts_ns[rows].min()), int((kernels.ts_ns[rows] + kernels.dur_ns[rows]).max())
    called = int(linked.trace.ops.ts_ns[op]) if op >= 0 else int(launches.ts_ns[launch]) if launch >= 0 else begin
    place = linked.kernel
    name = linked.trace.names[kernels.name[first]]
    return _call(linked, told.of(op, first), op, name, (called, begin, end, on.length()), int(linked.kernel_thread[first]), (
        int(place.node[first]),
        bool(place.backward[first]),
    ))  # fmt: skip


def _on_host(linked: LinkedTrace, told: _Told, op: int) -> Call:
    ops = linked.trace.ops
    begin, lasted = int(ops.ts_ns[op]), int(ops.dur_ns[op])
    place = (int(linked.op.node[op]), bool(linked.op.backward[op]))
    return _call(linked, told.of(op, -1), op, "", (begin, begin, begin + lasted, lasted), int(ops.thread[op]), place)


def _call(
    linked: LinkedTrace, said: _Said, op: int, kernel: str, times: tuple[int, int, int, int], thread: int, place: tuple[int, bool]
) -> Call:
    trace = linked.trace
    range_name = trace.names[trace.ops.name[op]] if op >= 0 else ""
    kind = next((found for found in map(kind_of, (range_name, said.kind, kernel)) if found != UNKNOWN), UNKNOWN)
    size = _BYTES_OF.get(_plain(said.dtype), 0)
    called, begin, end, lasted = times
    return Call(
        kind=kind,
        dtype=said.dtype.removeprefix("c10::"),
        bytes=_message_bytes(kind, said, size),
        group=said.group,
        peer={"send": said.destination, "recv": said.source}.get(kind, -1),
        on_host=not kernel,
        called_ns=called,
        start_ns=begin,
        end_ns=end,
        dur_ns=lasted,
        thread=thread,
        node=place[0],
        backward=place[1],
    )


def _plain(dtype: str) -> str:
    return dtype.lower().replace("c10::", "").replace(" ", "")


@lru_cache(4096)
def kind_of(name: str) -> str:
    """The collective that a name of a range, record or kernel speaks of: `nccl:_all_gather_base`, `allreduce`,
    `ncclDevKernel_SendRecv…`."""
    letters = re.sub(r"[^a-z]", "", re.sub(r"^[a-z]*ccl:|kernel", "", name.lower()))
    if "crossdevicereduce" in letters:
        return "all_reduce"
    return next((kind for kind in _KINDS if kind.replace("_", "") in letters), UNKNOWN)


def _message_bytes(kind: str, said: _Said, size: int) -> int:
    """As nccl-tests count it: the whole of an all-gather's output and of a reduce-scatter's input, what a rank sends to all others
    together in an all-to-all. -1 where it is not known."""
    sent, received, ranks = said.in_elements, said.out_elements, said.group.size
    if kind in ("all_gather", "gather"):
        elements = received if kind == "all_gather" and received >= 0 else sent * ranks if sent >= 0 and ranks else -1
    elif kind == "scatter":
        elements = received * ranks if received >= 0 and ranks else -1
    elif kind == "recv":
        elements = received if received >= 0 else sent
    else:
        elements = sent
    return elements * size if elements >= 0 and size else -1


def bus_factor(kind: str, ranks: int) -> float | None:
    """Bus bandwidth by algorithm bandwidth, by nccl-tests (doc/PERFORMANCE.md); None where it is not defined."""
    if ranks < 1:
        return None
    if kind == "all_reduce":
        return 2 * (ranks - 1) / ranks
    if kind in ("all_gather", "reduce_scatter", "all_to_all", "gather", "scatter"):
        return (ranks - 1) / ranks
    return 1.0 if kind in ("broadcast", "reduce", "send", "recv") else None
