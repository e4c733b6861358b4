"""What part of a recording a view or its line costs are asked for: all of it, one step, or a range of time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from kinetoscope.runs.manifest import RunError

if TYPE_CHECKING:
    from kinetoscope.linking.linked import LinkedTrace


_LONGEST_US = 1e15
"""Beyond it, about 31 years, nothing was recorded; nanoseconds of it are still exact integers."""


class Selection(Struct, frozen=True):
    """At most one of the two: `step` is the N of `ProfilerStep#N`, `range_us` microseconds since the recording's start."""

    step: int | None = None
    range_us: tuple[float, float] | None = None

    @property
    def whole(self) -> bool:
        return self.step is None and self.range_us is None

    def window_ns(self, linked: LinkedTrace) -> tuple[int, int] | None:
        """In trace time; None for the whole recording. Raises `RunError` where the recording has no such part."""
        from kinetoscope.analysis.steps import find_steps

        start, end = linked.window_ns
        if self.step is not None:
            found = find_steps(linked)
            steps = {step.number: step for step in found.kept} if found.marked else {}
            if self.step not in steps:
                has = f"it has {_numbers(sorted(steps))}" if steps else "it has no steps"
                remedy = "Choose one of these." if steps else "Choose all of it, or a range."
                raise RunError(f"The recording has no step {self.step}: {has}.", remedy)
            return steps[self.step].start_ns, steps[self.step].end_ns
        if self.range_us is not None:
            first_us, last_us = self.range_us
            if not -_LONGEST_US < first_us < last_us < _LONGEST_US:
                raise RunError(f"{first_us:g}:{last_us:g} is no range of time.", "Its end lies after its start, in microseconds.")
            chosen = start + round(self.range_us[0] * 1000), start + round(self.range_us[1] * 1000)
            if chosen[0] >= end or chosen[1] <= start:
                raise RunError(
                    f"The range {self.range_us[0]:g}:{self.range_us[1]:g} lies outside the recording.",
                    f"It lasts {(end - start) / 1000:g} µs.",
                )
            return chosen
        return None


WHOLE = Selection()


def _numbers(steps: list[int]) -> str:
    """`3`, `3 to 7`, or all where some are missing between."""
    if len(steps) > 1 and steps[-1] - steps[0] == len(steps) - 1:
        return f"{steps[0]} to {steps[-1]}"
    return ", ".join(map(str, steps))
