"""What the recorder tells: short lines on stderr for people, JSON lines in a file for the editor."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

CANNOT_START = 3
CANNOT_SAVE = 4


class Problem(Exception):
    """Something went wrong that the user can mend: what and where in `message`, what to do in `remedy`."""

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy


class Messages:
    """Both channels. Nothing here may ever disturb the profiled program, so a broken stderr or status file is passed over."""

    def __init__(self, status_file: str | None = None) -> None:
        self._status_file = os.path.abspath(status_file) if status_file else None

    def say(self, text: str) -> None:
        try:
            sys.stderr.write("".join("kinetoscope: " + line + "\n" for line in text.splitlines()))
            sys.stderr.flush()
        except (OSError, ValueError, AttributeError):
            pass

    def status(self, event: str, **fields: Any) -> None:
        if self._status_file is None:
            return
        line = json.dumps({"event": event, **fields}) + "\n"
        try:
            with open(self._status_file, "a", encoding="utf-8") as file:
                file.write(line)
        except OSError:
            self._status_file = None

    def problem(self, problem: Problem) -> None:
        self.say(problem.message + "\n" + problem.remedy)
        self.status("error", message=problem.message, remedy=problem.remedy)
