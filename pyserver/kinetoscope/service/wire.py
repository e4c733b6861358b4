"""The wire: every custom message between the server and the extension or a page. The one source of truth.

`scripts/generate_wire.py` turns this module into `extension/server/wire.ts`; `npm run check` fails when that file is stale. Names are the
same on both sides (snake_case), units are in the names. Requests are `kinetoscope/<area>/<verb>`.
"""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

from kinetoscope.analysis.compare import Comparison
from kinetoscope.analysis.tables import DeviceTime, LineCost, LineDetail, LineReport, LineStack, Precision, StackFrame, WorkItem
from kinetoscope.analysis.timeline.answers import (
    EventDetails,
    EventQuestion,
    FindQuestion,
    Found,
    Located,
    LocateQuestion,
    Sums,
    SumsQuestion,
    Tile,
    TileQuestion,
    Tracks,
)

SHOW_LINE = "kinetoscope.showLine"
"""Command that the editor has to provide: open the Lines view at a line. Its one argument is `LineParams`; lenses and hovers call it."""

Metric = Literal["gpu_time", "cpu_time", "memory"]
"""What the inline numbers and rankings show: device time (forward + backward, total), host time (total), allocated bytes."""

MetricSetting = Literal["auto", "gpu_time", "cpu_time", "memory"]
"""`auto`: `gpu_time` where the run has device work, else `cpu_time`."""

Freshness = Literal["fresh", "shifted", "stale", "unverified"]
"""Line as profiled against the buffer as it is now: equal at the same place, equal but moved, changed; or nobody can tell, since the
profiled text or the file is not known, and the line is the one that was recorded."""


class InlineSettings(Struct, frozen=True, kw_only=True):
    """The editor's `kinetoscope.inline.*` settings; sent as initialization option `inline` and whenever they change."""

    enabled: bool = True
    hints: bool = True
    code_lens: bool = True
    metric: MetricSetting = "auto"
    value: Literal["absolute", "percent", "both"] = "both"
    per: Literal["step", "run"] = "step"
    threshold_percent: float = 1.0
    stale: Literal["dim", "hide"] = "dim"


class PathMapping(Struct, frozen=True, kw_only=True):
    """What lay below `remote_root` when it was recorded lies below `local_root` here. Either may be a single file; an empty `remote_root`
    is what relative names are relative to."""

    remote_root: str
    local_root: str


class SourceSettings(Struct, frozen=True, kw_only=True):
    """Where recorded files are here: the setting `kinetoscope.pathMappings`, what the user located, and the `sys.path` of the user's
    interpreter where it is known. Sent as initialization option `sources` and whenever it changes."""

    mappings: list[PathMapping] = []
    located: list[PathMapping] = []
    interpreter_paths: list[str] = []


class InitOptions(Struct, frozen=True, kw_only=True):
    """`initializationOptions` of `initialize`. `run_folders` are the folders that hold runs (`<workspace>/.kinetoscope`);
    `infer_lines`: whether lines that a recording does not tell are inferred from sources."""

    run_folders: list[str] = []
    infer_lines: bool = True
    inline: InlineSettings = InlineSettings()
    sources: SourceSettings = SourceSettings()
    active_run: str | None = None
    baseline: str | None = None
    open_traces: list[str] = []


class RunSummary(Struct, frozen=True, kw_only=True):
    """One run in a list, or one trace file that lies alone (`kind` `trace`: its name is the file's). `path` identifies it everywhere.
    `problem` says why it can't be read, and what to do, else null."""

    path: str
    kind: Literal["run", "trace"]
    name: str
    created: str
    main: str | None
    argv: list[str]
    steps: int
    step_source: str
    outcome: str
    torch: str
    python: str
    devices: list[str]
    notices: list[str]
    size_bytes: int
    problem: str | None


class RunList(Struct, frozen=True, kw_only=True):
    """Newest first, then the traces that are open or active. `baseline`: the run that the active one's inline numbers are compared with."""

    runs: list[RunSummary]
    active: str | None
    baseline: str | None


