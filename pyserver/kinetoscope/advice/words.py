"""Numbers in the sentences of findings."""

from __future__ import annotations

from kinetoscope.analysis.format import count


def counted(value: float, one: str, many: str) -> str:
    """`1 call`, `2.5 calls`, `12,345 calls`."""
    return f"{count(value)} {one if value == 1 else many}"
