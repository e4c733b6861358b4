"""One recording: the line log, the clock markers and the steps that belong to one trace, and what they become in the run."""

from __future__ import annotations

import _thread
import os
import time
from datetime import datetime, timezone
from time import perf_counter_ns
from typing import Any

from .callers import callers
from .clock import ClockMarkers
from .facts import process_facts, sys_path
from .linelog import LineLog
from .version import FORMAT, __version__

COMPLETE, SHORT, INTERRUPTED, SCRIPT = "complete", "short", "interrupted", "script"
STEP_NAME = "ProfilerStep#{}"


class Program:
    """The program being recorded, as the manifest names it. Made before it runs, for it may change the working directory."""

    def __init__(self, name: str, main: str | None) -> None:
        self.name = name
        self.main = os.path.abspath(main) if main else None
        self.cwd = os.getcwd()


class Recording:
    """Begun right after the profiler has been started, and ended right before it is stopped, in the same thread."""

    def __init__(self, line_log: LineLog) -> None:
        self.line_log = line_log
        self.clock = ClockMarkers()
        self.steps: list[list[int]] = []
        self.step_source = "none"
        self.notices: dict[str, str] = {}
        self.thread = _thread.get_ident()
        self.native_id = _thread.get_native_id()
        self.exported: dict[str, Any] = {}
        self.ended = ""
        self.clock.mark()
        self.start_ns = self.step_start_ns = perf_counter_ns()
        self.end_ns = self.start_ns

    def step_ended(self, number: int, source: str) -> None:
        self.line_log.step_ended()
        now_ns = perf_counter_ns()
        self.steps.append([number, self.step_start_ns, now_ns])
        self.step_start_ns = now_ns
        self.step_source = source

    def end(self) -> None:
        self.end_ns = perf_counter_ns()
        self.clock.mark()
        self.ended = datetime.fromtimestamp(time.time(), timezone.utc).astimezone().isoformat(timespec="seconds")

    def take_lines(self) -> None:
        """Pack what the line log holds; it may then go on with another recording."""
        self.exported = self.line_log.export()
        self.notices.update(self.line_log.notices)

    def describe(
        self, torch: Any, program: Program, outcome: str, exit_code: int | None, kineto_results: Any, stacks: bool
    ) -> dict[str, Any]:
        """The object that goes into the trace as `kinetoscope`."""
        run = {
            "format": FORMAT,
            "written_by": __version__,
            "created": self.ended,
            "name": program.name,
            "main": program.main,
            **process_facts(torch, program.cwd),
            "steps": len(self.steps),
            "step_source": self.step_source,
            "outcome": outcome,
            "exit": exit_code,
            "notices": [{"kind": kind, "message": message} for kind, message in self.notices.items()],
        }
        return {
            "format": FORMAT,
            "run": run,
            "sys_path": sys_path(program.cwd),
            "recorder": os.path.dirname(os.path.abspath(__file__)),
            "clock": {"markers": self.clock.markers},
            "window": [self.start_ns, self.end_ns],
            "steps": self.steps,
            **self.exported,
            "callers": callers(kineto_results, self.native_id, str(torch.__version__)) if stacks else None,
        }
