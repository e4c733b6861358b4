"""The line log on Python 3.9–3.11, by `sys.settrace`.

Every thread gets a trace function of its own, whose closures append to the thread's log. Nothing is installed while nothing is
recorded: at the start the trace functions are set in all threads from outside (`threadstates`), and on the frames that are open
already.

Tracing slows the evaluation of all bytecode of a thread, also of code that logs nothing. A thread in which code was found to be
hot is therefore not traced at all (it is DARK) until the watch finds that no hot frame is its innermost user frame any more.
"""

from __future__ import annotations

import _thread
import sys
import threading
from time import perf_counter_ns
from types import CodeType, FrameType
from typing import Any, Optional

from .events import CODE_SHIFT, ENTER, LEAVE, LINE, LINE_SHIFT, Stack, ThreadLog
from .log import Logger, Unavailable
from .threadstates import ThreadStates, TraceFunction
from .usercode import CodeTable

Known = tuple[Optional[TraceFunction], int, CodeType]
"""A code object's local trace function (None: not the user's), its ENTER word without the line, and itself, to keep its `id` its own."""


class TracedThread:
    """A thread's log and trace function, and what is known of the thread while it is dark."""

    def __init__(self, log: ThreadLog, table: CodeTable) -> None:
        self.log = log
        self.hot: set[int] = set()
        """Indexes of the code objects because of which the thread is dark."""
        self.stack_when_dark: Stack = []
        self.last_seen: tuple[int, Stack, int] | None = None
        """When the watch last saw the dark thread in hot code, its stack then, and how many of its frames were there before the silence."""
        self._table = table
        self._known: dict[int, Known] = {}
        self._library: set[str] = set()
        self.function = self._make()

    def _make(self) -> TraceFunction:
        known, look_up, library = self._known, self._look_up, self._library
        write, now = self.log.write, perf_counter_ns

        def on_call(frame: FrameType, _event: str, _argument: Any) -> TraceFunction | None:
            # Most calls are a library's: they cost one look at a set.
            if frame.f_code.co_filename in library:
                return None
            code = frame.f_code
            local, word, _ = known.get(id(code)) or look_up(code)
            if local is not None:
                write((now(), word | frame.f_lineno << LINE_SHIFT))
            return local

        return on_call

    def _look_up(self, code: CodeType) -> Known:
        found: Known = (None, 0, code)
        if not self._table.user.owns(code.co_filename):
            self._library.add(code.co_filename)
        else:
            base = self._table.index(code) << CODE_SHIFT
            found = (self._make_local(base | LINE, base | LEAVE), base | ENTER, code)
        self._known[id(code)] = found
        return found

    def _make_local(self, line_word: int, leave_word: int) -> TraceFunction:
        write, now = self.log.write, perf_counter_ns

        def local(frame: FrameType, event: str, _argument: Any) -> TraceFunction:
            if event == "line":
                write((now(), line_word | frame.f_lineno << LINE_SHIFT))
            elif event == "return":
                write((now(), leave_word))
            return local

        return local

    def local_of(self, code: CodeType) -> TraceFunction | None:
        return (self._known.get(id(code)) or self._look_up(code))[0]


