"""The ways in which a process ends or multiplies without asking: SIGTERM, `os._exit`, fork. And a way into the main thread from
another one."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType
from typing import Any, Callable

WAKE_SIGNAL = getattr(signal, "SIGURG", None)
"""Ignored by default and used by nobody we know; as its handler runs in the main thread even while that waits for a lock, it
carries requests there."""


class Guards:
    """Put on while something is being recorded. The callbacks run in the recording process only, never in its forked children.

    A SIGTERM that comes while `is_busy` (the recording is just being ended or saved) waits until `deliver` is called: handled at once, it
    would end the recording a second time in the midst of the first.
    """

    def __init__(
        self,
        on_end: Callable[[int | None], None],
        on_wake: Callable[[], None],
        on_child: Callable[[], None],
        is_busy: Callable[[], bool],
    ) -> None:
        self._pid = os.getpid()
        self._is_busy = is_busy
        self._waiting: int | None = None
        self._on_end = on_end
        self._on_wake = on_wake
        self._on_child = on_child
        self._exit_before: Any = os._exit
        self._owns: set[int] = set()

    def install(self) -> None:
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._in_child)
        os._exit = self._exit  # type: ignore[assignment]
        self._handle(signal.SIGTERM, self._terminated, signal.SIG_DFL)
        if WAKE_SIGNAL is not None:
            self._handle(WAKE_SIGNAL, self._woken, signal.SIG_DFL)

    def remove(self) -> None:
        """Undo what is still ours."""
        if os._exit == self._exit:
            os._exit = self._exit_before
        if threading.current_thread() is threading.main_thread():
            for number in list(self._owns):
                if signal.getsignal(number) in (self._terminated, self._woken):
                    signal.signal(number, signal.SIG_DFL)
                self._owns.discard(number)

    def wake_main_thread(self) -> bool:
        """Have `on_wake` called in the main thread. False where that cannot be asked for."""
        if WAKE_SIGNAL is None or int(WAKE_SIGNAL) not in self._owns or signal.getsignal(WAKE_SIGNAL) != self._woken:
            return False
        ident = threading.main_thread().ident
        if ident is None:
            return False
        signal.pthread_kill(ident, WAKE_SIGNAL)
        return True

    def _handle(self, number: int, handler: Any, only_over: Any) -> None:
        if threading.current_thread() is threading.main_thread() and signal.getsignal(number) == only_over:
            signal.signal(number, handler)
            self._owns.add(int(number))

    def deliver(self) -> None:
        """Handle the signal that has waited, in the main thread as Python does."""
        number, self._waiting = self._waiting, None
        if number is None:
            return
        if threading.current_thread() is threading.main_thread():
            self._terminated(number, None)
        else:
            os.kill(os.getpid(), number)

    def _terminated(self, number: int, _frame: FrameType | None) -> None:
        if os.getpid() == self._pid and self._is_busy():
            self._waiting = number
            return
        try:
            if os.getpid() == self._pid:
                self._on_end(128 + number)
        finally:
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)

    def _woken(self, _number: int, _frame: FrameType | None) -> None:
        if os.getpid() == self._pid:
            self._on_wake()

    def _exit(self, status: int) -> None:
        if os.getpid() == self._pid:
            self._on_end(status & 0xFF)
        self._exit_before(status)

    def _in_child(self) -> None:
        self.remove()
        self._on_child()


@contextmanager
def interrupt_held_back() -> Generator[None, None, None]:
    """A Ctrl+C that comes in the meantime waits until the end; a second one does not: who presses it again means it."""
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or before in (None, signal.SIG_IGN):
        yield
        return
    came = False

    def hold(number: int, _frame: FrameType | None) -> None:
        nonlocal came
        if came:
            signal.signal(signal.SIGINT, before)
            signal.raise_signal(number)
        came = True

    signal.signal(signal.SIGINT, hold)
    try:
        yield
    finally:
        if signal.getsignal(signal.SIGINT) is hold:
            signal.signal(signal.SIGINT, before)
            if came:
                signal.raise_signal(signal.SIGINT)


class AtThreadEnd:
    """Kept in a thread's own storage, which Python clears in that thread when it ends: the last moment for what only that thread can do."""

    def __init__(self, call: Callable[[], None]) -> None:
        self._call = call

    def __del__(self) -> None:
        self._call()
