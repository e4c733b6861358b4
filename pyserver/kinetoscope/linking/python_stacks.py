"""A trace's own Python events become call paths and timelines, for traces without a line log.

Rule: on each thread, the user frame that is innermost at a time is the one that runs. While an event that it called is open, its
line is where that call was made, if the trace says so (`CallFrom` from torch 2.14 on, or the event tree's `caller` that our
recorder saved): precision `call`. Otherwise it is the line that the function's source leaves possible, if it is only one, also while an
operator runs without a call: precision `inferred` (inference.py). Otherwise only the function is known. Library frames, built-ins and
modules belong to the user frame that led to them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinetoscope.linking.call_tree import CALL, COMPREHENSIONS, FUNCTION, INFERRED, OUTSIDE, CallTree, Place, Timeline
from kinetoscope.linking.frame_functions import FrameFunctions
from kinetoscope.linking.inference import Inferred
from kinetoscope.linking.places import FileNames, parse_call_from
from kinetoscope.trace.columns import Ints, Trace

_NO_PLACE = (-1, FUNCTION)


@dataclass(slots=True)
class _Frame:
    """A Python event or an operator on the stack. `owned`: a user frame's own code runs in it; `one_line`: on its only line, at which it
    arrived when it began. `line`, `seen`: the line at which the last event in it arose, and what arose there since it was arrived at."""

    end: int
    node: int
    owned: bool
    one_line: bool
    line: int = -1
    seen: frozenset[int] = frozenset()


@dataclass(frozen=True)
class _Events:
    """What opens and closes on one thread, in order: Python events, and the operators whose line was inferred (`name` -1). `line` is that
    of the frame around it, -1 where it is not known; `goes_on`: whether that is the same execution of the line as before, None where the
    frame was not aligned."""

    start: list[int]
    end: list[int]
    name: list[int]
    opening: list[bool]
    line: list[int]
    precision: list[int]
    goes_on: list[bool | None]


class PythonStackReader:
    """Walks the Python events of all threads into one call tree."""

    def __init__(self, trace: Trace, tree: CallTree, files: FileNames, functions: FrameFunctions, inferred: Inferred) -> None:
        self._trace = trace
        self._tree = tree
        self._files = files
        self._functions = functions
        self._inferred = inferred
        self._op_rows = np.array([*inferred.op_line], dtype=np.int64)
        self._places: dict[tuple[int, bool], tuple[int, int]] = {}

    def timelines(self, without: set[int], call_lines: Ints) -> dict[int, Timeline]:
        """Thread of the trace → timeline, for all threads with Python events but those in `without`. `call_lines`: the line from which
        each frame is known to be called (`known_call_lines`)."""
        frames = self._trace.frames
        result: dict[int, Timeline] = {}
        for thread in sorted({*np.unique(frames.thread).tolist()} - without):
            result[thread] = self._walk(self._events(thread, call_lines))
        return result

    def _events(self, thread: int, call_lines: Ints) -> _Events:
        inferred = self._inferred
        frames, ops = self._trace.frames, self._trace.ops
        rows = np.arange(*np.searchsorted(frames.thread, [thread, thread + 1]))
        op_rows = self._op_rows[ops.thread[self._op_rows] == thread]
        start = np.concatenate([frames.ts_ns[rows], ops.ts_ns[op_rows]])
        dur = np.concatenate([frames.dur_ns[rows], ops.dur_ns[op_rows]])
        end = np.where(dur < 0, self._trace.end_ns, start + dur)
        name = np.concatenate([frames.name[rows], np.full(len(op_rows), -1, np.int64)])
        known = call_lines[rows]
        guessed = np.full(len(rows), -1, np.int64)
        goes_on: list[bool | None] = [None] * len(start)
        if inferred.frame_line:
            guessed = np.array([inferred.frame_line.get(row, -1) for row in rows.tolist()], dtype=np.int64)
            goes_on = [*map(inferred.frame_goes_on.get, rows.tolist()), *(inferred.op_goes_on[row] for row in op_rows.tolist())]
        line = np.concatenate([np.where(known > 0, known, guessed), [inferred.op_line[row] for row in op_rows.tolist()]]).astype(np.int64)
        precision = np.concatenate([np.where(known > 0, CALL, INFERRED), np.full(len(op_rows), INFERRED, np.int64)])
        opening = np.concatenate([self._functions.opening[rows], np.zeros(len(op_rows), bool)])
        order = np.lexsort((-end, start)) if len(op_rows) else np.arange(len(rows))
        return _Events(
            start[order].tolist(),
            end[order].tolist(),
            name[order].tolist(),
            opening[order].tolist(),
            line[order].tolist(),
            precision[order].tolist(),
            [goes_on[place] for place in order.tolist()],
        )

    def _walk(self, events: _Events) -> Timeline:
        tree = self._tree
        ts: list[int] = []
        nodes: list[int] = []
        arrived: list[int] = []
        arrived_ts: list[int] = []
        stack: list[_Frame] = []

        def leave_until(time: int) -> None:
            while stack and stack[-1].end <= time:
                ts.append(stack.pop().end)
                nodes.append(stack[-1].node if stack else OUTSIDE)

        for start, end, name, opening, line, precision, goes_on in zip(
            events.start, events.end, events.name, events.opening, events.line, events.precision, events.goes_on, strict=True
        ):
            leave_until(start)
            top = stack[-1] if stack else None
            context = top.node if top is not None else OUTSIDE
            if top is not None and top.owned and line > 0:
                context = tree.node(tree.parent[context], tree.place[context], line, precision)
                if goes_on is None:  # not aligned: the same call once more is taken for another arrival
                    goes_on = line == top.line and name not in top.seen
                if goes_on:
                    top.seen |= {name}
                else:
                    top.line, top.seen = line, frozenset({name})
                    if not top.one_line and not opening:
                        arrived.append(context)
                        arrived_ts.append(start)
            place, precision = self._place(name, opening) if name >= 0 else _NO_PLACE
            if place < 0:
                node = context
            else:
                node = tree.node(context, place, tree.places[place].line, precision)
                if tree.places[place].function not in COMPREHENSIONS and not opening:
                    arrived.append(node)
                    arrived_ts.append(start)
            stack.append(_Frame(end, node, place >= 0, precision != FUNCTION))
            ts.append(start)
            nodes.append(node)
        leave_until(max(events.end, default=0))
        tree.arrivals.add(np.array(arrived, dtype=np.int64), np.array(arrived_ts, dtype=np.int64))
        order = np.argsort(np.array(ts, dtype=np.int64), kind="stable")
        return Timeline(np.array(ts, dtype=np.int64)[order], np.array(nodes, dtype=np.int64)[order])

    def _place(self, name: int, opening: bool) -> tuple[int, int]:
        """The user's function of this name, -1 for library frames and the rest, and how well its first line tells where it stands: a
        function of one line is always there."""
        found = self._places.get((name, opening))
        if found is None:
            frame = self._functions.user(name)
            if frame is None:
                found = _NO_PLACE
            else:
                line = self._functions.first_line(frame, opening)
                place = self._tree.place_id(Place(self._files.resolve(frame.path), frame.function, line))
                found = place, INFERRED if name in self._inferred.one_line else FUNCTION
            self._places[(name, opening)] = found
        return found


def known_call_lines(trace: Trace) -> Ints:
    """The line from which each frame of the trace was called, -1 where it is not known."""
    lines = np.full(len(trace.frames.name), -1, np.int64)
    for row, line in _saved_callers(trace).items():
        lines[row] = line
    for name in np.unique(trace.frames.call_from).tolist():
        parsed = parse_call_from(trace.names[name]) if name >= 0 else None
        if parsed is not None:
            lines[trace.frames.call_from == name] = parsed[1]
    return lines


def _saved_callers(trace: Trace) -> dict[int, int]:
    """Row of `trace.frames` → caller's line, from the event tree that the recorder saved: the same name, thread and start."""
    callers = trace.recording.callers
    if callers is None:
        return {}
    rows: dict[tuple[str, int | str, int], int] = {}
    frames: Ints = trace.frames.ts_ns
    for row, start in enumerate(frames.tolist()):
        tid = trace.threads[int(trace.frames.thread[row])][1]
        rows[(trace.names[int(trace.frames.name[row])], tid, (start + trace.origin_epoch_ns) // 1000)] = row
    result: dict[int, int] = {}
    for name, _, line, start_epoch_ns, tid in callers.frames:
        for microsecond in (0, -1, 1):  # the trace's times are rounded
            row = rows.get((name, tid, start_epoch_ns // 1000 + microsecond))
            if row is not None:
                result[row] = line
                break
    return result
