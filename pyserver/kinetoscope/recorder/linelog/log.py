"""What both means of logging lines share: the threads' logs, the watch over what they grow by, and the export.

The callbacks on the hot path only append. All judgement is made by a watch thread that looks at the buffers fifty times a second: it finds code that
runs (nearly) as fast as an empty loop being logged, which no code does that launches operators, and has it set coarse; and it ends a log that is full.
"""

from __future__ import annotations

import _thread
import sys
import threading
from collections import Counter
from time import perf_counter_ns, sleep
from types import FrameType
from typing import Any, Dict, List, Optional, Set

from .events import CODE_SHIFT, LINE, Stack, ThreadLog, pack
from .usercode import CodeTable

MAX_EVENTS = 16_000_000
"""Pairs in all threads together: 256 MiB of memory."""
WATCH_INTERVAL_S = 0.02
HOT_RATIO = 1.75
"""Code is hot whose logged lines take less than this many times what the lines of an empty loop take while they are logged."""
HOT_STRIKES = 3
"""Looks in a row at which a thread must be hot before code is found guilty."""
SAMPLE_EVENTS = 4096


class Unavailable(Exception):
    """Lines cannot be logged in this process now; the text says why."""


class LineLog:
    """No log at all: what is used where lines are not or cannot be logged, and the interface of the other two."""

    means = "none"

    def __init__(self, table: CodeTable, reason: str = "") -> None:
        self.table = table
        self.reason = reason
        self.notices: Dict[str, str] = {}
        self.logs: List[ThreadLog] = []

    def start(self) -> None:
        """Begin to log in all threads. Raises Unavailable where that cannot be."""

    def restart(self) -> None:
        """Forget what was logged and go on from here, without the cost of a stop and a start."""

    def stop(self) -> None:
        """Log no more. What was logged stays for `export`."""

    def abandon(self) -> None:
        """In a forked child: be gone, whatever state the parent was in."""

    def export(self) -> Dict[str, Any]:
        """`files`, `codes` and `line_log` of the run format."""
        line_log = {"means": self.means, "reason": self.reason, "threads": pack(self.logs)}
        return {**self.table.export(), "line_log": line_log}


class Growth:
    """How one thread's log has grown since the watch last looked."""

    __slots__ = ("length", "strikes", "t_ns")

    def __init__(self) -> None:
        self.t_ns = perf_counter_ns()
        self.length = 0
        self.strikes = 0

    def strike(self, length: int, t_ns: int, loop_event_ns: float) -> int:
        """How many times in a row, this time included, the log has grown as fast as by an empty loop."""
        events = (length - self.length) // 2
        elapsed_ns = t_ns - self.t_ns
        self.length, self.t_ns = length, t_ns
        if events >= 1000 and elapsed_ns < events * loop_event_ns * HOT_RATIO:
            self.strikes += 1
        else:
            self.strikes = 0
        return self.strikes


class Logger(LineLog):
    """A log that is written by `_arm`ed callbacks. Subclasses say how to arm, how to make a code object coarse and how to end early."""

    def __init__(self, table: CodeTable) -> None:
        super().__init__(table)
        self.is_running = False
        self._growth: Dict[int, Growth] = {}
        self._loop_event_ns = 0.0
        self._watch_token: object = None

    # What a subclass provides

    def _arm(self) -> None:
        raise NotImplementedError

    def _disarm(self) -> None:
        raise NotImplementedError

    def _loop_event_cost_ns(self) -> float:
        """Time of one line of an empty loop while it is being logged."""
        raise NotImplementedError

    def _make_coarse(self, log: ThreadLog, hot: Set[int], silent: Set[int]) -> None:
        """Log less of the code objects `hot`. Those of them that are `silent` logged no LINE, only calls."""
        raise NotImplementedError

    def _tick(self) -> None:
        """Once every look of the watch, after the logs were judged."""

    # The life of a log

    def start(self) -> None:
        if not self._loop_event_ns:
            self._loop_event_ns = self._loop_event_cost_ns()
        self.is_running = True
        try:
            self._arm()
        except Unavailable:
            self.is_running = False
            raise
        self._watch()

    def restart(self) -> None:
        if not self.is_running:
            return
        for log in self.logs:
            log.clear()
            self._growth.pop(id(log), None)
        self.notices.clear()
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
            f"The line log was full after {MAX_EVENTS:,} events; what came later is known by function at best. Record fewer or shorter steps."
        )

    def _note_coarse(self, index: int) -> None:
        if not self.table.coarse.get(index):
            self.table.set_coarse(index)
            name = self.table.codes[index].co_name
            earlier = self.notices.get("coarse")
            head = earlier[: -len(COARSE_TAIL)] + ", " if earlier else "Known by function only, as they run far more lines than operators: "
            self.notices["coarse"] = head + name + COARSE_TAIL

    # Stacks

    def _user_frames(self, frame: Optional[FrameType]) -> List[FrameType]:
        """The user frames from `frame` outwards, outermost first."""
        owns = self.table.user.owns
        frames: List[FrameType] = []
        while frame is not None:
            if owns(frame.f_code.co_filename) and self._is_logged(frame):
                frames.append(frame)
            frame = frame.f_back
        frames.reverse()
        return frames

    def _is_logged(self, frame: FrameType) -> bool:  # noqa: ARG002
        return True

    def _stack(self, frames: List[FrameType]) -> Stack:
        return [(self.table.index(frame.f_code), frame.f_lineno or frame.f_code.co_firstlineno) for frame in frames]

    def _write_stacks(self) -> None:
        """RESET every thread that has user frames open now."""
        here = _thread.get_ident()
        for ident, frame in sys._current_frames().items():  # pyright: ignore[reportPrivateUsage]
            frames = self._user_frames(sys._getframe() if ident == here else frame)  # pyright: ignore[reportPrivateUsage]
            log = self._log_of(ident)
            if log is not None and (frames or log in self.logs):
                log.reset(self._stack(frames), 0)

    def _log_of(self, ident: int) -> Optional[ThreadLog]:
        """The log of a thread seen from outside; made now where that thread has not logged yet. None for threads Python did not start."""
        thread = known_thread(ident)
        for log in reversed(self.logs):
            if log.ident == ident and (thread is None or thread.native_id == log.native_id):
                return log
        if thread is None or thread.native_id is None:
            return None
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
                sleep(WATCH_INTERVAL_S)
                if not self.is_running or self._watch_token is not token:
                    return
                try:
                    self._look()
                except Exception as error:  # noqa: BLE001 - the watch must not die with a traceback in the user's terminal
                    self.stop()
                    self.notices["line-log-off"] = f"The line log ended early by an error of the recorder: {error!r}."

        token = self._watch_token = object()
        _thread.start_new_thread(run, ())

    def _look(self) -> None:
        total = 0
        t_ns = perf_counter_ns()
        for log in list(self.logs):
            length = len(log.buffer)
            total += length // 2
            growth = self._growth.setdefault(id(log), Growth())
            strikes = growth.strike(length, t_ns, self._loop_event_ns)
            if strikes and not log.is_dark:
                self._cool(log, strikes)
        if total > MAX_EVENTS:
            self._end_full()
            return
        self._tick()

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


def known_thread(ident: int) -> Optional[threading.Thread]:
    """The Thread object, without making one up for threads that Python did not start."""
    return threading._active.get(ident)  # type: ignore[attr-defined]  # pyright: ignore
