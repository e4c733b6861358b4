"""The check of import directions finds each kind of import that goes the wrong way, and lets the right ones be."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
CHECK = ROOT / "scripts" / "check_imports.py"


def check(folder: Path) -> tuple[int, list[str]]:
    done = subprocess.run([sys.executable, str(CHECK), str(folder)], capture_output=True, text=True, timeout=60)
    assert done.stderr == ""
    return done.returncode, done.stdout.splitlines()


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A small package in which everything is as it should be."""
    files = {
        "__init__.py": "__version__ = '1'\n",
        "__main__.py": "from kinetoscope.cli import main\n",
        "recorder/__init__.py": "import sys\nimport torch\nfrom . import log\nfrom .log import entry\n",
        "recorder/log.py": "entry = 1\n",
        "trace/columns.py": "import numpy as np\n",
        "linking/clock.py": "from kinetoscope.trace.columns import x\n",
        "analysis/lines.py": "from kinetoscope import __version__\nfrom kinetoscope.linking import clock\n",
        "service/questions.py": "from kinetoscope.analysis import lines\nfrom ..runs import folder\n",
        "runs/folder.py": "from ..trace import columns\n",
        "lsp/server.py": "from pygls.server import x\nfrom kinetoscope.service.questions import y\n",
        "cli/__init__.py": "import rich\nfrom kinetoscope.service import questions\n",
    }
    for name, text in files.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return tmp_path


def test_the_repository_has_no_import_that_goes_the_wrong_way() -> None:
    assert check(ROOT / "pyserver" / "kinetoscope") == (0, [])


def test_right_directions_pass(package: Path) -> None:
    assert check(package) == (0, [])


@pytest.mark.parametrize(
    ("file", "statement", "message"),
    [
        ("trace/bad.py", "from kinetoscope.linking import clock", "trace must not import kinetoscope.linking"),
        ("linking/bad.py", "from kinetoscope import analysis", "linking must not import kinetoscope.analysis"),
        ("linking/bad.py", "import kinetoscope.runs.folder", "linking must not import kinetoscope.runs"),
        ("analysis/bad.py", "from ..service import questions", "analysis must not import kinetoscope.service"),
        ("analysis/bad.py", "from .. import lsp", "analysis must not import kinetoscope.lsp"),
        ("service/bad.py", "def f():\n    from kinetoscope.cli import main", "service must not import kinetoscope.cli"),
        ("lsp/bad.py", "from kinetoscope.runs import folder", "lsp must not import kinetoscope.runs"),
        ("cli/bad.py", "from kinetoscope.recorder import profile", "cli must not import kinetoscope.recorder"),
        ("recorder/bad.py", "from kinetoscope.trace import columns", "recorder must not import kinetoscope.trace"),
        ("recorder/bad.py", "from .. import __version__", "recorder must not import kinetoscope"),
        ("recorder/bad.py", "import numpy", "recorder must not import numpy"),
        ("service/bad.py", "import pygls", "service must not import pygls"),
        ("analysis/bad.py", "import pandas", "analysis must not import pandas"),
        ("helpers/bad.py", "", "helpers is a layer without a rule"),
    ],
)
def test_a_wrong_direction_is_found_and_named(package: Path, file: str, statement: str, message: str) -> None:
    path = package / file
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"\n{statement}\n")

    code, lines = check(package)

    assert code == 1
    assert len(lines) == 1
    assert lines[0].startswith(f"{path}:")
    assert message in lines[0]
