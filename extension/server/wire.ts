// Generated from pyserver/kinetoscope/service/wire.py by scripts/generate_wire.py. Change that file and run
// `python scripts/generate_wire.py`; `npm run check` fails while this file is stale.

/**
 * How a cost was tied to its line, best first: `line` (line log), `call` (the exact calling line), `inferred` (source aligned with events),
 * `function` (only the function is known; `line` is then that of its `def`).
 */
export type Precision = 'line' | 'call' | 'inferred' | 'function';

/**
 * `thread` and `device` only hold other tracks. `lines`: where a thread was in the user's code, a row a frame. `python`: Python frames.
 * `operators`: operators, annotations and runtime calls of a thread. `annotations`: the annotations as a stream saw them
 * (`gpu_user_annotation`). `stream`: kernels, copies and fills.
 */
export type TrackKind = 'thread' | 'device' | 'steps' | 'lines' | 'python' | 'operators' | 'annotations' | 'stream' | 'counter';

/** `frame`: a Python frame; `module`: one of an `nn.Module`; `line`: a thread standing on one line of the user's code. */
export type EventKind =
  | 'step'
  | 'line'
  | 'frame'
  | 'module'
  | 'operator'
  | 'annotation'
  | 'runtime'
  | 'kernel'
  | 'memcpy'
  | 'memset'
  | 'device_annotation';

/**
 * What an event is coloured by. Lines: their precision (`line`, `call`, `inferred`, `function`). Python frames: whose code it is.
 * Operators: in a backward operator (`backward`) or not (`operator`), or forward work that is done again in one (`recomputed`). Runtime
 * calls: those that wait for the device (`waiting`), others (`runtime`). Device work: its family, as in the kernels view (`gemm` to
 * `other`).
 */
export type EventCategory =
  | 'step'
  | 'annotation'
  | 'line'
  | 'call'
  | 'inferred'
  | 'function'
  | 'user'
  | 'library'
  | 'builtin'
  | 'module'
  | 'operator'
  | 'backward'
  | 'recomputed'
  | 'runtime'
  | 'waiting'
  | 'gemm'
  | 'convolution'
  | 'attention'
  | 'norm'
  | 'elementwise'
  | 'reduction'
  | 'communication'
  | 'copy'
  | 'fill'
  | 'optimizer'
  | 'index'
  | 'random'
  | 'pooling'
  | 'loss'
  | 'softmax'
  | 'sort'
  | 'other';

export type CounterUnit = 'bytes' | 'percent' | 'count';

/**
 * What another event is to one: `launch`: the call that started this device work. `operator`: the innermost operator that did. `kernel`:
 * device work that was launched in this event. `forward`: the operator of this backward one. `backward`: one of this operator, or of one in
 * it. `parent`: the event around it on its track. `device_annotation`: this annotation as the device saw it; `annotation`: the reverse.
 */
export type Relation = 'launch' | 'kernel' | 'operator' | 'forward' | 'backward' | 'parent' | 'device_annotation' | 'annotation';

/** What the inline numbers and rankings show: device time (forward + backward, total), host time (total), allocated bytes. */
export type Metric = 'gpu_time' | 'cpu_time' | 'memory';

/** `auto`: `gpu_time` where the run has device work, else `cpu_time`. */
export type MetricSetting = 'auto' | 'gpu_time' | 'cpu_time' | 'memory';

/**
 * Line as profiled against the buffer as it is now: equal at the same place, equal but moved, changed; or nobody can tell, since the
 * profiled text or the file is not known, and the line is the one that was recorded.
 */
export type Freshness = 'fresh' | 'shifted' | 'stale' | 'unverified';

/**
 * What one line of one file cost in one run. `*_self_us` and `gpu_us` belong to the line as the innermost recorded user line; `*_total_us`
 * adds the recorded user frames it called, counting a line once per stack. Backward work belongs to the line of its forward operator.
 * Per-device sizes are keyed by device (`cpu`, `cuda:0`). `precision` is the weakest of what was added up.
 */
