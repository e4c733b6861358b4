"""Which sites of a function the events of one of its calls can come from.

The events, in order, are matched with all ways that control flow can take through the sites (site_graph.py) at once: forwards, the sites
at which each event can be after those before it; backwards, which of these can still be left by those after it. What remains for an event
is every site it can have in some way through the function that fits all of the events, so one line among them is the line.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass

from kinetoscope.linking import operator_names
from kinetoscope.linking.evaluation import Reading, graph_of
from kinetoscope.linking.site_graph import Site, bits
from kinetoscope.linking.source_code import Function, ModuleNames

_BUILT_IN = re.compile(r"^<(?:built-in|bound|unbound|slot|method)[- ](?:function|method|wrapper)?\s*'?([^\s'>]+)")
_FRAME = re.compile(r"^.+?\(\d+\): (.*)$", re.DOTALL)
_MODULE_EVENT = "nn.Module: "
# Python runs these wherever it likes.
_ANYWHERE = frozenset({"__del__", "_remove"})


@dataclass(frozen=True)
class EventKind:
    """What an event's name says: `function` (of Python or built in), `module` or `operator`, and its plain name."""

    kind: str
    name: str

    @property
    def anywhere(self) -> bool:
        """True where the event tells nothing of the place."""
        return self.kind == "function" and self.name in _ANYWHERE


def kind_of_call(name: str) -> EventKind:
    """The kind of a `python_function` event."""
    if name.startswith(_MODULE_EVENT):
        return EventKind("module", name)
    match = _FRAME.match(name) or _BUILT_IN.match(name)
    return EventKind("function", match[1].rpartition(".")[2] if match else name)


def kind_of_operator(name: str) -> EventKind:
    """The kind of an operator that runs directly in the function."""
    return EventKind("operator", operator_names.plain_name(name) if name.startswith("aten::") else name)


class Aligner:
    """The sites of one function, and what was found out about sequences of its events."""

    def __init__(self, function: Function, names: ModuleNames, called: Set[str], reading: Reading) -> None:
        """`called`: names of functions that it was seen to call."""
        builder, whole = graph_of(function, names, called, reading)
        self.sites = builder.sites
        self._follow = builder.follow
        self._repeating = builder.repeating
        self._known = frozenset().union(*(site.names for site in self.sites))
        self._masks: dict[tuple[EventKind, int], int] = {}
        self._afters: dict[int, int] = {}
        self._befores: dict[int, int] = {}
        self._lines: dict[int, int] = {0: -1}
        self._precede = [0] * len(self.sites)
        for index, followers in enumerate(self._follow):
            for follower in bits(followers):
                self._precede[follower] |= 1 << index
        self._all = (1 << len(self.sites)) - 1
        self._start = whole.first
        returns = whole.jumps.get("return")
        self._accept = whole.end.last | (returns.last if returns is not None else 0)
        if function.resumes:
            self._start |= self._after(builder.pauses)
            self._accept |= self._before(builder.pauses)

    def candidates(self, events: Sequence[tuple[EventKind, int]], *, opened_before: bool, left_open: bool) -> list[int] | None:
        """For each event, given with its line (-1 where it is not known), the set of its possible sites; None where no way through the
        function fits. `opened_before`: the call began before the recording; `left_open`: it did not end by itself."""
        forwards: list[int] = []
        reach = self._all if opened_before else self._start
        for event in events:
            here = reach & self._mask(event)
            if not here:
                return None
            forwards.append(here)
            reach = self._after(here)
        here = self._all if left_open else self._accept
        result = forwards
        for position in range(len(forwards) - 1, -1, -1):
            here &= forwards[position]
            if not here:
                return None
            result[position] = here
            here = self._before(here)
        return result

    def line(self, sites: int) -> int:
        """The line that all of the sites stand on, -1 where they differ."""
        line = self._lines.get(sites)
        if line is None:
            lines = {self.sites[index].line for index in bits(sites)}
            line = self._lines[sites] = lines.pop() if len(lines) == 1 else -1
        return line

    def goes_on(self, before: int, now: int) -> bool:
        """Whether an event at `now` can belong to the same execution of a line as the one at `before`: it comes later in the line, or again
        where several can come."""
        later = now.bit_length() > (before & -before).bit_length()
        return later or bool(before & now & self._repeating)

    def _mask(self, event: tuple[EventKind, int]) -> int:
        mask = self._masks.get(event)
        if mask is None:
            what, line = event
            mask = sum(1 << index for index, site in enumerate(self.sites) if self._fits(site, what))
            if line >= 0:
                there = sum(1 << index for index, site in enumerate(self.sites) if site.first <= line <= site.last)
                mask = mask & there or there
            self._masks[event] = mask
        return mask

    def _fits(self, site: Site, what: EventKind) -> bool:
        if what.kind == "operator":
            if what.name in operator_names.ALL:
                return what.name in site.operators or "*" in site.operators
            return site.odd_operators
        if what.kind == "module":
            return site.modules
        return what.name in site.names or site.anyone or (site.strangers and what.name not in self._known)

    def _after(self, sites: int) -> int:
        result = self._afters.get(sites)
        if result is None:
            result = 0
            for index in bits(sites):
                result |= self._follow[index]
            self._afters[sites] = result
        return result

    def _before(self, sites: int) -> int:
        result = self._befores.get(sites)
        if result is None:
            result = 0
            for index in bits(sites):
                result |= self._precede[index]
            self._befores[sites] = result
        return result
