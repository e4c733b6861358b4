"""Folders of runs: list them newest first, tell whether one changed, delete a run.

A run is a folder with a run.json. One that lost it but still holds a trace is listed too, with its problem, so that it can be deleted.
A trace file that lies alone stands for a run too, where it is named; no list finds it.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

from msgspec import Struct

from kinetoscope.runs.layouts import trace_name
from kinetoscope.runs.manifest import MANIFEST, Manifest, RunError, read_manifest

DEFAULT_FOLDER = ".kinetoscope"
"""Name of the folder of runs in a working directory."""


class Run(Struct, frozen=True):
    """A run in a list. `manifest` is None where it can't be read; `problem` then says why and what to do."""

    path: Path
    manifest: Manifest | None
    problem: str | None
    size_bytes: int
    created_s: float
    """When the recording ended, seconds since the epoch (by the file system where the manifest doesn't say); lists are sorted by it."""
    lone: bool = False
    """It is a trace file that lies alone."""


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            return [entry for entry in found if not entry.name.startswith(".")]
    except OSError:
        return []


def is_run(path: Path) -> bool:
    """True for a folder with a manifest."""
    return os.path.isfile(path / MANIFEST)


def stands_alone(path: Path) -> bool:
    """True for a trace file in no run; also for one that is gone, by its name."""
    return os.path.isfile(path) or (trace_name(path.name) is not None and not os.path.isdir(path))


def can_be_shown(path: Path) -> bool:
    """True for a run, and for a file, which may be a trace whatever its name."""
    return is_run(path) or os.path.isfile(path)


def _size_bytes(path: Path) -> int:
    total = os.path.getsize(path) if os.path.isfile(path) else 0
    for root, _, files in os.walk(path):
        for name in files:
            with contextlib.suppress(OSError):
                total += os.lstat(os.path.join(root, name)).st_size
    return total


def load_run(path: Path) -> Run:
    """One run, or one trace that lies alone, as in a list. Never raises."""
    if stands_alone(path):
        problem = None if os.path.isfile(path) else f"{path} does not exist any more. Choose another run."
        return Run(path, None, problem, _size_bytes(path), _created_s(path, None), lone=True)
    try:
        manifest, problem = read_manifest(path), None
    except RunError as error:
        manifest, problem = None, str(error)
    return Run(path, manifest, problem, _size_bytes(path), _created_s(path, manifest))


def _created_s(path: Path, manifest: Manifest | None) -> float:
    try:
        return datetime.fromisoformat(manifest.created.replace("Z", "+00:00")).timestamp() if manifest else path.stat().st_mtime
    except (OSError, ValueError, OverflowError):
        return 0.0


def list_runs(folders: Iterable[Path]) -> list[Run]:
    """All runs in the folders, newest first. Never raises: what can't be read is listed with its problem."""
    runs: dict[Path, Run] = {}
    for folder in folders:
        for entry in _entries(folder):
            path = folder / entry.name
            if path in runs or not os.path.isdir(path):
                continue
            if is_run(path) or any((name := trace_name(file.name)) is not None and name.standard for file in _entries(path)):
                runs[path] = load_run(path)
    return sorted(runs.values(), key=lambda run: (run.created_s, run.path.name), reverse=True)


def names(folders: Iterable[Path]) -> frozenset[Path]:
    """Paths of the complete runs in the folders: the cheap question of whether one has come or gone."""
    return frozenset(folder / entry.name for folder in folders for entry in _entries(folder) if is_run(folder / entry.name))


def newest_run(folder: Path) -> Path:
    """The newest readable run of a folder. Raises `RunError` where there is none."""
    runs = list_runs([folder])
    for run in runs:
        if run.problem is None:
            return run.path
    if runs:
        raise RunError(f"No run in {folder} can be read. The newest: {runs[0].problem}", "")
    raise RunError(f"There is no run in {folder}.", "Make one with `kinetoscope profile script.py`.")


def delete_run(run: Path, folders: Iterable[Path]) -> None:
    """Delete a run that lies directly in one of the folders. Raises `RunError` where it doesn't, or where deleting fails."""
    if run.parent not in list(folders) or run.is_symlink() or not run.is_dir():
        raise RunError(f"{run} is not a run of this workspace.", "Nothing was deleted.")
    # Renamed first, so that a list never shows half a run, and an interrupted deletion leaves nothing that looks like one.
    doomed = run.with_name(f".{run.name}.deleting")
    try:
        run.rename(doomed)
        shutil.rmtree(doomed)
    except OSError as error:
        raise RunError(
            f"{run} could not be deleted: {error.strerror or error}.", "Check the permissions, or close what uses it."
        ) from error
