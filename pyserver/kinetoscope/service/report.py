"""One run for the command line: which trace a path means, its digest, and the rows in the order of their cost."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from kinetoscope.analysis.tables import LineCost
from kinetoscope.runs.folder import DEFAULT_FOLDER, is_run, list_runs, load_run, newest_run
from kinetoscope.runs.layouts import LOOKED_FOR, Found, traces_below
from kinetoscope.runs.manifest import RunError, read_manifest
from kinetoscope.service import reading, values
from kinetoscope.service.digest import Digest, Progress, Target, target
from kinetoscope.service.located import Located
from kinetoscope.service.selection import Selection
from kinetoscope.service.summaries import summary
from kinetoscope.service.texts import read_source
from kinetoscope.service.views import VIEWS, Content
from kinetoscope.service.wire import Metric, MetricSetting, RunSummary


class Chosen(NamedTuple):
    """What a path means. `of` is what is read, `ranks` are those of the same recording, and `said` are words on what else there was."""

    of: Target
    ranks: list[int]
    said: list[str]


def choose(path: Path, rank: int | None = None, *, infer: bool = True) -> Chosen:
    """The trace that a path means: that of a run, of a folder of runs or one that holds `.kinetoscope` (its newest run), a trace file, or
    the newest recording among the traces in a folder. `rank`: by default the lowest. `infer`: whether lines are inferred.

    Raises `RunError` where there is none.
    """
    chosen = _choose(Path(os.path.abspath(path)), rank)
    return chosen._replace(of=msgspec.structs.replace(chosen.of, infer=infer))


def _choose(path: Path, rank: int | None) -> Chosen:
    if not path.is_dir():
        return _lone(target(path), rank)
    if is_run(path):
        return _of_run(path, rank)
    runs = folder_of_runs(path)
    if _readable(runs):
        return _of_run(newest_run(runs), rank)
    found = traces_below(path)
    if found.sets:
        return _of_traces(path, found, rank)
    if list_runs([runs]):
        newest_run(runs)  # Raises what is wrong with it.
    raise RunError(
        f"There is neither a run nor a trace in {path}{_unseen(found)}.",
        f"Looked for folders with a run.json, and for {LOOKED_FOR}. Make a run with `kinetoscope profile script.py`, or name another path.",
    )


def _lone(of: Target, rank: int | None) -> Chosen:
    if rank not in (None, of.rank):
        raise RunError(f"{of.path} is the trace of rank {of.rank}.", "Leave --rank out, or name the folder that has the others.")
    return Chosen(of, [of.rank], [])


def _of_run(run: Path, rank: int | None) -> Chosen:
    of = target(run, rank)
    ranks = sorted(trace.rank for trace in read_manifest(run).traces)
    return Chosen(of, ranks, _ranks_said(of.rank, ranks))


def _of_traces(folder: Path, found: Found, rank: int | None) -> Chosen:
    newest = found.sets[0]
    ranks = [worker.rank for worker in newest.workers]
    chosen = ranks[0] if rank is None else rank
    worker = next((worker for worker in newest.workers if worker.rank == chosen), None)
    if worker is None:
        raise RunError(f"The traces in {newest.folder} have no rank {rank}: they have {_listed(ranks)}.", "Choose one of these.")
    trace = worker.spans[0].path
    said: list[str] = []
    if len(found.sets) > 1 or found.cut:
        said.append(f"the newest of {len(found.sets)} recordings in {folder}{_unseen(found)}; name a folder or a file to see another")
    said += _ranks_said(chosen, ranks)
    if len(worker.spans) > 1:
        said.append(f"the newest of {len(worker.spans)} traces of {worker.name}; name a file to see another")
    peers = {worker.rank: str(worker.spans[0].path) for worker in newest.workers}
    return Chosen(msgspec.structs.replace(target(trace, chosen), peers=peers), ranks, said)


def _ranks_said(rank: int, ranks: list[int]) -> list[str]:
    return [f"rank {rank}, one of {len(ranks)} ({_listed(ranks)}); --rank chooses another"] if len(ranks) > 1 else []


def _listed(ranks: list[int]) -> str:
    whole = len(ranks) > 2 and ranks == list(range(ranks[0], ranks[-1] + 1))
    return f"{ranks[0]} to {ranks[-1]}" if whole else ", ".join(map(str, ranks))


def _unseen(found: Found) -> str:
    return ", which has too many folders to look into all of them" if found.cut else ""


async def read(of: Target, selection: Selection, on_progress: Progress) -> Digest:
    """The digest of a run or of a part of it; see `reading.read`."""
    return await reading.read(await with_sources(of, on_progress), on_progress, selection)


async def with_sources(of: Target, on_progress: Progress) -> Target:
    """With where the sources of a trace that others recorded are, looked for below the working directory. Raises `RunError`."""
    if of.manifest is not None or not of.infer:
        return of
    located = Located(read_source, lambda: None)
    located.folders = (Path.cwd(),)
    return msgspec.structs.replace(of, sources=await located.missing_texts(str(of.path), await reading.read(of, on_progress)))


async def read_view(of: Target, name: str, selection: Selection, on_progress: Progress, ranks: bool = False) -> Content:
    """A view of a run or of a part of it; with `ranks` also what all its ranks together show, where the view has such a part. Raises
    `RunError` where there is none of that name."""
    shown = [view.name for view in VIEWS.values() if view.tables]
    if name not in shown:
        raise RunError(f"There is no view {name}.", f"Choose one of: lines, {', '.join(shown)}.")
    of = await with_sources(of, on_progress)
    content = await reading.read_view(of, name, selection, on_progress)
    if VIEWS[name].with_advice:
        findings = (await reading.read_view(of, "advice", selection, on_progress))["findings"]
        content = {**content, "advice": [f"{each['title']}. {each['seen']} {each['remedy']}" for each in findings]}
    together = VIEWS[name].with_ranks if ranks else ""
    return _with_ranks(content, await reading.read_view(of, together, selection, on_progress)) if together else content


def _with_ranks(one: Content, together: Content) -> Content:
    """The advice of one rank with that of all, gravest first, without what the latter explains."""
    gravity = ("high", "medium", "low")
    explained = {name for finding in together["findings"] for name in finding["explains"]}
    findings = [*together["findings"], *(finding for finding in one["findings"] if finding["id"] not in explained)]
    return {
        **one,
        "findings": sorted(findings, key=lambda finding: (gravity.index(finding["severity"]), -(finding["gain_us"] or 0))),
        "lines": [*together["lines"], *(line for line in one["lines"] if line["finding"] not in explained)],
        "notices": list(dict.fromkeys([*one["notices"], *together["notices"]])),
    }


def of_ranks(name: str) -> bool:
    """Whether a view is of all ranks of a run together."""
    return name in VIEWS and VIEWS[name].of_ranks


def folder_of_runs(path: Path) -> Path:
    """The folder itself where it holds runs that can be read, else its `.kinetoscope`."""
    return path / DEFAULT_FOLDER if not _readable(path) and (path / DEFAULT_FOLDER).is_dir() else path


def _readable(folder: Path) -> bool:
    return any(run.problem is None for run in list_runs([folder]))


def summaries(folder: Path) -> list[RunSummary]:
    """The runs of a folder, newest first; those that can't be read have a problem."""
    return [summary(run) for run in list_runs([folder])]


