"""From a recording that has ended to a run folder that is announced."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from .messages import Messages, Problem
from .options import Options
from .recording import SCRIPT, Program, Recording
from .saving import default_name, save_run


class RunWriter:
    """Saves runs and tells of them. A failure is told and remembered for the exit code, and never raised."""

    def __init__(self, options: Options, program: Program, messages: Messages) -> None:
        self.torch: Any = None
        self.saved = False
        self.failed = False
        self._program = program
        self._messages = messages
        self._folder = os.path.abspath(options.out)
        self._name = options.name or default_name(program.main or program.name)

    def save(
        self, recording: Recording, write: Callable[[str], None], results: Any, outcome: str, exit_code: int | None, stacks: bool
    ) -> None:
        """`write` exports torch's trace to a path; `results` are Kineto's, and `stacks` says whether they hold Python calls."""
        self._messages.status("saving")
        description = recording.describe(self.torch, self._program, outcome, exit_code, results, stacks)
        run = description["run"]
        name = self._name if run["world_size"] == 1 else f"{self._name}-rank{run['rank']}"
        try:
            path = save_run(self._folder, name, description, write)
        except Problem as problem:
            self.fail(problem)
            return
        self.saved = True
        self._messages.status("saved", run=path)
        self._messages.say(f"recorded {_what(outcome, run['steps'])}: {path}\nsee it with: kinetoscope report {path}")

    def fail(self, problem: Problem) -> None:
        self.failed = True
        self._messages.problem(problem)


def _what(outcome: str, steps: int) -> str:
    if steps:
        return "1 step" if steps == 1 else f"{steps} steps"
    return "the script's own profile" if outcome == SCRIPT else "the program's start"
