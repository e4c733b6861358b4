/**
 * What the reader of a table chose: sort, search, columns, what is selected and open. Part of a page's state.
 */
import type { Sort } from './columns';

export interface TableState {
  readonly sort: Sort;
  readonly filter: string;
  /** Columns chosen other than they are by default: id → shown. */
  readonly columns: Readonly<Record<string, boolean>>;
  /** Keys of rows; null for none. */
  readonly selected: string | null;
  readonly open: string | null;
  /** Keys of rows of a tree that are expanded or collapsed other than they are by default. */
  readonly expanded: Readonly<Record<string, boolean>>;
}

export function tableState(sort: Sort): TableState {
  return { sort, filter: '', columns: {}, selected: null, open: null, expanded: {} };
}

/** The state sorted by another column where the present one is not among the columns: as those of a device where none worked. */
export function sortedByOneOf(columns: readonly { readonly id: string }[], state: TableState, otherwise: string): TableState {
  return columns.some(({ id }) => id === state.sort.column) ? state : { ...state, sort: { column: otherwise, descending: true } };
}

/** Saved state as far as it is of the present shape: another version of the page may have saved it. */
export function restoreTable(saved: unknown, initial: TableState): TableState {
  if (typeof saved !== 'object' || saved === null) {
    return initial;
  }
  // SAFETY: each field is checked before it is used.
  const raw = saved as { [K in keyof TableState]?: unknown };
  return {
    sort: isSort(raw.sort) ? raw.sort : initial.sort,
    filter: typeof raw.filter === 'string' ? raw.filter : initial.filter,
    columns: isFlags(raw.columns) ? raw.columns : initial.columns,
    selected: typeof raw.selected === 'string' ? raw.selected : null,
    open: typeof raw.open === 'string' ? raw.open : null,
    expanded: isFlags(raw.expanded) ? raw.expanded : initial.expanded,
  };
}

function isSort(value: unknown): value is Sort {
  return (
    typeof value === 'object' &&
    value !== null &&
    'column' in value &&
    typeof value.column === 'string' &&
    'descending' in value &&
    typeof value.descending === 'boolean'
  );
}

function isFlags(value: unknown): value is Readonly<Record<string, boolean>> {
  return typeof value === 'object' && value !== null && Object.values(value).every((flag) => typeof flag === 'boolean');
}
