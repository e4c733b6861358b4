"""What can be opened in a folder, for an editor's list."""

from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path

from kinetoscope.runs.folder import is_run, list_runs, load_run
from kinetoscope.runs.layouts import LOOKED_FOR, Span, TraceSet, Worker, traces_below
from kinetoscope.service.report import folder_of_runs
from kinetoscope.service.summaries import summary
from kinetoscope.service.wire import FoundTrace, FoundTraces


def find_in(folder: Path) -> FoundTraces:
    """The runs and traces of a folder; see `FoundTraces`. Never raises. Looks into many folders: not for an event loop."""
    if is_run(folder):
        return FoundTraces(runs=[summary(load_run(folder))], traces=[], note=None)
    runs = [summary(run) for run in list_runs([folder_of_runs(folder)]) if run.problem is None]
    found = traces_below(folder)
    traces = [
        _trace(folder, number, recording, worker, span)
        for number, recording in enumerate(found.sets)
        for worker in recording.workers
        for span in worker.spans
    ]
    note = f"{folder} has too many folders to look into all of them." if found.cut else None
    if not runs and not traces:
        note = " ".join(filter(None, [f"There is neither a run nor a trace in {folder}.", note, f"Looked for {LOOKED_FOR}."]))
    return FoundTraces(runs=runs, traces=traces, note=note)


def _trace(top: Path, number: int, recording: TraceSet, worker: Worker, span: Span) -> FoundTrace:
    relative = os.path.relpath(recording.folder, top)
    return FoundTrace(
        path=str(span.path),
        folder="" if relative == os.curdir else relative,
        recording=number,
        rank=worker.rank,
        ranks=len(recording.workers),
        worker=worker.name,
        changed=datetime.fromtimestamp(span.changed_ns / 1e9).astimezone().isoformat(timespec="seconds"),
        size_bytes=span.size_bytes,
    )