export interface LineCost {
  /** Absolute path as recorded; for a foreign trace the name as the trace gives it. */
  readonly file: string;
  readonly line: number;
  readonly function: string;
  /** Text of the line as it was profiled, without indentation; empty where the source is not at hand. */
  readonly source: string;
  readonly precision: Precision;
  /** Times the line was arrived at. A one-line loop or comprehension counts once. */
  readonly calls: number;
  readonly cpu_self_us: number;
  readonly cpu_total_us: number;
  readonly cpu_backward_us: number;
  readonly cpu_backward_total_us: number;
  readonly gpu_us: number;
  readonly gpu_total_us: number;
  readonly gpu_backward_us: number;
  readonly gpu_backward_total_us: number;
  /**
   * Wall time in which forward work of the line was done again inside a backward operator (activation checkpointing): a part of
   * `cpu_self_us` where user frames ran there, else of `cpu_backward_us`.
   */
  readonly cpu_recompute_us: number;
  /** Likewise a part of `gpu_us` and `gpu_backward_us`. */
  readonly gpu_recompute_us: number;
  readonly launches: number;
  readonly sync_us: number;
  readonly gpu_idle_us: number;
  readonly alloc_bytes: Readonly<Record<string, number>>;
  readonly freed_bytes: Readonly<Record<string, number>>;
  /** Bytes alive at the device's peak that this line allocated, forward and backward. */
  readonly peak_bytes: Readonly<Record<string, number>>;
  /** The part of `peak_bytes` that was allocated in backward. */
  readonly peak_backward_bytes: Readonly<Record<string, number>>;
}

/** Device time, microseconds: attributed to user lines + library frames only + unattributed = total. */
export interface DeviceTime {
  readonly attributed: number;
  readonly library: number;
  readonly unattributed: number;
  /** The part of `unattributed` whose launch was not recorded; of the rest the launching thread's call stacks were not. */
  readonly without_launch: number;
  readonly total: number;
}

/** An operator or kernel name below a line, with its share of the line's own cost. */
export interface WorkItem {
  readonly name: string;
  readonly kind: 'kernel' | 'operator';
  readonly backward: boolean;
  readonly calls: number;
  /** Operators: host time of the outermost operators of that name. Kernels: 0. */
  readonly host_us: number;
  readonly device_us: number;
}

/** A place in the source; `file` as in `LineCost`. */
export interface StackFrame {
  readonly file: string;
  readonly line: number;
  readonly function: string;
  readonly precision: Precision;
}

/** One call stack in which a line was the innermost user line, outermost frame first, with the line's own cost there. */
export interface LineStack {
  readonly frames: readonly StackFrame[];
  readonly calls: number;
  readonly cpu_self_us: number;
  readonly cpu_backward_us: number;
  readonly gpu_us: number;
  readonly gpu_backward_us: number;
}

/** What stands behind one `LineCost`: its operators and kernels and its call stacks, dearest first. */
export interface LineDetail {
  readonly work: readonly WorkItem[];
  readonly stacks: readonly LineStack[];
}

/** All line costs of one rank. `details[i]` belongs to `rows[i]`; rows are sorted by file and line. */
export interface LineReport {
  /**
   * Recorded steps; 0 when none was found (the numbers are then of the whole recording). Of a part: the steps that it is made of, 0 where
   * it cuts one.
   */
  readonly steps: number;
  /** Wall time of the recording or the part. */
  readonly recording_us: number;
  /** Devices that worked or allocated in the recording, e.g. `cpu`, `cuda:0`. */
  readonly devices: readonly string[];
  readonly device_us: DeviceTime;
  /** Host time attributed to user lines over all threads: the sum of `cpu_self_us`. */
  readonly host_us: number;
  readonly rows: readonly LineCost[];
  readonly details: readonly LineDetail[];
  /** What the reader of the numbers should know, one sentence each. */
  readonly notices: readonly string[];
  /** Of the recording; False: of a part of it. */
  readonly whole?: boolean;
}

/** One curve of a counter, with its least and greatest value in the whole recording. */
export interface CounterSeries {
  readonly name: string;
  readonly low: number;
  readonly high: number;
}

/** One track. Those of one parent follow it, in the order in which they are shown. */
export interface Track {
  /** The same each time that the trace is read. */
  readonly id: string;
  readonly kind: TrackKind;
  readonly title: string;
  /** What tells it from others of its title: process and thread ids, the number of a device; else empty. */
  readonly detail: string;
  /** What the track shows, one sentence. */
  readonly help: string;
  readonly parent: string | null;
  /** How many events lie one in another at most: rows 0 (outermost) to `rows - 1`. 0 for `thread`, `device` and `counter`. */
  readonly rows: number;
  /** Of a counter: how often it changes. */
  readonly events: number;
  readonly start_us: number;
  /** From the start of its first event to the last end; both 0 where there are none. */
  readonly end_us: number;
  /** Of a counter, else null. */
  readonly unit: CounterUnit | null;
  /** Of a counter, else empty. */
  readonly series: readonly CounterSeries[];
}

