"""Programs that use `torch.profiler` (or `torch.autograd.profiler.profile`) themselves: their trace becomes the run.

Both go through one class, `torch.autograd.profiler.profile`, which is watched here. A Kineto result can be saved only once; so
when the program exports it, the exported file is copied, and when it does not, we export it at the latest moment.
"""

from __future__ import annotations

import functools
import shutil
from typing import TYPE_CHECKING, Any, Callable

from .clock import MARKER_NAME
from .kineto import Kineto
from .recording import SCRIPT, Recording

if TYPE_CHECKING:
    from .session import Session

MAX_RUNS = 8
"""Cycles of a repeating schedule that become runs; the program keeps the others to itself."""


class Cycle:
    """One recording of the program's profiler, and the object that made it."""

    def __init__(self, profile: Any, recording: Recording) -> None:
        self.profile = profile
        self.recording = recording


def _copy(source: str, target: str) -> None:
    shutil.copyfile(source, target)


class ScriptProfiler:
    """Watches the program's profilers. `is_waiting` while one was started that has not begun to record."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._running: Cycle | None = None
        self._unsaved: list[Cycle] = []
        self._runs = 0
        self._step: int | None = None
        self._is_off = False
        self.is_waiting = False

    @property
    def has_run(self) -> bool:
        return self._runs > 0 or self._running is not None

    def install(self) -> None:
        from torch.autograd import profiler as autograd_profiler
        from torch.profiler import profiler as torch_profiler

        def around(owner: Any, name: str, before: Callable[..., Any], after: Callable[..., Any]) -> None:
            original = getattr(owner, name)

            @functools.wraps(original)
            def watched(profile: Any, *arguments: Any, **keywords: Any) -> Any:
                is_theirs = not Kineto.driving and getattr(profile, "enabled", True)
                if is_theirs:
                    before(profile)
                result = original(profile, *arguments, **keywords)
                if is_theirs:
                    after(profile, *arguments)
                return result

            setattr(owner, name, watched)

        def nothing(_profile: Any, *_arguments: Any) -> None:
            return None

        around(autograd_profiler.profile, "_prepare_trace", self._preparing, nothing)
        around(autograd_profiler.profile, "_start_trace", nothing, self._started)
        around(autograd_profiler.profile, "__exit__", self._stopping, self._stopped)
        around(autograd_profiler.profile, "export_chrome_trace", nothing, self._exported)
        around(torch_profiler.profile, "start", self._announced, nothing)
        around(torch_profiler.profile, "step", self._stepping, nothing)
        self._hide_markers(autograd_profiler)

    @staticmethod
    def _hide_markers(autograd_profiler: Any) -> None:
        """Keep our clock markers out of the tables that the program prints."""
        is_filtered = getattr(autograd_profiler, "_filter_name", None)
        if is_filtered is not None:
            prefix = MARKER_NAME.format("")
            autograd_profiler._filter_name = lambda name: name.startswith(prefix) or is_filtered(name)

    # What the program's profiler does

    def _announced(self, profile: Any) -> None:
        self.is_waiting = True
        self._step = None

    def _preparing(self, _profile: Any) -> None:
        self.flush(None)
        self._is_off = self._runs >= MAX_RUNS or not self._session.step_aside()

    def _started(self, profile: Any) -> None:
        self.is_waiting = False
        if self._is_off:
            return
        self._running = Cycle(profile, Recording(self._session.line_log_for_script()))

    def _stepping(self, profile: Any) -> None:
        number = profile.step_num
        self._step = number
        if self._running is not None:
            self._running.recording.step_ended(number, "profiler")

    def boundary(self, number: int, source: str) -> None:
        """A step found by our own means; it counts as long as the program tells none itself."""
        if self._running is not None and self._step is None:
            self._running.recording.step_ended(number, source)

    def _stopping(self, profile: Any) -> None:
        cycle = self._running
        if cycle is not None and cycle.profile is profile:
            cycle.recording.end()
            cycle.recording.take_lines()

    def _stopped(self, profile: Any, *_arguments: Any) -> None:
        cycle = self._running
        if cycle is not None and cycle.profile is profile:
            self._running = None
            self._unsaved.append(cycle)
            self._session.end_line_log()

    def _exported(self, profile: Any, path: str, *_arguments: Any) -> None:
        for cycle in self._unsaved:
            if cycle.profile is profile:
                self._unsaved.remove(cycle)
                self._save(cycle, functools.partial(_copy, path), None)
                return

    def flush(self, exit_code: int | None) -> None:
        """Save what the program recorded and did not export."""
        unsaved, self._unsaved = self._unsaved, []
        for cycle in unsaved:
            self._save(cycle, lambda target, results=cycle.profile.kineto_results: results.save(target), exit_code)

    def _save(self, cycle: Cycle, write: Callable[[str], None], exit_code: int | None) -> None:
        self._runs += 1
        stacks = bool(cycle.profile.with_stack)
        self._session.writer.save(cycle.recording, write, cycle.profile.kineto_results, SCRIPT, exit_code, stacks)
