"""Linking against the plain definitions, over any input: what is fast must give what is obvious."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kinetoscope.linking.backward import BackwardLinks
from kinetoscope.linking.call_tree import OUTSIDE, Timeline, Timelines
from kinetoscope.linking.launches import launch_of_kernel
from kinetoscope.linking.linked import LinkedTrace, link
from kinetoscope.trace.columns import Trace
from kinetoscope.trace.reader import read_trace
from support.kineto import ENGINE, ENTER, LEAVE, LINE, MAIN, LogOf, TraceMaker


def read(maker: TraceMaker) -> Trace:
    with tempfile.TemporaryDirectory() as folder:
        return read_trace(maker.write(Path(folder) / "t.json", indent=None), lambda done, total: None)


def linked(maker: TraceMaker) -> LinkedTrace:
    return link(read(maker), "t.json")


# Timelines


@st.composite
def timelines(draw: st.DrawFn) -> Timeline:
    moves = sorted(draw(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 3)), max_size=12)), key=lambda move: move[0])
    columns = np.array(moves, dtype=np.int64).reshape(-1, 2)
    return Timeline(columns[:, 0], columns[:, 1])


def naive_at(timeline: Timeline, time: int) -> int:
    node = OUTSIDE
    for start, entered in zip(timeline.ts_ns.tolist(), timeline.node.tolist(), strict=True):
        if start <= time:
            node = entered
    return node


@settings(deadline=None)
@given(timelines(), st.lists(st.tuples(st.integers(0, 1), st.integers(-2, 23), st.integers(0, 10)), max_size=10))
def test_where_a_thread_stood_and_whether_it_moved(timeline: Timeline, spans: list[tuple[int, int, int]]) -> None:
    """Thread 0 has the timeline, thread 1 none."""
    columns = np.array(spans, dtype=np.int64).reshape(-1, 3)
    thread, start, end = columns[:, 0], columns[:, 1], columns[:, 1] + columns[:, 2]
    both = Timelines([timeline], np.array([0, -1]))
    has = [owner == 0 for owner in thread.tolist()]
    stood = [naive_at(timeline, at) if mine else OUTSIDE for mine, at in zip(has, start.tolist(), strict=True)]
    assert both.at(thread, start).tolist() == stood
    moved = [
        mine and any(naive_at(timeline, time) != naive_at(timeline, low) for time in range(low, max(low + 1, high)))
        for mine, low, high in zip(has, start.tolist(), end.tolist(), strict=True)
    ]
    steady = both.steady(thread, start, end).tolist()
    # A thread that leaves and comes back at one moment is taken for one that moved: better no answer than a wrong one.
    assert all(not (still and went) for still, went in zip(steady, moved, strict=True))
    distinct = len(set(timeline.ts_ns.tolist())) == len(timeline.ts_ns)
    assert not distinct or steady == [not went for went in moved]


# Launches


@settings(deadline=None)
@given(st.lists(st.integers(-1, 6), max_size=12), st.lists(st.integers(-1, 8), max_size=12))
def test_a_kernel_has_the_first_launch_with_its_correlation(launches: list[int], kernels: list[int]) -> None:
    maker = TraceMaker()
    for at, correlation in enumerate(launches):
        maker.event("cuda_runtime", f"launch {at}", at, 0.5, **({} if correlation < 0 else {"correlation": correlation}))
    for at, correlation in enumerate(kernels):
        maker.event("kernel", f"kernel {at}", 100 + at, 0.5, 7, device=0, **({} if correlation < 0 else {"correlation": correlation}))
    expected = [launches.index(number) if number > 0 and number in launches else -1 for number in kernels]
    assert launch_of_kernel(read(maker)).tolist() == expected


# Backward → forward

Numbered = tuple[int, int, bool]
"""(sequence number, on the engine's thread, is a backward op), in the order of time"""


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 6), st.booleans(), st.booleans()), max_size=20))
def test_a_backward_op_belongs_to_the_last_forward_op_with_the_highest_number_not_above_its_own(numbered: list[Numbered]) -> None:
    maker = TraceMaker()
    for at, (sequence, on_engine, backward) in enumerate(numbered):
        maker.op(f"op {at}", at, 0.5, ENGINE if on_engine else MAIN, sequence, 1 if backward else 0)
    trace = read(maker)
    links = BackwardLinks(trace)
    name = [int(trace.names[number].split()[1]) for number in trace.ops.name.tolist()]
    forward_of = {
        name[root]: name[forward] if forward >= 0 else None for root, forward in zip(links.roots, links.forward_op.tolist(), strict=True)
    }
    forwards = [(at, sequence, on_engine) for at, (sequence, on_engine, backward) in enumerate(numbered) if not backward]
    on = {False: sum(not engine for _, _, engine in forwards), True: sum(engine for _, _, engine in forwards)}
    for at, (sequence, _, backward) in enumerate(numbered):
        if not backward:
            assert at not in forward_of
            continue
        if on[True] == on[False]:
            continue  # without arrows the thread with the most numbered ops is the forward thread; here there is none
        main = on[True] > on[False]
        before = [(number, when) for when, number, engine in forwards if engine == main and number <= sequence and when < at]
        assert forward_of[at] == (max(before)[1] if before else None)


