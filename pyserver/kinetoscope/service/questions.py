"""The questions of the pages that a desk answers: for each method of the wire, how its answer comes from a linked trace.

A question is a pure function of what lies open (`Opened`) and of the method's parameters. It runs in the desk's process, so analyses are
imported only when one is asked.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from kinetoscope.runs.manifest import RunError
from kinetoscope.service import wire
from kinetoscope.service.selection import Selection

if TYPE_CHECKING:
    from kinetoscope.analysis.timeline import answers
    from kinetoscope.analysis.timeline.timeline import Timeline
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


def _of_timeline(ask: Callable[[Opened, Timeline, Any], Any]) -> Callable[[Opened, Any], Any]:
    """A question of the timeline, which is prepared once."""

    def answer(opened: Opened, params: Any) -> Any:
        from kinetoscope.analysis.timeline.timeline import QuestionError, Timeline

        try:
            return ask(opened, opened.prepared(Timeline), params)
        except QuestionError as error:
            raise RunError(str(error), "Open the timeline again, if the recording was written anew.") from error

    return answer


@_of_timeline
def _tracks(_: Opened, timeline: Timeline, __: wire.PartParams) -> answers.Tracks:
    from kinetoscope.analysis.timeline.timeline import tracks

    return tracks(timeline)


@_of_timeline
def _tile(_: Opened, timeline: Timeline, params: wire.TimelineTileParams) -> answers.Tile:
    from kinetoscope.analysis.timeline.timeline import tile

    return tile(timeline, params)


@_of_timeline
def _details(_: Opened, timeline: Timeline, params: wire.TimelineDetailsParams) -> answers.EventDetails:
    from kinetoscope.analysis.timeline.details import details

    return details(timeline, params)


@_of_timeline
def _find(opened: Opened, timeline: Timeline, params: wire.TimelineFindParams) -> answers.Found:
    from kinetoscope.analysis.timeline.find import find

    return find(timeline, params, opened.window_ns(params.part))


@_of_timeline
def _locate(opened: Opened, timeline: Timeline, params: wire.TimelineLocateParams) -> answers.Located:
    from kinetoscope.analysis.timeline.locate import locate

    return locate(timeline, params, opened.window_ns(params.part))


@_of_timeline
def _sums(opened: Opened, timeline: Timeline, params: wire.TimelineSumsParams) -> answers.Sums:
    from kinetoscope.analysis.timeline.sums import sums

    return sums(timeline, params, opened.window_ns(params.part))


QUESTIONS: dict[str, Callable[[Opened, Any], Any]] = {
    "kinetoscope/view": _view,
    "kinetoscope/timeline/tracks": _tracks,
    "kinetoscope/timeline/tile": _tile,
    "kinetoscope/timeline/details": _details,
    "kinetoscope/timeline/find": _find,
    "kinetoscope/timeline/locate": _locate,
    "kinetoscope/timeline/sums": _sums,
}
"""Method of the wire → its answer."""
