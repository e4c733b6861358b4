"""The formatter and the golden table that it shares with its twin in TypeScript."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinetoscope.service import format as fmt

GOLDEN: dict[str, list[tuple[Any, str]]] = json.loads((Path(__file__).parents[2] / "data" / "format_golden.json").read_text("utf-8"))

FORMATTERS = {
    "time_us": fmt.time_us,
    "time_us_plus": lambda value: fmt.time_us(value, plus=True),
    "time_pair_us": lambda pair: fmt.time_pair_us(*pair),
    "size_bytes": fmt.size_bytes,
    "size_bytes_plus": lambda value: fmt.size_bytes(value, plus=True),
    "share": fmt.share,
    "count": fmt.count,
}


def test_every_formatter_is_in_the_table() -> None:
    assert set(FORMATTERS) == set(GOLDEN)


@pytest.mark.parametrize(("name", "value", "text"), [(name, value, text) for name, rows in GOLDEN.items() for value, text in rows])
def test_numbers_are_written_as_in_the_golden_table(name: str, value: Any, text: str) -> None:
    assert FORMATTERS[name](value) == text


@given(st.floats(min_value=1e-6, max_value=1e15))
def test_no_time_claims_more_than_three_figures_and_none_that_is_there_reads_as_zero(value: float) -> None:
    number, unit = fmt.time_us(value).split(" ")
    assert number.startswith("<") or float(number) > 0
    assert unit == "h" or len(number.replace(".", "").replace("<", "")) <= 3


@given(st.floats(min_value=0, max_value=1e12), st.floats(min_value=0, max_value=1e12))
def test_a_greater_time_never_reads_as_a_smaller_one(one: float, other: float) -> None:
    factors = {"µs": 1.0, "ms": 1e3, "s": 1e6, "min": 6e7, "h": 3.6e9}

    def read(value: float) -> float:
        number, unit = fmt.time_us(value).split(" ")
        return (0.05 if number == "<0.1" else float(number)) * factors[unit]

    assert read(min(one, other)) <= read(max(one, other)) * (1 + 1e-9)
