"""The source files of runs on this machine: where each is, which one a document is, and its text as it was profiled.

Answers are made anew each time, from files that are there now; only what is read from them is kept. The walk through the workspace, for
names that need it, is the one slow part: it runs in a thread, and until it is over such names are not found.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from kinetoscope.analysis.tables import LineCost
from kinetoscope.runs.mapping import comparable, map_comparable
from kinetoscope.runs.sources import (
    Ambiguous,
    Fit,
    Found,
    Machine,
    Named,
    PathMapping,
    Resolution,
    Roots,
    canonical,
    file_name,
    resolve,
)
from kinetoscope.runs.workspace_files import WorkspaceFiles, walk
from kinetoscope.service import wire
from kinetoscope.service.digest import Digest
from kinetoscope.service.unverified import Assumed, Profiled, Reading

_ALIKE = 0.5
"""Share of the profiled lines that a text must still have to be taken for the same file."""

_KEPT_RUNS = 4

OLD_WALK_S = 5.0
"""A file that is not found is looked for anew where the last walk through the workspace is older."""

_WAYS: dict[str, str] = {
    "mapping": "kinetoscope.pathMappings",
    "located": "the places located before",
    "recorded": "the recorded path",
    "roots": "the recorded working directory and sys.path",
    "workspace": "the workspace",
    "interpreter": "the interpreter's sys.path",
}


class _RunFiles:
    """What one digest says of files: `names` are those that were profiled or have a cost, `sources` also those of libraries that call
    stacks name."""

    def __init__(self, digest: Digest) -> None:
        self.digest = digest
        self.roots = Roots(digest.cwd, tuple(digest.sys_path))
        self.profiled = {file.path: file for file in digest.files}
        self.rows: dict[str, list[LineCost]] = {}
        for row in digest.report.rows:
            self.rows.setdefault(row.file, []).append(row)
        self.names = dict.fromkeys([*self.profiled, *self.rows])
        self.sources = {*self.names, *(file for file in digest.frame_files if file.endswith(".py"))}
        self.by_name: dict[str, list[str]] = {}
        for name in self.names:
            self.by_name.setdefault(file_name(name).casefold(), []).append(name)
        self.comparable: dict[str, list[str]] = {}
        self.fits: dict[tuple[str, Path], tuple[str, Fit]] = {}


class Located:
    """See the module. `settings` are the editor's, `folders` its workspace folders; `on_disk` reads a file; `wanted` is called when a name
    needs the walk that was not made yet."""

    def __init__(self, on_disk: Callable[[Path], str | None], wanted: Callable[[], None]) -> None:
        self._settings = wire.SourceSettings()
        self._folders: tuple[Path, ...] = ()
        self._on_disk = on_disk
        self._wanted = wanted
        self._walked: WorkspaceFiles | None = None
        self._walked_s = 0.0
        self._runs: dict[str, _RunFiles] = {}
        self._assumed = Assumed()
        self._machine = self._make_machine()

    @property
    def settings(self) -> wire.SourceSettings:
        return self._settings

    @settings.setter
    def settings(self, settings: wire.SourceSettings) -> None:
        self._settings = settings
        self._machine = self._make_machine()

    @property
    def folders(self) -> tuple[Path, ...]:
        return self._folders

    @folders.setter
    def folders(self, folders: tuple[Path, ...]) -> None:
        self._folders = folders
        self._walked = None
        self._machine = self._make_machine()

    def _make_machine(self) -> Machine:
        settings = self._settings
        return Machine(
            mappings=tuple(PathMapping(each.remote_root, each.local_root) for each in settings.mappings),
            located=tuple(PathMapping(each.remote_root, each.local_root) for each in settings.located),
            folders=self._folders,
            named=self._named,
            interpreter=tuple(Path(path) for path in settings.interpreter_paths if path),
        )

    def _named(self, name: str) -> Named | None:
        if self._walked is None:
            self._wanted()
            return None
        return self._walked.named(name)

    async def search(self, max_age_s: float) -> None:
        """Walk the workspace, unless a walk is not older than that."""
        if self._walked is not None and time.monotonic() - self._walked_s < max_age_s:
            return
        folders = self._folders
        walked = await asyncio.to_thread(walk, folders)
        if folders == self._folders:
            self._walked, self._walked_s = walked, time.monotonic()

    async def missing_texts(self, run: str, digest: Digest) -> dict[str, str]:
        """The files here whose text a recording does not keep, by their recorded names: what `Target.sources` wants."""
        await self.search(OLD_WALK_S)
        files = self._files(run, digest)
        names = [name for name in files.names if name not in files.profiled or files.profiled[name].text is None]
        found = {name: self.resolve(run, digest, name) for name in names}
        return {name: str(where.path) for name, where in found.items() if isinstance(where, Found)}

    # Questions about a run's files

    def resolve(self, run: str, digest: Digest, file: str) -> Resolution:
        """Where a recorded file is."""
        files = self._files(run, digest)
        return resolve(file, files.roots, self._machine, partial(self._fit, files, file))

    def recorded_as(self, run: str, digest: Digest, path: Path) -> str | None:
        """The recorded file that a document is: the reverse of `resolve`."""
        files = self._files(run, digest)
        mappings = (*self._machine.mappings, *self._machine.located)
        renamed = [each.remote_root for each in mappings if each.remote_root in files.names and Path(each.local_root).name == path.name]
        names = [*files.by_name.get(path.name.casefold(), ()), *renamed]
        if names and self._walked is not None:
            self._walked.add(path, self._folders)
        here = canonical(path) if names else ""
        for file in names:
            found = self.resolve(run, digest, file)
            if isinstance(found, Found) and canonical(found.path) == here:
                return file
        return None

    def profiled(self, run: str, digest: Digest, file: str, path: Path) -> Profiled | None:
        """A recorded file as it was profiled, or is taken to have been; None where neither text is known."""
        files = self._files(run, digest)
        known = files.profiled.get(file)
        if known is not None and known.text is not None:
            return Profiled(file, known.text, known.scopes, None)
        text = self._on_disk(path)
        return self._assumed.of(run, file, str(path), text, files.rows.get(file, []), digest.report) if text is not None else None

    def has_rows(self, run: str, digest: Digest, file: str) -> bool:
        """Whether any line of a file has a cost."""
        return file in self._files(run, digest).rows

    def is_source(self, run: str, digest: Digest, file: str) -> bool:
        """Whether the recording names a file as a source of its own or of a library."""
        return file in self._files(run, digest).sources

    def all(self, run: str, digest: Digest) -> list[wire.SourceFile]:
        """All files of a run, by name."""
        return [self._source_file(file, self.resolve(run, digest, file)) for file in sorted(self._files(run, digest).names)]

    @staticmethod
    def _source_file(file: str, found: Resolution) -> wire.SourceFile:
        return wire.SourceFile(
            file=file,
            path=str(found.path) if isinstance(found, Found) else None,
            how=found.how if isinstance(found, Found) else None,
            candidates=candidates(found),
        )

    def problem(self, file: str, found: Resolution) -> str | None:
        """Why a file can't be opened, and what to do; None where it was found."""
        if isinstance(found, Found):
            return None
        if isinstance(found, Ambiguous):
            if len(found.candidates) == 1:
                return f"{file} may be {found.candidates[0]}, but that is not certain. Locate it once: the answer is kept."
            return f"{file} may be any of {len(found.candidates)} files here, and nothing tells which. Locate it once: the answer is kept."
        if not found.tried:
            return f"{file} was not found on this machine: it can't be the path of a file."
        ways = ", ".join(_WAYS[how] for how in found.tried)
        where = ", ".join(map(str, self._folders)) or "no folder is open"
        remedy = "Locate it, or open the folder that holds it."
        return f"{file} was not found on this machine. Tried: {ways}; the workspace is {where}. {remedy}"

    def forget(self, run: str) -> None:
        """Drop what is kept of a run that is gone or was read anew."""
        self._runs.pop(run, None)
        self._assumed.forget(run)

    def _files(self, run: str, digest: Digest) -> _RunFiles:
        files = self._runs.pop(run, None)
        if files is None or files.digest is not digest:
            self.forget(run)
            files = _RunFiles(digest)
        self._runs[run] = files  # Used last: dropped last.
        while len(self._runs) > _KEPT_RUNS:
            self.forget(next(iter(self._runs)))
        return files

    def _fit(self, files: _RunFiles, file: str, path: Path) -> Fit:
        text = self._on_disk(path)
        if text is None:
            return "no"
        kept = files.fits.get((file, path))
        if kept is None or kept[0] != text:
            kept = files.fits[(file, path)] = (text, self._compare(files, file, text))
        return kept[1]

    @staticmethod
    def _compare(files: _RunFiles, file: str, text: str) -> Fit:
        known = files.profiled.get(file)
        if known is None or known.text is None:
            return Reading(files.rows.get(file, []), text).fit
        old = files.comparable.setdefault(file, comparable(known.text))
        changed = map_comparable(old, comparable(text)).changed_in(1, len(old))
        return "yes" if len(old) - changed >= _ALIKE * len(old) else "no"


def candidates(found: Resolution) -> list[str]:
    """The files that an ambiguous name may be."""
    return [str(path) for path in found.candidates] if isinstance(found, Ambiguous) else []
