"""One run for the command line: which run a path means, its digest, and the rows in the order of their cost."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import msgspec

from kinetoscope.analysis.tables import LineCost
from kinetoscope.runs.folder import DEFAULT_FOLDER, is_run, list_runs, load_run, newest_run
from kinetoscope.service import reading, values
from kinetoscope.service.digest import Digest, Progress, Target, target
from kinetoscope.service.errors import RunError
from kinetoscope.service.runs import summary
from kinetoscope.service.selection import Selection
from kinetoscope.service.views import VIEWS, Content
from kinetoscope.service.wire import Metric, MetricSetting, RunSummary


def resolve(path: Path, rank: int | None = None) -> Target:
    """The trace that a path means: a run, a trace file, a folder of runs or one that holds `.kinetoscope` (the newest run of it).

    `rank`: which one's; by default the lowest. Raises `RunError` where it means none.
    """
    path = Path(os.path.abspath(path))
    if not path.is_dir() or is_run(path):
        return target(path, rank)
    return target(newest_run(folder_of_runs(path)), rank)


async def read(of: Target, on_progress: Progress) -> Digest:
    """The digest of a run; see `reading.read`."""
    return await reading.read(of, on_progress)


async def read_view(of: Target, name: str, selection: Selection, on_progress: Progress) -> Content:
    """A view of a run or of a part of it. Raises `RunError` where there is none of that name."""
    shown = [view.name for view in VIEWS.values() if view.tables]
    if name not in shown:
        raise RunError(f"There is no view {name}.", f"Choose one of: lines, {', '.join(shown)}.")
    return await reading.read_view(of, name, selection, on_progress)


def of_ranks(name: str) -> bool:
    """Whether a view is of all ranks of a run together."""
    return name in VIEWS and VIEWS[name].of_ranks


def folder_of_runs(path: Path) -> Path:
    """The folder itself where it holds runs, else its `.kinetoscope`."""
    return path / DEFAULT_FOLDER if not list_runs([path]) and (path / DEFAULT_FOLDER).is_dir() else path


def summaries(folder: Path) -> list[RunSummary]:
    """The runs of a folder, newest first; those that can't be read have a problem."""
    return [summary(run) for run in list_runs([folder])]


def ranked(digest: Digest, metric: MetricSetting, limit: int | None) -> tuple[Metric, list[LineCost]]:
    """Rows with their dearest first, by each line's own cost in the metric, then by its own CPU time."""
    chosen = values.resolve_metric(metric, digest.report)
    rows = sorted(digest.report.rows, key=lambda row: (-values.own_amount(row, chosen).whole, -row.cpu_self_us, row.file, row.line))
    return chosen, rows if limit is None else rows[:limit]


def as_json(of: Target, digest: Digest, metric: MetricSetting, limit: int | None) -> bytes:
    """The report as JSON: sums over the recorded steps, `rows` with the fields of `LineCost`, dearest first."""
    report = digest.report
    chosen, rows = ranked(digest, metric, limit)
    content: dict[str, Any] = {
        **head(of),
        "metric": chosen,
        "steps": report.steps,
        "recording_us": report.recording_us,
        "host_us": report.host_us,
        "devices": report.devices,
        "device_us": msgspec.to_builtins(report.device_us),
        "notices": report.notices,
        "rows": msgspec.to_builtins(rows),
    }
    return to_json(content)


def view_as_json(of: Target, name: str, selection: Selection, content: Content) -> bytes:
    """A view as JSON: what was read, and the fields of its struct."""
    return to_json({**head(of), "view": name, "selection": msgspec.to_builtins(selection), **content})


def head(of: Target) -> dict[str, Any]:
    """What was read, as JSON says it: `run` (null for a trace alone), `trace`, `rank`."""
    run = msgspec.to_builtins(summary(load_run(of.path))) if of.manifest is not None else None
    return {"run": run, "trace": str(of.trace), "rank": of.rank}


def to_json(content: dict[str, Any]) -> bytes:
    """Plain data as JSON that people can read."""
    return msgspec.json.format(msgspec.json.encode(content), indent=2)
