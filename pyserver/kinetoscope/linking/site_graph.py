"""The places of a function's source at which an event can arise (sites), and in which order control flow can reach them.

A graph is put together from fragments as in Glushkov's construction: each keeps the sites that can come first and last, whether it can
pass without any event, and how it can be left by `break`, `continue` and `return`. Sets of sites are integers, a bit a site.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

MOST_SITES = 3000
"""The work grows with the square of it in the worst case."""


class TooManySitesError(Exception):
    """The function is too long to be aligned."""


@dataclass(frozen=True)
class Site:
    """`line`: where Python stands when the event arises, -1 where that is not sure; `first`, `last`: the lines that some version may name
    for it.

    What can arise: a Python or built-in function of one of `names`; with `strangers` one whose name no site of the function has, with
    `anyone` any; with `modules` an `nn.Module`; one of `operators` (`*` any; with `odd_operators` those that belong to no construct).
    """

    line: int
    first: int
    last: int
    names: frozenset[str] = frozenset()
    strangers: bool = False
    anyone: bool = False
    modules: bool = False
    operators: frozenset[str] = frozenset()
    odd_operators: bool = False


@dataclass(frozen=True)
class Exit:
    """A way out of a fragment: the sites after which it can be taken, and whether it can be with no event before."""

    last: int = 0
    passes: bool = False

    def __or__(self, other: Exit) -> Exit:
        return Exit(self.last | other.last, self.passes or other.passes)


@dataclass(frozen=True)
class Fragment:
    """A piece of the graph. `end`: the normal way out; `jumps`: the others, by their kind."""

    first: int = 0
    end: Exit = Exit(0, True)
    all: int = 0
    jumps: dict[str, Exit] = field(default_factory=dict)


NOTHING = Fragment()
BREAK, CONTINUE, RETURN = "break", "continue", "return"


def jump(kind: str) -> Fragment:
    """A statement that only leaves."""
    return Fragment(0, Exit(), 0, {kind: Exit(0, True)})


DEAD_END = Fragment(0, Exit(), 0)
"""`raise`: what follows is reached by handlers only."""


class GraphBuilder:
    """Makes fragments and keeps the order of their sites."""

    def __init__(self) -> None:
        self.sites: list[Site] = []
        self.follow: list[int] = []
        self.repeating = 0
        """Sites that may have several events in a row."""
        self.pauses = 0
        """Sites that stand for leaving and coming back (`yield`)."""

    def site(self, site: Site, *, may_pass: bool, repeats: bool) -> Fragment:
        """A site with one event, with `may_pass` perhaps none, with `repeats` perhaps several. Raises `TooManySitesError`."""
        if len(self.sites) >= MOST_SITES:
            raise TooManySitesError
        bit = 1 << len(self.sites)
        self.sites.append(site)
        self.follow.append(bit if repeats else 0)
        self.repeating |= bit if repeats else 0
        return Fragment(bit, Exit(bit, may_pass), bit)

    def pause(self, line: int, *, may_pass: bool) -> Fragment:
        """A `yield` or `await`."""
        fragment = self.site(Site(line, line, line), may_pass=may_pass, repeats=False)
        self.pauses |= fragment.all
        return fragment

    def link(self, sites: int, to: int) -> None:
        """After each of `sites`, each of `to` can come."""
        for index in bits(sites):
            self.follow[index] |= to

    def then(self, *parts: Fragment) -> Fragment:
        """One after the other."""
        result = NOTHING
        for part in parts:
            result = self._two(result, part)
        return result

    def _two(self, a: Fragment, b: Fragment) -> Fragment:
        self.link(a.end.last, b.first)

        def after_a(way: Exit) -> Exit:
            return Exit(way.last | (a.end.last if way.passes else 0), way.passes and a.end.passes)

        jumps = dict(a.jumps)
        for kind, way in b.jumps.items():
            jumps[kind] = jumps.get(kind, Exit()) | after_a(way)
        return Fragment(a.first | (b.first if a.end.passes else 0), after_a(b.end), a.all | b.all, jumps)

    def either(self, *parts: Fragment) -> Fragment:
        """One of them."""
        first, end, all_, jumps = 0, Exit(), 0, dict[str, Exit]()
        for part in parts:
            first, end, all_ = first | part.first, end | part.end, all_ | part.all
            for kind, way in part.jumps.items():
                jumps[kind] = jumps.get(kind, Exit()) | way
        return Fragment(first, end, all_, jumps)

    def loop(self, head: Fragment, body: Fragment, otherwise: Fragment) -> Fragment:
        """`head` before each round and at the end, `otherwise` after the end, neither after a `break`."""
        once = self.then(head, body)
        again = once.end | once.jumps.get(CONTINUE, Exit())
        self.link(again.last, once.first)
        done = Exit(head.end.last | (again.last if head.end.passes else 0), head.end.passes)
        after = self.then(Fragment(once.first, done, once.all), otherwise)
        leave = {kind: way for kind, way in once.jumps.items() if kind not in (BREAK, CONTINUE)}
        for kind, way in after.jumps.items():
            leave[kind] = leave.get(kind, Exit()) | way
        return Fragment(after.first, after.end | once.jumps.get(BREAK, Exit()), after.all, leave)

    def attempt(self, body: Fragment, handlers: Fragment) -> Fragment:
        """`body`, which any of its sites, or none, may leave for the handlers."""
        self.link(body.all, handlers.first)
        entered = Fragment(0, Exit(body.all, True), 0)
        handled = self._two(entered, handlers)
        whole = self.either(body, handled)
        return Fragment(whole.first | handlers.first, whole.end, body.all | handlers.all, whole.jumps)

    def finally_(self, body: Fragment, last: Fragment, failed: Fragment, *, swallows: bool) -> Fragment:
        """`body`, then `last` however it is left; after an exception `failed` instead (the same code, made once more), which goes on to
        handlers only, but for `swallows`."""
        ended = self._two(body, last)
        self.link(body.all, failed.first)
        jumps: dict[str, Exit] = {}
        for kind, way in body.jumps.items():
            self.link(way.last, last.first)
            jumps[kind] = Exit(last.end.last | (way.last if last.end.passes else 0), way.passes and last.end.passes)
        for part, before in ((last, body.end), (failed, Exit(body.all, True))):
            for kind, way in part.jumps.items():
                jumps[kind] = jumps.get(kind, Exit()) | way | (before if way.passes else Exit())
        end = ended.end
        if swallows:
            end = end | Exit(failed.end.last | (body.all if failed.end.passes else 0), failed.end.passes)
        enters = body.end.passes or any(way.passes for way in body.jumps.values())
        first = body.first | failed.first | (last.first if enters else 0)
        return Fragment(first, end, ended.all | failed.all, jumps)


def bits(sites: int) -> Iterator[int]:
    """The indices of a set of sites, ascending."""
    while sites:
        low = sites & -sites
        yield low.bit_length() - 1
        sites ^= low
