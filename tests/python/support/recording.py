"""Records a program with the real recorder, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

RECORDER = Path(__file__).resolve().parents[3] / "pyserver" / "kinetoscope" / "recorder"


TORCH_PYTHONS = [sys.executable, *filter(None, os.environ.get("KINETOSCOPE_TORCH_PYTHONS", "").split(os.pathsep))]
"""Interpreters with torch: this one, and others that the environment names."""


def record(program: Path, folder: Path, *options: str, arguments: tuple[str, ...] = (), python: str = sys.executable) -> Path:
    """Record `program` into `folder`; the trace file of the run. Fails with the recorder's words if there is none."""
    done = subprocess.run(
        [python, str(RECORDER), "--out", str(folder), *options, str(program), *arguments],
        capture_output=True,
        text=True,
        timeout=120,
    )
    runs = sorted(path for path in folder.iterdir() if (path / "run.json").is_file())
    assert runs, f"no run was made:\n{done.stdout}\n{done.stderr}"
    [trace] = runs[-1].glob("rank0.pt.trace.json*")
    return trace
