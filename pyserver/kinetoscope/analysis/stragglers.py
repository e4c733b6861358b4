"""Which ranks the others waited for, and what made them late.

A collective ends on all its ranks at once, so the rank on which it lasts shortest arrived last; the clocks of machines need not agree. What
made it late is looked for between the end of the group's collective before, which is one moment for all, and its own beginning: where
the late rank spent more than its peers (the median of the others). If its device worked longer, that is the line (or operator) whose
kernels took most more; else the line on which the host spent most more.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Literal

import numpy as np
from msgspec import Struct

from kinetoscope.analysis.communication import Call
from kinetoscope.analysis.idle import shared_by_node
from kinetoscope.analysis.intervals import union
from kinetoscope.analysis.line_details import frame_of
from kinetoscope.analysis.tables import StackFrame
from kinetoscope.linking.call_tree import OUTSIDE
from kinetoscope.linking.linked import LinkedTrace
from kinetoscope.trace.columns import Bools, Ints

NOISE_NS = 10_000
"""A wait that is shorter is none: so much do kernels of one collective differ by themselves."""
_LOOKED_AT = 200
"""Collectives whose reason is looked for, those with the longest waits first."""

_Key = tuple[str, int, str]
"""File, line and, where no line is known, the operator."""


@dataclass(frozen=True)
class Matched:
    """One collective on several ranks: for each its call, and the end of the collectives of its group before on it, -1 for none."""

    calls: dict[int, Call]
    after_ns: dict[int, int]

    @property
    def transfer_ns(self) -> int:
        """How long the data took: as long as the call of the rank that came last, which waited for nobody."""
        return min(call.dur_ns for call in self.calls.values())

    @property
    def late(self) -> int:
        """The rank that came last."""
        return min(self.calls, key=lambda rank: (self.calls[rank].dur_ns, rank))

    def waited_ns(self, rank: int) -> int:
        """How long a rank waited for the last."""
        return self.calls[rank].dur_ns - self.transfer_ns


class LateReason(Struct, frozen=True, kw_only=True):
    """`frame` is the line, or None where none is known; then `operator` says what it was. `on`: whether its device worked longer or its
    host took longer. `excess_us`: how much longer than the other ranks, over all `collectives` that it made late."""

    frame: StackFrame | None
    operator: str
    on: Literal["device", "host"]
    collectives: int
    excess_us: float


class Straggler(Struct, frozen=True, kw_only=True):
    """`late`: collectives to which the rank came last and at least one other waited; `caused_wait_us`: what all others waited for it;
    `waited_us`: what it waited for others. `reasons` dearest first; there are none of a rank's first collective."""

    rank: int
    late: int
    caused_wait_us: float
    waited_us: float
    reasons: list[LateReason]


def stragglers(ranks: dict[int, LinkedTrace], talks: dict[int, Bools], matched: list[Matched]) -> list[Straggler]:
    """By wait caused. `talks`: which kernels of each rank communicate."""
    late: dict[int, list[Matched]] = {rank: [] for rank in ranks}
    waited: dict[int, int] = dict.fromkeys(ranks, 0)
    for one in matched:
        for rank in one.calls:
            waited[rank] += one.waited_ns(rank)
        if _longest_wait(one) > NOISE_NS:
            late[one.late].append(one)
    reasons = _reasons(ranks, talks, [one for ones in late.values() for one in ones])
    rows = [
        Straggler(
            rank=rank,
            late=len(late[rank]),
            caused_wait_us=sum(one.waited_ns(other) for one in late[rank] for other in one.calls) / 1000,
            waited_us=waited[rank] / 1000,
            reasons=reasons.get(rank, []),
        )
        for rank in ranks
    ]
    return sorted(rows, key=lambda row: (-row.caused_wait_us, row.rank)) if matched else []


def _longest_wait(one: Matched) -> int:
    return max(one.waited_ns(rank) for rank in one.calls)


def _reasons(ranks: dict[int, LinkedTrace], talks: dict[int, Bools], late: list[Matched]) -> dict[int, list[LateReason]]:
    profiles = {rank: _Profile(linked, talks[rank]) for rank, linked in ranks.items()}
    found: dict[tuple[int, str, _Key], list[float]] = defaultdict(list)
    for one in sorted(late, key=_longest_wait, reverse=True)[:_LOOKED_AT]:
        reason = _reason(profiles, one)
        if reason is not None:
            on, key, excess = reason
            found[(one.late, on, key)].append(min(excess, _longest_wait(one)))
    result: dict[int, list[LateReason]] = defaultdict(list)
    for (rank, on, key), excesses in found.items():
        row = LateReason(
            frame=profiles[rank].frame(key),
            operator=key[2],
            on="device" if on == "device" else "host",
            collectives=len(excesses),
            excess_us=sum(excesses) / 1000,
        )
        result[rank].append(row)
    return {rank: sorted(rows, key=lambda row: -row.excess_us) for rank, rows in result.items()}


