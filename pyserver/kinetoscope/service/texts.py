"""The present texts of files, and the map of each profiled text onto them, kept while neither changes."""

from __future__ import annotations

import os
import tokenize
from pathlib import Path

from kinetoscope.runs.mapping import LineMap, comparable, map_comparable

_KEPT = 256
_LARGEST_BYTES = 16 * 1024 * 1024
"""Files beyond this are no source: a trace may name any file."""


def read_source(path: Path) -> str | None:
    """The text of a Python file in its declared encoding, with its own line ends; None where it can't be read, or is no source by its
    size."""
    try:
        with path.open("rb") as file:
            if os.fstat(file.fileno()).st_size > _LARGEST_BYTES:
                return None
            encoding, _ = tokenize.detect_encoding(file.readline)
            file.seek(0)
            return file.read().decode(encoding, errors="replace")
    except (OSError, SyntaxError, LookupError):
        return None


class LineMaps:
    """Maps by profiled text. Asking again with an equal text returns the very same map."""

    def __init__(self) -> None:
        self._profiled: dict[tuple[str, str], tuple[str, list[str]]] = {}
        self._maps: dict[tuple[str, str], tuple[str, LineMap]] = {}
        self._disk: dict[Path, tuple[tuple[int, int], str | None]] = {}

    def map(self, run: str, file: str, profiled: str, current: str) -> LineMap:
        """The map of `file`, as profiled in `run`, onto the current text."""
        key = (run, file)
        kept, old = self._maps.get(key), self._profiled.get(key)
        same = old is not None and old[0] == profiled
        if kept is not None and same and kept[0] == current:
            return kept[1]
        if old is None or not same:
            if len(self._profiled) >= _KEPT:
                self._profiled.clear()
                self._maps.clear()
            old = self._profiled[key] = (profiled, comparable(profiled))
        mapped = map_comparable(old[1], comparable(current))
        self._maps[key] = (current, mapped)
        return mapped

    def on_disk(self, path: Path) -> str | None:
        """The text of a file that no editor has open; read again only when it changed."""
        try:
            status = os.stat(path)
        except OSError:
            return None
        stamp = (status.st_mtime_ns, status.st_size)
        kept = self._disk.get(path)
        if kept is None or kept[0] != stamp:
            if len(self._disk) >= _KEPT:
                self._disk.clear()
            kept = self._disk[path] = (stamp, read_source(path))
        return kept[1]

    def forget(self, run: str) -> None:
        """Drop what is kept of a run that is gone or was read anew."""
        for key in [key for key in self._profiled if key[0] == run]:
            self._profiled.pop(key)
            self._maps.pop(key, None)
