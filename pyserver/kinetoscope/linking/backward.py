"""Backward op → forward op.

Rule: autograd numbers its nodes in the order in which a thread's forward ops make them, and a forward op's `Sequence number` is
the number that the next node will get; so the node's maker is the *last* forward op with that number, or, where it made its node
without an op of its own (`CopySlices`), with the highest number below. `Fwd thread id` on a backward op is torch's own count of
threads; the `fwdbwd` arrows tell which thread it means, and where there are none it is the thread with the most numbered forward
ops outside of backward ones (inside, checkpointing runs them again).
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict

import numpy as np

from kinetoscope.linking.nesting import Nested, nest
from kinetoscope.trace.columns import Bools, Ints, Ops, Trace, distinct

EVALUATE = "autograd::engine::evaluate_function: "


class BackwardLinks:
    """The backward ops of a trace (`roots`: rows of `trace.ops`), nested, with the forward op of each (row of `trace.ops`, -1 for none)."""

    def __init__(self, trace: Trace) -> None:
        ops = trace.ops
        self.evaluates: Bools = _named(trace, EVALUATE)
        self.roots: Ints = np.flatnonzero(self.evaluates | ((ops.forward_thread > 0) & (ops.sequence >= 0)))
        self.nested: Nested = nest(ops.thread[self.roots], ops.ts_ns[self.roots], ops.dur_ns[self.roots], trace.end_ns)
        forward = np.flatnonzero((ops.sequence >= 0) & (ops.forward_thread <= 0) & ~self.evaluates)
        within = self.nested.enclosing(ops.thread[forward], ops.ts_ns[forward])
        self.main_thread: int = _most_common(ops.thread[forward[within < 0]], else_of=ops.thread[forward])
        self.forward_op: Ints = self._link(trace, forward)
        self._forward_nested: Nested = nest(ops.thread[forward], ops.ts_ns[forward], ops.dur_ns[forward], trace.end_ns)
        self.runs_forward: Bools = np.isin(np.arange(len(self.roots)), within)
        """Backward ops in which forward ops are run that autograd numbers."""

    def in_forward_op(self, thread: Ints, ts_ns: Ints, root: Ints) -> Bools:
        """Whether each (thread, time) lies in a numbered forward op that was run inside its backward op `root` (-1 for none)."""
        forward = self._forward_nested.enclosing(thread, ts_ns)
        inside = (root >= 0) & (forward >= 0)
        inside[inside] = self._forward_nested.ts_ns[forward[inside]] >= self.nested.ts_ns[root[inside]]
        return inside

    def forward_edges(self, thread: int) -> Ints:
        """When numbered forward ops on a thread start and end."""
        nested = self._forward_nested
        low, high = np.searchsorted(nested.thread, [thread, thread + 1])
        return np.concatenate([nested.ts_ns[low:high], nested.end_ns[low:high]])

    def _link(self, trace: Trace, forward: Ints) -> Ints:
        """Goes through all numbered ops in order of time, so that a node can only belong to an op before it: one of a later iteration
        may have peeked at the same number."""
        ops = trace.ops
        thread_of = _forward_threads(trace, self.roots)
        result = np.full(len(self.roots), -1, np.int64)
        known, which = np.unique(ops.forward_thread[self.roots], return_inverse=True)
        threads = np.array([thread_of.get(number, self.main_thread) for number in known.tolist()], dtype=np.int64)[which]
        numbered = ops.sequence[self.roots] >= 0
        for thread in distinct(ops.thread[forward]):
            rows = forward[ops.thread[forward] == thread]
            order = rows[np.lexsort((ops.ts_ns[rows], ops.sequence[rows]))]
            positions = np.flatnonzero(numbered & (threads == thread))
            roots = self.roots[positions]
            place = np.searchsorted(ops.sequence[order], ops.sequence[roots], side="right") - 1
            maker = order[np.maximum(place, 0)]
            later = (place >= 0) & (ops.ts_ns[maker] >= ops.ts_ns[roots])
            result[positions] = np.where((place >= 0) & ~later, maker, -1)
            if later.any():
                result[positions[later]] = _makers_before(ops, rows, roots[later])
        return result


def _makers_before(ops: Ops, forward: Ints, roots: Ints) -> Ints:
    """The same where a later op, which only peeked at the number, has it too: in one pass over time, so that what comes after a root
    is not seen."""
    result = np.full(len(roots), -1, np.int64)
    numbers: list[int] = []
    makers: list[int] = []
    rows = np.concatenate([roots, forward])
    order = np.lexsort((np.arange(len(rows)) >= len(roots), ops.ts_ns[rows]))
    for position, row, sequence in zip(order.tolist(), rows[order].tolist(), ops.sequence[rows[order]].tolist(), strict=True):
        place = bisect_right(numbers, sequence)
        if position >= len(roots):
            numbers.insert(place, sequence)
            makers.insert(place, row)
        elif place:
            result[position] = makers[place - 1]
    return result


def _most_common(threads: Ints, else_of: Ints) -> int:
    chosen = threads if len(threads) else else_of
    return Counter(chosen.tolist()).most_common(1)[0][0] if len(chosen) else -1


def _named(trace: Trace, prefix: str) -> Bools:
    hits = [index for index, name in enumerate(trace.names) if name.startswith(prefix)]
    return np.isin(trace.ops.name, hits)


def _forward_threads(trace: Trace, roots: Ints) -> dict[int, int]:
    """torch's thread number → thread of the trace, by vote of the arrows."""
    flows, ops = trace.flows, trace.ops
    if not len(flows.id) or not len(roots):
        return {}
    starts = dict(zip(flows.id[flows.start].tolist(), flows.thread[flows.start].tolist(), strict=True))
    number_at = {
        (thread, ts): number
        for thread, ts, number in zip(
            ops.thread[roots].tolist(), ops.ts_ns[roots].tolist(), ops.forward_thread[roots].tolist(), strict=True
        )
        if number > 0
    }
    votes: dict[int, Counter[int]] = defaultdict(Counter)
    ends = ~flows.start
    for flow, thread, ts in zip(flows.id[ends].tolist(), flows.thread[ends].tolist(), flows.ts_ns[ends].tolist(), strict=True):
        number = number_at.get((thread, ts))
        if number is not None and flow in starts:
            votes[number][starts[flow]] += 1
    return {number: counter.most_common(1)[0][0] for number, counter in votes.items()}
