"""Runs as they stand in lists: what they are, of what, and names that tell them apart."""

from __future__ import annotations

import ntpath
import re

import msgspec

from kinetoscope.runs.folder import Run
from kinetoscope.runs.manifest import FORMAT, Device, Manifest
from kinetoscope.service.digest import Digest
from kinetoscope.service.wire import RunSummary


def summary(run: Run, problem: str | None = None, digest: Digest | None = None) -> RunSummary:
    """A run for a list; `problem` is one that was found when it was read, and `digest` says what a trace alone is of."""
    manifest = _manifest_of_trace(digest) if run.lone and digest is not None else run.manifest
    return RunSummary(
        path=str(run.path),
        kind="trace" if run.lone else "run",
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
        notices=_notices(run, manifest, digest),
        size_bytes=run.size_bytes,
        problem=run.problem or problem,
    )


def _notices(run: Run, manifest: Manifest | None, digest: Digest | None) -> list[str]:
    """Of a trace alone what its reading found, as that it is not whole."""
    if run.lone and digest is not None:
        return digest.report.notices
    return [notice.message for notice in manifest.notices] if manifest else []


def told_apart(runs: list[RunSummary]) -> list[RunSummary]:
    """The same, but runs of different scripts that have one name are called by as much of their scripts' paths as tells these apart:
    `net/train.py`."""
    mains: dict[str, set[str]] = {}
    for run in runs:
        if run.main is not None:
            mains.setdefault(run.name, set()).add(run.main)
    return [
        msgspec.structs.replace(run, name=_short_path(run.main, mains[run.name]))
        if run.main is not None and len(mains[run.name]) > 1 and ntpath.basename(run.main) == run.name
        else run
        for run in runs
    ]


def _short_path(path: str, among: set[str]) -> str:
    """The last parts of a path that none of the others has."""
    parts = re.split(r"[\\/]", path)
    others = [re.split(r"[\\/]", other) for other in among if other != path]
    for count in range(1, len(parts)):
        if all(other[-count:] != parts[-count:] for other in others):
            return "/".join(parts[-count:])
    return path


def _manifest_of_trace(digest: Digest) -> Manifest:
    """What a trace alone says of its recording, by the file's own name."""
    recorded = digest.manifest or Manifest(format=FORMAT, outcome="")
    devices = [Device(name, "") for name in digest.report.devices]
    return msgspec.structs.replace(recorded, name="", steps=digest.report.steps, devices=devices)
