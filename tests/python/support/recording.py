"""Records a program with the real recorder, in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

RECORDER = Path(__file__).resolve().parents[3] / "pyserver" / "kinetoscope" / "recorder"


def record(program: Path, folder: Path, *options: str, arguments: tuple[str, ...] = ()) -> Path:
    """Record `program` into `folder`; the trace file of the run. Fails with the recorder's words if there is none."""
    done = subprocess.run(
        [sys.executable, str(RECORDER), "--out", str(folder), *options, str(program), *arguments], capture_output=True, text=True, timeout=120
    )
    runs = sorted(path for path in folder.iterdir() if (path / "run.json").is_file())
    assert runs, f"no run was made:\n{done.stdout}\n{done.stderr}"
    [trace] = runs[-1].glob("rank0.pt.trace.json*")
    return trace