/** All tracks of one rank. `start_us` (at most 0) to `end_us` (more than 0) holds all events. */
export interface Tracks {
  readonly tracks: readonly Track[];
  readonly start_us: number;
  readonly end_us: number;
  /** Length of the recording. */
  readonly recording_us: number;
  /** What the timeline lacks and why, one sentence each: no Python stacks, no device work, … */
  readonly notices: readonly string[];
}

/** The events of some tracks from `start_us` to `end_us`, for a screen of `width_px` (1 to 16384) pixels. */
export interface TileQuestion {
  readonly tracks: readonly string[];
  readonly start_us: number;
  readonly end_us: number;
  readonly width_px: number;
}

/**
 * One track's events in the range, those that reach into it too, as pieces: by row, then in time order, none over another in its row.
 * Events as wide as a pixel or wider are pieces of their own, exact to the nanosecond. Of narrower ones, all that begin in the same pixel
 * are one piece, from the first's start to the last's end, named after the longest. So a row has at most two pieces a pixel.
 */
export interface TrackTile {
  readonly track: string;
  /** In the range: the sum of `count`. */
  readonly events: number;
  /** Float64Array. */
  readonly start_us: string;
  /** Float64Array. */
  readonly dur_us: string;
  /** Uint32Array, from 0 for the outermost. */
  readonly row: string;
  /** Uint32Array: index into the tile's `names` and `categories`. */
  readonly name: string;
  /** Uint32Array: the event, or the longest (of those the first) that the piece stands for. */
  readonly event: string;
  /** Uint32Array: how many events the piece stands for; 1 for an event that is shown as it is. */
  readonly count: string;
}

/**
 * One curve, one entry a pixel (Float64Array of `width_px`): its mean over the pixel's time, the least and greatest value in it, and the
 * value at its end. NaN where it has no value (before a memory counter's first event).
 */
export interface CounterPixels {
  readonly name: string;
  readonly mean: string;
  readonly low: string;
  readonly high: string;
  readonly last: string;
}

/** The curves of one counter. */
export interface CounterTile {
  readonly track: string;
  readonly series: readonly CounterPixels[];
}

/** The answer to a `TileQuestion`, with its range. `categories[i]` belongs to `names[i]`. */
export interface Tile {
  readonly start_us: number;
  readonly end_us: number;
  readonly width_px: number;
  readonly names: readonly string[];
  readonly categories: readonly EventCategory[];
  /** Those of the question that are no counters and hold no other tracks, in its order. */
  readonly tracks: readonly TrackTile[];
  readonly counters: readonly CounterTile[];
}

/** All about one event, by its number. */
export interface EventQuestion {
  readonly event: number;
}

/** An event and where it is. */
export interface EventRef {
  readonly event: number;
  readonly kind: EventKind;
  readonly track: string;
  readonly row: number;
  readonly name: string;
  readonly category: EventCategory;
  readonly start_us: number;
  readonly dur_us: number;
}

/** An event that belongs to another. */
export interface EventLink {
  readonly relation: Relation;
  readonly to: EventRef;
}

/** One input of an operator as the trace has it, e.g. shape `[8, 16]` and type `float`; empty where it does not say. */
export interface OperatorInput {
  readonly shape: string;
  readonly type: string;
}

/** What the trace says of a piece of device work; null and empty where it does not. */
export interface KernelFacts {
  readonly family: string;
  readonly tensor_cores: boolean;
  readonly grid: string;
  readonly block: string;
  /** Per thread. */
  readonly registers: number | null;
  /** Per block. */
  readonly shared_memory_bytes: number | null;
  readonly blocks_per_sm: number | null;
  /** Estimated achieved occupancy, percent. */
  readonly occupancy: number | null;
  /** Copied or set. */
  readonly bytes: number | null;
  readonly correlation: number | null;
  /** From the end of the call that launched it to its start, 0 where it began before the call returned. */
  readonly delay_us: number | null;
}

/** What the trace says of a collective on this event; empty and null where it does not. */
export interface CollectiveFacts {
  readonly collective: string;
  readonly dtype: string;
  readonly in_elements: number | null;
  readonly out_elements: number | null;
  readonly group: string;
  readonly group_description: string;
  readonly group_ranks: string;
  readonly group_size: number | null;
}

