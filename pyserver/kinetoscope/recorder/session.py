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
import contextlib
import functools
import os
import sys
import threading
import time
from typing import Any, Callable

from .boundaries import StepFinder
from .devices import after_initialisation, may_have_gpu, wait_for_devices
from .guards import AtThreadEnd, Guards, interrupt_held_back
from .kineto import Kineto
from .launch import Outcome
from .linelog import LineLog, UserCode, begin
from .messages import CANNOT_SAVE, Messages, Problem
from .options import Options
from .recording import COMPLETE, INTERRUPTED, SHORT, Program, Recording
from .script_profiler import ScriptProfiler
from .writer import RunWriter

BEFORE, START, IDLE, WINDOW, SCRIPT, DONE = "before", "start", "idle", "window", "script", "done"
START_LIMIT_S = 60.0
QUIET_KINETO = "99"


class Session:
    """Everything that happens between the program's first line and its end. `outcome` is filled by whoever runs the program."""

    def __init__(self, options: Options, program: Program, outcome: Outcome, messages: Messages) -> None:
        self.options = options
        self.outcome = outcome
        self.messages = messages
        self.state = BEFORE
        self.writer = RunWriter(options, program, messages)
        self._torch: Any = None
        self._user = UserCode(options.include, options.exclude)
        self._line_log: LineLog | None = None
        self._kineto: Kineto | None = None
        self._recording: Recording | None = None
        self._finder: StepFinder | None = None
        self._script: ScriptProfiler | None = None
        self._boundaries = 0
        self._start_was_recorded = False
        self._stop_requested = False
        self._end_requested = False
        self._thread_watch = threading.local()
        self._lock = threading.RLock()
        self._pid = os.getpid()
        self._busy = 0
        self._guards = Guards(self._end_now, self._woken, self._in_child, lambda: self._busy > 0)

    # Torch comes

    def before_torch(self) -> None:
        """Keep Kineto's own log lines off the user's terminal. Kineto reads the variable in its first start; `os.environ` never
        shows it."""
        if "KINETO_LOG_LEVEL" not in os.environ:
            os.putenv("KINETO_LOG_LEVEL", QUIET_KINETO)

    def after_torch(self, torch: Any) -> None:
        self._torch = self.writer.torch = torch
        self._guarded(self._set_up)
        if "KINETO_LOG_LEVEL" not in os.environ:
            os.unsetenv("KINETO_LOG_LEVEL")

    def _set_up(self) -> None:
        self._guards.install()
        self._script = ScriptProfiler(self)
        self._script.install()
        self._finder = StepFinder(self._torch, self._boundary, self._work_begins)
        self._finder.install()
        self.state = IDLE
        if self.options.skip == 0 or not may_have_gpu(self._torch):
            self._begin_start()
        else:
            after_initialisation(self._torch, self._work_begins)
        self._tell_progress()

    def _work_begins(self) -> None:
        if self.state == IDLE and not self._start_was_recorded and os.getpid() == self._pid:
            self._guarded(self._begin_start)

    def _begin_start(self) -> None:
        """Record the start; only in the main thread, since it may have to be stopped from another one."""
        if threading.current_thread() is threading.main_thread():
            self._start_was_recorded = True
            self._begin(START)
            if self.options.skip:
                self._limit_start()

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
        wait_for_devices(self._torch)
        self._kineto.start()
        self._recording = Recording(self._line_log)
        self._kineto.open_step(self._boundaries)
        self.state = state
        if threading.current_thread() is not threading.main_thread():
            self._thread_watch.end = AtThreadEnd(functools.partial(self._stop_because_thread_ends, self._recording))

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
        """In the main thread, on request of another: stop the recording of the start and keep it, or end the script."""
        if self._end_requested:
            raise SystemExit(0)
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
        recording = self._recording
        if recording is None or recording.ended or recording.thread != _thread.get_ident():
            recording = None
        if recording is not None and self._kineto is not None:
            self._kineto.close_step()
            recording.step_ended(number, source)
            if self.options.skip == 0:
                self.state = WINDOW
            if self.state == WINDOW and len(recording.steps) >= self.options.record:
                self._finish(COMPLETE, None)
                return
        if self.state in (START, IDLE) and self._boundaries_due() and not self._script_waits():
            self._open_window()
        elif recording is not None and self._kineto is not None:
            self._kineto.open_step(self._boundaries)
        elif self.state == IDLE and self._boundaries == self.options.skip - 1 and self._line_log is None:
            # What a log costs when it begins is paid in a step that is not recorded.
            self._line_log = begin(self._user, self.options.line_log)
        self._tell_progress()

    def _open_window(self) -> None:
        """Begin the window in this thread. A recording of the start in another one is ended first; where it cannot be, the next step tries
        again."""
        elsewhere = self._recording is not None and not self._recording.ended and self._recording.thread != _thread.get_ident()
        if elsewhere and not self._have_main_thread_stop():
            return
        self._drop()
        self._begin(WINDOW)

    def _script_waits(self) -> bool:
        return self._script is not None and self._script.is_waiting

    def _tell_progress(self) -> None:
        if self.state == WINDOW and self._recording is not None:
            self.messages.status("recording", step=len(self._recording.steps), of=self.options.record)
        elif self.state in (START, IDLE):
            self.messages.status("waiting", step=self._boundaries, of=self.options.skip)

    def _end_script_if_wanted(self) -> None:
        """Once the run is saved, end the program at this and, should it catch SystemExit, at every later boundary."""
        if self.state == DONE and self.writer.saved and self.options.stop_after and not self._is_script_run() and os.getpid() == self._pid:
            if threading.current_thread() is not threading.main_thread() and not self._end_requested:
                self._end_requested = True
                self._guards.wake_main_thread()
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
        self.writer.save(recording, kineto.write, kineto.results, outcome, exit_code, self.options.stacks)
        self._recording = self._kineto = None
        self._guards.remove()
        if outcome == COMPLETE and self.options.stop_after and self.writer.saved:
            self.messages.say("ending the script now, as --after stop says.")

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
        if self.writer.failed and code == 0:
            code = CANNOT_SAVE
        self.messages.status("exit", code=code)
        if code == CANNOT_SAVE and self.outcome.code == 0:
            for stream in (sys.stdout, sys.stderr):
                with contextlib.suppress(OSError, ValueError, AttributeError):
                    stream.flush()
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
                self.writer.fail(
                    Problem(
                        f"Nothing was recorded: no {self.options.skip} steps, and no sign of work before them.",
                        "Record from torch's import on with --skip 0 --record 1.",
                    )
                )
                self.state = DONE
            return
        if (
            not recording.ended
            and recording.thread != _thread.get_ident()
            and not (self._have_main_thread_stop() if self.state == START else False)
        ):
            self.state = DONE
            self.writer.fail(
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
        if self._busy:
            self._caught(action)
            return
        with interrupt_held_back():
            self._busy += 1
            try:
                self._caught(action)
            finally:
                self._busy -= 1
                self._guards.deliver()

    def _caught(self, action: Callable[[], None]) -> None:
        try:
            action()
        except Exception as error:
            self.state = DONE
            self._give_up()
            self.writer.fail(
                Problem(
                    f"The recording failed: {type(error).__name__}: {error}.",
                    f"The program goes on without it (torch {self._torch.__version__}).",
                )
            )

    def _give_up(self) -> None:
        """Leave nothing running after an error of ours."""
        with contextlib.suppress(Exception):
            if self._line_log is not None:
                self._line_log.stop()
        with contextlib.suppress(Exception):
            if self._kineto is not None and self._recording is not None and self._recording.thread == _thread.get_ident():
                self._kineto.stop()
        self._line_log = self._kineto = self._recording = None
