"""Where only the recorder is installed (`pip install --no-deps kinetoscope`), the other commands say what is missing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PYSERVER = Path(__file__).resolve().parents[3] / "pyserver"


def run(*words: str) -> subprocess.CompletedProcess[str]:
    """`kinetoscope` in an interpreter that has no packages."""
    code = f"import sys; sys.path.insert(0, {str(PYSERVER)!r}); from kinetoscope.cli import main; sys.exit(main())"
    return subprocess.run([sys.executable, "-S", "-I", "-c", code, *words], capture_output=True, text=True, timeout=60)


def test_report_names_the_missing_package_and_the_remedy() -> None:
    done = run("report", ".")
    assert done.returncode == 1
    assert "only the recorder is installed there" in done.stderr
    assert "pip install kinetoscope" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_version_needs_none() -> None:
    assert run("--version").stdout.startswith("kinetoscope ")
