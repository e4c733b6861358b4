"""Where threads were in the user's code: a tree of call paths, and for each thread the node it stood on over time.

The line log and a trace's Python stacks both become this, so that everything after it knows only one thing. Node 0 means outside
of user code, or not known.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from kinetoscope.trace.columns import Bools, Ints

PRECISIONS = ("line", "call", "inferred", "function")
LINE, CALL, INFERRED, FUNCTION = range(4)
OUTSIDE = 0
COMPREHENSIONS = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")
"""Functions that are part of a statement: entering one is no arrival at its line."""


@dataclass(frozen=True)
class Place:
    """A function of the user's: file, qualified name, first line (0 where only lines inside it are known)."""

    file: str
    function: str
    line: int


@dataclass
class Arrivals:
    """When lines were arrived at: nodes of the call tree and moments in trace time, thread by thread."""

    node: list[Ints] = field(default_factory=list)
    ts_ns: list[Ints] = field(default_factory=list)

    def add(self, node: Ints, ts_ns: Ints) -> None:
        """Those of one thread."""
        self.node.append(node)
        self.ts_ns.append(ts_ns)

    def count(self, nodes: int, window_ns: tuple[int, int] | None = None) -> Ints:
        """How often each of so many nodes was arrived at; with a window, within it, its start included."""
        none = np.zeros(0, np.int64)
        node, ts_ns = np.concatenate([none, *self.node]), np.concatenate([none, *self.ts_ns])
        if window_ns is not None:
            node = node[(window_ns[0] <= ts_ns) & (ts_ns < window_ns[1])]
        return np.bincount(node, minlength=nodes)


@dataclass
class CallTree:
    """Nodes as columns. A node is a place and a line in it, below the node that called it."""

    places: list[Place] = field(default_factory=list)
    parent: list[int] = field(default_factory=lambda: [-1])
    place: list[int] = field(default_factory=lambda: [-1])
    line: list[int] = field(default_factory=lambda: [0])
    precision: list[int] = field(default_factory=lambda: [FUNCTION])
    arrivals: Arrivals = field(default_factory=Arrivals)
    _nodes: dict[tuple[int, int, int, int], int] = field(default_factory=dict)
    _places: dict[Place, int] = field(default_factory=dict)

    def place_id(self, place: Place) -> int:
        """The number of a place, given at first sight."""
        number = self._places.get(place)
        if number is None:
            number = self._places[place] = len(self.places)
            self.places.append(place)
        return number

    def node(self, parent: int, place: int, line: int, precision: int) -> int:
        """The node for this place and line below `parent`."""
        key = (parent, place, line, precision)
        node = self._nodes.get(key)
        if node is None:
            node = self._nodes[key] = len(self.parent)
            self.parent.append(parent)
            self.place.append(place)
            self.line.append(line)
            self.precision.append(precision)
        return node

    def path(self, node: int) -> Iterator[int]:
        """The node and those that called it, innermost first, without `OUTSIDE`."""
        while node > OUTSIDE:
            yield node
            node = self.parent[node]

    def __len__(self) -> int:
        return len(self.parent)


@dataclass(frozen=True)
class Timeline:
    """The node a thread stood on: from `ts_ns[i]` on it was `node[i]`, until `ts_ns[i + 1]`. Trace time; sorted."""

    ts_ns: Ints
    node: Ints

    def at(self, ts_ns: Ints) -> Ints:
        """The node at each time; `OUTSIDE` before the first entry."""
        index = np.searchsorted(self.ts_ns, ts_ns, side="right") - 1
        return np.where(index >= 0, self.node[np.maximum(index, 0)], OUTSIDE) if len(self.node) else np.zeros(len(ts_ns), np.int64)

    def steady(self, start_ns: Ints, end_ns: Ints) -> Bools:
        """Whether the thread stood on one node from each start until each end."""
        moved = np.concatenate([[0], np.cumsum(np.diff(self.node, prepend=OUTSIDE) != 0)])
        until = np.maximum(np.searchsorted(self.ts_ns, end_ns, side="left"), np.searchsorted(self.ts_ns, start_ns, side="right"))
        return moved[until] == moved[np.searchsorted(self.ts_ns, start_ns, side="right")]


@dataclass(frozen=True)
class Timelines:
    """All threads' timelines. `of_thread[i]`: which one belongs to the trace's thread `i`, -1 where none does."""

    all: list[Timeline]
    of_thread: Ints

    def at(self, thread: Ints, ts_ns: Ints) -> Ints:
        """The node at each (thread of the trace, time)."""
        node = np.zeros(len(ts_ns), np.int64)
        which = self.of_thread[thread] if len(thread) else thread
        for index in np.unique(which[which >= 0]).tolist():
            hits = which == index
            node[hits] = self.all[index].at(ts_ns[hits])
        return node

    def steady(self, thread: Ints, start_ns: Ints, end_ns: Ints) -> Bools:
        """Whether each thread stood on one node from each start until each end; a thread without a timeline is nowhere, so it did."""
        result = np.ones(len(start_ns), bool)
        which = self.of_thread[thread] if len(thread) else thread
        for index in np.unique(which[which >= 0]).tolist():
            hits = which == index
            result[hits] = self.all[index].steady(start_ns[hits], end_ns[hits])
        return result
