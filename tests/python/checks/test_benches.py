"""The measurements in `bench/` still run: each on so little that only its code is tried. What they measure is not judged here."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.kineto import TraceMaker

BENCH = Path(__file__).resolve().parents[3] / "bench"


def test_the_comparison_with_hta_finds_what_is_equal_and_what_differs_for_a_reason_and_for_none(tmp_path: Path) -> None:
    """Something else answers in HTA's place, which is not at hand: a kernel of 20 µs, launched 9 µs after the one before had ended."""
    maker = TraceMaker().kernel("gemm", 10, 12, 20).kernel("gemm", 41, 45, 20)
    trace = maker.write(tmp_path / "x.pt.trace.json")
    numbers = {"kernel gemm, total": 40, "time, all": 53, "time, idle": 13, "queue of stream 7, longest": 0, "kernel gemm, max": 21}
    pretender = tmp_path / "python"
    pretender.write_text(f"#!/bin/sh\necho 'FOUND {json.dumps([numbers, [], {}])}'\n")
    pretender.chmod(0o755)
    command = [sys.executable, str(BENCH / "against_hta.py"), "--hta", str(pretender), str(trace)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=180, check=False)
    assert "1 in HTA's queue is what has not begun" in done.stdout, done.stderr
    [line] = [line for line in done.stdout.splitlines() if "gemm, max" in line]
    assert line.split()[:4] == ["?", "kernel", "gemm,", "max"]
    assert "time, idle" not in done.stdout
    assert done.returncode == 1


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["inline.py", "--edits", "2"], "a hint on every line"),
        (["fuzz.py", "--seconds", "1"], "0 findings"),
        (["timeline.py", "--events", "20000", "--mb", "1", "--tiles", "20", "--work", "work"], "tile of all tracks"),
        (["views.py", "--mb", "1", "--rounds", "1"], "above the budget"),
        (["read.py", "--mb", "1", "--rounds", "1", "--work", "work"], "again, digest and columns"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_a_measurement_runs_to_its_end(words: list[str], says: str, tmp_path: Path) -> None:
    command = [sys.executable, str(BENCH / words[0]), *words[1:]]
    env = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")}
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=env, timeout=180, check=False)
    assert says in done.stdout, done.stderr
    assert done.returncode in (0, 1)  # 1: a budget, which a busy machine may miss
