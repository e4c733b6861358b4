"""Which node of the call tree a moment on a thread belongs to, forward or backward.

Rules, first that holds:
1. Inside a backward op, user frames entered since it began win (activation checkpointing, custom `autograd.Function`, hooks).
2. Inside a backward op whose forward op is known, the forward op's node, as backward.
3. Inside a backward op without one (AccumulateGrad, hooks in C++), the line that called `.backward()`: the thread's own node,
else (the engine's own thread, which has no user frames) the node of the thread that runs the forward pass.
4. The node the thread stands on.

Work inside a backward op is *recomputed* forward work, as of activation checkpointing, where forward ops that autograd numbers run: it
numbers none in a custom function's own backward and in hooks, which run with it switched off. User frames in such a backward op
are recomputed as a whole; where only library frames ran, or none are known, the numbered ops are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinetoscope.linking.backward import BackwardLinks
from kinetoscope.linking.call_tree import OUTSIDE, Timelines
from kinetoscope.trace.columns import Bools, Ints, Trace


@dataclass(frozen=True)
class Belonging:
    """For each moment: its node (`OUTSIDE` for none), whether it is backward work, the backward op it lies in (-1 for none), and
    whether it is forward work done again there."""

    node: Ints
    backward: Bools
    root: Ints
    recomputed: Bools


class Attribution:
    """Answers for a whole trace."""

    def __init__(self, trace: Trace, timelines: Timelines, links: BackwardLinks) -> None:
        self._timelines = timelines
        self._links = links
        nested = links.nested
        self._root_own: Ints = timelines.at(nested.thread, nested.ts_ns)
        self.root_node: Ints = self._forward_nodes(trace)
        """The forward node of each backward op, `OUTSIDE` where there is none."""

    def at(self, thread: Ints, ts_ns: Ints) -> Belonging:
        """The belonging of each (thread of the trace, time)."""
        own = self._timelines.at(thread, ts_ns)
        root = self._links.nested.enclosing(thread, ts_ns)
        in_root = root >= 0
        safe = np.maximum(root, 0)
        if not len(self.root_node):
            return Belonging(own, np.zeros(len(own), bool), root, np.zeros(len(own), bool))
        plain = in_root & (own == self._root_own[safe])
        forward = self.root_node[safe]
        backward = plain & (forward != OUTSIDE)
        waiting = plain & (forward == OUTSIDE) & (own == OUTSIDE)
        node = np.where(backward, forward, own)
        if waiting.any() and self._links.main_thread >= 0:
            main = np.full(int(waiting.sum()), self._links.main_thread, np.int64)
            node[waiting] = self._timelines.at(main, ts_ns[waiting])
        entered = in_root & ~plain & (own != OUTSIDE)
        recomputed = (entered & self._links.runs_forward[safe]) | self._links.in_forward_op(thread, ts_ns, root)
        return Belonging(node, backward, root, recomputed)

    def _forward_nodes(self, trace: Trace) -> Ints:
        """A forward op may itself lie in a backward op (a second derivative); its node is then that op's, found before since it
        began earlier."""
        links = self._links
        nodes = np.zeros(len(links.roots), np.int64)
        ops = trace.ops
        known = links.forward_op >= 0
        rows = links.forward_op[known]
        own = self._timelines.at(ops.thread[rows], ops.ts_ns[rows])
        inside = links.nested.enclosing(ops.thread[rows], ops.ts_ns[rows])
        positions = np.flatnonzero(known)
        for index in np.argsort(links.nested.ts_ns[positions], kind="stable").tolist():
            outer = int(inside[index])
            same = outer >= 0 and own[index] == self._root_own[outer]
            nodes[positions[index]] = nodes[outer] if same and nodes[outer] != OUTSIDE else own[index]
        return nodes