/** A Python frame around an event. `file` and `line` are of its `def`, empty and 0 for built-ins and modules. */
export interface PythonFrame {
  readonly event: number;
  readonly name: string;
  readonly file: string;
  readonly line: number;
  readonly function: string;
  readonly user: boolean;
}

/** Everything that is known of one event. */
export interface EventDetails {
  readonly event: EventRef;
  /**
   * False where the trace has no duration: `event.dur_us` then lasts until the trace's end on a thread, and is 0 of runtime calls and
   * device work.
   */
  readonly ended: boolean;
  /** Without the events inside it on its track. */
  readonly self_us: number;
  /** Title of the thread that it ran on, or, of device work, that launched it; empty where that is not known. */
  readonly thread: string;
  readonly device: string;
  readonly stream: number | null;
  /** Belongs to a backward operator; its stack is then that of the forward operator. */
  readonly backward: boolean;
  /** Forward work that is done again in backward (activation checkpointing). */
  readonly recomputed: boolean;
  /** Of host events: time of all device work that was launched in it; null where none was. */
  readonly device_us: number | null;
  readonly inputs: readonly OperatorInput[];
  /** autograd's number. */
  readonly sequence: number | null;
  readonly kernel: KernelFacts | null;
  readonly collective: CollectiveFacts | null;
  /** The line it belongs to: the innermost of `stack`. */
  readonly line: StackFrame | null;
  /** The user's call path, outermost first; empty where it is not known. */
  readonly stack: readonly StackFrame[];
  /**
   * All Python frames on the thread at its start (of device work: at its launch), libraries' too, outermost first; empty where the trace
   * has none.
   */
  readonly python: readonly PythonFrame[];
  readonly links: readonly EventLink[];
  /** Of each relation, how many links there are beyond the first 100. */
  readonly links_left_out: Readonly<Record<string, number>>;
}

/**
 * The next event (`backwards`: the one before) whose name has the text in it, whatever its case. Events are in the order of their start; on
 * from `event`, else from the time `from_us`, else from the beginning; after the last comes the first. `tracks` null: all.
 */
export interface FindQuestion {
  readonly text: string;
  readonly tracks?: readonly string[] | null;
  readonly event?: number | null;
  readonly from_us?: number | null;
  readonly backwards?: boolean;
}

/** The match, null where nothing matches; its place among all matches, from 0. */
export interface Found {
  readonly match: EventRef | null;
  readonly index: number;
  readonly matches: number;
}

/** The events of a line as profiled (`file` and `line`), or of everything that is called `name` exactly. */
export interface LocateQuestion {
  readonly file?: string | null;
  readonly line?: number | null;
  readonly name?: string | null;
}

/**
 * `events`: the first 500 of `matches`, in time order. Of a line they are the stretches in which a thread stood on it, the outermost
 * operators that it ran, backward ones too, and their device work. `longest`: index into `events`, -1 where there are none; `reason` then
 * says why.
 */
export interface Located {
  readonly events: readonly EventRef[];
  readonly matches: number;
  readonly longest: number;
  readonly reason: string | null;
}

/**
 * What the part of the recording cost, by operator, kernel and line. With `tracks` (else null), only of these: operators of their threads,
 * device work of their streams, lines by both.
 */
export interface SumsQuestion {
  readonly tracks?: readonly string[] | null;
}

/** As in the operators view: operators that begin in the range, whole. */
export interface OperatorSum {
  readonly name: string;
  readonly calls: number;
  readonly host_self_us: number;
  readonly host_total_us: number;
  readonly device_self_us: number;
  readonly device_total_us: number;
}

/** As in the kernels view: device work that begins in the range, whole. */
export interface KernelSum {
  readonly name: string;
  readonly family: string;
  readonly calls: number;
  readonly total_us: number;
}

/** As in the lines view; what reaches into the range counts with what lies in it. */
export interface LineSum {
  readonly file: string;
  readonly line: number;
  readonly function: string;
  readonly precision: Precision;
  readonly cpu_self_us: number;
  readonly cpu_total_us: number;
  /** Forward and backward device time of the line itself. */
  readonly gpu_us: number;
  /** With that of the user frames it called. */
  readonly gpu_total_us: number;
}

