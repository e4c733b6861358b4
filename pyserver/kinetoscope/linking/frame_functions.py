"""Which function of the user's each Python event of a trace runs, and the function's source where it is at hand and agrees.

A frame's name gives the function's first line, except for frames that were open when the recording began and generators that go on:
their name has the line on which they stood. Rules for their first line, first that holds:
1. The source: the innermost function of that name that holds the line.
2. Another frame of that file and name was entered during the recording at this very line, or only one was, above it: that one's line.
3. Not known: the line they stood on, which is at least inside the function.

A text counts as a file's source only if every frame of the file that was entered while recording has its function there, at its line.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from kinetoscope.linking.places import FileNames, FrameName, parse_frame
from kinetoscope.linking.source_code import MODULE, Function, ModuleNames, SourceCode
from kinetoscope.trace.columns import Bools, Trace

SourceOf: TypeAlias = Callable[[str], "str | None"]
"""Path of a file as the trace names it (mostly cut, `train.py`), or as the recording does → its text, None where it is not at hand."""


class FrameFunctions:
    """Answers for all Python events of a trace."""

    def __init__(self, trace: Trace, files: FileNames, source_of: SourceOf) -> None:
        self._files = files
        frames = trace.frames
        self.opening: Bools = np.zeros(len(frames.name), bool)
        """For each frame, whether it may have been open when the recording began."""
        self.opening[_opening_chain(trace)] = True
        self._user: dict[int, FrameName] = {}
        for name in np.unique(frames.name).tolist():
            parsed = parse_frame(trace.names[name])
            if parsed is not None and files.is_user(parsed.path):
                self._user[name] = parsed
        self._entered: dict[tuple[str, str], set[int]] = defaultdict(set)
        for name in np.unique(frames.name[~self.opening]).tolist():
            if name in self._user:
                parsed = self._user[name]
                self._entered[(files.resolve(parsed.path), parsed.function)].add(parsed.line)
        self._sources = self._agreeing(source_of)
        for row in np.flatnonzero(self.opening).tolist():
            name = self._user.get(int(frames.name[row]))
            if name is not None and self._begins(name):
                self.opening[row] = False

    def user(self, name: int) -> FrameName | None:
        """The parsed name of a user's frame, None for library frames and the rest."""
        return self._user.get(name)

    def function(self, name: FrameName, opening: bool) -> Function | None:
        """The function's source; None where it is not at hand."""
        source = self._sources.get(self._files.resolve(name.path))
        if source is None:
            return None
        return source.at(name.function, name.line) or (source.around(name.function, name.line) if opening else None)

    def is_one_line(self, name: int) -> bool:
        """True where the frame's function certainly is on one line, the one that its name has."""
        frame = self._user[name]
        source = self._sources.get(self._files.resolve(frame.path))
        return source is not None and source.is_one_line(frame.function, frame.line)

    def names(self, name: FrameName) -> ModuleNames | None:
        """What the names in the frame's file stand for; None where the source is not at hand."""
        source = self._sources.get(self._files.resolve(name.path))
        return source.names if source is not None else None

    def with_source(self) -> list[int]:
        """Names of all user frames whose file's source is at hand."""
        return [index for index, name in self._user.items() if self._files.resolve(name.path) in self._sources]

    def first_line(self, name: FrameName, opening: bool) -> int:
        """The first line of the frame's function, or a line inside it where that is not known."""
        if name.function == MODULE:
            return 1
        function = self.function(name, opening)
        if function is not None:
            return function.first
        if opening:
            others = self._entered.get((self._files.resolve(name.path), name.function), set())
            if name.line not in others and len(others) == 1 and min(others) < name.line:
                return min(others)
        return name.line

    def _begins(self, name: FrameName) -> bool:
        """True where the name's line is one on which only a function that begins can stand."""
        function = self.function(name, opening=False)
        return function is not None and function.first == name.line < function.body

    def _agreeing(self, source_of: SourceOf) -> dict[str, SourceCode]:
        result: dict[str, SourceCode] = {}
        for path in sorted({self._files.resolve(name.path) for name in self._user.values()}):
            text = source_of(path)
            if text is None:
                continue
            try:
                source = SourceCode(text)
            except ValueError:
                continue
            if all(source.has(function, line) for (file, function), lines in self._entered.items() if file == path for line in lines):
                result[path] = source
        return result


def _opening_chain(trace: Trace) -> list[int]:
    """Rows of the frames that may have been open when the recording began: on each thread the first event, the first inside it, and so on.
    (torch writes those frames with slightly growing starts.)"""
    frames = trace.frames
    rows: list[int] = []
    for thread in np.unique(frames.thread).tolist():
        low, high = np.searchsorted(frames.thread, [thread, thread + 1]).tolist()
        inside_until = None
        for row in range(low, high):
            start, dur = int(frames.ts_ns[row]), int(frames.dur_ns[row])
            if inside_until is not None and start >= inside_until:
                break
            rows.append(row)
            inside_until = trace.end_ns if dur < 0 else start + dur
    return rows
