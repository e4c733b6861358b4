/**
 * What the reader of the Kernels page chose, kept across reloads.
 */
import { restorePer } from '../shared/perStep';
import type { Per } from '../shared/perStep';
import { restoreTable, tableState } from '../shared/table';
import type { TableState } from '../shared/table';
import { restoreTop } from '../shared/top';
import type { TopState } from '../shared/top';
import type { Cores, Group } from './rows';

export interface Choices {
  readonly group: Group;
  /** None: all. */
  readonly families: readonly string[];
  readonly cores: Cores;
  readonly per: Per;
  readonly top: TopState;
  readonly table: TableState;
}

export const DEFAULT_CHOICES: Choices = {
  group: 'name',
  families: [],
  cores: 'all',
  per: 'step',
  top: { shown: true, size: 10, by: 'total' },
  table: tableState({ column: 'total', descending: true }),
};

/** Saved choices as far as they are of the present shape. */
export function restoreChoices(saved: { readonly [K in keyof Choices]?: unknown }): Choices {
  return {
    group: saved.group === 'launch' ? 'launch' : 'name',
    families: Array.isArray(saved.families) ? saved.families.filter((family): family is string => typeof family === 'string') : [],
    cores: saved.cores === 'with' || saved.cores === 'without' ? saved.cores : 'all',
    per: restorePer(saved.per),
    top: restoreTop(saved.top, DEFAULT_CHOICES.top, ['total', 'calls']),
    table: restoreTable(saved.table, DEFAULT_CHOICES.table),
  };
}
