/**
 * What the reader of the Operators page chose, kept across reloads.
 */
import { restorePer } from '../shared/perStep';
import type { Per } from '../shared/perStep';
import { restoreTable, tableState } from '../shared/table';
import type { TableState } from '../shared/table';
import { restoreTop } from '../shared/top';
import type { TopState } from '../shared/top';
import { GROUPS } from './groups';
import type { Group } from './groups';

export interface Choices {
  readonly group: Group;
  readonly per: Per;
  readonly top: TopState;
  readonly table: TableState;
}

export const DEFAULT_CHOICES: Choices = {
  group: 'name',
  per: 'step',
  top: { shown: true, size: 10, by: 'device_self' },
  table: tableState({ column: 'device_self', descending: true }),
};

/** Saved choices as far as they are of the present shape. */
export function restoreChoices(saved: { readonly [K in keyof Choices]?: unknown }): Choices {
  return {
    group: GROUPS.find(({ value }) => value === saved.group)?.value ?? DEFAULT_CHOICES.group,
    per: restorePer(saved.per),
    top: restoreTop(saved.top, DEFAULT_CHOICES.top, ['device_self', 'host_self']),
    table: restoreTable(saved.table, DEFAULT_CHOICES.table),
  };
}
