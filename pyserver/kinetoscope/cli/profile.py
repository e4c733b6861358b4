"""`kinetoscope profile`: runs a script under the recorder, in the interpreter that has torch, and shows the dearest lines.

The recorder is a process of its own with our standard input, output and error; its exit code and the signals are passed on. What stands
after the script is the script's.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from kinetoscope.service.errors import RunError
from kinetoscope.service.programs import choose_interpreter, recorder_path

USAGE = """\
usage: kinetoscope profile [--python EXE] [--quiet] [recorder options] (script.py | -m module) [[--] arguments of the script …]

  --python EXE   interpreter to run the script with (default: this one if it has torch, else that of the active environment)
  --quiet        do not show the dearest lines afterwards

The recorder's options:
"""

OPTIONS_WITH_VALUE = frozenset({"--out", "--name", "--skip", "--record", "--after", "--include", "--exclude", "--status"})
"""The recorder's options that take a word: needed to tell where the script begins. A test holds it equal to the recorder's."""


class Words(NamedTuple):
    """The command line, taken apart."""

    python: str | None
    quiet: bool
    help: bool
    recorder: list[str]
    target: list[str]
    """`[script]` or `[module]` (then `recorder` ends with `-m`); empty where none is named."""
    arguments: list[str]


def take_apart(words: Sequence[str]) -> Words:
    """Our options, the recorder's, the script, and the script's arguments (without a `--` between). Raises `RunError` for `--python`
    alone."""
    python: str | None = None
    quiet = asked_help = False
    recorder: list[str] = []
    rest = list(words)
    while rest and rest[0].startswith("-"):
        word = rest.pop(0)
        if word == "--":
            break
        if word == "--quiet":
            quiet = True
        elif word in ("-h", "--help"):
            asked_help = True
        elif word == "--python":
            if not rest:
                raise RunError("--python needs an interpreter.", "For example: kinetoscope profile --python .venv/bin/python train.py")
            python = rest.pop(0)
        elif word.startswith("--python="):
            python = word.partition("=")[2]
        else:
            recorder.append(word)
            if word in OPTIONS_WITH_VALUE and rest:
                recorder.append(rest.pop(0))
            elif word == "-m":
                break
    target, arguments = rest[:1], rest[1:]
    if arguments[:1] == ["--"]:
        del arguments[0]
    return Words(python, quiet, asked_help, recorder, target, arguments)


def profile(words: Sequence[str]) -> int:
    """Profile; the exit code is the script's, or the recorder's where it could not run it."""
    asked = take_apart(words)
    recorder = recorder_path()
    if asked.help:
        print(USAGE, flush=True)
        return subprocess.run([sys.executable, str(recorder), "--help"], check=False).returncode
    if not asked.target:
        raise RunError("No script is named.", "For example: kinetoscope profile train.py --epochs 1")
    python = choose_interpreter(asked.python)
    with tempfile.TemporaryDirectory(prefix="kinetoscope-") as folder:
        status, own_status = _status_file(asked.recorder, Path(folder, "status.jsonl"))
        command = [python, str(recorder), *own_status, *asked.recorder, *asked.target, *asked.arguments]
        with _signals_for_child() as pass_on_to:
            child = subprocess.Popen(command)
            pass_on_to(child)
            code = child.wait()
        run = _saved_run(status)
    if run is not None and not asked.quiet:
        _show(run)
    if code < 0:
        _die_of(-code)
    return code


def _status_file(recorder: list[str], ours: Path) -> tuple[Path, list[str]]:
    """Where the recorder tells what it saved, and the option for it: the user's own file where one was given."""
    for word, value in zip(recorder, [*recorder[1:], ""], strict=False):
        if word == "--status":
            return Path(value), []
        if word.startswith("--status="):
            return Path(word.partition("=")[2]), []
    return ours, ["--status", str(ours)]


def _saved_run(status: Path) -> Path | None:
    """The run that the recorder said it saved last."""
    try:
        lines = status.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return None
    for line in reversed(lines):
        with contextlib.suppress(ValueError):
            event: Any = json.loads(line)
            if isinstance(event, dict) and isinstance(event.get("run"), str):
                return Path(event["run"])
    return None


def _show(run: Path) -> None:
    from kinetoscope.cli.output import read
    from kinetoscope.cli.report import show
    from kinetoscope.service import report

    sys.stdout.flush()
    what = report.choose(run)
    print()
    show(what, read(what.of))
    print(f"\nOpen the folder in VS Code to see the numbers at the lines, or: kinetoscope report {run}")


@contextlib.contextmanager
def _signals_for_child() -> Generator[Callable[[subprocess.Popen[bytes]], None]]:
    """While the child runs, signals are its business: those that reach only us are passed on, and none ends us before it."""
    running: list[subprocess.Popen[bytes]] = []

    def pass_on(number: int, _: object) -> None:
        # A Ctrl+C of the terminal has reached the child already, as it is in the same process group.
        if running and not (number == signal.SIGINT and _in_foreground()):
            with contextlib.suppress(ProcessLookupError, ValueError):
                running[0].send_signal(number)

    names = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT")
    before = {number: signal.signal(number, pass_on) for name in names if (number := getattr(signal, name, None)) is not None}
    try:
        yield running.append
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _in_foreground() -> bool:
    """True where the terminal's keys send signals to our process group."""
    try:
        terminal = os.open("/dev/tty", os.O_RDONLY)
    except OSError:
        return sys.platform == "win32"  # A console's Ctrl+C reaches all its processes.
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:
        return False
    finally:
        os.close(terminal)


def _die_of(number: int) -> None:
    """End as the script ended: by the same signal, so that a shell sees it."""
    with contextlib.suppress(OSError, ValueError):
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
