/**
 * What the reader of the Memory page chose, kept across reloads.
 */
import { restoreTable, tableState } from '../shared/table';
import type { TableState } from '../shared/table';
import { KINDS } from './owners';
import type { Kind } from './owners';

export type Panel = 'peak' | 'blocks' | 'operators';

export interface Choices {
  /** Null: the one with most. */
  readonly device: string | null;
  /** Null: by line where some are known, else by category. */
  readonly kind: Kind | null;
  readonly before: boolean;
  readonly reserved: boolean;
  readonly panel: Panel;
  readonly peak: TableState;
  readonly blocks: TableState;
  readonly operators: TableState;
}

export const DEFAULT_CHOICES: Choices = {
  device: null,
  kind: null,
  before: true,
  reserved: true,
  panel: 'peak',
  peak: tableState({ column: 'bytes', descending: true }),
  blocks: tableState({ column: 'bytes', descending: true }),
  operators: tableState({ column: 'increase_self', descending: true }),
};

/** Saved choices as far as they are of the present shape. */
export function restoreChoices(saved: { readonly [K in keyof Choices]?: unknown }): Choices {
  return {
    device: typeof saved.device === 'string' ? saved.device : null,
    kind: KINDS.find(({ value }) => value === saved.kind)?.value ?? null,
    before: saved.before !== false,
    reserved: saved.reserved !== false,
    panel: saved.panel === 'blocks' || saved.panel === 'operators' ? saved.panel : 'peak',
    peak: restoreTable(saved.peak, DEFAULT_CHOICES.peak),
    blocks: restoreTable(saved.blocks, DEFAULT_CHOICES.blocks),
    operators: restoreTable(saved.operators, DEFAULT_CHOICES.operators),
  };
}
