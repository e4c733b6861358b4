// Generated from pyserver/kinetoscope/service/wire.py by scripts/generate_wire.py. Change that file and run
// `python scripts/generate_wire.py`; `npm run check` fails while this file is stale.

/**
 * How a cost was tied to its line, best first: `line` (line log), `call` (the exact calling line), `inferred` (source aligned with events),
 * `function` (only the function is known; `line` is then that of its `def`).
 */
export type Precision = 'line' | 'call' | 'inferred' | 'function';

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

/** Newest first, then the traces that are open or active. */
export interface RunList {
  readonly runs: readonly RunSummary[];
  readonly active: string | null;
}

/** A run by its path; null means none (for `runs/set_active`) or the active run (elsewhere). */
export interface RunParams {
  readonly run?: string | null;
}

/** A line as profiled, in one run. */
export interface LineParams {
  readonly run?: string | null;
  readonly file: string;
  readonly line: number;
}

/** A document of the editor. */
export interface FileParams {
  readonly uri: string;
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

/** Where a profiled line is now. `path` null: not found, or it may be any of `candidates`; `problem` says which, and what to do. */
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

/** Method → (parameters, result): what the extension may ask. */
export interface Requests {
  readonly 'kinetoscope/runs/list': { readonly params: Nothing; readonly result: RunList };
  readonly 'kinetoscope/runs/set_active': { readonly params: RunParams; readonly result: RunList };
  readonly 'kinetoscope/runs/delete': { readonly params: RunParams; readonly result: RunList };
  readonly 'kinetoscope/runs/cancel_reading': { readonly params: RunParams; readonly result: Nothing };
  readonly 'kinetoscope/traces/find': { readonly params: FolderParams; readonly result: FoundTraces };
  readonly 'kinetoscope/lines/heat': { readonly params: FileParams; readonly result: FileHeat };
  readonly 'kinetoscope/lines/hot_spots': { readonly params: LinesParams; readonly result: HotSpots };
  readonly 'kinetoscope/lines/view': { readonly params: LinesParams; readonly result: LinesView };
  readonly 'kinetoscope/lines/detail': { readonly params: LineParams; readonly result: LineDetail };
  readonly 'kinetoscope/source/place': { readonly params: LineParams; readonly result: Place };
  readonly 'kinetoscope/source/files': { readonly params: RunParams; readonly result: SourceFiles };
}

/** Method → parameters: what the server tells on its own. */
export interface Notifications {
  readonly 'kinetoscope/runs/changed': RunArrived;
  readonly 'kinetoscope/lines/changed': LinesChanged;
  readonly 'kinetoscope/read/progress': ReadProgress;
}

/** Method → parameters: what the extension tells on its own. */
export interface ClientNotifications {
  readonly 'kinetoscope/inline/settings': InlineSettings;
  readonly 'kinetoscope/source/settings': SourceSettings;
  readonly 'kinetoscope/traces/opened': OpenTraces;
}
