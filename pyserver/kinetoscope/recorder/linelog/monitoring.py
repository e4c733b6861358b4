"""The line log on Python 3.12 and later, by `sys.monitoring`.

PY_START and PY_RESUME are watched everywhere to find code objects: library code answers DISABLE once and costs nothing after
that; user code gets local events. PY_UNWIND and PY_THROW exist only globally. A callback costs one call and one append.
"""

from __future__ import annotations

import sys
import threading
from time import perf_counter_ns
from types import CodeType, FrameType
from typing import Any, Callable

from .events import CODE_SHIFT, ENTER, LEAVE, LINE, LINE_SHIFT, ThreadLog
from .log import Logger, Unavailable
from .usercode import CodeTable

TOOL_NAME = "kinetoscope"
TOOL_IDS = (4, 3, 5)
"""Those that no kind of tool has been promised (0 is for debuggers, 1 for coverage, 2 for profilers)."""


class MonitoringLog(Logger):
    """Lines by `sys.monitoring`."""

    means = "monitoring"

    def __init__(self, table: CodeTable) -> None:
        super().__init__(table)
        self._mon: Any = sys.monitoring  # type: ignore[attr-defined]  # pyright: ignore
        self._tool = -1
        self._known: set[int] = set()
        self._dropped: set[int] = set()
        self._line_words: dict[int, int] = {}
        self._start_words: dict[int, int] = {}
        self._leave_words: dict[int, int] = {}
        self._unwind_words: dict[int, int] = {}
        self._resume_words: dict[tuple[int, int], int] = {}
        self._pending_resets: list[tuple[ThreadLog, CodeType]] = []
        self._make_callbacks()

    def _make_callbacks(self) -> None:
        now = perf_counter_ns
        own_log, discover, disable = self._own_log, self._discover, self._mon.DISABLE
        line_words, start_words, leave_words = self._line_words, self._start_words, self._leave_words
        unwind_words, resume_words = self._unwind_words, self._resume_words

        class Local(threading.local):
            """`write` of the running thread's log; made at the thread's first event."""

            def __init__(self) -> None:
                self.write = own_log().write

        local = Local()

        def on_line(code: CodeType, line: int) -> None:
            local.write((now(), line_words[id(code)] | line << LINE_SHIFT))

        def on_start(code: CodeType, _offset: int) -> Any:
            word = start_words.get(id(code))
            if word is None:
                if not discover(code):
                    return disable
                word = start_words[id(code)]
            local.write((now(), word))
            return None

        def on_leave(code: CodeType, _offset: int, _value: object) -> None:
            local.write((now(), leave_words[id(code)]))

        def resume_word(code: CodeType, offset: int) -> int:
            line = code.co_firstlineno
            for start, end, at in code.co_lines():
                if start <= offset < end and at is not None:
                    line = at
                    break
            word = resume_words[id(code), offset] = self.table.index(code) << CODE_SHIFT | line << LINE_SHIFT | ENTER
            return word

        def on_resume(code: CodeType, offset: int) -> Any:
            word = resume_words.get((id(code), offset))
            if word is None:
                if id(code) not in start_words and not discover(code):
                    return disable
                word = resume_word(code, offset)
            local.write((now(), word))
            return None

        def on_throw(code: CodeType, offset: int, _exception: BaseException) -> None:
            if id(code) in unwind_words or discover(code):
                local.write((now(), resume_words.get((id(code), offset)) or resume_word(code, offset)))

        def on_unwind(code: CodeType, _offset: int, _exception: BaseException) -> None:
            word = unwind_words.get(id(code))
            if word is not None:
                local.write((now(), word))

        events = self._mon.events
        self._callbacks: dict[int, Callable[..., Any]] = {
            events.LINE: on_line,
            events.PY_START: on_start,
            events.PY_RETURN: on_leave,
            events.PY_YIELD: on_leave,
            events.PY_RESUME: on_resume,
            events.PY_THROW: on_throw,
            events.PY_UNWIND: on_unwind,
        }
        self._global_events = events.PY_START | events.PY_RESUME | events.PY_THROW | events.PY_UNWIND
        self._frame_events = events.PY_START | events.PY_RETURN | events.PY_YIELD | events.PY_RESUME
        self._all_events = self._frame_events | events.LINE

    def _discover(self, code: CodeType) -> bool:
        """Whether the code is the user's; if so it is put into the tables and its events are turned on."""
        key = id(code)
        if key in self._dropped or not self.table.user.owns(code.co_filename):
            return False
        if key not in self._known:
            index = self.table.index(code)
            base = index << CODE_SHIFT
            self._line_words[key] = base | LINE
            self._leave_words[key] = self._unwind_words[key] = base | LEAVE
            self._start_words[key] = base | code.co_firstlineno << LINE_SHIFT | ENTER
            self._known.add(key)
            events = self._frame_events if self.table.coarse.get(index) else self._all_events
            self._mon.set_local_events(self._tool, code, events)
        return True

    def _is_logged(self, frame: FrameType) -> bool:
        return self._discover(frame.f_code)

    def _take_tool(self) -> None:
        for tool in TOOL_IDS:
            if self._mon.get_tool(tool) is None:
                self._mon.use_tool_id(tool, TOOL_NAME)
                self._tool = tool
                return
        raise Unavailable("other tools hold all free ids of sys.monitoring (3, 4 and 5)")

    def _arm(self) -> None:
        self._take_tool()
        for event, callback in self._callbacks.items():
            self._mon.register_callback(self._tool, event, callback)
        # What an earlier log answered DISABLE to may be the user's for this one.
        self._mon.restart_events()
        self._mon.set_events(self._tool, self._global_events)
        self._write_stacks()

    def _disarm(self) -> None:
        mon, tool = self._mon, self._tool
        mon.set_events(tool, 0)
        for code in self.table.codes:
            mon.set_local_events(tool, code, 0)
        for event in self._callbacks:
            mon.register_callback(tool, event, None)
        mon.free_tool_id(tool)
        self._known.clear()
        self._dropped.clear()
        for words in (self._start_words, self._unwind_words, self._resume_words):
            words.clear()

    # Hot code

    def _make_coarse(self, log: ThreadLog, hot: set[int], silent: set[int]) -> None:
        for index in hot - silent:
            self._mon.set_local_events(self._tool, self.table.codes[index], self._frame_events)
        for index in silent:
            self._drop(self.table.codes[index])

    def _drop(self, code: CodeType) -> None:
        """Even the calls of `code` are hot: from now on it is like a library's. Each thread that is inside it gets its stack
        written anew by its own next event, because only the thread itself knows a moment at which log and stack agree."""
        inside = [ident for ident, frame in sys._current_frames().items() if self._is_inside(frame, code)]  # pyright: ignore[reportPrivateUsage]
        self._dropped.add(id(code))
        self._known.discard(id(code))
        for log in self.logs:
            if log.ident in inside:
                self._pending_resets.append((log, code))
        if not self._pending_resets:
            self._silence(code)
            return
        for event in (self._mon.events.PY_RETURN, self._mon.events.LINE, self._mon.events.PY_START):
            self._mon.register_callback(self._tool, event, self._resetting(self._callbacks[event], event))

    @staticmethod
    def _is_inside(frame: Any, code: CodeType) -> bool:
        while frame is not None:
            if frame.f_code is code:
                return True
            frame = frame.f_back
        return False

    def _resetting(self, callback: Callable[..., Any], event: int) -> Callable[..., Any]:
        """`callback`, and then the resets that are due in its thread. All is as before once none is due."""

        def run(code: CodeType, *arguments: Any) -> Any:
            answer = callback(code, *arguments)
            log = self._own_log()
            due = [(owner, hot) for owner, hot in self._pending_resets if owner is log]
            if due:
                frame = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
                leaving = event == self._mon.events.PY_RETURN
                for entry in due:
                    self._pending_resets.remove(entry)
                    self._silence(entry[1])
                before = self._frames_with_dropped(frame.f_back if leaving else frame, {id(hot) for _, hot in due})
                common = next((place for place, (_, is_dropped) in enumerate(before) if is_dropped), len(before))
                log.reset(self._stack([kept for kept, is_dropped in before if not is_dropped]), common)
            if not self._pending_resets and self.is_running:
                for kind in (self._mon.events.PY_RETURN, self._mon.events.LINE, self._mon.events.PY_START):
                    self._mon.register_callback(self._tool, kind, self._callbacks[kind])
            return answer

        return run

    def _silence(self, code: CodeType) -> None:
        self._mon.set_local_events(self._tool, code, 0)
        self._unwind_words.pop(id(code), None)
        self._start_words.pop(id(code), None)

    def _frames_with_dropped(self, frame: Any, dropped: set[int]) -> list[tuple[FrameType, bool]]:
        frames: list[tuple[FrameType, bool]] = []
        while frame is not None:
            if id(frame.f_code) in dropped:
                frames.append((frame, True))
            elif self.table.user.owns(frame.f_code.co_filename) and self._discover(frame.f_code):
                frames.append((frame, False))
            frame = frame.f_back
        frames.reverse()
        return frames