class RunParams(Struct, frozen=True, kw_only=True):
    """A run by its path; null means none (for `runs/set_active` and `runs/set_baseline`) or the active run (elsewhere)."""

    run: str | None = None


class LineParams(Struct, frozen=True, kw_only=True):
    """A line as profiled, in one run."""

    run: str | None = None
    file: str
    line: int


class Part(Struct, frozen=True, kw_only=True):
    """What of a recording is asked for: one rank (null: the lowest), and all of it, one step (the N of `ProfilerStep#N`), or a range in
    microseconds since the recording's start."""

    rank: int | None = None
    step: int | None = None
    range_us: tuple[float, float] | None = None


class ViewParams(Struct, frozen=True, kw_only=True):
    """A view by its name (docs/report.md lists them) of a part of a run."""

    run: str | None = None
    name: str
    part: Part = Part()


class ViewAnswer(Struct, frozen=True, kw_only=True):
    """`content`: the view's fields, as docs/report.md and `ViewContents` say."""

    content: Any


class PartParams(Struct, frozen=True, kw_only=True):
    """A part of a run."""

    run: str | None = None
    part: Part = Part()


class StepSpan(Struct, frozen=True, kw_only=True):
    """One step, in microseconds since the recording's start."""

    number: int
    start_us: float
    dur_us: float


class RunDescription(Struct, frozen=True, kw_only=True):
    """What a page shows around every view of a run: which run, whether the inline numbers are its, its ranks, and the part that is selected
    now. `steps` are those of the rank, with their numbers as `part` names them; none where the recording marks none."""

    run: RunSummary
    active: bool
    ranks: list[int]
    part: Part
    steps: list[StepSpan]
    recording_us: float


class CompareParams(Struct, frozen=True, kw_only=True):
    """Two runs (null: the active one), one rank of each."""

    before: str
    after: str | None = None
    rank: int | None = None


class SearchParams(Struct, frozen=True, kw_only=True):
    """Words to find among the names of a part of a run."""

    run: str | None = None
    part: Part = Part()
    text: str


class SearchHit(Struct, frozen=True, kw_only=True):
    """Something with a name that holds the text. `us` is its device time where the part has any, else host time. `file` and `line` are
    of a line or of the place that is known for it."""

    kind: Literal["line", "operator", "kernel", "module"]
    name: str
    detail: str
    us: float
    file: str | None
    line: int | None


class SearchHits(Struct, frozen=True, kw_only=True):
    """Dearest first within each kind; `more`: how many were left out."""

    hits: list[SearchHit]
    more: int


class TimelineTileParams(TileQuestion, frozen=True, kw_only=True):
    """A `TileQuestion` of a run; of `part` only the rank matters."""

    run: str | None = None
    part: Part = Part()


class TimelineDetailsParams(EventQuestion, frozen=True, kw_only=True):
    """An `EventQuestion` of a run; of `part` only the rank matters."""

    run: str | None = None
    part: Part = Part()


class TimelineFindParams(FindQuestion, frozen=True, kw_only=True):
    """A `FindQuestion` of events that begin in a part of a run."""

    run: str | None = None
    part: Part = Part()


class TimelineLocateParams(LocateQuestion, frozen=True, kw_only=True):
    """A `LocateQuestion` of events that begin in a part of a run."""

    run: str | None = None
    part: Part = Part()


class TimelineSumsParams(SumsQuestion, frozen=True, kw_only=True):
    """A `SumsQuestion` of a part of a run."""

    run: str | None = None
    part: Part = Part()


class SourceText(Struct, frozen=True, kw_only=True):
    """A file as it was profiled. `text` null: not known; `reason` then says why."""

    file: str
    text: str | None
    reason: str | None
    rows: list[LineCost]
    metric: Metric
    steps: int


class FileParams(Struct, frozen=True, kw_only=True):
    """A document of the editor."""

    uri: str


class DocumentLine(Struct, frozen=True, kw_only=True):
    """A line of a document as it is now, from 1."""

    uri: str
    line: int


