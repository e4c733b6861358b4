"""Compares the lines that a recording's stacks give with those of its line log, which are exact."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec
import numpy as np

from kinetoscope.linking.call_tree import FUNCTION, OUTSIDE, PRECISIONS
from kinetoscope.linking.linked import LinkedTrace, link
from kinetoscope.trace.columns import Trace
from kinetoscope.trace.reader import read_trace
from kinetoscope.trace.recording import LineLog

Where = tuple[str, int]
"""File and line"""


@dataclass
class Agreement:
    """Counts of outermost forward operators whose exact line is known: `right` by precision, those known by function only, and the wrong
    ones with both answers."""

    right: Counter[str] = field(default_factory=Counter)
    unresolved: Counter[tuple[str, Where]] = field(default_factory=Counter)
    wrong: Counter[tuple[str, Where, Where]] = field(default_factory=Counter)

    @property
    def ops(self) -> int:
        return self.right.total() + self.unresolved.total() + self.wrong.total()

    def share(self, counts: Counter[str] | Counter[tuple[str, Where]] | Counter[tuple[str, Where, Where]]) -> float:
        return counts.total() / self.ops if self.ops else 0.0

    def __add__(self, other: Agreement) -> Agreement:
        return Agreement(self.right + other.right, self.unresolved + other.unresolved, self.wrong + other.wrong)


def without_line_log(trace: Trace, *, callers: bool) -> Trace:
    """The trace as if no lines had been logged; `callers`: whether the saved lines of calls stay."""
    recording = msgspec.structs.replace(trace.recording, line_log=LineLog(), callers=trace.recording.callers if callers else None)
    return replace(trace, recording=recording)


def agreement(file: Path, *, callers: bool) -> Agreement:
    """Compare one recorded trace."""
    trace = read_trace(file, lambda done, total: None)
    exact, found = link(trace, str(file)), link(without_line_log(trace, callers=callers), str(file))
    result = Agreement()
    for row in _outermost_forward(exact):
        name = trace.names[int(trace.ops.name[row])]
        truth, node = _where(exact, int(exact.op.node[row])), int(found.op.node[row])
        if node == OUTSIDE or found.tree.precision[node] == FUNCTION:
            result.unresolved[(name, truth)] += 1
        elif _where(found, node) == truth:
            result.right[PRECISIONS[found.tree.precision[node]]] += 1
        else:
            result.wrong[(name, truth, _where(found, node))] += 1
    return result


def _where(linked: LinkedTrace, node: int) -> Where:
    return linked.tree.places[linked.tree.place[node]].file, linked.tree.line[node]


def _outermost_forward(linked: LinkedTrace) -> Iterator[int]:
    inside = np.zeros(len(linked.work_op), bool)
    around = linked.ops_nested.parent
    for row, above in enumerate(around.tolist()):
        inside[row] = above >= 0 and (linked.work_op[above] or inside[above])
    chosen = linked.work_op & ~inside & (linked.op.node != OUTSIDE) & ~linked.op.backward
    for row in np.flatnonzero(chosen).tolist():
        if linked.tree.precision[int(linked.op.node[row])] != FUNCTION:
            yield row
