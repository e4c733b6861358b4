"""The view of waiting: each call in which the host waited for the device, what asked for it, and its line.

Which calls wait is said in `waiting`; their sum by line is `sync_us` of `lines`. What asked for it is read from the operators around
the call, the outermost that tells: `.item()` runs `aten::item`, `aten::_local_scalar_dense` and a copy.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import TypeVar

import numpy as np
from msgspec import Struct

from kinetoscope.analysis.line_details import frame_of
from kinetoscope.analysis.tables import StackFrame
from kinetoscope.analysis.waiting import from_device, waiting_calls
from kinetoscope.linking.call_tree import OUTSIDE
from kinetoscope.linking.linked import LinkedTrace
from kinetoscope.linking.nesting import nest
from kinetoscope.trace.columns import MEMCPY, Bools, Ints, distinct

Window = tuple[int, int]
_Key = TypeVar("_Key")

_OF_OPERATORS = {
    "aten::item": ".item()",
    "aten::_local_scalar_dense": ".item()",
    "aten::is_nonzero": "bool(tensor)",
    "aten::nonzero": "nonzero()",
    "aten::masked_select": "masked_select()",
    "aten::equal": "torch.equal()",
    "aten::unique_consecutive": "unique()",
    "aten::_unique2": "unique()",
    "aten::unique_dim": "unique()",
    "aten::repeat_interleave": "repeat_interleave()",
    "aten::bincount": "bincount()",
}
_INDEXING = frozenset({"aten::index", "aten::index_put_", "aten::_index_put_impl_"})
"""They look for the elements of a mask by `aten::nonzero`; with indices they do not wait."""
_MASK, _COPY = "indexing with a mask", "copy"
_COPIES = frozenset({"aten::to", "aten::_to_copy", "aten::copy_", "aten::_copy_from", "aten::cpu", "aten::cuda"})
TO_HOST, TO_DEVICE = ".cpu() or copy to the host", "copy to the device without non_blocking"
_PRINT = "print(tensor)"
_OF_CALLS = (
    ("DeviceSynchronize", "torch.cuda.synchronize()"),
    ("CtxSynchronize", "torch.cuda.synchronize()"),
    ("StreamSynchronize", "stream.synchronize()"),
    ("EventSynchronize", "event.synchronize()"),
    ("Free", "release of cached memory"),
)
"""What it was where no operator is around the call."""
_PRINTING = "torch/_tensor_str.py("
_ROUNDS = 64


class SyncCall(Struct, frozen=True, kw_only=True):
    """One call. `start_us`: trace time; `cause`: what asked for it, in the user's words; `operator`: the innermost around it, or empty."""

    call: str
    cause: str
    operator: str
    start_us: float
    wait_us: float
    backward: bool
    frame: StackFrame | None
    """None where no user line is known."""


class SyncGroup(Struct, frozen=True, kw_only=True):
    """Calls of one line, or of one kind: `frame` is None and `cause`, `call` empty where they differ or are not known."""

    cause: str
    call: str
    frame: StackFrame | None
    calls: int
    wait_us: float
    max_us: float


class Sync(Struct, frozen=True, kw_only=True):
    """`calls` in time order; `lines` (one for each line and cause) and `kinds` (one for each cause and call) dearest first. Each of the
    three adds up to `wait_us`."""

    wait_us: float
    count: int
    calls: list[SyncCall]
    lines: list[SyncGroup]
    kinds: list[SyncGroup]
    notices: list[str]


def sync(linked: LinkedTrace, window_ns: Window | None = None) -> Sync:
    """The calls that began in the window, with their whole wait."""
    launches = linked.trace.launches
    rows = waiting_calls(linked)
    if window_ns is not None:
        rows = rows[(launches.ts_ns[rows] >= window_ns[0]) & (launches.ts_ns[rows] < window_ns[1])]
    rows = rows[np.argsort(launches.ts_ns[rows], kind="stable")]
    calls = _calls(linked, rows)
    return Sync(
        wait_us=sum(call.wait_us for call in calls),
        count=len(calls),
        calls=calls,
        lines=_groups(calls, lambda call: ((call.frame.file, call.frame.line) if call.frame else None, call.cause)),
        kinds=_groups(calls, lambda call: (call.cause, call.call)),
        notices=[] if len(launches.ts_ns) else ["The trace has no calls of a device's runtime, so it cannot say where the host waited."],
    )


def _groups(calls: list[SyncCall], key: Callable[[SyncCall], _Key]) -> list[SyncGroup]:
    of_key: dict[_Key, list[SyncCall]] = defaultdict(list)
    for call in calls:
        of_key[key(call)].append(call)
    groups = [
        SyncGroup(
            cause=_same([call.cause for call in group]) or "",
            call=_same([call.call for call in group]) or "",
            frame=_same([call.frame for call in group]),
            calls=len(group),
            wait_us=sum(call.wait_us for call in group),
            max_us=max(call.wait_us for call in group),
        )
        for group in of_key.values()
    ]
    return sorted(groups, key=lambda group: -group.wait_us)


_Value = TypeVar("_Value")


def _same(values: list[_Value]) -> _Value | None:
    return values[0] if all(value == values[0] for value in values) else None