def ranked(digest: Digest, metric: MetricSetting, limit: int | None) -> tuple[Metric, list[LineCost]]:
    """Rows with their dearest first, by each line's own cost in the metric, then by its own CPU time."""
    chosen = values.resolve_metric(metric, digest.report)
    rows = sorted(digest.report.rows, key=lambda row: (-values.own_amount(row, chosen).whole, -row.cpu_self_us, row.file, row.line))
    return chosen, rows if limit is None else rows[:limit]


def as_json(what: Chosen, digest: Digest, selection: Selection, metric: MetricSetting, limit: int | None) -> bytes:
    """The report as JSON: sums over the recorded steps or the part, `rows` with the fields of `LineCost`, dearest first."""
    report = digest.report
    chosen, rows = ranked(digest, metric, limit)
    content: dict[str, Any] = {
        **head(what.of),
        "ranks": what.ranks,
        "selection": msgspec.to_builtins(selection),
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


def view_as_json(what: Chosen, name: str, selection: Selection, content: Content) -> bytes:
    """A view as JSON: what was read, and the fields of its struct."""
    return to_json({**head(what.of), "ranks": what.ranks, "view": name, "selection": msgspec.to_builtins(selection), **content})


def head(of: Target) -> dict[str, Any]:
    """What was read, as JSON says it: `run` (null for a trace alone), `trace`, `rank`."""
    run = msgspec.to_builtins(summary(load_run(of.path))) if of.manifest is not None else None
    return {"run": run, "trace": str(of.trace), "rank": of.rank}


def to_json(content: dict[str, Any]) -> bytes:
    """Plain data as JSON that people can read."""
    return msgspec.json.format(msgspec.json.encode(content), indent=2)