/** Each list is complete, dearest first. */
export interface Sums {
  readonly start_us: number;
  readonly end_us: number;
  readonly operators: readonly OperatorSum[];
  readonly kernels: readonly KernelSum[];
  readonly lines: readonly LineSum[];
}

/** The editor's `kinetoscope.inline.*` settings; sent as initialization option `inline` and whenever they change. */
export interface InlineSettings {
  readonly enabled?: boolean;
  readonly hints?: boolean;
  readonly code_lens?: boolean;
  readonly metric?: MetricSetting;
  readonly value?: 'absolute' | 'both' | 'percent';
  readonly per?: 'run' | 'step';
  readonly threshold_percent?: number;
  readonly stale?: 'dim' | 'hide';
}

/**
 * What lay below `remote_root` when it was recorded lies below `local_root` here. Either may be a single file; an empty `remote_root` is
 * what relative names are relative to.
 */
export interface PathMapping {
  readonly remote_root: string;
  readonly local_root: string;
}

/**
 * Where recorded files are here: the setting `kinetoscope.pathMappings`, what the user located, and the `sys.path` of the user's
 * interpreter where it is known. Sent as initialization option `sources` and whenever it changes.
 */
export interface SourceSettings {
  readonly mappings?: readonly PathMapping[];
  readonly located?: readonly PathMapping[];
  readonly interpreter_paths?: readonly string[];
}

/**
 * `initializationOptions` of `initialize`. `run_folders` are the folders that hold runs (`<workspace>/.kinetoscope`); `infer_lines`:
 * whether lines that a recording does not tell are inferred from sources.
 */
export interface InitOptions {
  readonly run_folders?: readonly string[];
  readonly infer_lines?: boolean;
  readonly inline?: InlineSettings;
  readonly sources?: SourceSettings;
  readonly active_run?: string | null;
  readonly baseline?: string | null;
  readonly open_traces?: readonly string[];
}

/**
 * One run in a list, or one trace file that lies alone (`kind` `trace`: its name is the file's). `path` identifies it everywhere. `problem`
 * says why it can't be read, and what to do, else null.
 */
export interface RunSummary {
  readonly path: string;
  readonly kind: 'run' | 'trace';
  readonly name: string;
  readonly created: string;
  readonly main: string | null;
  readonly argv: readonly string[];
  readonly steps: number;
  readonly step_source: string;
  readonly outcome: string;
  readonly torch: string;
  readonly python: string;
  readonly devices: readonly string[];
  readonly notices: readonly string[];
  readonly size_bytes: number;
  readonly problem: string | null;
}

/** Newest first, then the traces that are open or active. `baseline`: the run that the active one's inline numbers are compared with. */
export interface RunList {
  readonly runs: readonly RunSummary[];
  readonly active: string | null;
  readonly baseline: string | null;
}

/** A run by its path; null means none (for `runs/set_active` and `runs/set_baseline`) or the active run (elsewhere). */
export interface RunParams {
  readonly run?: string | null;
}

/** A line as profiled, in one run. */
export interface LineParams {
  readonly run?: string | null;
  readonly file: string;
  readonly line: number;
}

/** Mean time a step of one category. */
export interface Part {
  readonly rank?: number | null;
  readonly step?: number | null;
  readonly range_us?: readonly [number, number] | null;
}

/** A view by its name (docs/report.md lists them) of a part of a run. */
export interface ViewParams {
  readonly run?: string | null;
  readonly name: string;
  readonly part?: Part;
}

/** `content`: the view's fields, as docs/report.md and `ViewContents` say. */
export interface ViewAnswer {
  readonly content: unknown;
}

/** A part of a run. */
export interface PartParams {
  readonly run?: string | null;
  readonly part?: Part;
}

/** One step, in microseconds since the recording's start. */
export interface StepSpan {
  readonly number: number;
  readonly start_us: number;
  readonly dur_us: number;
}

/**
 * What a page shows around every view of a run: which run, whether the inline numbers are its, its ranks, and the part that is selected
 * now. `steps` are those of the rank, with their numbers as `part` names them; none where the recording marks none.
 */
export interface RunDescription {
  readonly run: RunSummary;
  readonly active: boolean;
  readonly ranks: readonly number[];
  readonly part: Part;
  readonly steps: readonly StepSpan[];
  readonly recording_us: number;
}

/** Two runs (null: the active one), one rank of each. */
export interface CompareParams {
  readonly before: string;
  readonly after?: string | null;
  readonly rank?: number | null;
}

