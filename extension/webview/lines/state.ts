/**
 * What the reader of the Lines page chose, kept across reloads.
 */
import type { Metric } from '../../server/wire';
import { restorePer } from '../shared/perStep';
import type { Per } from '../shared/perStep';
import { restoreTable, tableState } from '../shared/table';
import type { TableState } from '../shared/table';

export interface Choices {
  /** Null: the run's own (GPU where it used one). */
  readonly metric: Metric | null;
  readonly per: Per;
  readonly table: TableState;
}

export const DEFAULT_CHOICES: Choices = {
  metric: null,
  per: 'step',
  table: tableState({ column: 'share', descending: true }),
};

/** Saved choices as far as they are of the present shape: another version of the page may have saved them. */
export function restoreChoices(saved: { readonly [K in keyof Choices]?: unknown }): Choices {
  return {
    metric: ['gpu_time', 'cpu_time', 'memory'].includes(String(saved.metric)) ? (saved.metric as Metric) : null,
    per: restorePer(saved.per),
    table: restoreTable(saved.table, DEFAULT_CHOICES.table),
  };
}
