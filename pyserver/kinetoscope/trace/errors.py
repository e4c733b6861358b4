"""What reading can fail with: always what, where and what to do about it."""

from __future__ import annotations


class TraceError(Exception):
    """A trace that can't be used. `message` says what and where, `remedy` what to do."""

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(f"{message} {remedy}")
        self.message = message
        self.remedy = remedy
