"""Lines of calls: the same program on a torch that writes them into the trace and on one that does not."""

from __future__ import annotations

from collections import Counter

import numpy as np

from kinetoscope.linking.call_tree import FUNCTION
from kinetoscope.linking.linked import LinkedTrace, link
from kinetoscope.trace.reader import read_trace
from support.real_traces import real_trace


def linked(name: str) -> LinkedTrace:
    return link(read_trace(real_trace(name), lambda done, total: None), name)


def outermost_lines(trace: LinkedTrace) -> list[tuple[str, str, int | None]]:
    """(operator, function, line) of the outermost forward and backward operators in the order of time; None where only the function is
    known."""
    rows = np.flatnonzero((trace.ops_nested.parent < 0) & trace.work_op)
    result: list[tuple[str, str, int | None]] = []
    for row in rows.tolist():
        node = int(trace.op.node[row])
        function = trace.tree.places[trace.tree.place[node]].function if node else ""
        line = trace.tree.line[node] if trace.tree.precision[node] != FUNCTION else None
        result.append((trace.trace.names[int(trace.trace.ops.name[row])], function, line))
    return result


def test_both_give_the_same_line_wherever_both_give_one() -> None:
    old, new = outermost_lines(linked("cpu_torch213_stacks.json")), outermost_lines(linked("cpu_torch214_callfrom.json"))
    assert [(op, function) for op, function, _ in old] == [(op, function) for op, function, _ in new]
    known = [(a, b) for (_, _, a), (_, _, b) in zip(old, new, strict=True) if a is not None and b is not None]
    assert all(a == b for a, b in known)
    assert Counter(line for _, function, line in new if function == "three" and line) == Counter({7: 2, 8: 2})