/** Words to find among the names of a part of a run. */
export interface SearchParams {
  readonly run?: string | null;
  readonly part?: Part;
  readonly text: string;
}

/**
 * Something with a name that holds the text. `us` is its device time where the part has any, else host time. `file` and `line` are of a
 * line or of the place that is known for it.
 */
export interface SearchHit {
  readonly kind: 'kernel' | 'line' | 'module' | 'operator';
  readonly name: string;
  readonly detail: string;
  readonly us: number;
  readonly file: string | null;
  readonly line: number | null;
}

/** Dearest first within each kind; `more`: how many were left out. */
export interface SearchHits {
  readonly hits: readonly SearchHit[];
  readonly more: number;
}

/** A `TileQuestion` of a run; of `part` only the rank matters. */
export interface TimelineTileParams {
  readonly tracks: readonly string[];
  readonly start_us: number;
  readonly end_us: number;
  readonly width_px: number;
  readonly run?: string | null;
  readonly part?: Part;
}

/** An `EventQuestion` of a run; of `part` only the rank matters. */
export interface TimelineDetailsParams {
  readonly event: number;
  readonly run?: string | null;
  readonly part?: Part;
}

/** A `FindQuestion` of events that begin in a part of a run. */
export interface TimelineFindParams {
  readonly text: string;
  readonly tracks?: readonly string[] | null;
  readonly event?: number | null;
  readonly from_us?: number | null;
  readonly backwards?: boolean;
  readonly run?: string | null;
  readonly part?: Part;
}

/** A `LocateQuestion` of events that begin in a part of a run. */
export interface TimelineLocateParams {
  readonly file?: string | null;
  readonly line?: number | null;
  readonly name?: string | null;
  readonly run?: string | null;
  readonly part?: Part;
}

/** A `SumsQuestion` of a part of a run. */
export interface TimelineSumsParams {
  readonly tracks?: readonly string[] | null;
  readonly run?: string | null;
  readonly part?: Part;
}

/** A file as it was profiled. `text` null: not known; `reason` then says why. */
export interface SourceText {
  readonly file: string;
  readonly text: string | null;
  readonly reason: string | null;
  readonly rows: readonly LineCost[];
  readonly metric: Metric;
  readonly steps: number;
}

/** A document of the editor. */
export interface FileParams {
  readonly uri: string;
}

/** A line of a document as it is now, from 1. */
export interface DocumentLine {
  readonly uri: string;
  readonly line: number;
}

/** What a line of a document was in the active run. `file` and `line` are as profiled; null where it has no cost: `reason` says why. */
export interface ProfiledLine {
  readonly run: string | null;
  readonly file: string | null;
  readonly line: number | null;
  readonly reason: string | null;
}

/** Rows of the Lines view. */
export interface LinesParams {
  readonly run?: string | null;
  readonly metric?: MetricSetting;
}

/** `kinetoscope/traces/opened`: the trace files that the editor has open now; they are listed with the runs. */
export interface OpenTraces {
  readonly paths: readonly string[];
}

/** A folder by its path. */
export interface FolderParams {
  readonly folder: string;
}

/**
 * One trace file. `recording` numbers what belongs together, from 0 for the newest; `ranks` says how many ranks that has. `folder` is
 * relative to the one that was asked for. `changed` is when the file was written, as ISO 8601 in the zone of this machine.
 */
export interface FoundTrace {
  readonly path: string;
  readonly folder: string;
  readonly recording: number;
  readonly rank: number;
  readonly ranks: number;
  readonly worker: string;
  readonly changed: string;
  readonly size_bytes: number;
}

/**
 * What can be opened in a folder: its runs, and its traces with the newest recording first, by rank, newest first. `note` says what was not
 * looked into, or, where nothing was found, what was looked for; else null.
 */
export interface FoundTraces {
  readonly runs: readonly RunSummary[];
  readonly traces: readonly FoundTrace[];
  readonly note: string | null;
}

/** One line of a document as it is now. `line` counts from 1. `share` is of the run's total in the metric, 0 to 1. */
export interface HeatLine {
  readonly line: number;
  readonly share: number;
  /** 1 (cool) to 5 (hot). */
  readonly level: number;
  readonly freshness: Freshness;
  /** The same words as the inlay hint, for the ruler's and the bar's label. */
  readonly text: string;
}

