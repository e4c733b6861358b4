"""Where a recorded file is on this machine now.

1. At the recorded absolute path, if there is a file.
2. Below one of the workspace folders, at its path relative to the recorded working directory or a directory of the recorded `sys.path`.

Two different answers are no answer: nothing is guessed, and only files that exist are returned. Recorded paths are untrusted text and may
come from another system (`C:\\…` on Linux).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath

_WINDOWS = re.compile(r"^(?:[A-Za-z]:[\\/]|\\\\)")


def _pure(path: str) -> PurePath:
    return PureWindowsPath(path) if _WINDOWS.match(path) else PurePosixPath(path)


def canonical(path: str | Path) -> str:
    """The form of a path in which two names of the same file are equal."""
    return os.path.normcase(os.path.realpath(path))


def file_name(recorded: str) -> str:
    """The last part of a recorded path, whatever system it is from."""
    return _pure(recorded).name


def _relatives(recorded: str, roots: Iterable[str]) -> list[PurePath]:
    path = _pure(recorded)
    found: list[PurePath] = []
    for root in roots:
        if not root or type(_pure(root)) is not type(path):
            continue
        try:
            relative = path.relative_to(_pure(root))
        except ValueError:
            continue
        if relative.parts and ".." not in relative.parts:
            found.append(relative)
    return found


def locate(recorded: str, cwd: str, sys_path: Iterable[str], folders: Iterable[Path]) -> Path | None:
    """The file on this machine that was recorded as `recorded`, or None where it isn't found or isn't certain."""
    if os.path.isabs(recorded) and _is_file(Path(recorded)):
        return Path(recorded)
    candidates: dict[str, Path] = {}
    for relative in _relatives(recorded, [cwd, *sys_path]):
        for folder in folders:
            path = folder.joinpath(*relative.parts)
            if _is_file(path):
                candidates.setdefault(canonical(path), path)
    return next(iter(candidates.values())) if len(candidates) == 1 else None


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False  # Names that no file can have: too long, a NUL inside.
