"""Events by name, and from one match to the next."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kinetoscope.analysis.ranges import Window, within
from kinetoscope.analysis.timeline.answers import FindQuestion, Found
from kinetoscope.analysis.timeline.events import TABLES
from kinetoscope.analysis.timeline.timeline import QuestionError, Timeline
from kinetoscope.trace.columns import Ints


def find(timeline: Timeline, question: FindQuestion, window_ns: Window = None) -> Found:
    """The match that the question asks for. Raises `QuestionError` for an empty text and unknown tracks and events."""
    wanted = question.text.casefold()
    if not wanted:
        raise QuestionError("There is no text to find.")
    # Who goes from match to match asks the same again and again.
    event, start = timeline.last(
        (wanted, question.tracks, window_ns),
        lambda: matches(timeline, lambda name: wanted in name.casefold(), question.tracks, window_ns),
    )
    if not len(event):
        return Found(match=None, index=-1, matches=0)
    index = _next(timeline, question, event, start)
    return Found(match=timeline.ref(int(event[index])), index=index, matches=len(event))


def matches(
    timeline: Timeline, wanted: Callable[[str], bool], tracks: list[str] | None = None, window_ns: Window = None
) -> tuple[Ints, Ints]:
    """`(event, start)` of the events whose name is wanted and that begin in the window, by start, the longer first."""
    known: dict[int, bool] = {}
    found: list[Ints] = []
    for spans in timeline.lanes_with_events(tracks).values():
        events = spans.event.astype(np.int64)
        name = timeline.events.name_of(events)
        used = np.flatnonzero(np.bincount(name)).tolist()
        known |= {number: wanted(timeline.events.names[number]) for number in used if number not in known}
        hits = np.isin(name, [number for number in used if known[number]]) & within(spans.start_ns, window_ns)
        found.append(np.column_stack([events[hits], spans.start_ns[hits], spans.end_ns[hits]]))
    event, start, end = np.concatenate([np.zeros((0, 3), np.int64), *found]).T
    order = np.lexsort((-end, start))
    return event[order], start[order]


def _next(timeline: Timeline, question: FindQuestion, event: Ints, start: Ints) -> int:
    """The match after (or before) the question's event, else its time, else the first (or last). After the last comes the first."""
    step = -1 if question.backwards else 1
    if question.event is not None:
        here = np.flatnonzero(event == question.event)
        if len(here):
            return (int(here[0]) + step) % len(event)
        if not timeline.events.knows(question.event):
            raise QuestionError(f"The recording has no event {question.event}.")
        row, table = divmod(question.event, TABLES)
        moment = int(timeline.events.times_of(table)[0][row])
    elif question.from_us is not None:
        moment = timeline.ns(question.from_us)
    else:
        return len(event) - 1 if question.backwards else 0
    after = int(np.searchsorted(start, moment, side="left"))
    return (after - 1 if question.backwards else after) % len(event)
