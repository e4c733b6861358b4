"""The programs that hosts start as processes of their own: the recorder in the user's interpreter, and the language server."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import kinetoscope
from kinetoscope.runs.manifest import RunError

_HAS_TORCH = "import importlib.util, sys; sys.exit(importlib.util.find_spec('torch') is None)"


def recorder_path() -> Path:
    """The recorder as a folder that any Python ≥ 3.9 can run: `python PATH script.py`."""
    return Path(kinetoscope.__file__).parent / "recorder"


def language_server_command() -> list[str]:
    """How the language server is started; isolated, so that nothing in the working directory is imported."""
    return [sys.executable, "-I", "-m", "kinetoscope.lsp"]


def choose_interpreter(wanted: str | None) -> str:
    """The interpreter to profile with. Raises `RunError` where there is none.

    1. The wanted one, whether or not it has torch: the recorder says so if it hasn't.
    2. The one that runs us, if it has torch.
    3. That of the active virtual environment, then `python3` and `python` on PATH: the first that has torch.
    """
    if wanted is not None:
        found = shutil.which(wanted)
        if found is None:
            raise RunError(f"There is no Python interpreter {wanted}.", "Give the path of an interpreter with --python.")
        return found
    if find_spec("torch") is not None:
        return sys.executable
    tried = [sys.executable]
    for candidate in _candidates():
        if candidate not in tried:
            tried.append(candidate)
            if _has_torch(candidate):
                return candidate
    raise RunError(
        f"None of these interpreters has torch: {', '.join(tried)}.",
        "Activate the environment that your program runs in, or name its interpreter with --python.",
    )


def _candidates() -> Iterator[str]:
    environment = os.environ.get("VIRTUAL_ENV") or os.environ.get("CONDA_PREFIX")
    if environment:
        for name in ("bin/python", "Scripts/python.exe", "python.exe"):
            path = Path(environment, name)
            if path.exists():
                yield str(path)
    for name in ("python3", "python"):
        found = shutil.which(name)
        if found is not None:
            yield found


def _has_torch(interpreter: str) -> bool:
    try:
        return subprocess.run([interpreter, "-c", _HAS_TORCH], capture_output=True, timeout=30, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False
