"""The one formatter of numbers of the Python side. `extension` has its twin; both are tested against tests/data/format_golden.json.

Three figures at most, one decimal at most: a trace does not know more. What is there but rounds to nothing is `<0.1`, never `0`.
Rounding is half up on purpose and done with the same arithmetic in both languages.
"""

from __future__ import annotations

import math

MINUS = "−"

_TIME: tuple[tuple[str, float], ...] = (("µs", 1000.0), ("ms", 1000.0), ("s", 60.0), ("min", 60.0), ("h", math.inf))
_BYTES: tuple[tuple[str, float], ...] = (("B", 1024.0), ("KiB", 1024.0), ("MiB", 1024.0), ("GiB", 1024.0), ("TiB", math.inf))
_COUNT: tuple[tuple[str, float], ...] = (("M", 1000.0), ("G", 1000.0), ("T", math.inf))


def _figures(value: float) -> str:
    """A value ≥ 0 with one decimal below 100, none above."""
    if value >= 99.95:
        return str(math.floor(value + 0.5))
    tenths = math.floor(value * 10 + 0.5)
    if tenths == 0 and value > 0:
        return "<0.1"
    return f"{tenths // 10}.{tenths % 10}"


def _scale(value: float, units: tuple[tuple[str, float], ...]) -> tuple[float, str, float]:
    """`(scaled, unit, divisor)` in the greatest unit in which the rounded figures don't reach the next one."""
    divisor = 1.0
    unit, step = units[0]
    for following in units[1:]:
        # Compared as it will be shown: 999.96 µs is 1.0 ms, not 1000 µs.
        scaled = value / divisor
        shown = math.floor(scaled + 0.5) if scaled >= 99.95 else math.floor(scaled * 10 + 0.5) / 10
        if shown < step:
            break
        divisor *= step
        unit, step = following
    return value / divisor, unit, divisor


def _signed(text: str, value: float, plus: bool) -> str:
    if value < 0:
        return MINUS + text
    return "+" + text if plus and value > 0 else text


def time_us(value: float, *, plus: bool = False) -> str:
    """A duration given in microseconds: `820 µs`, `4.1 ms`, `1.5 min`."""
    if value == 0:
        return "0 ms"
    scaled, unit, _ = _scale(abs(value), _TIME)
    return _signed(f"{_figures(scaled)} {unit}", value, plus)


def time_pair_us(forward: float, backward: float) -> str:
    """Forward and backward in one unit, that of the larger: `4.1+8.2 ms`. One that is zero is left out."""
    if not forward or not backward:
        return time_us(forward + backward)
    _, unit, divisor = _scale(max(forward, backward), _TIME)
    return f"{_figures(forward / divisor)}+{_figures(backward / divisor)} {unit}"


def size_bytes(value: float, *, plus: bool = False) -> str:
    """A size: `17 B`, `1.5 KiB`, `512 MiB`."""
    magnitude = abs(value)
    if magnitude < 1023.5:
        # A part of a byte exists only as an average over steps.
        text = f"{math.floor(magnitude + 0.5)} B" if magnitude >= 0.5 or magnitude == 0 else "<1 B"
    else:
        scaled, unit, _ = _scale(magnitude, _BYTES)
        text = f"{_figures(scaled)} {unit}"
    return _signed(text, value, plus)


def share(value: float) -> str:
    """A part of 1 as per cent: `34 %`, `4.1 %`, `<0.1 %`."""
    percent = abs(value) * 100
    if percent == 0:
        return "0 %"
    text = str(math.floor(percent + 0.5)) if percent >= 9.95 else _figures(percent)
    return _signed(f"{text} %", value, False)


def change(ratio: float) -> str:
    """How much more or less, as a part of what was before: `−12 %`, `+0.4 %`, `±0 %`."""
    if abs(ratio) < 0.0005:
        return "±0 %"
    return ("+" if ratio > 0 else "") + share(ratio)


def count(value: float) -> str:
    """How often: `7`, `1,234`, `1.2 M`; an average over steps keeps one decimal (`2.5`)."""
    magnitude = abs(value)
    if magnitude < 999_999.5:
        whole = math.floor(magnitude + 0.5)
        text = f"{whole:,}" if magnitude == whole or magnitude >= 99.95 else _figures(magnitude)
    else:
        scaled, unit, _ = _scale(magnitude / 1_000_000, _COUNT)
        text = f"{_figures(scaled)} {unit}"
    return _signed(text, value, False)


def counted(value: float, one: str, many: str) -> str:
    """`1 call`, `2.5 calls`, `12,345 calls`."""
    return f"{count(value)} {one if value == 1 else many}"
