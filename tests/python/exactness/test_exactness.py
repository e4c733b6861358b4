"""Real programs, recorded for real: what stands behind a line in a comment is what the report must say of it.

`#: calls=2 ops=aten::mm*2,aten::relu backward=MmBackward0 alloc=128` means: arrived at twice; these outermost forward operators
with these counts and no others; these backward operators with these counts; so many bytes allocated. What is left out is not
checked, but a line that does operators must name them.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from kinetoscope.analysis.tables import LineCost, LineDetail
from support.recording import TORCH_PYTHONS, record
from support.reports import line_report

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.py"))
_TRUTH = re.compile(r"#: *(.*)$")


def truths(program: Path) -> dict[int, dict[str, str]]:
    """Line → what is claimed of it."""
    claims: dict[int, dict[str, str]] = {}
    for number, line in enumerate(program.read_text().splitlines(), 1):
        if match := _TRUTH.search(line):
            claims[number] = dict(claim.split("=", 1) for claim in match[1].split())
    return claims


def counted(text: str) -> Counter[str]:
    return Counter({name: int(count or 1) for name, _, count in (item.partition("*") for item in text.split(",") if item)})


def work(detail: LineDetail, backward: bool) -> Counter[str]:
    return Counter({item.name: item.calls for item in detail.work if item.kind == "operator" and item.backward == backward})


@pytest.mark.parametrize("python", TORCH_PYTHONS)
@pytest.mark.parametrize("program", PROGRAMS, ids=[program.stem for program in PROGRAMS])
def test_every_claim_of_the_program_holds(program: Path, python: str, tmp_path: Path) -> None:
    report = line_report(record(program, tmp_path, python=python))
    rows: dict[int, tuple[LineCost, LineDetail]] = {
        row.line: (row, detail) for row, detail in zip(report.rows, report.details, strict=True)
    }
    claims = truths(program)
    wrong: list[str] = []
    for line, claim in claims.items():
        if line not in rows:
            if claim.get("ops", "") or claim.get("calls", "0") != "0":
                wrong.append(f"line {line} is missing")
            continue
        row, detail = rows[line]
        said = {
            "calls": row.calls,
            "ops": work(detail, backward=False),
            "backward": work(detail, backward=True),
            "alloc": row.alloc_bytes.get("cpu", 0),
        }
        for what, value in claim.items():
            expected = counted(value) if what in {"ops", "backward"} else int(value)
            if said[what] != expected:
                wrong.append(f"line {line} ({row.source}): {what} is {said[what]}, should be {expected}")
        if row.precision != "line":
            wrong.append(f"line {line}: precision {row.precision}")
    silent = [line for line, (_, detail) in rows.items() if line not in claims and work(detail, backward=False)]
    assert not wrong, "\n".join(wrong)
    assert {row.file for row in report.rows} == {str(program)}
    if program.stem != "training":
        assert not silent
