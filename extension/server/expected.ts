/**
 * Messages of the server that the pages need and `wire.ts` does not have yet.
 */
import type { LineCost, LineParams, RunParams, RunSummary } from './wire';

/** What of a recording is looked at. Null: the lowest rank, all steps, all of the time. At most one of `step` and `range_us`. */
export interface Part {
  readonly rank: number | null;
  /** The N of `ProfilerStep#N`. */
  readonly step: number | null;
  /** Microseconds since the recording's start. */
  readonly range_us: readonly [number, number] | null;
}

export interface ViewParams {
  readonly run?: string | null;
  readonly name: string;
  readonly part?: Part;
}

export interface ViewAnswer {
  readonly content: unknown;
}

export interface RunDescription {
  readonly run: RunSummary;
  readonly active: boolean;
  readonly ranks: readonly number[];
  readonly part: Part;
}

export interface PartParams {
  readonly run?: string | null;
  readonly part: Part;
}

export interface PartChanged {
  readonly run: string;
  readonly part: Part;
}

export interface SearchParams {
  readonly run?: string | null;
  readonly part?: Part;
  readonly text: string;
}

export interface SearchHit {
  readonly kind: 'operator' | 'kernel' | 'module' | 'line';
  readonly name: string;
  readonly file: string | null;
  readonly line: number | null;
  /** What it cost: device time, or host time where there is none. */
  readonly us: number;
}

export interface SearchAnswer {
  readonly hits: readonly SearchHit[];
  /** How many there are, of which `hits` are the dearest. */
  readonly found: number;
}

export interface SourceText {
  readonly file: string;
  /** As it was profiled; null where it is not known, `problem` then says why. */
  readonly text: string | null;
  readonly rows: readonly LineCost[];
  readonly problem: string | null;
}

export interface ExpectedRequests {
  readonly 'kinetoscope/view': { readonly params: ViewParams; readonly result: ViewAnswer };
  readonly 'kinetoscope/run/describe': { readonly params: RunParams; readonly result: RunDescription };
  readonly 'kinetoscope/part/select': { readonly params: PartParams; readonly result: RunDescription };
  readonly 'kinetoscope/search': { readonly params: SearchParams; readonly result: SearchAnswer };
  readonly 'kinetoscope/source/text': { readonly params: LineParams; readonly result: SourceText };
}

export interface ExpectedNotifications {
  readonly 'kinetoscope/part/changed': PartChanged;
}

export interface Operator {
  readonly name: string;
  readonly input_shape: string;
  readonly calls: number;
  readonly host_self_us: number;
  readonly host_total_us: number;
  readonly device_self_us: number;
  readonly device_total_us: number;
  readonly tensor_cores_eligible: boolean;
  readonly tensor_cores_self_percent: number | null;
}

export interface Operators {
  readonly rows: readonly Operator[];
  readonly unlinked_device_us: number;
}

/** What the step picker takes of the overview. */
export interface Overview {
  readonly steps: {
    readonly marked: boolean;
    readonly each: readonly { readonly number: number; readonly name: string; readonly us: number }[];
  };
}

/** View → its content: the structs of service/views.py. */
export interface ViewContents {
  readonly overview: Overview;
  readonly operators: Operators;
}
