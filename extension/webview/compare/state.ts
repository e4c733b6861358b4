/**
 * What the reader of the Compare page chose, kept across reloads.
 */
import { restoreTable, tableState } from '../shared/table';
import type { TableState } from '../shared/table';

export type Shown = 'summary' | 'lines' | 'operators' | 'kernels';
export type Metric = 'gpu' | 'cpu' | 'memory';

export interface Choices {
  /** Path of the run to compare with; null where none was chosen. */
  readonly baseline: string | null;
  readonly shown: Shown;
  /** Null: GPU where one of the two used one, else CPU. */
  readonly metric: Metric | null;
  readonly lines: TableState;
  readonly operators: TableState;
  readonly kernels: TableState;
}

const LARGEST: TableState = tableState({ column: 'difference', descending: true });

export const INITIAL: Choices = { baseline: null, shown: 'summary', metric: null, lines: LARGEST, operators: LARGEST, kernels: LARGEST };

const SHOWN: readonly Shown[] = ['summary', 'lines', 'operators', 'kernels'];
const METRICS: readonly Metric[] = ['gpu', 'cpu', 'memory'];

/** Saved choices as far as they are of the present shape: another version of the page may have saved them. */
export function restoreChoices(saved: { readonly [K in keyof Choices]?: unknown }): Choices {
  return {
    baseline: typeof saved.baseline === 'string' ? saved.baseline : null,
    shown: SHOWN.find((one) => one === saved.shown) ?? INITIAL.shown,
    metric: METRICS.find((one) => one === saved.metric) ?? null,
    lines: restoreTable(saved.lines, LARGEST),
    operators: restoreTable(saved.operators, LARGEST),
    kernels: restoreTable(saved.kernels, LARGEST),
  };
}
