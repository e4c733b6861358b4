"""The recorder's line log becomes call paths and timelines with precision `line`.

Rule: the log's ENTER, LINE and LEAVE events are the pushes, moves and pops of the thread's stack of user frames
(docs/run-format.md). All inside a code object whose lines are not known any more (`coarse`) is told by its `def` line, precision
`function`; in a DARK stretch only the frames open on both sides are known, likewise.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinetoscope.linking.call_tree import COMPREHENSIONS, FUNCTION, LINE, OUTSIDE, CallTree, Place, Timeline
from kinetoscope.linking.clock import ClockMap
from kinetoscope.linking.statements import statement_of_line
from kinetoscope.trace.columns import Ints
from kinetoscope.trace.errors import TraceError
from kinetoscope.trace.recording import Recording, unpack_events

_LINE_EVENT, _ENTER, _LEAVE, _RESET, _DARK = 1, 2, 3, 4, 5


@dataclass
class _Frame:
    """A user frame on the stack: node of its caller, its code, the node it stands on, and the statement it is in with the lines
    counted there."""

    caller: int
    code: int
    node: int
    statement: int = -1
    counted: tuple[int, ...] = ()


class LineLogReader:
    """Walks the logs of all threads into one call tree."""

    def __init__(self, recording: Recording, tree: CallTree, where: str) -> None:
        self._recording = recording
        self._tree = tree
        self._where = where
        files = recording.files
        self._statements = [statement_of_line(file.text) for file in files]
        self._places = [tree.place_id(Place(files[code.file].path, code.name, code.line)) for code in recording.codes]
        self._inline = [code.name.rsplit(".", 1)[-1] in COMPREHENSIONS for code in recording.codes]

    def timelines(self, clock: ClockMap) -> dict[int, Timeline]:
        """Native thread id → timeline, in trace time. Raises `TraceError` for a damaged log."""
        result: dict[int, Timeline] = {}
        for log in self._recording.line_log.threads:
            t_ns, word = unpack_events(log, self._where)
            entered = word[(word & 15) == _ENTER] >> 36
            if len(entered) and not 0 <= int(entered.min()) <= int(entered.max()) < len(self._places):
                message = f"{self._where}: the line log of thread {log.tid} is damaged (it enters code that is not in it)."
                raise TraceError(message, "Record the run again.")
            nodes, arrived = self._walk(word)
            ts_ns = np.maximum.accumulate(clock.to_trace(t_ns)) if len(t_ns) else t_ns
            self._tree.arrivals.add(nodes[arrived], ts_ns[arrived])
            result[log.tid] = _without_repeats(ts_ns, nodes)
        return result

    def _walk(self, word: Ints) -> tuple[Ints, Ints]:
        """The node after each event, and which events are arrivals at the line of their node."""
        stack: list[_Frame] = []
        nodes: list[int] = []
        arrived: list[int] = []
        codes, lines, kinds = (word >> 36).tolist(), ((word >> 4) & 0xFFFFFFFF).tolist(), (word & 15).tolist()
        for position, (code, line, kind) in enumerate(zip(codes, lines, kinds, strict=True)):
            if kind == _LINE_EVENT:
                if stack and self._move(stack[-1], line):
                    arrived.append(position)
            elif kind == _ENTER:
                caller = stack[-1].node if stack else OUTSIDE
                stack.append(_Frame(caller, code, self._node(caller, code, line)))
            elif kind == _LEAVE:
                if stack:
                    stack.pop()
            elif kind == _RESET:
                stack = []
            elif kind == _DARK:
                nodes.append(self._known_in_the_dark(stack, _kept_frames(kinds, lines, position)))
                continue
            nodes.append(stack[-1].node if stack else OUTSIDE)
        return np.array(nodes, dtype=np.int64), np.array(arrived, dtype=np.int64)

    def _node(self, caller: int, code: int, line: int) -> int:
        known = self._recording.codes[code]
        if known.coarse:
            return self._tree.node(caller, self._places[code], known.line, FUNCTION)
        return self._tree.node(caller, self._places[code], line, LINE)

    def _move(self, frame: _Frame, line: int) -> bool:
        """Go to a line of a frame; whether that is an arrival at it."""
        frame.node = self._node(frame.caller, frame.code, line)
        code = self._recording.codes[frame.code]
        statement = self._statements[code.file].get(line, line)
        if statement != frame.statement:
            frame.statement, frame.counted = statement, ()
        if line in frame.counted:
            return False
        frame.counted = (*frame.counted, line)
        return not self._inline[frame.code] and not code.coarse

    def _known_in_the_dark(self, stack: list[_Frame], kept: int) -> int:
        """The innermost frame open on both sides, as a whole function."""
        if not 0 < kept <= len(stack):
            return OUTSIDE
        frame = stack[kept - 1]
        return self._tree.node(frame.caller, self._places[frame.code], self._recording.codes[frame.code].line, FUNCTION)


def _kept_frames(kinds: list[int], lines: list[int], position: int) -> int:
    """How many of the outermost frames stay open from the DARK event at `position` to the RESET that ends it; 0 without one."""
    following = position + 1
    return lines[following] if following < len(kinds) and kinds[following] == _RESET else 0


def _without_repeats(ts_ns: Ints, nodes: Ints) -> Timeline:
    if not len(nodes):
        return Timeline(ts_ns, nodes)
    changed = np.concatenate([[True], nodes[1:] != nodes[:-1]])
    return Timeline(ts_ns[changed], nodes[changed])
