"""The words of the line log, and the buffers they are written to.

An event is a pair of int64 `(t_ns, word)` with `word = code << 36 | line << 4 | kind`. A thread's buffer is written by one call
with both, so that whatever interrupts the thread between two instructions (a signal handler, a finaliser) can never tear a pair.
"""

from __future__ import annotations

import base64
import sys
import zlib
from array import array
from collections.abc import Iterable, Sequence
from time import perf_counter_ns
from typing import Any, Callable

LINE, ENTER, LEAVE, RESET, DARK = 1, 2, 3, 4, 5
CODE_SHIFT, LINE_SHIFT = 36, 4

Stack = list[tuple[int, int]]
"""Open user frames, outermost first: (code index, line)."""


class ThreadLog:
    """One thread's events. `write` takes one or more pairs, flat; it is bound to a buffer that stays the same object for good."""

    def __init__(self, ident: int, native_id: int, name: str) -> None:
        self.ident = ident
        self.native_id = native_id
        self.name = name
        self.buffer: array[int] = array("q")
        self.write: Callable[[Iterable[int]], None] = self.buffer.extend
        self.is_dark = False
        self._gaps: list[list[int]] = []

    def reset(self, stack: Stack, common: int, t_ns: int = 0) -> None:
        """Write the stack anew; its `common` outermost frames are the very same as before."""
        t_ns = t_ns or perf_counter_ns()
        pairs = [t_ns, common << LINE_SHIFT | RESET]
        for code, line in stack:
            pairs += (t_ns, code << CODE_SHIFT | line << LINE_SHIFT | ENTER)
        if self.is_dark and self._gaps:
            self._gaps[-1][1] = len(self.buffer)
        self.write(pairs)
        self.is_dark = False

    def dark(self, t_ns: int = 0) -> None:
        """From here on nothing is known. A callback that is under way in the thread may still append its event: it falls into the gap."""
        self.write((t_ns or perf_counter_ns(), DARK))
        self.is_dark = True
        self._gaps.append([len(self.buffer), sys.maxsize])

    def clear(self) -> None:
        del self.buffer[:]
        self._gaps.clear()

    def events(self) -> array[int]:
        """A copy of the pairs, without what fell into gaps."""
        events = array("q", self.buffer)
        for start, end in reversed(self._gaps):
            del events[start:end]
        return events


def pack(logs: Sequence[ThreadLog]) -> list[dict[str, Any]]:
    """The logs as the run format's `threads`. Logs of one native thread (whose Python state came and went) become one, in order
    of creation."""
    merged: dict[int, tuple[str, array[int]]] = {}
    for log in logs:
        if len(log.buffer) <= 2:  # nothing, or an empty stack
            continue
        if log.native_id in merged:
            merged[log.native_id][1].extend(log.events())
        else:
            merged[log.native_id] = (log.name, log.events())
    threads: list[dict[str, Any]] = []
    for native_id, (name, events) in merged.items():
        if sys.byteorder == "big":
            events.byteswap()
        data = base64.b64encode(zlib.compress(events.tobytes(), 1)).decode("ascii")
        threads.append({"tid": native_id, "name": name, "count": len(events) // 2, "data": data})
    return threads
