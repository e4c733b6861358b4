"""What scopes cost: every stack counts once in each scope that it passes through."""

from __future__ import annotations

from kinetoscope.analysis.tables import DeviceTime, LineCost, LineDetail, LineReport, LineStack, StackFrame
from kinetoscope.service.scopes import scope_costs

TEXT = """\
def decorate(f):
    def wrapper(*args):
        return f(*args)
    return wrapper


@decorate
def recurse(n):
    if n:
        recurse(n - 1)
    return [g(x) for x in n]


def main():
    for i in range(3):
        with lock:
            recurse(2)
    while True:
        key = lambda v: v + 1
        later(key)
"""


def report(*stacks: tuple[list[tuple[int, str]], float]) -> LineReport:
    """Stacks as `[(line, function), …]`, outermost first, each with its own CPU time; every stack a row of its own."""
    rows, details = [], []
    for frames, us in stacks:
        line, function = frames[-1]
        rows.append(cost(line, function, us))
        stack = [StackFrame(file="a.py", line=line, function=function, precision="line") for line, function in frames]
        own = LineStack(frames=stack, calls=1, cpu_self_us=us, cpu_backward_us=0, gpu_us=0, gpu_backward_us=0)
        details.append(LineDetail(work=[], stacks=[own]))
    device = DeviceTime(attributed=0, library=0, unattributed=0, without_launch=0, total=0)
    return LineReport(steps=1, recording_us=100, devices=[], device_us=device, host_us=0, rows=rows, details=details, notices=[])


def cost(line: int, function: str, us: float, allocated: int = 0) -> LineCost:
    times = dict.fromkeys(LineCost.__struct_fields__, 0.0)
    sizes: dict[str, dict[str, int]] = {name: {} for name in ("freed_bytes", "peak_bytes", "peak_backward_bytes")}
    whole = (
        times | sizes | {"file": "a.py", "line": line, "function": function, "source": "", "precision": "line", "calls": 1, "launches": 0}
    )
    return LineCost(**whole | {"cpu_self_us": us, "alloc_bytes": {"cpu": allocated} if allocated else {}})


def costs(of: LineReport) -> dict[tuple[str, int], float]:
    return {(scope.kind, scope.line): scope.cpu_us for scope in scope_costs(of, {"a.py": TEXT})["a.py"]}


def test_recursion_counts_once() -> None:
    main = [(21, "<module>"), (17, "main")]
    found = costs(report(([*main, (10, "recurse"), (10, "recurse"), (9, "recurse")], 7.0), ([*main, (10, "recurse")], 2.0)))
    assert found == {("function", 14): 9.0, ("loop", 15): 9.0, ("with", 16): 9.0, ("function", 8): 9.0}


def test_a_closure_is_not_its_makers_time() -> None:
    assert costs(report(([(17, "main"), (3, "decorate.<locals>.wrapper"), (9, "recurse")], 5.0))) == {
        ("function", 14): 5.0,
        ("loop", 15): 5.0,
        ("with", 16): 5.0,
        ("function", 2): 5.0,
        ("function", 8): 5.0,
    }


def test_a_lambda_belongs_to_the_block_that_calls_it_and_not_to_the_one_that_holds_it() -> None:
    assert costs(report(([(21, "<module>"), (19, "main.<locals>.<lambda>")], 4.0))) == {}
    assert costs(report(([(20, "main"), (19, "main.<locals>.<lambda>")], 4.0))) == {("function", 14): 4.0, ("loop", 18): 4.0}


def test_a_comprehension_belongs_to_its_function() -> None:
    assert costs(report(([(11, "recurse"), (11, "recurse.<locals>.<listcomp>")], 3.0))) == {("function", 8): 3.0}


def test_a_decorator_runs_in_the_module_and_not_in_the_function() -> None:
    assert costs(report(([(7, "<module>"), (4, "decorate")], 1.0))) == {("function", 1): 1.0}


def test_what_a_report_lists_no_stack_for_stays_with_its_line() -> None:
    of = report(([(17, "main"), (9, "recurse")], 5.0))
    known = of.details[0].stacks[0]
    more = LineReport(
        steps=1,
        recording_us=100,
        devices=[],
        device_us=of.device_us,
        host_us=0,
        rows=[cost(9, "recurse", 8.0)],
        details=[LineDetail(work=[], stacks=[known])],
        notices=[],
    )
    assert costs(more) == {("function", 14): 5.0, ("loop", 15): 5.0, ("with", 16): 5.0, ("function", 8): 8.0}


def test_bytes_are_those_of_a_scopes_own_lines() -> None:
    of = report(([(17, "main"), (9, "recurse")], 5.0))
    more = LineReport(
        steps=1,
        recording_us=100,
        devices=[],
        device_us=of.device_us,
        host_us=0,
        rows=[cost(9, "recurse", 5.0, 64)],
        details=of.details,
        notices=[],
    )
    assert {scope.line: scope.alloc_bytes for scope in scope_costs(more, {"a.py": TEXT})["a.py"]} == {14: 0, 15: 0, 16: 0, 8: 64}


def test_a_text_that_is_no_python_of_ours_has_no_scopes_but_no_error_either() -> None:
    assert scope_costs(report(([(1, "f")], 1.0)), {"a.py": "def f(:\n", "b.py": None}) == {"a.py": []}
