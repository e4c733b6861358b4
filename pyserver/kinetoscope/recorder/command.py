"""The command: check, set everything up, run the program."""

from __future__ import annotations

import atexit
import importlib.util
import os
import sys
from collections.abc import Sequence

from . import launch
from .importing import AfterImport
from .messages import CANNOT_SAVE, CANNOT_START, Messages, Problem
from .options import Options, parse
from .recording import Program
from .saving import check_folder
from .session import Session
from .version import __version__

OLDEST_TORCH = (2, 0)


def main(arguments: Sequence[str], as_module: bool) -> int:
    """Run the program that `arguments` name. Returns an exit code where it could not be run; else ends as the program ends."""
    options = parse(arguments)
    messages = Messages(options.status)
    messages.status("start", pid=os.getpid(), version=__version__)
    try:
        launch.check(options)
        check_folder(os.path.abspath(options.out))
        launch.prepare(options, as_module)
        _check_torch()
    except Problem as problem:
        messages.problem(problem)
        messages.status("exit", code=CANNOT_START)
        return CANNOT_START
    outcome = launch.Outcome()
    main_file = launch.main_file(options)
    program = Program(options.target if options.is_module else os.path.basename(os.path.abspath(options.target)), main_file)
    session = Session(options, program, outcome, messages)
    AfterImport("torch", session.before_torch, session.after_torch).install()
    atexit.register(session.process_ends)
    try:
        launch.run(options, outcome)
    finally:
        session.main_ended()
    if "torch" not in sys.modules:
        return _no_torch_imported(options, outcome, messages)
    return 0


def _no_torch_imported(options: Options, outcome: launch.Outcome, messages: Messages) -> int:
    messages.problem(
        Problem(
            f"{options.target} ran to its end without importing torch, so there is nothing to record.",
            "Profile the script that trains; programs that it starts as processes of their own are not recorded.",
        )
    )
    outcome.code = CANNOT_SAVE
    return CANNOT_SAVE


def _check_torch() -> None:
    """Raise Problem where this interpreter has no torch that we can use. torch is looked for, not imported."""
    if importlib.util.find_spec("torch") is None:
        raise Problem(
            f"There is no torch in {sys.executable}.",
            "Choose the interpreter of the environment that your script runs in, or install torch into this one: "
            f"{sys.executable} -m pip install torch",
        )
    version = _torch_version()
    if version is None:
        return
    from .callers import torch_version

    if torch_version(version) < OLDEST_TORCH:
        raise Problem(
            f"torch {version} in {sys.executable} is too old; Kinetoscope records torch 2.0 and later.",
            f"Update it: {sys.executable} -m pip install --upgrade torch",
        )


def _torch_version() -> str | None:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("torch")
    except PackageNotFoundError:
        return None
