"""The recorder of one process: waits for the window, records it, saves it, and keeps what there is when the program ends
otherwise.

    torch imported ──> START ──(skip steps)──> WINDOW ──(record steps)──> DONE │ 60 s                                            ▲
    └────> IDLE ──(skip steps)──> WINDOW ─────────────┘

From torch's import until the window opens, the start of the program is recorded as well, in case the program ends before; it is
dropped when the window opens. When the script starts a profiler of its own, ours steps aside (SCRIPT), and what the script
records becomes the run.
"""

from __future__ import annotations

import _thread
import os
import sys
import threading
import time
from typing import Any, Callable

from .boundaries import StepFinder
from .guards import Guards
from .kineto import Kineto
from .launch import Outcome
from .linelog import LineLog, UserCode, begin
from .messages import CANNOT_SAVE, Messages, Problem
from .options import Options
from .recording import COMPLETE, INTERRUPTED, SHORT, Program, Recording
from .saving import default_name, save_run
from .script_profiler import ScriptProfiler

BEFORE, START, IDLE, WINDOW, SCRIPT, DONE = "before", "start", "idle", "window", "script", "done"
START_LIMIT_S = 60.0
QUIET_KINETO = "99"


class Session:
    """Everything that happens between the program's first line and its end. `outcome` is filled by whoever runs the program."""

    def __init__(self, options: Options, program: Program, outcome: Outcome, messages: Messages) -> None:
        self.options = options
        self.program = program
        self.outcome = outcome
        self.messages = messages
        self.state = BEFORE
        self.folder = os.path.abspath(options.out)
        self.failed = False
        self.saved = False
        self._torch: Any = None
        self._user = UserCode(options.include, options.exclude)
        self._line_log: LineLog | None = None
        self._kineto: Kineto | None = None
        self._recording: Recording | None = None
        self._finder: StepFinder | None = None
        self._script: ScriptProfiler | None = None
        self._boundaries = 0
        self._stop_requested = False
        self._thread_watch = threading.local()
        self._lock = threading.RLock()
        self._pid = os.getpid()
        self._guards = Guards(self._end_now, self._woken, self._in_child)

    # Torch comes

    def before_torch(self) -> None:
        """Keep Kineto's own log lines off the user's terminal. Kineto reads the variable in its first start; `os.environ` never
        shows it."""
        if "KINETO_LOG_LEVEL" not in os.environ:
            os.putenv("KINETO_LOG_LEVEL", QUIET_KINETO)

    def after_torch(self, torch: Any) -> None:
        self._torch = torch
        self._guarded(self._set_up)
        if "KINETO_LOG_LEVEL" not in os.environ:
            os.unsetenv("KINETO_LOG_LEVEL")

    def _set_up(self) -> None:
        self._guards.install()
        self._script = ScriptProfiler(self)
        self._script.install()
        self._finder = StepFinder(self._torch, self._boundary)
        self._finder.install()
        if threading.current_thread() is threading.main_thread():
            self._begin(START)
            if self.options.skip:
                self._limit_start()
        else:
            self.state = IDLE
        self._tell_progress()

    def _limit_start(self) -> None:
        def watch() -> None:
            time.sleep(START_LIMIT_S)
            if self.state == START and not self._boundaries_due():
                self._stop_requested = True
                self._guards.wake_main_thread()

        _thread.start_new_thread(watch, ())

    def _boundaries_due(self) -> bool:
        return self._boundaries >= self.options.skip

    # Recording

    def _begin(self, state: str) -> None:
        """Start profiler and line log in this thread."""
        self._kineto = Kineto(self.options)
        self._kineto.prepare()
        if self._line_log is None:
            self._line_log = begin(self._user, self.options.line_log)
        else:
            self._line_log.restart()
        self._kineto.start()
        self._recording = Recording(self._line_log)
        self._kineto.open_step(self._boundaries)
        self.state = state
        if threading.current_thread() is not threading.main_thread():
            self._thread_watch.end = AtThreadEnd(self._stop_because_thread_ends, self._recording)

    def _stop(self) -> None:
        """Stop both. The recording stays, with its lines packed, until it is saved or dropped."""
        assert self._kineto is not None
        assert self._recording is not None
        self._kineto.close_step()
        self._recording.end()
        self._recording.take_lines()
        self._kineto.stop()
        if self._line_log is not None:
            self._line_log.stop()
            self._line_log = None

    def _drop(self) -> None:
        """Stop and forget the recording of the start; the line log goes on for what comes next."""
        if self._kineto is not None and self._recording is not None and not self._recording.ended:
            self._kineto.stop()
        self._kineto = self._recording = None

    def step_aside(self) -> bool:
        """The script's own profiler is about to start: ours ends. False where ours is running in another thread and cannot be ended."""
        with self._lock:
            if self.state in (START, WINDOW) and self._recording is not None and not self._recording.ended:
                if self._recording.thread != _thread.get_ident():
                    return self._have_main_thread_stop()
                self._drop()
            if self.state != DONE:
                self.state = SCRIPT
            return True

    def _have_main_thread_stop(self) -> bool:
        """Ask the main thread to stop the recording of the start, and wait a moment for it."""
        self._stop_requested = True
        if not self._guards.wake_main_thread():
            return False
        for _ in range(200):
            if self._recording is None or self._recording.ended:
                return True
            time.sleep(0.005)
        return False

    def line_log_for_script(self) -> LineLog:
        """A running line log with nothing in it, for a recording of the script's own profiler."""
        if self._line_log is None:
            self._line_log = begin(self._user, self.options.line_log)
        else:
            self._line_log.restart()
        return self._line_log

    def end_line_log(self) -> None:
        if self._line_log is not None:
            self._line_log.stop()
            self._line_log = None

    def _woken(self) -> None:
        """In the main thread, on request of another: stop the recording of the start, and keep it."""
        if self._stop_requested and self.state == START and self._recording is not None and not self._recording.ended:
            self._stop_requested = False
            self._guarded(self._stop_start)

    def _stop_start(self) -> None:
        assert self._recording is not None
        self._recording.notices["start-limit"] = (
            f"Only the first {(time.perf_counter_ns() - self._recording.start_ns) / 1e9:.0f} s of the program's start were recorded, "
            f"since no {self.options.skip} steps had passed by then."
        )
        self._stop()
        self.state = IDLE

    # Steps

    def _boundary(self, source: str) -> None:
        if self.state in (DONE, BEFORE) or os.getpid() != self._pid:
            self._end_script_if_wanted()
            return
        self._guarded(lambda: self._step_ended(source))
        self._end_script_if_wanted()

    def _step_ended(self, source: str) -> None:
        number = self._boundaries
        self._boundaries += 1
        if self.state == SCRIPT:
            assert self._script is not None
            self._script.boundary(number, source)
            return
        here = _thread.get_ident()
        recording = self._recording
        running = recording is not None and not recording.ended
        if running and recording is not None and recording.thread == here:
            assert self._kineto is not None
            self._kineto.close_step()
            recording.step_ended(number, source)
        window_is_due = self.state in (START, IDLE) and self._boundaries_due() and not self._script_waits()
        if self.state == WINDOW and recording is not None and len(recording.steps) >= self.options.record and recording.thread == here:
            self._finish(COMPLETE, None)
            return
        if window_is_due and self.options.skip == 0 and self.state == START and recording is not None and recording.thread == here:
            self.state = WINDOW
            if len(recording.steps) >= self.options.record:
                self._finish(COMPLETE, None)
                return
            window_is_due = False
        if window_is_due:
            if running and recording is not None and recording.thread != here and not self._have_main_thread_stop():
                return
            self._drop()
            self._begin(WINDOW)
        elif self.state == IDLE and self._boundaries == self.options.skip - 1 and self._line_log is None:
            self._line_log = begin(self._user, self.options.line_log)
        elif running and recording is not None and recording.thread == here and self._kineto is not None:
            self._kineto.open_step(self._boundaries)
        self._tell_progress()

    def _script_waits(self) -> bool:
        return self._script is not None and self._script.is_waiting

    def _tell_progress(self) -> None:
        if self.state == WINDOW and self._recording is not None:
            self.messages.status("recording", step=len(self._recording.steps), of=self.options.record)
        elif self.state in (START, IDLE):
            self.messages.status("waiting", step=self._boundaries, of=self.options.skip)

    def _end_script_if_wanted(self) -> None:
        """Once the run is saved, end the program at this and, should it catch SystemExit, at every later boundary."""
        if self.state == DONE and self.saved and self.options.stop_after and not self._is_script_run() and os.getpid() == self._pid:
            raise SystemExit(0)

    def _is_script_run(self) -> bool:
        return self._script is not None and self._script.has_run

    # The end

    def _finish(self, outcome: str, exit_code: int | None) -> None:
        """Stop, save, and tell."""
        recording, kineto = self._recording, self._kineto
        assert recording is not None
        assert kineto is not None
        if not recording.ended:
            self._stop()
        self.state = DONE
        if self._finder is not None and not self.options.stop_after:
            self._finder.remove()
        self.save(recording, kineto.write, kineto.results, outcome, exit_code, self.options.stacks)
        self._recording = self._kineto = None
        self._guards.remove()
        if outcome == COMPLETE and self.options.stop_after and self.saved:
            self.messages.say("ending the script now, as --after stop says.")

    def save(
        self, recording: Recording, write: Callable[[str], None], results: Any, outcome: str, exit_code: int | None, stacks: bool
    ) -> str | None:
        """Save one run and announce it; a failure is told and remembered for the exit code."""
        self.messages.status("saving")
        try:
            description = recording.describe(self._torch, self.program, outcome, exit_code, results, stacks)
            path = save_run(self.folder, self._name(description["run"]), description, write)
        except Problem as problem:
            self.failed = True
            self.messages.problem(problem)
            return None
        self.saved = True
        self.messages.status("saved", run=path)
        steps = len(recording.steps)
        shown = (
            f"{steps} step{'' if steps == 1 else 's'}"
            if steps
            else "the program's start"
            if outcome != "script"
            else "the script's own profile"
        )
        self.messages.say(f"recorded {shown}: {path}\nsee it with: kinetoscope report {path}")
        return path

    def _name(self, run: dict[str, Any]) -> str:
        name = self.options.name or default_name(self.program.main or self.program.name)
        return name if run["world_size"] == 1 else f"{name}-rank{run['rank']}"

    def main_ended(self) -> None:
        """The main module has ended. What runs on in other threads still belongs to the recording; else it ends here."""
        if self._pid != os.getpid():
            return
        others = [thread for thread in threading.enumerate() if thread is not threading.current_thread() and not thread.daemon]
        recording = self._recording
        if not others and recording is not None and not recording.ended and recording.thread == _thread.get_ident():
            self._guarded(self._stop)

    def process_ends(self) -> None:
        """The last thing at exit: save what there is, and set the exit code where saving failed after a program that was fine."""
        if os.getpid() != self._pid:
            return
        code = self.outcome.code
        self._end_now(code)
        if self.failed and code == 0:
            code = CANNOT_SAVE
        self.messages.status("exit", code=code)
        if code == CANNOT_SAVE and self.outcome.code == 0:
            for stream in (sys.stdout, sys.stderr):
                try:
                    stream.flush()
                except (OSError, ValueError, AttributeError):
                    pass
            os._exit(CANNOT_SAVE)

    def _end_now(self, exit_code: int | None) -> None:
        """Save what was recorded so far, in whatever state it is."""
        with self._lock:
            self._guarded(lambda: self._keep(exit_code))

    def _keep(self, exit_code: int | None) -> None:
        if self._script is not None:
            self._script.flush(exit_code)
        recording = self._recording
        if self.state == DONE or recording is None or self._kineto is None:
            if self.state not in (DONE, SCRIPT) and self._torch is not None:
                self.failed = True
                self.messages.problem(
                    Problem("Nothing was recorded.", "Record from the start with --skip 0, or let the program run more steps.")
                )
                self.state = DONE
            return
        if (
            not recording.ended
            and recording.thread != _thread.get_ident()
            and not (self._have_main_thread_stop() if self.state == START else False)
        ):
            self.failed = True
            self.state = DONE
            self.messages.problem(
                Problem(
                    "The recording was lost: it runs in another thread, which is still at work.",
                    "Let the program wait for its training thread before it ends, or record fewer steps.",
                )
            )
            return
        interrupted = self.outcome.interrupted or (exit_code is not None and exit_code > 128)
        self._finish(INTERRUPTED if interrupted else SHORT, exit_code)

    def _stop_because_thread_ends(self, recording: Recording) -> None:
        """In a training thread that is ending: the profiler can only be stopped here."""
        if self._recording is recording and not recording.ended and os.getpid() == self._pid:
            self._guarded(self._stop)

    def _in_child(self) -> None:
        """In a forked child: nothing is recorded there, and nothing of the parent's recording may go on."""
        self.state = DONE
        self._lock = threading.RLock()
        if self._finder is not None:
            self._finder.remove()
        if self._line_log is not None:
            self._line_log.abandon()
            self._line_log = None
        if self._recording is not None and self._torch is not None and hasattr(self._torch.autograd, "_clear_callbacks"):
            self._torch.autograd._clear_callbacks()

    def _guarded(self, action: Callable[[], None]) -> None:
        """Do something of ours in the program's midst. An error of ours ends the recording, never the program."""
        try:
            action()
        except Exception as error:
            self.state = DONE
            self.failed = True
            if self._line_log is not None:
                self._line_log.abandon()
                self._line_log = None
            self.messages.problem(
                Problem(
                    f"The recording failed: {type(error).__name__}: {error}.",
                    f"The program goes on without it (torch {self._torch.__version__}).",
                )
            )


class AtThreadEnd:
    """Kept in a thread's own storage, which Python clears in that thread when it ends."""

    def __init__(self, call: Callable[[Recording], None], recording: Recording) -> None:
        self._call = call
        self._recording = recording

    def __del__(self) -> None:
        self._call(self._recording)
