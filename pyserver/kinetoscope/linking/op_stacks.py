"""The call stacks that torch 1.8 to 1.10 wrote on forward operators become call paths and timelines, precision `call`.

Rule: `Call stack` is `file(LINE): function;…`, innermost frame first, each with the line it really stood on. While an operator runs,
its thread stands on the innermost user frame of its stack; an operator without a stack (backward) inside one with a stack stands
where that one does. Between operators nothing is known, so the thread is outside: no time is given to a line that may have left it.

torch 1.11 and the verbose mode of later versions write function first lines under the same name, but they record Python events too.
So these stacks count only in traces without any, and not if a stack names a built-in or a module, as only those versions do.
"""

from __future__ import annotations

import numpy as np

from kinetoscope.linking.call_tree import CALL, OUTSIDE, CallTree, Place, Timeline
from kinetoscope.linking.places import FileNames, parse_frame
from kinetoscope.trace.columns import Trace

_LATER = ("<built-in ", "nn.Module: ")
_FIRST_LINE_NOT_KNOWN = 0


class OpStackReader:
    """Walks the operators' call stacks of all threads into one call tree."""

    def __init__(self, trace: Trace, tree: CallTree, files: FileNames) -> None:
        self._trace = trace
        self._tree = tree
        self._files = files
        used = np.unique(trace.ops.call_stack).tolist() if not len(trace.frames.ts_ns) else []
        texts = {index: trace.names[index] for index in used if index >= 0 and trace.names[index]}
        later = any(entry.startswith(_LATER) for text in texts.values() for entry in text.split(";"))
        self._texts = {} if later else texts
        self._nodes: dict[int, int] = {}

    def timelines(self, without: set[int]) -> dict[int, Timeline]:
        """Thread of the trace → timeline, for all threads whose operators have call stacks but those in `without`."""
        if not self._texts:
            return {}
        ops = self._trace.ops
        bearing = np.isin(ops.call_stack, list(self._texts))
        result: dict[int, Timeline] = {}
        for thread in sorted({*np.unique(ops.thread[bearing]).tolist()} - without):
            low, high = np.searchsorted(ops.thread, [thread, thread + 1])
            result[thread] = self._walk(int(low), int(high))
        return result

    def _walk(self, low: int, high: int) -> Timeline:
        ops = self._trace.ops
        starts = ops.ts_ns[low:high].tolist()
        ends = np.where(ops.dur_ns[low:high] < 0, self._trace.end_ns, ops.ts_ns[low:high] + ops.dur_ns[low:high]).tolist()
        ts: list[int] = []
        nodes: list[int] = []
        arrived: list[int] = []
        arrived_ts: list[int] = []
        open_: list[tuple[int, int]] = []  # end, node
        last: tuple[int, ...] = ()

        def leave_until(time: int) -> None:
            while open_ and open_[-1][0] <= time:
                ts.append(open_.pop()[0])
                nodes.append(open_[-1][1] if open_ else OUTSIDE)

        for start, end, stack in zip(starts, ends, ops.call_stack[low:high].tolist(), strict=True):
            leave_until(start)
            around = open_[-1][1] if open_ else OUTSIDE
            node = self._node(stack) if stack in self._texts else around
            open_.append((end, node))
            if node != around:
                ts.append(start)
                nodes.append(node)
                path = tuple(self._tree.path(node))
                here = [each for each in path if each not in last]  # the lines that were not on the path of the operator before
                arrived += here
                arrived_ts += [start] * len(here)
                last = path
        leave_until(max(ends, default=0))
        self._tree.arrivals.add(np.array(arrived, dtype=np.int64), np.array(arrived_ts, dtype=np.int64))
        order = np.argsort(np.array(ts, dtype=np.int64), kind="stable")
        return Timeline(np.array(ts, dtype=np.int64)[order], np.array(nodes, dtype=np.int64)[order])

    def _node(self, stack: int) -> int:
        """The node of a call stack's user frames; `OUTSIDE` where it has none."""
        if stack not in self._nodes:
            node = OUTSIDE
            for entry in reversed(self._texts[stack].split(";")):
                frame = parse_frame(entry)
                if frame is not None and self._files.is_user(frame.path):
                    place = Place(self._files.resolve(frame.path), frame.function, _FIRST_LINE_NOT_KNOWN)
                    node = self._tree.node(node, self._tree.place_id(place), frame.line, CALL)
            self._nodes[stack] = node
        return self._nodes[stack]