def test_many_backward_ops_before_any_forward_op_are_linked_at_once() -> None:
    maker = TraceMaker()
    for at in range(20_000):
        maker.op("backward", at, 0.5, seq=100_000 + at, fwd=1)
    for at in range(20_000, 40_000):
        maker.op("forward", at, 0.5, seq=at)
    assert set(BackwardLinks(read(maker)).forward_op.tolist()) == {-1}


# Line logs

CODES = ("main", "helper", "inner")
TEXT = "".join(f"def {name}():\n" + "".join(f"    step_{line}()\n" for line in range(9)) for name in CODES)


@st.composite
def walks(draw: st.DrawFn) -> list[tuple[int, int, int]]:
    """(kind, code, line) of a thread that calls, moves and returns; `line` is within the function."""
    events: list[tuple[int, int, int]] = []
    depth = 0
    for kind in draw(st.lists(st.sampled_from((ENTER, LINE, LINE, LEAVE)), max_size=40)):
        if kind == ENTER:
            events.append((kind, draw(st.integers(0, 2)), 0))
            depth += 1
        elif depth:
            events.append((kind, 0, draw(st.integers(1, 9)) if kind == LINE else 0))
            depth -= kind == LEAVE
    return events


@settings(deadline=None)
@given(walks())
def test_a_line_log_is_a_walk_through_the_stack(events: list[tuple[int, int, int]]) -> None:
    maker = TraceMaker(end_us=200.0)
    file = maker.source("/project/a.py", TEXT)
    codes = [maker.code(file, name, 1 + 10 * index) for index, name in enumerate(CODES)]
    log: LogOf = maker.log()
    stack: list[tuple[int, int]] = []
    truth: list[list[tuple[str, int]]] = []
    for at, (kind, code, line) in enumerate(events):
        if kind == ENTER:
            stack.append((code, 1 + 10 * code))
            log.add(10 + at, ENTER, codes[code], 1 + 10 * code)
        elif kind == LINE:
            owner = stack[-1][0]
            stack[-1] = (owner, 1 + 10 * owner + line)
            log.add(10 + at, LINE, codes[owner], 1 + 10 * owner + line)
        else:
            owner, _ = stack.pop()
            log.add(10 + at, LEAVE, codes[owner])
        maker.op("aten::mm", 10.3 + at, 0.1)
        truth.append([(CODES[owner], where) for owner, where in reversed(stack)])
    found = linked(maker)
    tree = found.tree
    ops = np.flatnonzero(found.trace.ops.name == found.trace.names.index("aten::mm")) if events else []
    paths = [
        [(tree.places[tree.place[node]].function, tree.line[node]) for node in tree.path(int(found.op.node[row]))]
        for row in ops  # sorted by time: one thread
    ]
    assert paths == truth


# Attribution

Span = tuple[int, int, int]
"""(what, start, length): 0 a numbered forward op, 1 a backward op with a number, 2 one without, 3 a user frame"""