def _reason(profiles: dict[int, _Profile], one: Matched) -> tuple[str, _Key, float] | None:
    """`(device or host, what, nanoseconds more than the others)`; None where nothing sticks out."""
    if min(one.after_ns.values()) < 0:
        return None
    between = {rank: (one.after_ns[rank], call.start_ns) for rank, call in one.calls.items()}
    longer = _more(one.late, {rank: float(max(end - start, 0)) for rank, (start, end) in between.items()})
    busy = _more(one.late, {rank: float(profiles[rank].busy_ns(*stretch)) for rank, stretch in between.items()})
    on = "device" if busy > longer / 2 else "host"
    spent = {rank: (profiles[rank].device if on == "device" else profiles[rank].host)(*stretch) for rank, stretch in between.items()}
    excess = {key: _more(one.late, {rank: spent[rank].get(key, 0.0) for rank in spent}) for key in spent[one.late]}
    key = max(excess, key=lambda key: excess[key], default=None)
    return (on, key, excess[key]) if key is not None and excess[key] > NOISE_NS else None


def _more(rank: int, values: dict[int, float]) -> float:
    return values[rank] - float(np.median([value for other, value in values.items() if other != rank]))


class _Profile:
    """What one rank did between two moments."""

    def __init__(self, linked: LinkedTrace, talks: Bools) -> None:
        self._linked = linked
        kernels = linked.trace.kernels
        rows = np.flatnonzero(~talks & (kernels.dur_ns >= 0))
        self._rows = rows
        self._begin, self._end = kernels.ts_ns[rows], kernels.ts_ns[rows] + kernels.dur_ns[rows]
        self._reach: Ints = np.maximum.accumulate(self._end)
        self._busy = union(self._begin, self._end)
        self._nodes: dict[_Key, int] = {}
        main = linked.links.main_thread
        self._main = main if main >= 0 else 0

    def busy_ns(self, start: int, end: int) -> int:
        """How long its device computed."""
        return int(self._busy.within(np.array([start]), np.array([end]))[0])

    def device(self, start: int, end: int) -> dict[_Key, float]:
        """Device time by line, else by operator."""
        low, high = np.searchsorted(self._reach, start, side="right"), np.searchsorted(self._begin, end, side="left")
        spent: dict[_Key, float] = defaultdict(float)
        lasted = np.minimum(self._end[low:high], end) - np.maximum(self._begin[low:high], start)
        for row, ns in zip(self._rows[low:high].tolist(), lasted.tolist(), strict=True):
            if ns > 0:
                spent[self._line(int(self._linked.kernel.node[row])) or ("", 0, self._operator_of(row))] += ns
        return spent

    def host(self, start: int, end: int) -> dict[_Key, float]:
        """Host time by line of the thread that runs the forward pass, else by its outermost operators."""
        stretch = union(np.array([start]), np.array([end]))
        by_node = shared_by_node(self._linked, self._main, stretch)
        spent: dict[_Key, float] = defaultdict(float)
        for node in np.flatnonzero(by_node).tolist():
            line = self._line(node)
            if line is not None:
                spent[line] += float(by_node[node])
        return spent or self._operators(start, end)

    def frame(self, key: _Key) -> StackFrame | None:
        """The place of a line that was spoken of."""
        return frame_of(self._linked, self._nodes[key]) if key in self._nodes else None

    def _line(self, node: int) -> _Key | None:
        if node == OUTSIDE:
            return None
        tree = self._linked.tree
        key = (tree.places[tree.place[node]].file, tree.line[node], "")
        self._nodes.setdefault(key, node)
        return key

    def _operator_of(self, kernel: int) -> str:
        """The innermost range around a kernel's launch, else its own name."""
        linked, trace = self._linked, self._linked.trace
        launch = int(linked.launch_of_kernel[kernel])
        op = int(linked.op_of_kernel[kernel])
        if launch >= 0:
            at = slice(launch, launch + 1)
            op = int(linked.ops_nested.enclosing(trace.launches.thread[at], trace.launches.ts_ns[at])[0])
        return trace.names[trace.ops.name[op] if op >= 0 else trace.kernels.name[kernel]]

    def _operators(self, start: int, end: int) -> dict[_Key, float]:
        linked, ops = self._linked, self._linked.trace.ops
        above = linked.ops_nested.parent
        outermost = linked.work_op & ((above < 0) | ~_at(linked.work_op, above))
        rows = np.flatnonzero(outermost & (ops.thread == self._main) & (ops.ts_ns < end) & (linked.ops_nested.end_ns > start))
        lasted = np.minimum(linked.ops_nested.end_ns[rows], end) - np.maximum(ops.ts_ns[rows], start)
        spent: dict[_Key, float] = defaultdict(float)
        for row, ns in zip(rows.tolist(), lasted.tolist(), strict=True):
            spent[("", 0, linked.trace.names[ops.name[row]])] += ns
        return spent


def _at(values: Bools, row: Ints) -> Bools:
    return values[np.maximum(row, 0)] if len(values) else np.zeros(len(row), bool)
