"""Which Python files there are below the workspace folders, by name: one bounded walk, near files first.

Left out: hidden folders, caches, packages and virtual environments (by any name), since a recorded file of the user's is none of these, and
symbolic links to folders, which may lead anywhere and round in circles.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections import deque
from collections.abc import Iterable
from pathlib import Path

from kinetoscope.runs.sources import Named

MOST_ENTRIES = 200_000
MOST_SECONDS = 5.0

_LEFT_OUT = frozenset({"node_modules", "site-packages", "dist-packages", "__pycache__", "venv"})
_ENDINGS = (".py", ".pyw", ".pyx")


def _left_out(folder: str) -> bool:
    return folder.startswith(".") or folder in _LEFT_OUT


class WorkspaceFiles:
    """The result of a walk. `whole` is False where a bound ended it."""

    def __init__(self, by_name: dict[str, list[Path]], whole: bool) -> None:
        self._by_name = by_name
        self._whole = whole

    def named(self, name: str) -> Named:
        """The files of that name, in any case of its letters, that were there."""
        return Named(tuple(self._by_name.get(name.casefold(), ())), self._whole)

    def add(self, path: Path, folders: Iterable[Path]) -> None:
        """A file that came since the walk, if that would have seen it."""
        files = self._by_name.setdefault(path.name.casefold(), [])
        below = [path.relative_to(folder).parts for folder in folders if path.is_relative_to(folder)]
        if path not in files and any(not any(map(_left_out, parts[:-1])) for parts in below):
            files.append(path)


def walk(folders: Iterable[Path], most_entries: int = MOST_ENTRIES, most_seconds: float = MOST_SECONDS) -> WorkspaceFiles:
    """Walk the folders, all of one depth before the next. Never raises."""
    by_name: dict[str, list[Path]] = {}
    pending = deque(folders)
    entries, end = 0, time.monotonic() + most_seconds
    while pending:
        if time.monotonic() > end:
            return WorkspaceFiles(by_name, False)
        folder = pending.popleft()
        below: list[Path] = []
        files: list[Path] = []
        environment = False
        # A folder that can't be read holds nothing that can be opened.
        with contextlib.suppress(OSError), os.scandir(folder) as found:
            for entry in found:
                entries += 1
                if entries > most_entries:
                    return WorkspaceFiles(by_name, False)
                environment |= entry.name == "pyvenv.cfg"
                if entry.name.endswith(_ENDINGS) and entry.is_file():
                    files.append(folder / entry.name)
                elif not _left_out(entry.name) and entry.is_dir(follow_symlinks=False):
                    below.append(folder / entry.name)
        if not environment:
            pending.extend(below)
            for path in files:
                by_name.setdefault(path.name.casefold(), []).append(path)
    return WorkspaceFiles(by_name, True)
