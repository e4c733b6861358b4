/**
 * What the reader of the Distributed page chose, kept across reloads.
 */
import { restoreTable, tableState } from '../shared/table';
import type { TableState } from '../shared/table';
import { METRICS } from './ranks';
import type { Metric } from './ranks';

export interface Choices {
  readonly metric: Metric;
  /** Collectives of all ranks, or of the selected one. */
  readonly only: 'all' | 'rank';
  readonly table: TableState;
}

export const DEFAULT_CHOICES: Choices = {
  metric: 'step_us',
  only: 'all',
  table: tableState({ column: 'total_latency', descending: true }),
};

/** Saved choices as far as they are of the present shape. */
export function restoreChoices(saved: { readonly [K in keyof Choices]?: unknown }): Choices {
  return {
    metric: METRICS.find(({ value }) => value === saved.metric)?.value ?? DEFAULT_CHOICES.metric,
    only: saved.only === 'rank' ? 'rank' : 'all',
    table: restoreTable(saved.table, DEFAULT_CHOICES.table),
  };
}
