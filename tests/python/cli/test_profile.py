"""`kinetoscope profile`: the script runs as it would without us, under the recorder, and its dearest lines are shown."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from kinetoscope.cli.profile import OPTIONS_WITH_VALUE, take_apart
from kinetoscope.recorder.options import _parser
from kinetoscope.service.errors import RunError
from kinetoscope.service.programs import choose_interpreter

PROGRAM = """\
import sys
import torch


def step(w, optimizer):
    loss = (w @ w).sum()
    loss.backward()
    optimizer.step()


w = torch.ones(64, 64, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
print("argv", *sys.argv[1:], flush=True)
for _ in range(4):
    step(w, optimizer)
print("stdin", sys.stdin.readline().strip(), flush=True)
"""


def profile(*words: str, cwd: Path, stdin: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "kinetoscope", "profile", *words]
    env = os.environ | {"COLUMNS": "160"}
    return subprocess.run(command, input=stdin, capture_output=True, text=True, cwd=cwd, env=env, timeout=120, check=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    pytest.importorskip("torch")
    (tmp_path / "train.py").write_text(PROGRAM)
    return tmp_path


def test_the_words_are_taken_apart_at_the_script() -> None:
    words = take_apart(["--out", "x", "--quiet", "--record=2", "train.py", "--quiet", "--out", "y"])
    assert (words.quiet, words.recorder, words.target, words.arguments) == (
        True,
        ["--out", "x", "--record=2"],
        ["train.py"],
        ["--quiet", "--out", "y"],
    )
    assert take_apart(["train.py", "--", "-x"]).arguments == ["-x"]
    assert take_apart(["train.py", "a", "--", "-x"]).arguments == ["a", "--", "-x"]
    module = take_apart(["--python", "py", "-m", "pkg.train", "--lr", "1"])
    assert (module.python, module.recorder, module.target, module.arguments) == ("py", ["-m"], ["pkg.train"], ["--lr", "1"])


def test_the_recorders_options_with_a_value_are_known() -> None:
    takes_value = {text for action in _parser()._actions if action.nargs is None for text in action.option_strings}
    assert takes_value == OPTIONS_WITH_VALUE


def test_arguments_input_and_exit_code_are_the_scripts_and_the_table_follows(folder: Path) -> None:
    done = profile("--skip", "1", "--record", "2", "--after", "continue", "train.py", "--", "--lr", "1", cwd=folder, stdin="hello\n")
    assert done.returncode == 0, done.stderr
    output = done.stdout.splitlines()
    assert output[:2] == ["argv --lr 1", "stdin hello"]
    assert "per step, mean of 2; cpu" in done.stdout
    assert any(line.startswith("train.py:6") and "loss = (w @ w).sum()" in line for line in output)
    assert [path.name for path in (folder / ".kinetoscope").glob("*-train/run.json")] == ["run.json"]


def test_quiet_shows_no_table(folder: Path) -> None:
    done = profile("--quiet", "--record", "1", "--skip", "0", "--after", "continue", "train.py", cwd=folder, stdin="x\n")
    assert done.stdout.splitlines() == ["argv", "stdin x"]


def test_a_script_that_fails_keeps_its_exit_code_and_what_was_recorded(folder: Path) -> None:
    (folder / "train.py").write_text(PROGRAM.replace("    step(w, optimizer)\n", "    step(w, optimizer)\n    if _ == 2: sys.exit(7)\n"))
    done = profile("--skip", "1", "train.py", cwd=folder)
    assert done.returncode == 7
    assert "loss.backward()" in done.stdout


def test_a_missing_script_fails_before_anything_runs(folder: Path) -> None:
    done = profile("gone.py", cwd=folder)
    assert done.returncode != 0
    assert "gone.py" in done.stderr
    nothing = profile("--quiet", cwd=folder)
    assert (nothing.returncode, nothing.stdout) == (1, "")
    assert "No script is named" in nothing.stderr


def test_help_has_our_options_and_the_recorders(folder: Path) -> None:
    done = profile("--help", cwd=folder)
    assert done.returncode == 0
    assert all(option in done.stdout for option in ("--python", "--quiet", "--record"))


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_a_signal_reaches_the_script_and_is_how_we_end_too(folder: Path) -> None:
    (folder / "train.py").write_text(PROGRAM.replace('print("stdin"', 'print("ready", flush=True)\nprint("stdin"'))
    command = [sys.executable, "-m", "kinetoscope", "profile", "--quiet", "--skip", "0", "--record", "9", "train.py"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder, start_new_session=True
    ) as running:
        assert running.stdout is not None
        while running.stdout.readline().strip() != "ready":
            pass
        os.kill(running.pid, signal.SIGTERM)
        running.communicate(timeout=60)
    assert running.returncode in (-signal.SIGTERM, 128 + signal.SIGTERM)
    assert list((folder / ".kinetoscope").glob("*/run.json")), "what was recorded is kept"


def test_an_interpreter_that_is_not_there_is_named(folder: Path) -> None:
    done = profile("--python", "no-such-python", "train.py", cwd=folder)
    assert done.returncode == 1
    assert "no-such-python" in done.stderr


def test_without_torch_here_the_active_environment_is_asked_then_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interpreter(folder: Path, name: str, has_torch: bool) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / name
        path.write_text(f"#!/bin/sh\nexit {0 if has_torch else 1}\n")
        path.chmod(0o755)
        return path

    monkeypatch.setattr("kinetoscope.service.programs.find_spec", lambda _: None)
    monkeypatch.delenv("CONDA_PREFIX", raising=False)
    interpreter(tmp_path / "env" / "bin", "python", False)
    on_path = interpreter(tmp_path / "path", "python3", True)
    monkeypatch.setenv("VIRTUAL_ENV", str(tmp_path / "env"))
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    assert choose_interpreter(None) == str(on_path)
    in_environment = interpreter(tmp_path / "env" / "bin", "python", True)
    assert choose_interpreter(None) == str(in_environment)
    interpreter(tmp_path / "env" / "bin", "python", False)
    interpreter(tmp_path / "path", "python3", False)
    with pytest.raises(RunError, match="None of these interpreters has torch"):
        choose_interpreter(None)