/** Heat of one document for its present text. Empty where the file is not in the active run; `reason` then says why. */
export interface FileHeat {
  readonly uri: string;
  readonly version: number | null;
  readonly run: string | null;
  readonly lines: readonly HeatLine[];
  readonly reason: string | null;
}

/**
 * One row of the Hot spots tree. `path` is where the file is on this machine now, null where it was not found; `line` is where the profiled
 * line is in that file as it is now (in the buffer where it is open), else the profiled line.
 */
export interface HotSpot {
  readonly file: string;
  readonly path: string | null;
  readonly profiled_line: number;
  readonly line: number;
  readonly function: string;
  readonly source: string;
  readonly share: number;
  /** 1 (cool) to 5 (hot), as in `HeatLine`. */
  readonly level: number;
  readonly text: string;
  readonly freshness: Freshness;
  readonly precision: Precision;
}

/** Dearest first, by each line's own cost (not what it called). */
export interface HotSpots {
  readonly run: string | null;
  readonly metric: Metric;
  readonly spots: readonly HotSpot[];
  /** Why it is empty and what to do, else null. */
  readonly reason: string | null;
}

/**
 * The Lines page: the report without details (asked for by line), and the metric it is ranked by. `reason` as in `HotSpots`. `active`: the
 * inline numbers are this run's.
 */
export interface LinesView {
  readonly run: RunSummary | null;
  readonly active: boolean;
  readonly metric: Metric;
  readonly steps: number;
  readonly recording_us: number;
  readonly host_us: number;
  readonly device_us: DeviceTime;
  readonly devices: readonly string[];
  readonly rows: readonly LineCost[];
  readonly notices: readonly string[];
  readonly reason: string | null;
}

/** Where a line of the recording before is in the one after. */
export interface Place {
  readonly path: string | null;
  readonly line: number;
  readonly freshness: Freshness;
  readonly problem: string | null;
  readonly candidates: readonly string[];
}

/** A recorded file and where it is here, by which way. `path` null: as in `Place`. */
export interface SourceFile {
  readonly file: string;
  readonly path: string | null;
  readonly how: 'interpreter' | 'located' | 'mapping' | 'recorded' | 'roots' | 'workspace' | null;
  readonly candidates: readonly string[];
}

/** The files of a run that were profiled or have a cost, by name. */
export interface SourceFiles {
  readonly run: string;
  readonly files: readonly SourceFile[];
}

/** No parameters, or no answer. */
export type Nothing = Readonly<Record<string, never>>;

/** `kinetoscope/runs/changed`: the list of runs or the active one changed. `arrived`: path of a run that is new and was made active. */
export interface RunArrived {
  readonly active: string | null;
  readonly arrived: string | null;
}

/** `kinetoscope/lines/changed`: ask again for heat and hot spots; `uri` null means of all documents. */
export interface LinesChanged {
  readonly uri: string | null;
}

/**
 * `kinetoscope/read/progress`: a run is being read. `done` counts bytes of `total` bytes. `stage`: `reading`, `linking`, `lines`, `done`,
 * `failed`, `cancelled`; `problem` is set when it failed.
 */
export interface ReadProgress {
  readonly run: string;
  readonly stage: 'cancelled' | 'done' | 'failed' | 'lines' | 'linking' | 'reading';
  readonly done: number;
  readonly total: number;
  readonly problem: string | null;
}

/** `kinetoscope/part/changed`: another part of a run is selected. */
export interface PartChanged {
  readonly run: string;
  readonly part: Part;
}

/** All lists have the greatest difference first; what is equal in both is in them too. */
export interface Comparison {
  readonly per_step: boolean;
  readonly steps: StepChange;
  readonly categories: readonly CategoryChange[];
  readonly operators: readonly OperatorChange[];
  readonly kernels: readonly KernelChange[];
  readonly lines: readonly LineChange[];
  readonly memory: readonly MemoryChange[];
  readonly notices: readonly string[];
}

/** Of a step, `mean_us`: wall time, `gpu_us`: device time. `least_us` and `most_us`: wall time of the fastest and the slowest one. */
export interface StepChange {
  readonly count: Change;
  readonly mean_us: Change;
  readonly least_us: Change;
  readonly most_us: Change;
  readonly gpu_us: Change;
}

export interface CategoryChange {
  readonly name: string;
  readonly us: Change;
}

