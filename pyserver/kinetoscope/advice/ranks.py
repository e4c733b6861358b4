"""What findings of several ranks look at: their distributed view, and the case of each rank."""

from __future__ import annotations

from collections.abc import Mapping

from kinetoscope.advice.evidence import Case
from kinetoscope.analysis.distributed import distributed
from kinetoscope.linking.linked import LinkedTrace

Window = tuple[int, int]


class Ranks:
    """The ranks of one recording. Numbers are means of their steps; `windows` are by rank, None for all of a recording."""

    def __init__(self, linked: Mapping[int, LinkedTrace], windows: Mapping[int, Window | None]) -> None:
        chosen = {rank: window for rank, window in windows.items() if window is not None}
        self.view = distributed(linked, chosen or None)
        self.cases = {rank: Case(linked[rank], windows[rank]) for rank in sorted(linked)}
        counted = [one for one in self.view.ranks if one.steps]
        self.steps = min((len(case.steps) for case in self.cases.values()), default=0)
        self.parts = max(1, min((one.steps for one in counted), default=1))
        """What sums over a recording are divided by."""
        self.step_us = sum(one.step_us for one in counted) / len(counted) if counted else 0.0

    def share(self, us: float) -> float:
        """Of the mean step, 0 to 1."""
        return us / self.step_us if self.step_us > 0 else 0.0
