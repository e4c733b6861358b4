"""Which code is the user's: the rule of docs/run-format.md, and the table of the code objects that were logged."""

from __future__ import annotations

import fnmatch
import os
import sysconfig
import tokenize
from collections.abc import Sequence
from types import CodeType
from typing import Any

RECORDER_FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
LIBRARY_FOLDERS = ("site-packages", "dist-packages")


def read_source(path: str) -> str | None:
    """The file's text as Python would read it; None where it cannot be read."""
    try:
        with open(path, "rb") as file:
            encoding, _ = tokenize.detect_encoding(file.readline)
            file.seek(0)
            return file.read().decode(encoding, "replace")
    except (OSError, SyntaxError, LookupError):
        return None


class UserCode:
    """Decides by a code object's file name. `include` are files or folders, `exclude` globs over absolute paths; `exclude` wins."""

    def __init__(self, include: Sequence[str] = (), exclude: Sequence[str] = ()) -> None:
        self._cwd = os.getcwd()
        self._include = tuple(os.path.abspath(path) for path in include)
        self._exclude = tuple(exclude)
        roots = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib")}
        roots |= {os.path.realpath(root) for root in roots if root}
        self._standard_library = tuple(root + os.sep for root in roots if root)
        self._verdicts: dict[str, bool] = {}

    def absolute(self, filename: str) -> str:
        return os.path.normpath(os.path.join(self._cwd, filename))

    def owns(self, filename: str) -> bool:
        verdict = self._verdicts.get(filename)
        if verdict is None:
            verdict = self._verdicts[filename] = self._decide(filename)
        return verdict

    def _decide(self, filename: str) -> bool:
        if filename.startswith("<") or not filename:
            return False
        path = self.absolute(filename)
        if path.startswith(RECORDER_FOLDER) or any(fnmatch.fnmatch(path, pattern) for pattern in self._exclude):
            return False
        if any(path == root or path.startswith(root.rstrip(os.sep) + os.sep) for root in self._include):
            return True
        parts = path.split(os.sep)
        return not path.startswith(self._standard_library) and not any(folder in parts for folder in LIBRARY_FOLDERS)


class CodeTable:
    """The logged code objects and their files. It keeps the code objects alive, so that their `id` names them for the recording's
    whole time."""

    def __init__(self, user: UserCode) -> None:
        self.user = user
        self.codes: list[CodeType] = []
        self.coarse: dict[int, bool] = {}
        self._texts: dict[str, str | None] = {}
        self._index: dict[int, int] = {}

    def index(self, code: CodeType) -> int:
        """The code object's place in the table. The text of its file is read now, at its first line, as it is being run."""
        found = self._index.get(id(code))
        if found is None:
            path = self.user.absolute(code.co_filename)
            if path not in self._texts:
                self._texts[path] = read_source(path)
            found = len(self.codes)
            self.codes.append(code)
            self._index[id(code)] = found
        return found

    def set_coarse(self, index: int) -> None:
        self.coarse[index] = True

    def export(self) -> dict[str, Any]:
        """`files` and `codes` of the run format."""
        numbers = {path: number for number, path in enumerate(self._texts)}
        return {
            "files": [{"path": path, "text": text} for path, text in self._texts.items()],
            "codes": [
                {
                    "file": numbers[self.user.absolute(code.co_filename)],
                    "name": getattr(code, "co_qualname", code.co_name),
                    "line": code.co_firstlineno,
                    "coarse": self.coarse.get(index, False),
                }
                for index, code in enumerate(self.codes)
            ],
        }
