"""The questions of the pages that a desk answers: for each method of the wire, how its answer comes from a linked trace.

A question is a pure function of what lies open (`Opened`) and of the method's parameters. It runs in the desk's process, so analyses are
imported only when one is asked.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from kinetoscope.service import wire
from kinetoscope.service.selection import Selection

if TYPE_CHECKING:
    from kinetoscope.linking.linked import LinkedTrace
    from kinetoscope.service.digest import Target

Made = TypeVar("Made")


class Opened:
    """A linked trace that lies open, and what was prepared of it for questions that come again and again."""

    def __init__(self, of: Target, linked: LinkedTrace) -> None:
        self.of = of
        self.linked = linked
        self._prepared: dict[Callable[[LinkedTrace], Any], Any] = {}

    def prepared(self, make: Callable[[LinkedTrace], Made]) -> Made:
        """What `make` makes of the linked trace, made once."""
        if make not in self._prepared:
            self._prepared[make] = make(self.linked)
        return self._prepared[make]

    def window_ns(self, part: wire.Part) -> tuple[int, int] | None:
        """The part in trace time; None for all. Raises `RunError` where there is no such part."""
        return selected(part).window_ns(self.linked)


def selected(part: wire.Part) -> Selection:
    """What of its rank a part is."""
    return Selection(part.step, part.range_us)


def _view(opened: Opened, params: wire.ViewParams) -> wire.ViewAnswer:
    from kinetoscope.service import computing

    return wire.ViewAnswer(content=computing.content(opened.of, opened.linked, params.name, selected(params.part)))


QUESTIONS: dict[str, Callable[[Opened, Any], Any]] = {
    "kinetoscope/view": _view,
}
"""Method of the wire → its answer."""