class ProfiledLine(Struct, frozen=True, kw_only=True):
    """What a line of a document was in the active run. `file` and `line` are as profiled; null where it has no cost: `reason` says why."""

    run: str | None
    file: str | None
    line: int | None
    reason: str | None


class LinesParams(Struct, frozen=True, kw_only=True):
    """Rows of the Lines view."""

    run: str | None = None
    metric: MetricSetting = "auto"


class OpenTraces(Struct, frozen=True, kw_only=True):
    """`kinetoscope/traces/opened`: the trace files that the editor has open now; they are listed with the runs."""

    paths: list[str]


class FolderParams(Struct, frozen=True, kw_only=True):
    """A folder by its path."""

    folder: str


class FoundTrace(Struct, frozen=True, kw_only=True):
    """One trace file. `recording` numbers what belongs together, from 0 for the newest; `ranks` says how many ranks that has. `folder` is
    relative to the one that was asked for. `changed` is when the file was written, as ISO 8601 in the zone of
    this machine."""

    path: str
    folder: str
    recording: int
    rank: int
    ranks: int
    worker: str
    changed: str
    size_bytes: int


class FoundTraces(Struct, frozen=True, kw_only=True):
    """What can be opened in a folder: its runs, and its traces with the newest recording first, by rank, newest first. `note` says what was
    not looked into, or, where nothing was found, what was looked for; else null."""

    runs: list[RunSummary]
    traces: list[FoundTrace]
    note: str | None


class HeatLine(Struct, frozen=True, kw_only=True):
    """One line of a document as it is now. `line` counts from 1. `share` is of the run's total in the metric, 0 to 1."""

    line: int
    share: float
    level: int
    """1 (cool) to 5 (hot)."""
    freshness: Freshness
    text: str
    """The same words as the inlay hint, for the ruler's and the bar's label."""


class FileHeat(Struct, frozen=True, kw_only=True):
    """Heat of one document for its present text. Empty where the file is not in the active run; `reason` then says why."""

    uri: str
    version: int | None
    run: str | None
    lines: list[HeatLine]
    reason: str | None


class HotSpot(Struct, frozen=True, kw_only=True):
    """One row of the Hot spots tree. `path` is where the file is on this machine now, null where it was not found; `line` is where the
    profiled line is in that file as it is now (in the buffer where it is open), else the profiled line."""

    file: str
    path: str | None
    profiled_line: int
    line: int
    function: str
    source: str
    share: float
    level: int
    """1 (cool) to 5 (hot), as in `HeatLine`."""
    text: str
    freshness: Freshness
    precision: Precision


class HotSpots(Struct, frozen=True, kw_only=True):
    """Dearest first, by each line's own cost (not what it called)."""

    run: str | None
    metric: Metric
    spots: list[HotSpot]
    reason: str | None
    """Why it is empty and what to do, else null."""


class LinesView(Struct, frozen=True, kw_only=True):
    """The Lines page: the report without details (asked for by line), and the metric it is ranked by. `reason` as in `HotSpots`. `active`:
    the inline numbers are this run's."""

    run: RunSummary | None
    active: bool
    metric: Metric
    steps: int
    recording_us: float
    host_us: float
    device_us: DeviceTime
    devices: list[str]
    rows: list[LineCost]
    notices: list[str]
    reason: str | None


class Place(Struct, frozen=True, kw_only=True):
    """Where a profiled line is now. `path` null: not found, or it may be any of `candidates`; `problem` says which, and what to do."""

    path: str | None
    line: int
    freshness: Freshness
    problem: str | None
    candidates: list[str]


class SourceFile(Struct, frozen=True, kw_only=True):
    """A recorded file and where it is here, by which way. `path` null: as in `Place`."""

    file: str
    path: str | None
    how: Literal["mapping", "located", "recorded", "roots", "workspace", "interpreter"] | None
    candidates: list[str]


class SourceFiles(Struct, frozen=True, kw_only=True):
    """The files of a run that were profiled or have a cost, by name."""

    run: str
    files: list[SourceFile]


