"""The measurements in `bench/` still run: each on so little that only its code is tried. What they measure is not judged here."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).resolve().parents[3] / "bench"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["inline.py", "--edits", "2"], "a hint on every line"),
        (["fuzz.py", "--seconds", "1"], "0 findings"),
        (["timeline.py", "--events", "20000", "--mb", "1", "--tiles", "20", "--work", "work"], "tile of all tracks"),
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