def _calls(linked: LinkedTrace, rows: Ints) -> list[SyncCall]:
    trace, nested = linked.trace, linked.ops_nested
    launches, names = trace.launches, trace.names
    around = nested.enclosing(launches.thread[rows], launches.ts_ns[rows])
    operator = _innermost_operator(linked, around)
    node, backward = linked.launch.node[rows].tolist(), linked.launch.backward[rows].tolist()
    frames = {one: frame_of(linked, one) if one != OUTSIDE else None for one in set(node)}
    causes = _causes(linked, rows, around, operator)
    columns = (rows.tolist(), operator.tolist(), node, backward, causes)
    return [
        SyncCall(
            call=names[launches.name[row]],
            cause=cause,
            operator=names[trace.ops.name[op]] if op >= 0 else "",
            start_us=int(launches.ts_ns[row]) / 1000,
            wait_us=max(int(launches.dur_ns[row]), 0) / 1000,
            backward=back,
            frame=frames[place],
        )
        for row, op, place, back, cause in zip(*columns, strict=True)
    ]


def _innermost_operator(linked: LinkedTrace, around: Ints) -> Ints:
    """The first operator from each row of `trace.ops` outwards, -1 for none."""
    found = around.copy()
    for _ in range(_ROUNDS):
        wrong = (found >= 0) & ~_at(linked.work_op, found)
        if not wrong.any():
            break
        found[wrong] = linked.ops_nested.parent[found[wrong]]
    return found


def _at(values: Bools, row: Ints) -> Bools:
    return (row >= 0) & values[np.maximum(row, 0)] if len(values) else np.zeros(len(row), bool)


def _causes(linked: LinkedTrace, rows: Ints, around: Ints, operator: Ints) -> list[str]:
    ops, names = linked.trace.ops, linked.trace.names
    texts = ["", *dict.fromkeys(_OF_OPERATORS.values()), _COPY, _MASK]
    mask, searched = texts.index(_MASK), texts.index(_OF_OPERATORS["aten::nonzero"])
    by_name = _OF_OPERATORS | dict.fromkeys(_COPIES, _COPY) | dict.fromkeys(_INDEXING, _MASK)
    of_name = np.array([texts.index(by_name.get(name, "")) for name in names], np.int64)
    cause = np.zeros(len(rows), np.int64)
    above = around.copy()
    for _ in range(_ROUNDS):
        inside = np.flatnonzero(above >= 0)
        if not len(inside):
            break
        told = of_name[ops.name[above[inside]]]
        told = np.where((told == mask) & (cause[inside] != searched), 0, told)
        cause[inside[told > 0]] = told[told > 0]
        above[inside] = linked.ops_nested.parent[above[inside]]
    printing = _in_prints(linked, rows)
    to_host = _copies_to_host(linked, rows, operator)
    return [
        _PRINT if prints else _copy(direction) if texts[number] == _COPY else texts[number] or _unasked(linked, row, op)
        for number, prints, direction, row, op in zip(
            cause.tolist(), printing.tolist(), to_host.tolist(), rows.tolist(), operator.tolist(), strict=True
        )
    ]


def _copy(to_host: int) -> str:
    return {1: TO_HOST, 0: TO_DEVICE}.get(to_host, "blocking copy")


def _unasked(linked: LinkedTrace, row: int, operator: int) -> str:
    """By the operator's name, else by the call's."""
    trace = linked.trace
    if operator >= 0:
        return trace.names[trace.ops.name[operator]]
    call = trace.names[trace.launches.name[row]]
    return next((text for part, text in _OF_CALLS if part in call), call)


def _copies_to_host(linked: LinkedTrace, rows: Ints, operator: Ints) -> Ints:
    """For each call 1 where the copy it waits for is to the host, 0 where it is to the device, -1 where there is none: its own, or the last
    that the same operator launched before it."""
    kernels, launches = linked.trace.kernels, linked.trace.launches
    copies = np.flatnonzero((kernels.kind == MEMCPY) & (linked.launch_of_kernel >= 0))
    call = linked.launch_of_kernel[copies]
    order = np.lexsort((launches.ts_ns[call], launches.thread[call]))
    copies, call = copies[order], call[order]
    op_of_copy = _innermost_operator(linked, linked.ops_nested.enclosing(launches.thread[call], launches.ts_ns[call]))
    result = np.full(len(rows), -1, np.int64)
    to_host = from_device(linked)
    for thread in distinct(launches.thread[rows]):
        low, high = np.searchsorted(launches.thread[call], [thread, thread + 1])
        mine = np.flatnonzero(launches.thread[rows] == thread)
        place = np.searchsorted(launches.ts_ns[call[low:high]], launches.ts_ns[rows[mine]], side="right") - 1 + low
        mine, place = mine[place >= low], place[place >= low]
        same = (call[place] == rows[mine]) | ((operator[mine] >= 0) & (op_of_copy[place] == operator[mine]))
        result[mine[same]] = to_host[copies[place[same]]]
    return result


def _in_prints(linked: LinkedTrace, rows: Ints) -> Bools:
    """Whether the call was made for a tensor's text; known where stacks with library frames were recorded."""
    frames, launches, names = linked.trace.frames, linked.trace.launches, linked.trace.names
    printing = [index for index, name in enumerate(names) if _PRINTING in name.replace("\\", "/")]
    some = np.flatnonzero(np.isin(frames.name, printing))
    nested = nest(frames.thread[some], frames.ts_ns[some], frames.dur_ns[some], linked.trace.end_ns)
    return nested.enclosing(launches.thread[rows], launches.ts_ns[rows]) >= 0
