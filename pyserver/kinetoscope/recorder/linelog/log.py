"""What both means of logging lines share: the threads' logs, the watch over what they grow by, and the export.

The callbacks on the hot path only append. All judgement is made by a watch thread that looks at the buffers fifty times a second:
it finds code that runs (nearly) as fast as an empty loop being logged, which no code does that launches operators, and has it set
coarse; and it ends a log that is full.
"""

from __future__ import annotations

import _thread
import sys
import threading
import time
from collections import Counter
from time import perf_counter_ns
from types import CodeType, FrameType
from typing import Any, NamedTuple

from .events import CODE_SHIFT, LINE, Stack, ThreadLog, pack
from .usercode import CodeTable, UserCode

MAX_EVENTS = 16_000_000
"""Pairs in all threads together: 256 MiB of memory."""
WATCH_INTERVAL_S = 0.02
HOT_RATIO = 2.0
"""Code is hot whose logged events take less than this many times what they take in empty code."""
KNOWN_HOT_RATIO = 4.0
"""The same for code that was hot before."""
HOT_STRIKES = 3
"""Looks in a row at which a thread must be hot before code is found guilty."""
SAMPLE_EVENTS = 4096
LEAST_SHARE = 0.3
"""Hot code must take at least this part of the time that passes."""
FEWEST_EVENTS = 1000
"""Fewer events between two looks are no load worth a thought."""


class Unavailable(Exception):
    """Lines cannot be logged in this process now; the text says why."""


class LineLog:
    """No log at all: what is used where lines are not or cannot be logged, and the interface of the other two."""

    means = "none"

    def __init__(self, table: CodeTable, reason: str = "") -> None:
        self.table = table
        self.reason = reason
        self.notices: dict[str, str] = {}
        self.logs: list[ThreadLog] = []

    def start(self) -> None:
        """Begin to log in all threads. Raises Unavailable where that cannot be."""

    def restart(self) -> None:
        """Forget what was logged and go on from here, without the cost of a stop and a start."""

    def step_ended(self) -> None:
        """Called between two steps in the stepping thread: a moment at which hot code has surely been left."""

    def stop(self) -> None:
        """Log no more. What was logged stays for `export`."""

    def abandon(self) -> None:
        """In a forked child: be gone, whatever state the parent was in."""

    def export(self) -> dict[str, Any]:
        """`files`, `codes` and `line_log` of the run format."""
        line_log = {"means": self.means, "reason": self.reason, "threads": pack(self.logs)}
        return {**self.table.export(), "line_log": line_log}


class Growth:
    """How one thread's log has grown since the watch last looked, and how long the thread has worked for that.

    The thread's own processor time counts where the system tells it, so that a busy machine does not make code look slower than it is.
    """

    __slots__ = ("_clock", "cpu_ns", "length", "strikes", "wall_ns")

    def __init__(self, ident: int) -> None:
        self.length = 0
        self.strikes = 0
        self.wall_ns = perf_counter_ns()
        try:
            self._clock: int | None = time.pthread_getcpuclockid(ident)
        except (AttributeError, OSError):
            self._clock = None
        self.cpu_ns = self._cpu()

    def _cpu(self) -> int:
        if self._clock is None:
            return self.wall_ns
        try:
            return time.clock_gettime_ns(self._clock)
        except OSError:  # the thread has ended
            return self.cpu_ns

    def since_last(self, length: int) -> tuple[int, int, int]:
        """Events, wall nanoseconds and processor nanoseconds since the last look."""
        before = self.length, self.wall_ns, self.cpu_ns
        self.length, self.wall_ns = length, perf_counter_ns()
        self.cpu_ns = self._cpu()
        return (length - before[0]) // 2, self.wall_ns - before[1], self.cpu_ns - before[2]


class EventCosts(NamedTuple):
    """What an event costs in an empty loop that is being logged, the loop's own work included, in nanoseconds."""

    line_ns: float
    call_ns: float
    """One of the three events of a call of an empty function."""


class OnlyCalibration(UserCode):
    """The user code of a calibration."""

    def owns(self, filename: str) -> bool:
        return filename == CALIBRATION


