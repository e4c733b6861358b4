"""What a finding says. The structs are the wire's and the command line's JSON; field names are a contract (docs/report.md)."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

Severity = Literal["high", "medium", "low"]
"""`high`: a tenth of the step or more is concerned; `medium`: a hundredth or more, or not known; `low`: less."""


def severity_of(share: float) -> Severity:
    """By the share of the step that is concerned, 0 to 1."""
    return "high" if share >= 0.1 else "medium" if share >= 0.01 else "low"


class Evidence(Struct, frozen=True, kw_only=True):
    """One number that a finding rests on. Times, sizes and counts are per step (of the recording or the selected part, where that has no
    steps)."""

    name: str
    value: float
    unit: Literal["us", "bytes", "percent", "count"]


class AdviceLine(Struct, frozen=True, kw_only=True):
    """A line that a finding is about."""

    finding: str
    """`Finding.id`"""
    file: str
    line: int
    function: str
    source: str
    calls: float
    """Of what was found, per step."""
    us: float
    """Time of what was found, per step."""
    bytes: int | None = None
    """What the line owned of the peak; None in findings that are not of memory."""
    rank: int | None = None
    """In findings of several ranks, the one on which the line ran; else None."""


class Finding(Struct, frozen=True, kw_only=True):
    """`gain_us`: how much shorter a step can become at most, None where that can't be computed."""

    id: str
    severity: Severity
    title: str
    seen: str
    """What was seen, one sentence with its numbers."""
    remedy: str
    link: str
    """The official documentation."""
    evidence: list[Evidence]
    gain_us: float | None = None
    explains: list[str] = []
    """Of findings of several ranks: ids of those that one rank alone would get for the same time, and which are then left out."""


class Advice(Struct, frozen=True, kw_only=True):
    """All findings, gravest first, and their lines, dearest first within a finding."""

    steps: int
    """Steps that the numbers are a mean of; 0: they are of the whole recording or range."""
    step_us: float
    """Mean wall time of a step."""
    findings: list[Finding]
    lines: list[AdviceLine]
    notices: list[str]
