"""Which operators lie in another of their name, however deep they lie in each other."""

from __future__ import annotations

from pathlib import Path

import pytest

from kinetoscope.analysis.operator_rows import operators_of, outermost_of_name
from kinetoscope.linking.linked import link
from kinetoscope.trace.columns import distinct
from kinetoscope.trace.reader import read_trace
from support.kineto import TraceMaker


@pytest.mark.parametrize("deep", [3, 100])
def test_the_outermost_of_each_name_lies_in_none_of_it(tmp_path: Path, deep: int) -> None:
    """`outer` holds `deep` operators of different names, one in the other; the innermost hold `outer` again, and a `leaf` twice."""
    maker = TraceMaker(end_us=2000)
    maker.op("outer", 0, 1000)
    for level in range(deep):
        maker.op(f"level {level}", 1 + level, 998 - 2 * level)
    maker.op("outer", deep + 10, 5).op("leaf", deep + 20, 5).op("leaf", deep + 30, 5)
    maker.op("outer", 1000, 10)  # Begins as the first ends.
    linked = link(read_trace(maker.write(tmp_path / "x.pt.trace.json"), lambda done, total: None), "x")
    operators = operators_of(linked)
    outermost = outermost_of_name(linked, operators)
    names = [linked.trace.names[name] for name in linked.trace.ops.name[operators.rows].tolist()]
    told = list(zip(names, outermost.tolist(), strict=True))
    assert [is_outermost for name, is_outermost in told if name == "outer"] == [True, False, True]
    assert all(is_outermost for name, is_outermost in told if name != "outer")
    assert distinct(linked.trace.ops.call_stack) == [-1]
