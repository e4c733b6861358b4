"""Where a line of the source, or everything of one name, is on the timeline."""

from __future__ import annotations

import numpy as np

from kinetoscope.analysis.line_details import outermost_ops
from kinetoscope.analysis.ranges import Window, within
from kinetoscope.analysis.timeline.answers import Located, LocateQuestion
from kinetoscope.analysis.timeline.events import KERNEL, LINE, OP, TABLES
from kinetoscope.analysis.timeline.find import matches
from kinetoscope.analysis.timeline.timeline import QuestionError, Timeline
from kinetoscope.trace.columns import Ints

EVENTS_AT_MOST = 500


def locate(timeline: Timeline, question: LocateQuestion, window_ns: Window = None) -> Located:
    """The events of what is asked for that begin in the window. Raises `QuestionError` where nothing is asked for."""
    if question.name is not None:
        event, _ = matches(timeline, lambda name: name == question.name, None, window_ns)
        return _located(timeline, event, f"Nothing in this part of the recording is called {question.name}.")
    if question.file is None or question.line is None:
        raise QuestionError("Neither a line nor a name was asked for.")
    nodes = _nodes(timeline, question.file, question.line)
    if not len(nodes):
        return _located(timeline, nodes, f"Line {question.line} of {question.file} did not run in this recording, as far as it tells.")
    event = _events_of(timeline, nodes, window_ns)
    return _located(timeline, event, f"Line {question.line} of {question.file} did not run in this part of the recording.")


def _nodes(timeline: Timeline, file: str, line: int) -> Ints:
    tree = timeline.linked.tree
    return np.array(
        [node for node in range(1, len(tree)) if tree.line[node] == line and tree.places[tree.place[node]].file == file], np.int64
    )


def _events_of(timeline: Timeline, nodes: Ints, window_ns: Window) -> Ints:
    """What belongs to these nodes of the call tree, in time order, the longer first."""
    linked = timeline.linked
    chosen = np.zeros(len(linked.tree), bool)
    chosen[nodes] = True
    top = outermost_ops(linked)
    rows = {
        LINE: np.flatnonzero(chosen[timeline.events.standing.node]),
        OP: np.flatnonzero(chosen[linked.op.node] & (top == np.arange(len(top)))),
        KERNEL: np.flatnonzero(chosen[linked.kernel.node]),
    }
    parts: list[Ints] = []
    for table, found in rows.items():
        start, end = (column[found] for column in timeline.events.times_of(table))
        parts.append(np.column_stack([found * TABLES + table, start, end])[within(start, window_ns)])
    event, start, end = np.concatenate(parts).T
    return event[np.lexsort((-end, start))]


def _located(timeline: Timeline, event: Ints, otherwise: str) -> Located:
    refs = [timeline.ref(one) for one in event[:EVENTS_AT_MOST].tolist()]
    longest = max(range(len(refs)), key=lambda index: refs[index].dur_us, default=-1)
    return Located(events=refs, matches=len(event), longest=longest, reason=None if refs else otherwise)
