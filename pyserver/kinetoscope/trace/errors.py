"""What reading can fail with: always what, where and what to do about it."""

from __future__ import annotations

import msgspec

UNREADABLE = (msgspec.MsgspecError, RecursionError)
"""What msgspec raises for text that is no JSON, of another shape than wanted, or nested too deep."""


class TraceError(Exception):
    """A trace that can't be used. `message` says what and where, `remedy` what to do."""

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(f"{message} {remedy}")
        self.message = message
        self.remedy = remedy
