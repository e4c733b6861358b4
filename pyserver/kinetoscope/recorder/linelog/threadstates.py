"""The interpreter's thread states, seen through ctypes, on Python 3.9–3.11.

`sys.settrace` reaches only the thread that calls it. `_PyEval_SetTrace`, which CPython exports, takes any thread's state, and
Python 3.12 does just this in `threading.settrace_all_threads`. The places of two fields inside the state are found by looking for
values that are known, not by a table of versions. All calls hold the GIL.
"""

from __future__ import annotations

import ctypes
import sys
import threading
from types import FrameType
from typing import Any, Callable

TraceFunction = Callable[[FrameType, str, Any], Any]
WORDS_LOOKED_AT = 32
WORD = ctypes.sizeof(ctypes.c_void_p)


class ThreadStates:
    """Reads and sets the trace functions of other threads. Making one raises OSError where this interpreter is not what we know."""

    def __init__(self) -> None:
        api = ctypes.pythonapi
        try:
            self._set_trace = api._PyEval_SetTrace
            self._current, self._head, self._next = api.PyThreadState_Get, api.PyInterpreterState_ThreadHead, api.PyThreadState_Next
            self._interpreter = api.PyInterpreterState_Get
        except AttributeError as error:
            raise OSError(str(error)) from None
        self._set_trace.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.py_object]
        self._set_trace.restype = ctypes.c_int
        for function in (self._current, self._head, self._next, self._interpreter):
            function.restype = ctypes.c_void_p
        self._head.argtypes = self._next.argtypes = [ctypes.c_void_p]
        self._clear_trace: Any = ctypes.PyDLL(None)["_PyEval_SetTrace"]
        self._clear_trace.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]

        def probe(_frame: FrameType, _event: str, _argument: Any) -> None:
            return None

        sys.settrace(probe)
        words = self._words()
        sys.settrace(None)
        if id(probe) not in words or threading.get_ident() not in words:
            raise OSError("the fields of a thread state were not found")
        self._object_at = words.index(id(probe))
        self._ident_at = words.index(threading.get_ident())
        # c_profilefunc, c_tracefunc, c_profileobj, c_traceobj stand in this order.
        self._trampoline = words[self._object_at - 2]

    def _words(self) -> list[int]:
        return list((ctypes.c_size_t * WORDS_LOOKED_AT).from_address(self._current()))

    def _word(self, state: int, place: int) -> int:
        return ctypes.c_size_t.from_address(state + place * WORD).value

    def all(self) -> dict[int, int]:
        """Thread state by thread ident."""
        found: dict[int, int] = {}
        state: int | None = self._head(self._interpreter())
        while state:
            found[self._word(state, self._ident_at)] = state
            state = self._next(state)
        return found

    def trace_object(self, state: int) -> int:
        """`id` of the thread's trace function; 0 where it has none."""
        return self._word(state, self._object_at)

    def set(self, state: int, function: TraceFunction) -> None:
        self._set_trace(state, self._trampoline, function)

    def clear(self, state: int) -> None:
        self._clear_trace(state, None, None)
