"""How the command line writes: tables that also fit into files, and progress on standard error once something takes longer than a
second."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import time
from collections.abc import Generator
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

from kinetoscope.service import comparison, report
from kinetoscope.service.comparison import Comparison
from kinetoscope.service.digest import Digest, Target
from kinetoscope.service.selection import WHOLE, Selection
from kinetoscope.service.views import Content

_WORDS = {"reading": "Reading the trace", "linking": "Tying events to lines", "lines": "Adding up lines", "view": "Computing the view"}
_PATIENCE_S = 1.0
_FILE_WIDTH = 160


def console(least: int = 0) -> Console:
    """Standard output; as wide as the terminal, and wide enough for a table where it is none. `least`: never narrower than that."""
    out = Console(highlight=False, markup=False, emoji=False)
    if not (sys.stdout.isatty() or "COLUMNS" in os.environ):
        out.width = _FILE_WIDTH
    out.width = max(out.width, least)
    return out


class _Shown:
    """A progress bar that appears only after a second."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._task = progress.add_task("", total=None, visible=False)
        self._begun_s = time.monotonic()

    def __call__(self, stage: str, done: int, total: int) -> None:
        visible = time.monotonic() - self._begun_s >= _PATIENCE_S
        self._progress.update(self._task, description=_WORDS.get(stage, stage), completed=done, total=total or None, visible=visible)


@contextlib.contextmanager
def _progress() -> Generator[_Shown]:
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn())
    err = Console(stderr=True)
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as progress:
        yield _Shown(progress)


def read(of: Target, selection: Selection = WHOLE) -> Digest:
    """Read a run or a part of it, with progress. Raises `RunError`; Ctrl+C ends the reading process too."""
    with _progress() as shown:
        return asyncio.run(report.read(of, selection, shown))


def read_view(of: Target, name: str, selection: Selection, ranks: bool = False) -> Content:
    """A view of a run, likewise."""
    with _progress() as shown:
        return asyncio.run(report.read_view(of, name, selection, shown, ranks))


def compared(before: Target, after: Target) -> Comparison:
    """The comparison of two runs, likewise."""
    with _progress() as shown:

        async def both() -> Comparison:
            return await comparison.compared(await report.with_sources(before, shown), await report.with_sources(after, shown), shown)

        return asyncio.run(both())


def write_json(body: bytes) -> None:
    """JSON on standard output, alone there."""
    sys.stdout.buffer.write(body + b"\n")
    sys.stdout.flush()


def short_path(path: str) -> str:
    """A path as a person in this folder would name it."""
    try:
        return str(Path(path).relative_to(Path.cwd()))
    except ValueError:
        return path
