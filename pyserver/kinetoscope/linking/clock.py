"""The recorder's clock against the trace's.

Rule: each clock marker is a range in the trace whose start lies between two reads of the recorder's clock, so it bounds the
offset between the clocks from both sides. The markers at the beginning and those at the end give one offset each (the middle of
what all bounds allow); between them the offset is interpolated, which takes up drift.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinetoscope.trace.columns import Ints, Trace

MARKER = "kinetoscope.clock#"


@dataclass(frozen=True)
class ClockMap:
    """Maps recorder nanoseconds to trace nanoseconds: `t + offset`, the offset linear between two anchors. `doubt_ns`: half the
    bound's width."""

    at_ns: tuple[int, int]
    offset_ns: tuple[int, int]
    doubt_ns: int

    def to_trace(self, recorder_ns: Ints) -> Ints:
        """int64 nanoseconds since the trace's origin."""
        shift = np.interp(
            recorder_ns.astype(np.float64) - self.at_ns[0], [0.0, float(self.at_ns[1] - self.at_ns[0])], [0.0, float(self._drift)]
        )
        return recorder_ns + self.offset_ns[0] + np.rint(shift).astype(np.int64)

    @property
    def _drift(self) -> int:
        return self.offset_ns[1] - self.offset_ns[0]


def clock_map(trace: Trace) -> ClockMap | None:
    """The map for a trace with our recording inside; None where no marker is found in it."""
    wanted = {f"{MARKER}{k}": (before, after) for k, before, after in trace.recording.clock.markers}
    names = {index: wanted[name] for index, name in enumerate(trace.names) if name in wanted}
    if not names:
        return None
    marks = (
        [(*names[name], ts) for name, ts in zip(trace.ops.name[hits].tolist(), trace.ops.ts_ns[hits].tolist(), strict=True)]
        if (hits := np.isin(trace.ops.name, list(names))).any()
        else []
    )
    if not marks:
        return None
    marks.sort()
    middle = (marks[0][0] + marks[-1][0]) // 2
    groups = [[m for m in marks if m[0] <= middle], [m for m in marks if m[0] > middle]]
    anchors = [_anchor(group) for group in groups if group]
    first, last = anchors[0], anchors[-1]
    return ClockMap((first[0], max(last[0], first[0] + 1)), (first[1], last[1]), max(first[2], last[2]))


def _anchor(marks: list[tuple[int, int, int]]) -> tuple[int, int, int]:
    """`(recorder time, offset, doubt)` from marks `(before, after, trace ts)`; the tightest where noise makes the bounds contradict."""
    low = max(ts - after for _, after, ts in marks)
    high = min(ts - before for before, _, ts in marks)
    if low > high:
        before, after, ts = min(marks, key=lambda mark: mark[1] - mark[0])
        low, high = ts - after, ts - before
    return marks[len(marks) // 2][0], (low + high) // 2, (high - low + 1) // 2
