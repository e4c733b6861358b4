"""The interpreters on this machine: those for the line log alone (3.9–3.13) and those that have torch."""

import glob
import os
import shutil
import subprocess
import sys
from functools import lru_cache
from pathlib import Path

RECORDER = Path(__file__).resolve().parents[3] / "pyserver" / "kinetoscope" / "recorder"
VERSIONS = ("3.9", "3.10", "3.11", "3.12", "3.13")


@lru_cache
def plain_python(version):
    """Path of an interpreter of this minor version; None where there is none."""
    if sys.version_info[:2] == tuple(int(part) for part in version.split(".")):
        return sys.executable
    pyenv = os.environ.get("PYENV_ROOT", str(Path.home() / ".pyenv"))
    found = [shutil.which("python" + version), *sorted(glob.glob(f"{pyenv}/versions/{version}.*/bin/python"))]
    for path in found:
        if path and subprocess.run([path, "-c", ""], capture_output=True, timeout=20).returncode == 0:
            return path
    return None


def torch_pythons():
    """Interpreters that have torch: the one that runs the tests, and those in KINETOSCOPE_TORCH_PYTHONS (separated as in PATH)."""
    more = os.environ.get("KINETOSCOPE_TORCH_PYTHONS", "")
    return [sys.executable, *(path for path in more.split(os.pathsep) if path)]
