"""The runs of a workspace: which there are, which one is active, and their digests, read one after the other in worker processes. A trace
file that lies alone is a run like others once it is opened; its path is the file's.

A run that appears is read first and becomes active when its numbers are there, so that the editor never shows an empty moment between two
runs. All methods run on one event loop. Nothing here raises for a run that can't be read: it gets a problem, in words, and the rest goes
on.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol

import msgspec

from kinetoscope.runs.folder import Run, can_be_shown, delete_run, list_runs, load_run, names
from kinetoscope.runs.layouts import peers_of
from kinetoscope.runs.manifest import RunError, read_manifest
from kinetoscope.service import reading
from kinetoscope.service.digest import Digest, Target, target
from kinetoscope.service.selection import Selection
from kinetoscope.service.summaries import summary, told_apart
from kinetoscope.service.wire import Part, ReadProgress, RunList, RunSummary

logger = logging.getLogger(__name__)

_STAGES: dict[str, Literal["reading", "linking", "lines", "done"]] = {
    "reading": "reading",
    "linking": "linking",
    "lines": "lines",
    "done": "done",
}
_KEPT_DIGESTS = 4
_LOOK_EVERY_S = 0.25

TextsOf = Callable[[str, Digest], Awaitable[dict[str, str]]]
"""The files here whose text a run's recording does not keep, by their recorded names."""


class _State(NamedTuple):
    """A part of a run, and what changes when its file is written anew."""

    part: Part
    stamp: object


class Listener(Protocol):
    """Who is told of changes: the host of the session."""

    def runs_changed(self, active: str | None, arrived: str | None) -> None:
        """The list or the active run changed; `arrived` is new and was made active."""
        ...

    def lines_changed(self) -> None:
        """The numbers of all documents changed."""
        ...

    def part_changed(self, run: str, part: Part) -> None:
        """Another part of a run is selected."""
        ...

    def reading(self, progress: ReadProgress) -> None:
        """A run is being read, or that ended."""
        ...


