"""A trace's own Python events become call paths and timelines, for traces without a line log.

Rule: on each thread, the user frame that is innermost at a time is the one that runs. While an event that it called is open, its
line is where that call was made, if the trace says so (`CallFrom` from torch 2.14 on, or the event tree's `caller` that our
recorder saved): precision `call`. Otherwise only the function is known. Library frames, built-ins and modules belong to the user
frame that led to them.
"""

from __future__ import annotations

import numpy as np

from kinetoscope.linking.call_tree import CALL, FUNCTION, OUTSIDE, CallTree, Place, Timeline
from kinetoscope.linking.frame_functions import FrameFunctions
from kinetoscope.linking.places import FileNames, parse_call_from
from kinetoscope.trace.columns import Ints, Trace


class PythonStackReader:
    """Walks the Python events of all threads into one call tree."""

    def __init__(self, trace: Trace, tree: CallTree, files: FileNames, functions: FrameFunctions) -> None:
        self._trace = trace
        self._tree = tree
        self._files = files
        self._functions = functions
        self._places: dict[tuple[int, bool], int] = {}
        self._callers = _saved_callers(trace)

    def timelines(self, without: set[int]) -> dict[int, Timeline]:
        """Thread of the trace → timeline, for all threads with Python events but those in `without`."""
        frames = self._trace.frames
        result: dict[int, Timeline] = {}
        for thread in sorted({*np.unique(frames.thread).tolist()} - without):
            low, high = np.searchsorted(frames.thread, [thread, thread + 1])
            result[thread] = self._walk(int(low), int(high))
        return result

    def _walk(self, low: int, high: int) -> Timeline:
        frames, tree = self._trace.frames, self._tree
        ts: list[int] = []
        nodes: list[int] = []
        stack: list[tuple[int, int, bool]] = []  # end, node, is a user frame's own
        starts = frames.ts_ns[low:high].tolist()
        ends = np.where(frames.dur_ns[low:high] < 0, self._trace.end_ns, frames.ts_ns[low:high] + frames.dur_ns[low:high]).tolist()
        names, calls = frames.name[low:high].tolist(), self._call_lines(low, high)

        def leave_until(time: int) -> None:
            while stack and stack[-1][0] <= time:
                end = stack.pop()[0]
                ts.append(end)
                nodes.append(stack[-1][1] if stack else OUTSIDE)

        for row, start, end, name, call in zip(range(low, high), starts, ends, names, calls, strict=True):
            leave_until(start)
            context, owned = (stack[-1][1], stack[-1][2]) if stack else (OUTSIDE, False)
            if owned and call > 0:
                context = tree.node(tree.parent[context], tree.place[context], call, CALL)
                tree.arrivals[context] += 1
            place = self._place(name, self._functions.is_opening(row))
            if place < 0:
                node = context
            else:
                node = tree.node(context, place, tree.places[place].line, FUNCTION)
                tree.arrivals[node] += 1
            stack.append((end, node, place >= 0))
            ts.append(start)
            nodes.append(node)
        leave_until(max(ends, default=0))
        order = np.argsort(np.array(ts, dtype=np.int64), kind="stable")
        return Timeline(np.array(ts, dtype=np.int64)[order], np.array(nodes, dtype=np.int64)[order])

    def _place(self, name: int, opening: bool) -> int:
        """The user's function of this name, -1 for library frames and the rest."""
        place = self._places.get((name, opening))
        if place is None:
            frame = self._functions.user(name)
            if frame is None:
                place = -1
            else:
                line = self._functions.first_line(frame, opening)
                place = self._tree.place_id(Place(self._files.resolve(frame.path), frame.function, line))
            self._places[(name, opening)] = place
        return place

    def _call_lines(self, low: int, high: int) -> list[int]:
        """The caller's line for each event, -1 where it is not known."""
        frames, names = self._trace.frames, self._trace.names
        lines: list[int] = []
        for row in range(low, high):
            call_from = int(frames.call_from[row])
            parsed = parse_call_from(names[call_from]) if call_from >= 0 else None
            lines.append(parsed[1] if parsed else self._callers.get(row, -1))
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
