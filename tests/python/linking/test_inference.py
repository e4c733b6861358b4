"""Inferred lines in a report: which costs they get, what they are called, and that they can be left out."""

from __future__ import annotations

from pathlib import Path

from kinetoscope.analysis.lines import report_of
from kinetoscope.analysis.tables import LineCost
from kinetoscope.linking.linked import link
from kinetoscope.trace.reader import read_trace
from support.inferred import TEXT, called_twice
from support.kineto import TraceMaker
from support.line_truth import agreement
from support.recording import record


def lines(trace: TraceMaker, folder: Path, text: str | None = TEXT, *, infer: bool = True) -> dict[int, LineCost]:
    read = read_trace(trace.write(folder / "x.pt.trace.json"), lambda done, total: None)
    report = report_of(link(read, "x", lambda path: text if path == "train.py" else None, infer=infer))
    return {row.line: row for row in report.rows}


def test_operators_and_calls_get_the_line_on_which_they_must_have_run(tmp_path: Path) -> None:
    rows = lines(called_twice(), tmp_path)
    assert {line: (row.precision, row.calls, row.gpu_us) for line, row in rows.items()} == {
        1: ("function", 1, 0),
        2: ("inferred", 1, 9),
        4: ("inferred", 2, 2),
        5: ("inferred", 1, 0),
        8: ("inferred", 1, 0),
    }


def test_time_between_operators_stays_with_the_function_but_that_of_a_function_of_one_line_is_its_line_s(tmp_path: Path) -> None:
    rows = lines(called_twice(), tmp_path)
    assert {line: row.cpu_self_us for line, row in rows.items()} == {1: 50 - 4 - 10 - 5, 2: 4, 4: 2 * (3 + 2), 5: 5, 8: 10}


def test_without_inference_or_without_the_source_only_the_function_is_known(tmp_path: Path) -> None:
    expected = {1: ("function", 11), 8: ("function", 0)}
    for rows in (lines(called_twice(), tmp_path, infer=False), lines(called_twice(), tmp_path, None)):
        assert {line: (row.precision, row.gpu_us) for line, row in rows.items()} == expected


def test_a_source_in_which_the_functions_stand_elsewhere_is_not_used(tmp_path: Path) -> None:
    rows = lines(called_twice(), tmp_path, "import torch\n" + TEXT)
    assert {row.precision for row in rows.values()} == {"function"}


def test_a_source_that_is_no_python_is_not_used(tmp_path: Path) -> None:
    assert {row.precision for row in lines(called_twice(), tmp_path, "def (").values()} == {"function"}


def test_events_that_do_not_fit_the_source_get_no_line(tmp_path: Path) -> None:
    trace = called_twice()
    trace.event("python_function", "<built-in method tanh of Tensor object at 0x7f>", 56, 2).op("aten::tanh", 57, 1)
    rows = lines(trace, tmp_path)
    assert {row.precision for line, row in rows.items() if line != 8} == {"function"}


PROGRAM = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(8, 8) for _ in range(2)])
        self.scale = nn.Parameter(torch.ones(8))

    def forward(self, x):
        for layer in self.layers:
            y = layer(x) * self.scale
            x = x + torch.relu(y) if y.mean() > 0 else x - y
        return (x @ x.T)[0].sum()


def main():
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for step in range(8):
        loss = net(torch.randn(4, 8)) / 8
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total = loss.detach() + step
    return -total


main()
"""


def test_lines_of_a_real_program_are_right_with_the_lines_of_calls_and_without(tmp_path: Path) -> None:
    program = tmp_path / "net.py"
    program.write_text(PROGRAM)
    trace = record(program, tmp_path / "runs", "--stacks")
    for callers in (True, False):
        found = agreement(trace, callers=callers)
        assert found.ops > 50
        assert found.share(found.wrong) <= 0.01, found.wrong
        assert found.share(found.unresolved) <= 0.1, found.unresolved
