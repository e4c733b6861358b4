"""Which number of a line is shown, what it is a part of, and the words for it.

| metric | shown | part of |
|---|---|---|
| `gpu_time` | `gpu_total_us` + `gpu_backward_total_us`, written `forward+backward` | device time of the recording |
| `cpu_time` | `cpu_total_us` (backward work is wall time of the `.backward()` line already) | wall time of the recording |
| `memory` | `alloc_bytes` over all devices | bytes that all lines allocated |

A share is above 100 % only where threads worked at the same time. Rankings use the line's own cost (`gpu_us`, `cpu_self_us`) instead of
the total, so that a line is not dear because of what it called.
"""

from __future__ import annotations

from typing import NamedTuple

from kinetoscope.analysis.tables import LineCost, LineReport, Precision
from kinetoscope.service import format as fmt
from kinetoscope.service.scopes import ScopeCost
from kinetoscope.service.wire import InlineSettings, Metric, MetricSetting

HINT_LENGTH = 26
"""Most characters of a hint: editors cut all hints of a line together at 43."""

STALE_MARK = "≈ "
UNVERIFIED_MARK = "? "
INFERRED_MARK = "~ "

_LEVELS = (0.02, 0.05, 0.15, 0.40)
"""Shares at which the heat gets warmer."""

LABELS: dict[Metric, str] = {"gpu_time": "GPU", "cpu_time": "CPU", "memory": "mem"}

PRECISION_WORDS: dict[Precision, str] = {
    "line": "exact line (line log)",
    "call": "exact calling line (call stacks)",
    "inferred": "line inferred from the source and its calls",
    "function": "whole function: its lines are not known",
}

PRECISION_MARKS: dict[Precision, str] = {"line": "", "call": " (call)", "inferred": " (inferred)", "function": " (function)"}


class Amount(NamedTuple):
    """A cost over the recording or the selected part: µs or bytes, by metric; `backward` is 0 but for GPU time."""

    forward: float
    backward: float

    @property
    def whole(self) -> float:
        return self.forward + self.backward


def resolve_metric(setting: MetricSetting, report: LineReport) -> Metric:
    """`auto` is GPU time where the device worked, else CPU time."""
    if setting != "auto":
        return setting
    return "gpu_time" if report.device_us.total > 0 else "cpu_time"


def line_amount(row: LineCost, metric: Metric) -> Amount:
    """What a line's number is: with what it called."""
    if metric == "gpu_time":
        return Amount(row.gpu_total_us, row.gpu_backward_total_us)
    return Amount(row.cpu_total_us, 0.0) if metric == "cpu_time" else Amount(allocated(row), 0.0)


def own_amount(row: LineCost, metric: Metric) -> Amount:
    """A line's own cost, without what it called: what rankings use."""
    if metric == "gpu_time":
        return Amount(row.gpu_us, row.gpu_backward_us)
    return Amount(row.cpu_self_us, 0.0) if metric == "cpu_time" else Amount(allocated(row), 0.0)


def scope_amount(scope: ScopeCost, metric: Metric) -> Amount:
    """What a function, loop or block cost, with what it called (bytes: in its own lines)."""
    if metric == "gpu_time":
        return Amount(scope.gpu_us, scope.gpu_backward_us)
    return Amount(scope.cpu_us, 0.0) if metric == "cpu_time" else Amount(scope.alloc_bytes, 0.0)


def allocated(row: LineCost) -> int:
    """Bytes that a line allocated on all devices."""
    return sum(row.alloc_bytes.values())


class Scale:
    """What the amounts of one report are parts of, and how many steps they are spread over."""

    def __init__(self, report: LineReport, per: str) -> None:
        self.steps = max(1, report.steps) if per == "step" else 1
        whole = "whole recording" if report.whole else "selected part"
        self.over = "per step" if per == "step" and report.steps > 0 else whole
        self._whole: dict[Metric, float] = {
            "gpu_time": report.device_us.total,
            "cpu_time": report.recording_us,
            "memory": float(sum(allocated(row) for row in report.rows)),
        }

    def share(self, amount: Amount, metric: Metric) -> float:
        """The part of the run's whole, from 0; 0 where the run has nothing of the kind."""
        whole = self._whole[metric]
        return amount.whole / whole if whole > 0 else 0.0

    def text(self, amount: Amount, metric: Metric) -> str:
        """`GPU 4.1+8.2 ms`, `CPU 3.0 ms`, `+512 MiB`; per step or run as the scale says."""
        if metric == "memory":
            return fmt.size_bytes(amount.whole / self.steps, plus=True)
        if metric == "gpu_time":
            return "GPU " + fmt.time_pair_us(amount.forward / self.steps, amount.backward / self.steps)
        return "CPU " + fmt.time_us(amount.whole / self.steps)


def heat_level(share: float) -> int:
    """1 (cool) to 5 (hot)."""
    return 1 + sum(share >= limit for limit in _LEVELS)


def hint_text(row: LineCost, metric: Metric, scale: Scale, settings: InlineSettings, change: str | None = None) -> str:
    """The words at a line's end, at most 24 characters (26 with the mark of a line that is stale or unverified).

    `both`: amount and share; `percent`: the share; `absolute`: the amount, and the bytes allocated where they pass the threshold. A
    `change` to the baseline (empty: not known) stands instead of what comes second.
    """
    amount = line_amount(row, metric)
    share = scale.share(amount, metric)
    if settings.value == "percent":
        return f"{LABELS[metric]} {fmt.share(share)}" + (f" · {change}" if change else "")
    text = scale.text(amount, metric)
    extra = fmt.share(share) if settings.value == "both" else ""
    if settings.value == "absolute" and metric != "memory":
        memory = line_amount(row, "memory")
        if memory.whole and scale.share(memory, "memory") * 100 >= settings.threshold_percent:
            extra = scale.text(memory, "memory")
    if change is not None:
        extra = change
    longer = f"{text} · {extra}" if extra else text
    return longer if len(longer) + len(STALE_MARK) <= HINT_LENGTH else text


def scope_text(scope: ScopeCost, metric: Metric, scale: Scale, settings: InlineSettings, change: str = "") -> str:
    """The words of a code lens: `GPU 41 ms (63 %) · −12 % to the baseline · CPU 52 ms · +912 MiB · per step`."""
    amount = scope_amount(scope, metric)
    share = fmt.share(scale.share(amount, metric))
    own = " in its lines" if metric == "memory" else ""
    parts = [f"{scale.text(amount, metric)}{own} ({share})"]
    if change:
        parts.append(f"{change} to the baseline")
    others: tuple[Metric, ...] = ("cpu_time", "memory")
    for other in others:
        if other != metric:
            more = scope_amount(scope, other)
            if more.whole and scale.share(more, other) * 100 >= settings.threshold_percent:
                parts.append(scale.text(more, other) + (" in its lines" if other == "memory" else ""))
    parts.append(scale.over)
    if scope.precision != "line":
        parts.append(PRECISION_WORDS[scope.precision])
    return " · ".join(parts)
