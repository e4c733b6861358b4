"""Lines of calls: the same program on a torch that writes them into the trace and on one that does not."""

from __future__ import annotations

import numpy as np

from kinetoscope.linking.call_tree import FUNCTION
from kinetoscope.linking.linked import LinkedTrace, link
from kinetoscope.linking.places import parse_call_from, parse_frame
from kinetoscope.trace.reader import read_trace
from support.real_traces import real_trace

LINES = {
    5: "def three(x, w):",
    6: "    h = x @ w",
    7: "    h = h.relu()",
    8: "    return h.sum()",
    16: "class M(nn.Module):",
    17: "    def forward(self, x):",
    18: "        h = self.l1(x)",
    19: "        h = torch.relu(h)",
    20: "        h = self.l2(",
    21: "            h",
    22: "        )",
    23: "        return h.mean()",
    26: "def main():",
    30: "    with profile(with_stack=True) as p:",
    31: "        a = three(x, w)",
    32: "        three(x, w)",
    33: "        a = a + m(x)",
    34: "        a.backward()",
    39: "main()",
}
SOURCE = "import torch\n" + "\n".join(LINES.get(line, "") for line in range(2, 40)) + "\n"
"""The program as far as the trace with the lines of calls tells it."""


def linked(name: str, source: str | None) -> LinkedTrace:
    trace = read_trace(real_trace(name), lambda done, total: None)
    return link(trace, name, lambda path: source if path.endswith("t1.py") else None)


def outermost_lines(trace: LinkedTrace) -> list[tuple[str, str, int | None]]:
    """(operator, function, line) of the outermost operators in the order of time; line None where only the function is known."""
    rows = np.flatnonzero((trace.ops_nested.parent < 0) & trace.work_op)
    result: list[tuple[str, str, int | None]] = []
    for row in rows.tolist():
        node = int(trace.op.node[row])
        function = trace.tree.places[trace.tree.place[node]].function if node else ""
        line = trace.tree.line[node] if trace.tree.precision[node] != FUNCTION else None
        result.append((trace.trace.names[int(trace.trace.ops.name[row])], function, line))
    return result


def test_inferred_lines_are_those_that_the_other_trace_tells() -> None:
    told = outermost_lines(linked("cpu_torch214_callfrom.json", None))
    inferred = outermost_lines(linked("cpu_torch213_stacks.json", SOURCE))
    assert [(op, function) for op, function, _ in told] == [(op, function) for op, function, _ in inferred]
    both = [(a, b) for (_, _, a), (_, _, b) in zip(told, inferred, strict=True) if a is not None and b is not None]
    assert all(a == b for a, b in both)
    assert {a for a, _ in both} == {7, 8, 18, 19, 20, 23, 34}


def test_an_operator_without_a_call_gets_its_line_from_the_source_alone() -> None:
    for name in ("cpu_torch214_callfrom.json", "cpu_torch213_stacks.json"):
        assert [line for op, _, line in outermost_lines(linked(name, None)) if op == "aten::matmul"] == [None, None]
        assert [line for op, _, line in outermost_lines(linked(name, SOURCE)) if op == "aten::matmul"] == [6, 6]


def test_with_another_source_nothing_is_inferred() -> None:
    other = SOURCE.replace("def three", "\ndef three")
    assert outermost_lines(linked("cpu_torch213_stacks.json", other)) == outermost_lines(linked("cpu_torch213_stacks.json", None))


def test_a_line_that_no_file_has_is_no_line() -> None:
    assert parse_call_from(f"train.py:{10**30}") is None
    assert parse_frame(f"train.py({10**30}): forward") is None
    assert parse_call_from("train.py:120") == ("train.py", 120)
