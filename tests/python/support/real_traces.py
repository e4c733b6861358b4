"""Traces that others recorded on real devices, in a folder beside the checkout."""

from __future__ import annotations

from pathlib import Path

import pytest

TRACES = Path(__file__).resolve().parents[3].parent / "shared" / "traces"


def real_trace(name: str) -> Path:
    """The trace file of this name; the test is skipped where there is none."""
    path = TRACES / name
    if not path.is_file():
        pytest.skip(f"{path} is not there")
    return path