class Nothing(Struct, frozen=True):
    """No parameters, or no answer."""


class RunArrived(Struct, frozen=True, kw_only=True):
    """`kinetoscope/runs/changed`: the list of runs or the active one changed. `arrived`: path of a run that is new and was made active."""

    active: str | None
    arrived: str | None


class LinesChanged(Struct, frozen=True, kw_only=True):
    """`kinetoscope/lines/changed`: ask again for heat and hot spots; `uri` null means of all documents."""

    uri: str | None


class ReadProgress(Struct, frozen=True, kw_only=True):
    """`kinetoscope/read/progress`: a run is being read. `done` counts bytes of `total` bytes. `stage`: `reading`, `linking`, `lines`,
    `done`, `failed`, `cancelled`; `problem` is set when it failed."""

    run: str
    stage: Literal["reading", "linking", "lines", "done", "failed", "cancelled"]
    done: int
    total: int
    problem: str | None


class PartChanged(Struct, frozen=True, kw_only=True):
    """`kinetoscope/part/changed`: another part of a run is selected."""

    run: str
    part: Part


REQUESTS: dict[str, tuple[type, type]] = {
    "kinetoscope/runs/list": (Nothing, RunList),
    "kinetoscope/runs/set_active": (RunParams, RunList),
    "kinetoscope/runs/set_baseline": (RunParams, RunList),
    "kinetoscope/runs/delete": (RunParams, RunList),
    "kinetoscope/runs/cancel_reading": (RunParams, Nothing),
    "kinetoscope/traces/find": (FolderParams, FoundTraces),
    "kinetoscope/lines/heat": (FileParams, FileHeat),
    "kinetoscope/lines/at": (DocumentLine, ProfiledLine),
    "kinetoscope/lines/hot_spots": (LinesParams, HotSpots),
    "kinetoscope/lines/view": (LinesParams, LinesView),
    "kinetoscope/lines/detail": (LineParams, LineDetail),
    "kinetoscope/view": (ViewParams, ViewAnswer),
    "kinetoscope/run/describe": (RunParams, RunDescription),
    "kinetoscope/part/select": (PartParams, RunDescription),
    "kinetoscope/compare": (CompareParams, Comparison),
    "kinetoscope/search": (SearchParams, SearchHits),
    "kinetoscope/timeline/tracks": (PartParams, Tracks),
    "kinetoscope/timeline/tile": (TimelineTileParams, Tile),
    "kinetoscope/timeline/details": (TimelineDetailsParams, EventDetails),
    "kinetoscope/timeline/find": (TimelineFindParams, Found),
    "kinetoscope/timeline/locate": (TimelineLocateParams, Located),
    "kinetoscope/timeline/sums": (TimelineSumsParams, Sums),
    "kinetoscope/source/text": (LineParams, SourceText),
    "kinetoscope/source/place": (LineParams, Place),
    "kinetoscope/source/files": (RunParams, SourceFiles),
}
"""Method → (parameters, result): what the extension may ask."""

NOTIFICATIONS: dict[str, type] = {
    "kinetoscope/runs/changed": RunArrived,
    "kinetoscope/lines/changed": LinesChanged,
    "kinetoscope/part/changed": PartChanged,
    "kinetoscope/read/progress": ReadProgress,
}
"""Method → parameters: what the server tells on its own."""

CLIENT_NOTIFICATIONS: dict[str, type] = {
    "kinetoscope/inline/settings": InlineSettings,
    "kinetoscope/source/settings": SourceSettings,
    "kinetoscope/traces/opened": OpenTraces,
}
"""Method → parameters: what the extension tells on its own."""

__all__ = [
    "CLIENT_NOTIFICATIONS",
    "NOTIFICATIONS",
    "REQUESTS",
    "Comparison",
    "DeviceTime",
    "LineCost",
    "LineDetail",
    "LineReport",
    "LineStack",
    "Precision",
    "StackFrame",
    "WorkItem",
]