export interface OperatorChange {
  readonly name: string;
  readonly calls: Change;
  readonly host_self_us: Change;
  readonly device_self_us: Change;
}

export interface KernelChange {
  readonly name: string;
  readonly calls: Change;
  readonly total_us: Change;
}

/** `file`, `line` and `source` are those after; before where the line is gone. `line_before`: None where it is new. */
export interface LineChange {
  readonly file: string;
  readonly line: number;
  readonly line_before: number | null;
  readonly function: string;
  readonly source: string;
  readonly match: 'changed' | 'gone' | 'moved' | 'new' | 'same' | 'unverified';
  readonly calls: Change;
  readonly cpu_self_us: Change;
  /** Forward and backward. */
  readonly gpu_us: Change;
  /** On all devices. */
  readonly alloc_bytes: Change;
}

export interface MemoryChange {
  readonly device: string;
  readonly peak_bytes: Change;
}

/** `difference` is after − before, `percent` of before; None where that is 0. */
export interface Change {
  readonly before: number;
  readonly after: number;
  readonly difference: number;
  readonly percent: number | null;
}

/** Method → (parameters, result): what the extension may ask. */
export interface Requests {
  readonly 'kinetoscope/runs/list': { readonly params: Nothing; readonly result: RunList };
  readonly 'kinetoscope/runs/set_active': { readonly params: RunParams; readonly result: RunList };
  readonly 'kinetoscope/runs/set_baseline': { readonly params: RunParams; readonly result: RunList };
  readonly 'kinetoscope/runs/delete': { readonly params: RunParams; readonly result: RunList };
  readonly 'kinetoscope/runs/cancel_reading': { readonly params: RunParams; readonly result: Nothing };
  readonly 'kinetoscope/traces/find': { readonly params: FolderParams; readonly result: FoundTraces };
  readonly 'kinetoscope/lines/heat': { readonly params: FileParams; readonly result: FileHeat };
  readonly 'kinetoscope/lines/at': { readonly params: DocumentLine; readonly result: ProfiledLine };
  readonly 'kinetoscope/lines/hot_spots': { readonly params: LinesParams; readonly result: HotSpots };
  readonly 'kinetoscope/lines/view': { readonly params: LinesParams; readonly result: LinesView };
  readonly 'kinetoscope/lines/detail': { readonly params: LineParams; readonly result: LineDetail };
  readonly 'kinetoscope/view': { readonly params: ViewParams; readonly result: ViewAnswer };
  readonly 'kinetoscope/run/describe': { readonly params: RunParams; readonly result: RunDescription };
  readonly 'kinetoscope/part/select': { readonly params: PartParams; readonly result: RunDescription };
  readonly 'kinetoscope/compare': { readonly params: CompareParams; readonly result: Comparison };
  readonly 'kinetoscope/search': { readonly params: SearchParams; readonly result: SearchHits };
  readonly 'kinetoscope/timeline/tracks': { readonly params: PartParams; readonly result: Tracks };
  readonly 'kinetoscope/timeline/tile': { readonly params: TimelineTileParams; readonly result: Tile };
  readonly 'kinetoscope/timeline/details': { readonly params: TimelineDetailsParams; readonly result: EventDetails };
  readonly 'kinetoscope/timeline/find': { readonly params: TimelineFindParams; readonly result: Found };
  readonly 'kinetoscope/timeline/locate': { readonly params: TimelineLocateParams; readonly result: Located };
  readonly 'kinetoscope/timeline/sums': { readonly params: TimelineSumsParams; readonly result: Sums };
  readonly 'kinetoscope/source/text': { readonly params: LineParams; readonly result: SourceText };
  readonly 'kinetoscope/source/place': { readonly params: LineParams; readonly result: Place };
  readonly 'kinetoscope/source/files': { readonly params: RunParams; readonly result: SourceFiles };
}

/** Method → parameters: what the server tells on its own. */
export interface Notifications {
  readonly 'kinetoscope/runs/changed': RunArrived;
  readonly 'kinetoscope/lines/changed': LinesChanged;
  readonly 'kinetoscope/part/changed': PartChanged;
  readonly 'kinetoscope/read/progress': ReadProgress;
}

/** Method → parameters: what the extension tells on its own. */
export interface ClientNotifications {
  readonly 'kinetoscope/inline/settings': InlineSettings;
  readonly 'kinetoscope/source/settings': SourceSettings;
  readonly 'kinetoscope/traces/opened': OpenTraces;
}