class Runs:
    """See the module. `folders` are the folders of runs; `active` is the path of the active run, `baseline` that of the one its numbers are
    compared with; `opened` are traces that lie alone and are open in the editor; `infer_lines` as in `InitOptions`."""

    def __init__(self, listener: Listener) -> None:
        self.active: str | None = None
        self.baseline: str | None = None
        self.folders: list[Path] = []
        self.opened: list[str] = []
        self.infer_lines = True
        self.texts_of: TextsOf = _no_texts
        self._listener = listener
        self._known: frozenset[Path] = frozenset()
        self._parts: dict[str, Part] = {}
        self._peers: dict[str, tuple[int, dict[int, str]]] = {}
        self._texts: dict[str, dict[str, str]] = {}
        self._digests: dict[str, Digest] = {}
        self._states: dict[str, _State] = {}
        """What each digest is of."""
        self._read_states: dict[str, _State] = {}
        """What each reading is of."""
        self._tasks: dict[str, asyncio.Task[Digest]] = {}
        self._waiting: Counter[asyncio.Task[Digest]] = Counter()
        self._problems: dict[str, str] = {}
        self._background: set[asyncio.Task[Any]] = set()
        self._arriving: str | None = None

    # The list

    def list(self) -> RunList:
        """All runs, newest first, then the opened traces; the active run also where it lies elsewhere."""
        runs = {str(run.path): run for run in list_runs(self.folders)}
        for path in (*self.opened, self.active, self.baseline):
            if path is not None and path not in runs:
                runs[path] = load_run(Path(path))
        told = told_apart([self._summary(run) for run in runs.values()])
        return RunList(runs=told, active=self.active, baseline=self.baseline)

    def known(self, run: str) -> RunSummary:
        """One run as in the list, whether or not it is in it."""
        return self._summary(load_run(Path(run)))

    def _summary(self, run: Run) -> RunSummary:
        path = str(run.path)
        return summary(run, self._problems.get(path), self._digests.get(path))

    def open(self, folders: list[Path], active: str | None, opened: list[str]) -> None:
        """Begin: the remembered active run where it is still there, else the newest that can be read."""
        self.folders = folders
        self.opened = opened
        self._known = names(folders)
        self._switch(active if active is not None and can_be_shown(Path(active)) else self._newest())

    def set_opened(self, traces: list[str]) -> None:
        """The editor opened or closed traces."""
        if traces != self.opened:
            self.opened = traces
            self._listener.runs_changed(self.active, None)

    def _newest(self) -> str | None:
        return next((str(run.path) for run in list_runs(self.folders) if run.problem is None and str(run.path) not in self._problems), None)

    def _switch(self, run: str | None) -> None:
        self.active = run
        self._arriving = None
        if run is not None and not self._is_current(run):
            self._spawn(self._read_active(run))

    async def _read_active(self, run: str) -> None:
        with contextlib.suppress(RunError):
            await self.digest(run)
        if self.active == run:
            self._listener.runs_changed(run, None)
            self._listener.lines_changed()

    def chosen(self, run: str | None) -> str:
        """The run, or the active one. Raises `RunError` where none is."""
        chosen = run or self.active
        if chosen is None:
            raise RunError("No run is active.", "Profile a script, or choose a run.")
        return chosen

    def set_active(self, run: str | None) -> RunList:
        """Make a run or a trace alone active, or none. Raises `RunError` where the path is neither."""
        if run is not None and not can_be_shown(Path(run)):
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
            for kept in (self._parts, self._peers, self._texts, self._states):
                kept.pop(run, None)
        if self.baseline in gone:
            self.baseline = None
            self._listener.lines_changed()
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

    # The part of a run that is looked at

    def part(self, run: str) -> Part:
        """What of a run is selected: its inline numbers and lines are of that."""
        return self._parts.get(run, Part())

    async def select(self, run: str, part: Part) -> Digest:
        """Select a part of a run, and its digest. Raises `RunError` where there is no such part; then, and where it is given up, the part
        that was read last stays."""
        before = self.part(run)
        self._parts[run] = part
        try:
            digest = await self.digest(run)
        except (RunError, asyncio.CancelledError):
            if self.part(run) == part:
                self._parts[run] = self._states[run].part if run in self._states else Part()
                self._problems.pop(run, None)
            raise
        if part != before and self.part(run) == part:
            self._listener.part_changed(run, part)
            if run == self.active:
                self._listener.lines_changed()
        return digest

    async def ranks(self, run: str) -> list[int]:
        """The ranks of a run; of a trace that lies alone those of the files beside it that belong to it. Raises `RunError`."""
        path = Path(run)
        if path.is_dir():
            return sorted(trace.rank for trace in read_manifest(path).traces)
        return sorted(await self._peers_of(run)) or [target(path).rank]

    async def target(self, run: str, rank: int | None) -> Target:
        """The trace of one rank of a run (None: the lowest; of a trace alone itself), with what is known of its sources. Raises
        `RunError` where there is none."""
        of = target(Path(run), rank if Path(run).is_dir() else None, infer=self.infer_lines)
        peers = {} if of.manifest is not None else await self._peers_of(run)
        if of.manifest is None and rank is not None and rank != of.rank:
            if rank not in peers:
                has = f"they have {', '.join(map(str, sorted(peers)))}" if peers else f"it is of rank {of.rank}"
                raise RunError(f"The traces beside {run} have no rank {rank}: {has}.", "Choose one of these.")
            of = target(Path(peers[rank]), rank, infer=self.infer_lines)
        return msgspec.structs.replace(of, peers=peers if len(peers) > 1 else {}, sources=self._texts.get(run, {}))

    async def whole(self, run: str, rank: int | None) -> Target:
        """The trace of one rank to be read as a whole, whatever part is selected and whether or not it was read: with the texts here of all
        files that it names. Raises `RunError`."""
        await self.digest(run)
        of = await self.target(run, rank)
        if of.manifest is not None or not self.infer_lines or self.part(run) == Part(rank=rank):
            return of
        return await self._with_texts(run, of, await reading.read(of, partial(self.progress, run)))

    async def _with_texts(self, run: str, of: Target, digest: Digest) -> Target:
        # A part names some of the files only: what is known of others stays, so that lines are the same for all parts.
        self._texts[run] = {**self._texts.get(run, {}), **await self.texts_of(run, digest)}
        return msgspec.structs.replace(of, sources=self._texts[run])

    async def _peers_of(self, run: str) -> dict[int, str]:
        changed_ns = self._changed_ns(Path(run).parent)  # Other ranks may write theirs after this one.
        known = self._peers.get(run)
        if known is None or known[0] != changed_ns:
            found = await asyncio.to_thread(peers_of, Path(run))
            known = self._peers[run] = changed_ns, {rank: str(path) for rank, path in found.items()}
        return known[1]

    def stamp(self, run: str) -> object:
        """Changes when the file of a trace alone is written anew; runs never change."""
        return _stamp(run)

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

    def _is_current(self, run: str) -> bool:
        return run in self._digests and self._states.get(run) == self._state(run)

    def _state(self, run: str) -> _State:
        return _State(self.part(run), _stamp(run))

    async def digest(self, run: str) -> Digest:
        """The digest of a run, read if it must be: also a trace alone whose file was written anew. Raises `RunError`; one reading serves
        all who wait, and ends when the last of them gives up."""
        if self._is_current(run):
            self._digests[run] = self._digests.pop(run)  # Used last: dropped last.
            return self._digests[run]
        state = self._state(run)
        task = self._tasks.get(run)
        if task is not None and self._read_states.get(run) != state:
            self._let_go(run, task)  # Of another part, or of the file as it was: for those who wait for that.
            task = None
        if task is None:
            self._read_states[run] = state
            task = self._tasks[run] = asyncio.create_task(self._read(run, state.part))
            task.add_done_callback(lambda done: self._finished(run, state, done))
        self._waiting[task] += 1
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            if task.cancelled():
                raise RunError("Reading the run was cancelled.", "Choose it again to read it.") from None
            raise
        finally:
            self._waiting[task] -= 1
            if self._waiting[task] == 0:
                del self._waiting[task]
                if not task.done():
                    self._let_go(run, task)  # Nobody waits any more: who asks next begins anew, while this reading ends.
                    task.cancel()

    def _let_go(self, run: str, task: asyncio.Task[Digest]) -> None:
        if self._tasks.get(run) is task:
            del self._tasks[run]
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    async def _read(self, run: str, part: Part) -> Digest:
        try:
            of = await self.target(run, part.rank)
            selection = Selection(part.step, part.range_us)
            digest = await reading.read(of, lambda stage, done, total: self.progress(run, stage, done, total), selection)
            if digest.manifest is not None or not self.infer_lines:
                return digest
            again = await self._with_texts(run, of, digest)
            return await reading.read(again, lambda *_: None, selection) if again != of else digest
        except RunError:
            raise
        except Exception as error:  # One run that can't be read must not end the server.
            logger.exception("reading %s failed", run)
            raise RunError(
                f"Reading {run} failed: {error!r}.", "This is an error of Kinetoscope: please report it with the log."
            ) from error

    def progress(self, run: str, stage: str, done: int, total: int) -> None:
        """Tell how far the reading of a run is."""
        if stage in _STAGES:
            self._listener.reading(ReadProgress(run=run, stage=_STAGES[stage], done=done, total=total, problem=None))

    def _finished(self, run: str, state: _State, task: asyncio.Task[Digest]) -> None:
        if self._tasks.get(run) is not task:  # Abandoned: the run has no problem, and may be being read anew.
            if run not in self._tasks:
                self._listener.reading(ReadProgress(run=run, stage="cancelled", done=0, total=0, problem=None))
            return
        del self._tasks[run]
        stage: Literal["done", "failed", "cancelled"] = "done"
        problem: str | None = None
        if task.cancelled():
            stage, problem = "cancelled", "Reading the run was cancelled. Choose it again to read it."
        elif (error := task.exception()) is not None:
            stage, problem = "failed", str(error)
            logger.error("%s", problem)
        else:
            again = run in self._digests
            self._digests[run], self._states[run] = task.result(), state
            if again and run == self.active:
                self._listener.lines_changed()
            while len(self._digests) > _KEPT_DIGESTS:
                self._digests.pop(next(key for key in self._digests if key != self.active))
        if problem is None:
            self._problems.pop(run, None)
        else:
            self._problems[run] = problem
        self._listener.reading(ReadProgress(run=run, stage=stage, done=0, total=0, problem=problem if stage == "failed" else None))

    def sources_changed(self) -> None:
        """The sources of traces that others recorded may be elsewhere now, or be there at last: these traces are read anew when they are
        asked for, the active one at once. Until then what is known of them stays."""
        for run, digest in self._digests.items():
            if digest.manifest is None and self.infer_lines:
                self._states.pop(run, None)
                self._texts.pop(run, None)
                if run == self.active:
                    self._spawn(self._read_active(run))

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


async def _no_texts(run: str, digest: Digest) -> dict[str, str]:
    del run, digest
    return {}


def _stamp(run: str) -> object:
    """Changes when the file of a trace alone is written anew; runs never change."""
    try:
        return (os.stat(run).st_mtime_ns, os.stat(run).st_size) if os.path.isfile(run) else None
    except OSError:
        return None
