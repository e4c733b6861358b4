"""What `kinetoscope view` shows: the runs and traces that the paths of the command line mean, for a session of its own."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from kinetoscope.runs.folder import is_run
from kinetoscope.service.report import choose
from kinetoscope.service.traces import find_in
from kinetoscope.service.wire import InitOptions


def to_view(paths: Sequence[Path]) -> InitOptions:
    """Runs and trace files as they are named, and of a folder all that it has: its runs, followed as they come and go, and its traces. The
    first path's is active: of a folder the newest, as `choose` has it. Raises `RunError` where a path has nothing."""
    folders: dict[str, None] = {}
    opened: dict[str, None] = {}
    active: str | None = None
    for path in (Path(os.path.abspath(path)) for path in paths):
        chosen = str(choose(path).of.path)
        active = active or chosen
        if path.is_dir() and not is_run(path):
            found = find_in(path)
            folders.update({str(Path(run.path).parent): None for run in found.runs})
            opened.update({trace.path: None for trace in found.traces})
        else:
            opened[chosen] = None
    return InitOptions(run_folders=list(folders), active_run=active, open_traces=list(opened))