CALIBRATION = "<kinetoscope calibration>"
EMPTY_LOOP = compile("for number in range(300):\n    number\n    number\n", CALIBRATION, "exec")
EMPTY_CALLS = compile("def f(): pass\nfor number in range(200): f()\n", CALIBRATION, "exec")


class Logger(LineLog):
    """A log that is written by `_arm`ed callbacks. Subclasses say how to arm, how to make a code object coarse and how to end early."""

    def __init__(self, table: CodeTable) -> None:
        super().__init__(table)
        self.is_running = False
        self._growth: dict[int, Growth] = {}
        self._costs = EventCosts(0.0, 0.0)
        self._watch_token: object = None

    # What a subclass provides

    def _arm(self) -> None:
        raise NotImplementedError

    def _disarm(self) -> None:
        raise NotImplementedError

    def _make_coarse(self, log: ThreadLog, hot: set[int], silent: set[int]) -> None:
        """Log less of the code objects `hot`. Those of them that are `silent` logged no LINE, only calls."""
        raise NotImplementedError

    def _tick(self) -> None:
        """Once every look of the watch, after the logs were judged."""

    # The life of a log

    def start(self) -> None:
        self._costs = self._calibrated()
        self.is_running = True
        try:
            self._arm()
        except Unavailable:
            self.is_running = False
            raise
        self._watch()

    def _calibrated(self) -> EventCosts:
        """Measured once a process, by a log of the same kind on two tiny programs."""
        global _measured
        if _measured is None:
            scratch = type(self)(CodeTable(OnlyCalibration()))
            scratch.is_running = True
            scratch._arm()
            try:
                _measured = EventCosts(*(scratch._event_cost_ns(program) for program in (EMPTY_LOOP, EMPTY_CALLS)))
            finally:
                scratch.stop()
        return _measured

    def _event_cost_ns(self, program: CodeType) -> float:
        best = float("inf")
        for _ in range(3):
            for log in self.logs:
                log.clear()
            began_ns = perf_counter_ns()
            exec(program, {})
            elapsed_ns = perf_counter_ns() - began_ns
            best = min(best, elapsed_ns / max(sum(len(log.buffer) // 2 for log in self.logs), 1))
        return best

    def restart(self) -> None:
        if not self.is_running:
            return
        for log in self.logs:
            log.clear()
            self._growth.pop(id(log), None)
        self.notices = {kind: message for kind, message in self.notices.items() if kind == "coarse"}
        self._write_stacks()

    def stop(self) -> None:
        if self.is_running:
            self.is_running = False
            self._disarm()

    def abandon(self) -> None:
        self.stop()

    def _end_full(self) -> None:
        self.stop()
        for log in self.logs:
            log.dark()
        self.notices["log-full"] = (
            f"The line log was full after {MAX_EVENTS:,} events; what came later is known by function at best. "
            "Record fewer or shorter steps."
        )

    def _note_coarse(self, index: int) -> None:
        if not self.table.coarse.get(index):
            self.table.set_coarse(index)
            name = self.table.codes[index].co_name
            earlier = self.notices.get("coarse")
            head = earlier[: -len(COARSE_TAIL)] + ", " if earlier else "Known by function only, as they run far more lines than operators: "
            self.notices["coarse"] = head + name + COARSE_TAIL

    # Stacks

    def _user_frames(self, frame: FrameType | None) -> list[FrameType]:
        """The user frames from `frame` outwards, outermost first."""
        owns = self.table.user.owns
        frames: list[FrameType] = []
        while frame is not None:
            if owns(frame.f_code.co_filename) and self._is_logged(frame):
                frames.append(frame)
            frame = frame.f_back
        frames.reverse()
        return frames

    def _is_logged(self, frame: FrameType) -> bool:
        return True

    def _stack(self, frames: list[FrameType]) -> Stack:
        return [(self.table.index(frame.f_code), frame.f_lineno or frame.f_code.co_firstlineno) for frame in frames]

    def _write_stacks(self) -> None:
        """RESET every thread that has user frames open now."""
        here = _thread.get_ident()
        for ident, frame in sys._current_frames().items():  # pyright: ignore[reportPrivateUsage]
            frames = self._user_frames(sys._getframe() if ident == here else frame)  # pyright: ignore[reportPrivateUsage]
            log = self._log_of(ident) if frames else self._existing_log(ident)
            if log is not None and (frames or len(log.buffer) > 2):
                log.reset(self._stack(frames), 0)

    def _existing_log(self, ident: int) -> ThreadLog | None:
        thread = known_thread(ident)
        for log in reversed(self.logs):
            if log.ident == ident and (thread is None or thread.native_id == log.native_id):
                return log
        return None

    def _log_of(self, ident: int) -> ThreadLog | None:
        """The log of a thread seen from outside; made now where that thread has not logged yet. None for threads Python did not start."""
        found = self._existing_log(ident)
        thread = known_thread(ident)
        if found is not None or thread is None or thread.native_id is None:
            return found
        return self._new_log(ident, thread.native_id, thread.name)

    def _new_log(self, ident: int, native_id: int, name: str) -> ThreadLog:
        log = ThreadLog(ident, native_id, name)
        self.logs.append(log)
        return log

    def _own_log(self) -> ThreadLog:
        """The log of the running thread, which has not asked for it before: one that was made from outside, or a new one."""
        ident, native_id = _thread.get_ident(), _thread.get_native_id()
        for log in reversed(self.logs):
            if log.ident == ident and log.native_id == native_id:
                return log
        thread = known_thread(ident)
        log = self._new_log(ident, native_id, thread.name if thread else "")
        log.reset([], 0)
        return log

    # The watch

    def _watch(self) -> None:
        def run() -> None:
            while self.is_running and self._watch_token is token:
                time.sleep(WATCH_INTERVAL_S)
                if not self.is_running or self._watch_token is not token:
                    return
                try:
                    self._look()
                except Exception as error:
                    self.stop()
                    self.notices["line-log-off"] = f"The line log ended early by an error of the recorder: {error!r}."

        token = self._watch_token = object()
        _thread.start_new_thread(run, ())

    def _look(self) -> None:
        total = 0
        alive = sys._current_frames()  # pyright: ignore[reportPrivateUsage]
        for log in list(self.logs):
            length = len(log.buffer)
            total += length // 2
            if log.ident not in alive:
                continue
            growth = self._growth.get(id(log))
            if growth is None:
                growth = self._growth[id(log)] = Growth(log.ident)
            pace = self._pace(log, *growth.since_last(length))
            growth.strikes = growth.strikes + 1 if pace < HOT_RATIO else 0
            if pace < KNOWN_HOT_RATIO:
                self._cool(log, growth.strikes)
        if total > MAX_EVENTS:
            self._end_full()
            return
        self._tick()

    def _pace(self, log: ThreadLog, events: int, wall_ns: int, cpu_ns: int) -> float:
        """How long the last events took, as a multiple of what they take in empty code; infinite where they were no load."""
        if log.is_dark or events < FEWEST_EVENTS or cpu_ns > events * self._costs.call_ns * KNOWN_HOT_RATIO:
            return float("inf")
        words = log.buffer[-2 * min(events, SAMPLE_EVENTS) :][1::2]
        lines = sum(1 for word in words if word & 15 == LINE) / len(words)
        empty_ns = events * (lines * self._costs.line_ns + (1 - lines) * self._costs.call_ns)
        return cpu_ns / empty_ns if wall_ns < empty_ns / LEAST_SHARE else float("inf")

    def _cool(self, log: ThreadLog, strikes: int) -> None:
        """Make coarse what fills a fair part of the log's last events: at once what was coarse before, else after some strikes."""
        words = log.buffer[-2 * SAMPLE_EVENTS :][1::2]
        events = Counter(word >> CODE_SHIFT for word in words)
        hot = {index for index, count in events.items() if count * 5 >= len(words)}
        if not hot or (strikes < HOT_STRIKES and not all(self.table.coarse.get(index) for index in hot)):
            return
        with_lines = {word >> CODE_SHIFT for word in words if word & 15 == LINE}
        for index in hot:
            self._note_coarse(index)
        self._make_coarse(log, hot, hot - with_lines)


COARSE_TAIL = "."
_measured: EventCosts | None = None


def known_thread(ident: int) -> threading.Thread | None:
    """The Thread object, without making one up for threads that Python did not start."""
    return threading._active.get(ident)  # type: ignore[attr-defined]  # pyright: ignore
