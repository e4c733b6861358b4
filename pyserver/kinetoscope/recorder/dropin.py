"""`profile`: a drop-in for `torch.profiler.profile` that also writes a run each time a trace is ready."""

from __future__ import annotations

import gzip
import os
import shutil
import sys
from typing import Any

import torch
from torch.profiler import profile as torch_profile

from .linelog import LineLog, UserCode, begin
from .messages import Messages, Problem
from .options import DEFAULT_FOLDER
from .recording import SCRIPT, Program, Recording
from .saving import default_name, save_run

RECORDER = "_kinetoscope_recorder"
"""The name under which the recorder is loaded when it runs the whole program; it then makes the run of this profiler as of any other."""


def _open(path: str, mode: str) -> Any:
    return gzip.open(path, mode) if path.endswith(".gz") else open(path, mode)


class profile(torch_profile):  # noqa: N801 - takes the place of torch's
    """Like `torch.profiler.profile`, with the same arguments. Each time a trace is ready, a run is written before
    `on_trace_ready` is called.

    `run_folder` is the folder of runs (default `.kinetoscope` in the working directory), `run_name` the run's name (default: time
    and script). `runs` lists the paths of the runs that were written. A run that cannot be written is told on stderr; the program
    goes on.

    `export_chrome_trace` can be called any number of times, and writes the trace with the line log inside; other tools ignore
    that.
    """

    def __init__(self, *, run_folder: str | None = None, run_name: str | None = None, **arguments: Any) -> None:
        super().__init__(**arguments)
        script = sys.argv[0] if sys.argv and os.path.exists(sys.argv[0]) else None
        self.runs: list[str] = []
        self._messages = Messages()
        self._run_folder = os.path.abspath(run_folder or DEFAULT_FOLDER)
        self._run_name = run_name
        self._program = Program(os.path.basename(script) if script else "python", script)
        self._line_log: LineLog | None = None
        self._recording: Recording | None = None
        self._trace: str | None = None
        self._is_recorded_anyway = RECORDER in sys.modules

    def start_trace(self) -> None:
        super().start_trace()
        self._trace = None
        if not self._is_recorded_anyway:
            self._line_log = begin(UserCode())
            self._recording = Recording(self._line_log)

    def stop_trace(self) -> None:
        if self._recording is not None and self._line_log is not None:
            self._recording.end()
            self._recording.take_lines()
            self._line_log.stop()
            self._line_log = None
        super().stop_trace()

    def step(self) -> None:
        if self._recording is not None and not self._recording.ended:
            self._recording.step_ended(self.step_num, "profiler")
        super().step()

    def export_chrome_trace(self, path: str, *arguments: Any, **keywords: Any) -> None:
        if self._trace is None or not os.path.exists(self._trace):
            super().export_chrome_trace(path, *arguments, **keywords)
            self._trace = os.path.abspath(path)
        else:
            with _open(self._trace, "rb") as source, _open(path, "wb") as target:
                shutil.copyfileobj(source, target, 1 << 20)

    def _trace_ready(self) -> None:
        recording, self._recording = self._recording, None
        if recording is not None:
            self._save(recording)
        super()._trace_ready()

    def _save(self, recording: Recording) -> None:
        assert self.profiler is not None
        stacks = bool(self.with_stack)
        description = recording.describe(torch, self._program, SCRIPT, None, self.profiler.kineto_results, stacks)
        name = self._run_name or default_name(self._program.main or self._program.name)
        try:
            run = save_run(self._run_folder, name, description, super().export_chrome_trace)
        except Problem as problem:
            self._messages.problem(problem)
            return
        self.runs.append(run)
        self._trace = os.path.join(run, f"rank{description['run']['rank']}.pt.trace.json.gz")
        self._messages.say(f"recorded {run}\nsee it with: kinetoscope report {run}")
