/**
 * What the reader of the Modules page chose, kept across reloads.
 */
import { restorePer } from '../shared/perStep';
import type { Per } from '../shared/perStep';
import { restoreTable, tableState } from '../shared/table';
import type { TableState } from '../shared/table';
import { RANKED } from './columns';
import type { Metric } from './columns';

export interface Choices {
  /** Null: the run's own, GPU where it used one. */
  readonly metric: Metric | null;
  readonly per: Per;
  /** How many levels are expanded where the reader did not choose for a row; all where it is more than there are. */
  readonly levels: number;
  readonly table: TableState;
}

export const ALL_LEVELS = 1000;

export const DEFAULT_CHOICES: Choices = {
  metric: null,
  per: 'step',
  levels: 3,
  table: tableState({ column: RANKED.gpu, descending: true }),
};

/** Saved choices as far as they are of the present shape. */
export function restoreChoices(saved: { readonly [K in keyof Choices]?: unknown }): Choices {
  return {
    metric: saved.metric === 'gpu' || saved.metric === 'cpu' || saved.metric === 'memory' ? saved.metric : null,
    per: restorePer(saved.per),
    levels: typeof saved.levels === 'number' && saved.levels >= 0 ? saved.levels : DEFAULT_CHOICES.levels,
    table: restoreTable(saved.table, DEFAULT_CHOICES.table),
  };
}
