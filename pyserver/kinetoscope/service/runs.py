"""The runs of a workspace: which there are, which one is active, and their digests, read one after the other in worker processes.

A run that appears is read first and becomes active when its numbers are there, so that the editor never shows an empty moment between two
runs. All methods run on one event loop. Nothing here raises for a run that can't be read: it gets a problem, in words, and the rest goes
on.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, Literal, Protocol

from kinetoscope.runs.folder import Run, delete_run, is_run, list_runs, load_run, names
from kinetoscope.runs.manifest import RunError
from kinetoscope.service import reading
from kinetoscope.service.digest import Digest, target
from kinetoscope.service.wire import ReadProgress, RunList, RunSummary

logger = logging.getLogger(__name__)

_STAGES: dict[str, Literal["reading", "linking", "lines"]] = {"reading": "reading", "linking": "linking", "lines": "lines"}
_KEPT_DIGESTS = 4
_LOOK_EVERY_S = 0.25


class Listener(Protocol):
    """Who is told of changes: the host of the session."""

    def runs_changed(self, active: str | None, arrived: str | None) -> None:
        """The list or the active run changed; `arrived` is new and was made active."""
        ...

    def lines_changed(self) -> None:
        """The numbers of all documents changed."""
        ...

    def reading(self, progress: ReadProgress) -> None:
        """A run is being read, or that ended."""
        ...


def summary(run: Run, problem: str | None = None) -> RunSummary:
    """A run for a list; `problem` is one that was found when it was read."""
    manifest = run.manifest
    return RunSummary(
        path=str(run.path),
        name=manifest.name if manifest and manifest.name else run.path.name,
        created=manifest.created if manifest else "",
        main=manifest.main if manifest else None,
        argv=manifest.argv if manifest else [],
        steps=manifest.steps if manifest else 0,
        step_source=manifest.step_source if manifest else "none",
        outcome=manifest.outcome if manifest else "",
        torch=manifest.torch if manifest else "",
        python=manifest.python if manifest else "",
        devices=[device.name for device in manifest.devices] if manifest else [],
        notices=[notice.message for notice in manifest.notices] if manifest else [],
        size_bytes=run.size_bytes,
        problem=run.problem or problem,
    )


class Runs:
    """See the module. `folders` are the folders of runs; `active` is the path of the active run; `infer_lines` as in `InitOptions`."""

    def __init__(self, listener: Listener) -> None:
        self.active: str | None = None
        self.folders: list[Path] = []
        self.infer_lines = True
        self._listener = listener
        self._known: frozenset[Path] = frozenset()
        self._digests: dict[str, Digest] = {}
        self._tasks: dict[str, asyncio.Task[Digest]] = {}
        self._problems: dict[str, str] = {}
        self._background: set[asyncio.Task[None]] = set()
        self._arriving: str | None = None

    # The list

    def list(self) -> RunList:
        """All runs, newest first; the active one also where it lies elsewhere."""
        runs = list_runs(self.folders)
        if self.active is not None and all(str(run.path) != self.active for run in runs):
            runs.append(load_run(Path(self.active)))
        return RunList(runs=[summary(run, self._problems.get(str(run.path))) for run in runs], active=self.active)

    def open(self, folders: list[Path], active: str | None) -> None:
        """Begin: the remembered active run where it is still there, else the newest that can be read."""
        self.folders = folders
        self._known = names(folders)
        self._switch(active if active is not None and is_run(Path(active)) else self._newest())

    def _newest(self) -> str | None:
        return next((str(run.path) for run in list_runs(self.folders) if run.problem is None and str(run.path) not in self._problems), None)

    def _switch(self, run: str | None) -> None:
        self.active = run
        self._arriving = None
        if run is not None and run not in self._digests:
            self._spawn(self._read_active(run))

    async def _read_active(self, run: str) -> None:
        with contextlib.suppress(RunError):
            await self.digest(run)
        if self.active == run:
            self._listener.runs_changed(run, None)
            self._listener.lines_changed()

    def set_active(self, run: str | None) -> RunList:
        """Make a run active, or none. Raises `RunError` where the path is no run."""
        if run is not None and not is_run(Path(run)):
            raise RunError(f"{run} is not a run, or was deleted.", "Choose another run.")
        if run is not None:
            self._problems.pop(run, None)  # Chosen again: try again.
        self._switch(run)
        self._listener.runs_changed(run, None)
        self._listener.lines_changed()
        return self.list()

    def delete(self, run: str) -> RunList:
        """Delete a run of this workspace's folders. Raises `RunError` where it isn't one, or deleting fails."""
        self.cancel(run)
        delete_run(Path(run), self.folders)
        self.look()
        return self.list()

    # New and vanished runs

    def look(self) -> None:
        """Compare the folders with what was known: follow runs that came or went."""
        now = names(self.folders)
        new, gone = now - self._known, {str(path) for path in self._known - now}
        self._known = now
        for run in gone:
            self.cancel(run)
            self._digests.pop(run, None)
            self._problems.pop(run, None)
        if self.active in gone:
            self._switch(self._newest())
            self._listener.lines_changed()
        if new or gone:
            self._listener.runs_changed(self.active, None)
        arrived = next((run for run in list_runs(self.folders) if run.path in new and run.problem is None), None)
        if arrived is not None:
            self._arriving = str(arrived.path)
            self._spawn(self._arrive(str(arrived.path)))

    async def _arrive(self, run: str) -> None:
        try:
            await self.digest(run)
        except RunError:
            self._listener.runs_changed(self.active, None)  # It has a problem now, or was cancelled: the list shows it.
            return
        if self._arriving == run:
            self.active, self._arriving = run, None
            self._listener.runs_changed(run, run)
            self._listener.lines_changed()

    async def watch(self) -> None:
        """Look whenever a folder changed, for ever. Editors report renamed folders late or not at all."""
        seen = [self._changed_ns(folder) for folder in self.folders]
        while True:
            await asyncio.sleep(_LOOK_EVERY_S)
            now = [self._changed_ns(folder) for folder in self.folders]
            if now != seen:
                seen = now
                self.look()

    @staticmethod
    def _changed_ns(folder: Path) -> int:
        try:
            return folder.stat().st_mtime_ns
        except OSError:
            return 0

    # Reading

    def ready(self, run: str | None) -> Digest | None:
        """The digest of a run where it is in memory."""
        return self._digests.get(run) if run is not None else None

    def why_not(self, run: str | None) -> str:
        """Why a run has no digest in memory, and what to do."""
        if run is None:
            return "No run is active. Profile a script, or choose a run."
        if run in self._tasks:
            return "The run is being read."
        return self._problems.get(run, "The run has not been read yet.")

    def problem(self, run: str) -> str | None:
        """What was found to be wrong with a run when it was read."""
        return self._problems.get(run)

    async def digest(self, run: str) -> Digest:
        """The digest of a run, read if it must be. Raises `RunError`; one reading serves all who wait, and goes on when one of them gives
        up."""
        digest = self._digests.get(run)
        if digest is not None:
            self._digests[run] = self._digests.pop(run)  # Used last: dropped last.
            return digest
        task = self._tasks.get(run)
        if task is None:
            task = self._tasks[run] = asyncio.create_task(self._read(run))
            task.add_done_callback(lambda done: self._finished(run, done))
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            if task.cancelled():
                raise RunError("Reading the run was cancelled.", "Choose it again to read it.") from None
            raise

    async def _read(self, run: str) -> Digest:
        try:
            of = target(Path(run), infer=self.infer_lines)
            return await reading.read(of, lambda stage, done, total: self._progress(run, stage, done, total))
        except RunError:
            raise
        except Exception as error:  # One run that can't be read must not end the server.
            logger.exception("reading %s failed", run)
            raise RunError(
                f"Reading {run} failed: {error!r}.", "This is an error of Kinetoscope: please report it with the log."
            ) from error

    def _progress(self, run: str, stage: str, done: int, total: int) -> None:
        if stage in _STAGES:
            self._listener.reading(ReadProgress(run=run, stage=_STAGES[stage], done=done, total=total, problem=None))

    def _finished(self, run: str, task: asyncio.Task[Digest]) -> None:
        self._tasks.pop(run, None)
        stage: Literal["done", "failed", "cancelled"] = "done"
        problem: str | None = None
        if task.cancelled():
            stage, problem = "cancelled", "Reading the run was cancelled. Choose it again to read it."
        elif (error := task.exception()) is not None:
            stage, problem = "failed", str(error)
            logger.error("%s", problem)
        else:
            self._digests[run] = task.result()
            while len(self._digests) > _KEPT_DIGESTS:
                self._digests.pop(next(key for key in self._digests if key != self.active))
        if problem is None:
            self._problems.pop(run, None)
        else:
            self._problems[run] = problem
        self._listener.reading(ReadProgress(run=run, stage=stage, done=0, total=0, problem=problem if stage == "failed" else None))

    def cancel(self, run: str | None) -> None:
        """Stop reading a run, or all. What was read before stays."""
        for path, task in list(self._tasks.items()):
            if run in (None, path):
                task.cancel()

    async def close(self) -> None:
        """End all reading and wait for the workers' end."""
        tasks: list[asyncio.Task[Any]] = [*self._tasks.values(), *self._background]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._background.add(task)
        task.add_done_callback(self._background.discard)