class TracingLog(Logger):
    """Lines by `sys.settrace`."""

    means = "settrace"

    def __init__(self, table: CodeTable) -> None:
        super().__init__(table)
        self._threads: dict[int, TracedThread] = {}
        self._states: ThreadStates | None = None
        self._hook_before: Any = None
        self._bootstrap = self._make_bootstrap()

    def _make_bootstrap(self) -> TraceFunction:
        """The trace function of a thread that has none of its own yet; it gives itself one at its first call of user code."""
        owns = self.table.user.owns

        def bootstrap(frame: FrameType, event: str, argument: Any) -> Any:
            if not self.is_running:
                sys.settrace(None)
                return None
            if not owns(frame.f_code.co_filename):
                return None
            thread = self._traced(self._own_log())
            sys.settrace(thread.function)
            return thread.function(frame, event, argument)

        return bootstrap

    def _traced(self, log: ThreadLog) -> TracedThread:
        thread = self._threads.get(id(log))
        if thread is None:
            thread = self._threads[id(log)] = TracedThread(log, self.table)
        return thread

    # Arming

    def _arm(self) -> None:
        if sys.gettrace() is not None:
            raise Unavailable("a debugger or coverage tool holds sys.settrace")
        try:
            self._states = self._states or ThreadStates()
        except OSError as error:
            raise Unavailable(f"this Python does not give access to its threads ({error})") from None
        self._hook_before = threading._trace_hook  # type: ignore[attr-defined]  # pyright: ignore
        threading.settrace(self._bootstrap)
        frames = sys._current_frames()  # pyright: ignore[reportPrivateUsage]
        for ident, state in self._states.all().items():
            if not self._states.trace_object(state):
                self._arm_thread(ident, state, frames.get(ident))

    def _arm_thread(self, ident: int, state: int, frame: FrameType | None) -> None:
        """Trace one thread, and the user frames that are open in it."""
        assert self._states is not None
        is_here = ident == _thread.get_ident()
        frames = self._user_frames(sys._getframe() if is_here else frame)  # pyright: ignore[reportPrivateUsage]
        log = self._log_of(ident) if frames else None
        if log is None:
            self._states.set(state, self._bootstrap)
            return
        thread = self._traced(log)
        self._tell_last_seen(thread)
        log.reset(self._stack(frames), self._common(thread, frames) if log.is_dark else 0)
        thread.hot = set()
        for user_frame in frames:
            user_frame.f_trace = thread.local_of(user_frame.f_code)
        if is_here:
            sys.settrace(thread.function)
            return
        self._states.set(state, thread.function)
        now = sys._current_frames().get(ident)  # pyright: ignore[reportPrivateUsage]
        if self._user_frames(now) != frames:
            # The thread ran on while it was being armed, so what was written of its stack is wrong: try again at the next look.
            self._go_dark(thread, state, set(), [])

    def _tell_last_seen(self, thread: TracedThread) -> None:
        """Split the silence at the moment when the thread was last seen in its hot code, so that the time up to then is that code's."""
        if thread.last_seen is not None and thread.log.is_dark:
            t_ns, stack, common = thread.last_seen
            thread.log.reset(stack, common, t_ns)
            thread.log.dark(t_ns)
            thread.stack_when_dark = stack
        thread.last_seen = None

    def _common(self, thread: TracedThread, frames: list[FrameType]) -> int:
        """How many of the outermost frames were there before the silence: they bear our trace function and stand where they stood."""
        common = 0
        for frame, (index, _) in zip(frames, thread.stack_when_dark):
            if self.table.index(frame.f_code) != index or frame.f_trace is not thread.local_of(frame.f_code):
                break
            common += 1
        return common

    def _disarm(self) -> None:
        assert self._states is not None
        if threading._trace_hook is self._bootstrap:  # type: ignore[attr-defined]  # pyright: ignore
            threading.settrace(self._hook_before)
        ours = self._our_functions()
        frames = sys._current_frames()  # pyright: ignore[reportPrivateUsage]
        for ident, state in self._states.all().items():
            if self._states.trace_object(state) in ours:
                self._states.clear(state)
                for frame in self._user_frames(frames.get(ident)):
                    frame.f_trace = None

    def abandon(self) -> None:
        self.is_running = False
        sys.settrace(None)

    def _our_functions(self) -> set[int]:
        return {id(self._bootstrap)} | {id(thread.function) for thread in self._threads.values()}

    def restart(self) -> None:
        super().restart()
        if not self.is_running or self._states is None:
            return
        ours = self._our_functions()
        states = self._states.all()
        for thread in self._threads.values():
            state = states.get(thread.log.ident, 0)
            tracer = self._states.trace_object(state) if state else 0
            thread.last_seen = None
            if thread.hot:
                thread.log.dark()
            elif tracer and tracer not in ours:
                self._give_way(thread)
        self.step_ended()

    def step_ended(self) -> None:
        ident = _thread.get_ident()
        if (
            not self.is_running
            or self._states is None
            or not any(thread.log.ident == ident and thread.hot for thread in self._threads.values())
        ):
            return
        frame = sys._getframe()  # pyright: ignore[reportPrivateUsage]
        if not any(thread.log.ident == ident and self._is_in(thread.hot, frame) for thread in self._threads.values()):
            self._arm_thread(ident, self._states.all()[ident], None)

    def export(self) -> dict[str, Any]:
        for thread in self._threads.values():
            self._tell_last_seen(thread)
        return super().export()

    # Hot code

    def _make_coarse(self, log: ThreadLog, hot: set[int], silent: set[int]) -> None:
        assert self._states is not None
        state = self._states.all().get(log.ident)
        frame = sys._current_frames().get(log.ident)  # pyright: ignore[reportPrivateUsage]
        if state is not None and frame is not None:
            self._go_dark(self._traced(log), state, hot, self._stack(self._user_frames(frame)))

    def _go_dark(self, thread: TracedThread, state: int, hot: set[int], stack: Stack) -> None:
        assert self._states is not None
        self._states.clear(state)
        thread.log.dark()
        thread.hot = hot
        thread.stack_when_dark = stack
        thread.last_seen = None

    def _tick(self) -> None:
        """Light up threads that have left their hot code, trace threads that have come, and give way to others' trace functions."""
        assert self._states is not None
        ours = self._our_functions()
        here = _thread.get_ident()
        frames = sys._current_frames()  # pyright: ignore[reportPrivateUsage]
        by_ident = {thread.log.ident: thread for thread in self._threads.values()}
        for ident, state in self._states.all().items():
            if ident == here:
                continue
            tracer = self._states.trace_object(state)
            thread = by_ident.get(ident)
            if not tracer:
                if thread is not None and thread.hot and self._is_in(thread.hot, frames.get(ident)):
                    open_frames = self._user_frames(frames[ident])
                    thread.last_seen = (perf_counter_ns(), self._stack(open_frames), self._common(thread, open_frames))
                else:
                    self._arm_thread(ident, state, frames.get(ident))
            elif tracer not in ours and thread is not None:
                self._give_way(thread)

    def _give_way(self, thread: TracedThread) -> None:
        """Somebody else's trace function runs in the thread."""
        if not thread.log.is_dark:
            thread.log.dark()
            name = thread.log.name or str(thread.log.native_id)
            self.notices["line-log-off"] = (
                f"The program set a trace function of its own; lines of thread {name} are not known from then on."
            )

    def _is_in(self, hot: set[int], frame: FrameType | None) -> bool:
        frames = self._user_frames(frame)
        return bool(frames) and self.table.index(frames[-1].f_code) in hot