@st.composite
def spans(draw: st.DrawFn) -> list[Span]:
    """Properly nested spans in 0–60."""
    result: list[Span] = []

    def fill(low: int, high: int, depth: int) -> None:
        at = low
        while at < high - 1 and depth < 5 and draw(st.integers(0, 2)):
            start = draw(st.integers(at, high - 2))
            length = draw(st.integers(2, high - start)) if high - start > 2 else high - start
            result.append((draw(st.integers(0, 3)), start, length))
            fill(start + 1, start + length - 1, depth + 1)
            at = start + length

    fill(0, 60, 0)
    return result


@settings(deadline=None)
@given(spans())
@example([(3, 0, 6), (0, 2, 2), (1, 10, 10), (0, 12, 3), (1, 30, 5)])  # a second derivative
def test_a_moment_belongs_where_the_rules_say(all_spans: list[Span]) -> None:
    """One thread, as on a CPU; each span's rules are looked up by hand among all spans around a moment."""
    maker = TraceMaker()
    maker.event("python_function", "<open>", 0, 70)  # keeps the thread's timeline from being empty
    for number, (what, start, length) in enumerate(all_spans):
        if what == 3:
            maker.event("python_function", f"train.py({number + 1}): f{number}", start, length)
        else:
            sequence = {0: number, 1: number, 2: None}[what]
            name = f"op {number}" if what != 2 else f"autograd::engine::evaluate_function: {number}"
            maker.op(name, start, length, seq=sequence, fwd=int(what == 1))
    found = linked(maker)
    moments = np.arange(65) * 1000 + 500
    got = found.attribution.at(np.zeros(65, np.int64) + found.trace.threads.index((1, MAIN)), moments)
    numbered = sorted((start, number) for number, (what, start, _) in enumerate(all_spans) if what == 0)
    for at in range(65):
        here = around(all_spans, at)
        root = max((place for place in here if all_spans[place[1]][0] in (1, 2)), default=None)
        frame = max((place for place in here if all_spans[place[1]][0] == 3), default=None)
        entered = root is not None and frame is not None and frame > root
        runs_forward = root is not None and any(innermost_root(all_spans, start) == root[1] for start, _ in numbered)
        in_forward = root is not None and any(place > root and all_spans[place[1]][0] == 0 for place in here)
        assert bool(got.recomputed[at]) == ((entered and runs_forward) or in_forward)
        forward = None if root is None or entered else forward_function(all_spans, root[1])
        assert bool(got.backward[at]) == (forward is not None)
        assert function_of(found, int(got.node[at])) == (forward or (f"f{frame[1]}" if frame else None))


def forward_function(all_spans: list[Span], root: int) -> str | None:
    """The function in which a backward op's forward op was run; None where there is no such op or no user function around it."""
    what, began, _ = all_spans[root]
    makers = [(number, start) for number, (kind, start, _) in enumerate(all_spans) if kind == 0 and number <= root and start < began]
    if what != 1 or not makers:
        return None
    _, at = max(makers)
    frame = max((place for place in around(all_spans, at) if all_spans[place[1]][0] == 3), default=None)
    own = f"f{frame[1]}" if frame else None
    outer = innermost_root(all_spans, at)
    if outer is None or (frame is not None and frame > (all_spans[outer][1], outer)):
        return own
    return forward_function(all_spans, outer) or own  # run by a backward op: it belongs where that one's forward op does


def around(all_spans: list[Span], at: int) -> list[tuple[int, int]]:
    """(start, number) of all spans around a moment."""
    return [(start, number) for number, (_, start, length) in enumerate(all_spans) if start <= at < start + length]


def innermost_root(all_spans: list[Span], at: int) -> int | None:
    """The backward op around a moment."""
    return max((place for place in around(all_spans, at) if all_spans[place[1]][0] in (1, 2)), default=(0, None))[1]


def function_of(found: LinkedTrace, node: int) -> str | None:
    return found.tree.places[found.tree.place[node]].function if node != OUTSIDE else None
