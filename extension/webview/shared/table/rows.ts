/**
 * Which rows a table shows, and in which order: pure functions over the rows that it is given.
 */
import { isNumber } from './columns';
import type { Column, Sort } from './columns';
import type { TableState } from './state';

/** A row in its place: `depth` 0 except in a tree. */
export interface Placed<Row> {
  readonly row: Row;
  readonly key: string;
  readonly depth: number;
  /** Whether rows are below it; false for all where the table is no tree. */
  readonly parent: boolean;
  readonly expanded: boolean;
}

export interface Tree<Row> {
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly rowKey: (row: Row) => string;
  readonly children: ((row: Row) => readonly Row[]) | undefined;
  /** What the search looks in, besides the text of columns. */
  readonly searchText: ((row: Row) => string) | undefined;
  /** Rows above this depth are expanded until the reader collapses them. */
  readonly expandedDepth: number;
}

type Chosen = Pick<TableState, 'sort' | 'filter' | 'expanded'>;

/** Rows that match every word of the filter, sorted among their siblings. With a filter the way down to what matches is expanded. */
export function arrange<Row>(tree: Tree<Row>, { sort, filter, expanded }: Chosen): Placed<Row>[] {
  const words = wordsOf(filter);
  const text = searchedText(tree);
  const matches = (row: Row) => {
    const all = text(row).toLowerCase();
    return words.every((word) => all.includes(word));
  };
  const order = comparison(tree.columns, sort);
  const placed: Placed<Row>[] = [];
  const { children, rowKey } = tree;

  if (children === undefined) {
    const kept = words.length === 0 ? tree.rows : tree.rows.filter(matches);
    return sorted(kept, order).map((row) => ({ row, key: rowKey(row), depth: 0, parent: false, expanded: false }));
  }
  const leads = new Map<Row, boolean>();
  const isKept = (row: Row): boolean => {
    const known = leads.get(row);
    if (known !== undefined) {
      return known;
    }
    const kept = matches(row) || children(row).some(isKept);
    leads.set(row, kept);
    return kept;
  };
  const place = (rows: readonly Row[], depth: number) => {
    const kept = words.length === 0 ? rows : rows.filter(isKept);
    for (const row of sorted(kept, order)) {
      const key = rowKey(row);
      const below = words.length === 0 ? children(row) : children(row).filter(isKept);
      const open = below.length > 0 && (words.length > 0 || (expanded[key] ?? depth < tree.expandedDepth));
      placed.push({ row, key, depth, parent: below.length > 0, expanded: open });
      if (open) {
        place(below, depth + 1);
      }
    }
  };
  place(tree.rows, 0);
  return placed;
}

export function wordsOf(filter: string): string[] {
  return filter.toLowerCase().split(/\s+/).filter((word) => word !== ''); // prettier-ignore
}

function searchedText<Row>({ columns, searchText }: Tree<Row>): (row: Row) => string {
  const searched = columns.filter((column) => column.searched ?? !isNumber(column));
  return (row) => [searchText?.(row) ?? '', ...searched.map(({ value }) => String(value(row) ?? ''))].join('\n');
}

type Order<Row> = { readonly value: (row: Row) => number | string | null; readonly direction: 1 | -1 } | null;

function comparison<Row>(columns: readonly Column<Row>[], { column, descending }: Sort): Order<Row> {
  const by = columns.find(({ id }) => id === column);
  return by === undefined ? null : { value: by.order ?? by.value, direction: descending ? -1 : 1 };
}

/** A copy in order. Equal ones stay as they were; those that have none of it come last, whatever the direction: nobody looks for them. */
function sorted<Row>(rows: readonly Row[], order: Order<Row>): readonly Row[] {
  if (order === null) {
    return rows;
  }
  const { value, direction } = order;
  const none = (of: number | string | null) => (of === null || of === 0 || of === '' ? 1 : 0);
  return rows
    .map((row) => ({ row, value: value(row) }))
    .sort(({ value: a }, { value: b }) => none(a) - none(b) || (a === null || b === null || a === b ? 0 : a < b ? -direction : direction))
    .map(({ row }) => row);
}

/** The next sort when a header is clicked: numbers begin with the greatest, text with the first. */
export function nextSort<Row>(sort: Sort, column: Column<Row>): Sort {
  return sort.column === column.id
    ? { column: column.id, descending: !sort.descending }
    : { column: column.id, descending: isNumber(column) };
}

/** Index of the row that the one at `index` is below, -1 at the top. */
export function parentOf(placed: readonly Placed<unknown>[], index: number): number {
  const depth = placed[index]?.depth ?? 0;
  for (let i = index - 1; i >= 0; i--) {
    if ((placed[i]?.depth ?? 0) < depth) {
      return i;
    }
  }
  return -1;
}
