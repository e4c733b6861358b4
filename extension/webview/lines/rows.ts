/**
 * Which rows the Lines table shows, and in which order: pure functions over the report.
 */
import type { LineCost, Metric } from '../../server/wire';
import { NUMBERS, ownCost } from './columns';
import type { ColumnId } from './columns';

export interface Sort {
  readonly column: ColumnId;
  readonly descending: boolean;
}

export interface Query {
  readonly metric: Metric;
  readonly filter: string;
  readonly sort: Sort;
}

/** Lines that match every word of the filter, sorted. Lines without any cost in the ranking metric come last, whatever the direction. */
export function selectRows(rows: readonly LineCost[], { metric, filter, sort }: Query): LineCost[] {
  const words = filter.toLowerCase().split(/\s+/).filter((word) => word !== ''); // prettier-ignore
  const kept = words.length === 0 ? [...rows] : rows.filter((row) => matches(row, words));
  return kept.sort(comparison(metric, sort));
}

function matches(row: LineCost, words: readonly string[]): boolean {
  const text = `${row.source}\n${row.file}:${row.line}\n${row.function}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

function comparison(metric: Metric, { column, descending }: Sort): (a: LineCost, b: LineCost) => number {
  const direction = descending ? -1 : 1;
  if (column === 'source') {
    return (a, b) => direction * byPlace(a, b);
  }
  if (column === 'precision') {
    const order = ['line', 'call', 'inferred', 'function'];
    return (a, b) => direction * (order.indexOf(a.precision) - order.indexOf(b.precision)) || byPlace(a, b);
  }
  const number = NUMBERS.find(({ id }) => id === column);
  const value = number ? number.value : (row: LineCost) => ownCost(row, metric);
  return (a, b) => {
    const [x, y] = [value(a), value(b)];
    // A line that has none of it is never what one looks for.
    return (x === 0 ? 1 : 0) - (y === 0 ? 1 : 0) || direction * (x - y) || byPlace(a, b);
  };
}

function byPlace(a: LineCost, b: LineCost): number {
  return a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1;
}

/** The next sort when a header is clicked: numbers begin with the greatest, text with the first. */
export function nextSort(sort: Sort, column: ColumnId): Sort {
  return sort.column === column
    ? { column, descending: !sort.descending }
    : { column, descending: column !== 'source' && column !== 'precision' };
}

/** Identity of a row across sorting and reloading. */
export function rowKey({ file, line }: { readonly file: string; readonly line: number }): string {
  return `${file}:${line}`;
}

/** The last `parts` parts of a path: `net.py` or `models/net.py` of `/home/me/models/net.py`. */
export function shortFile(file: string, parts = 1): string {
  return file.split(/[\\/]/).slice(-parts).join('/');
}

/** Label of each file: as many last parts of its path, at most six, as are needed so that no two files of the table look alike. */
export function fileLabels(files: Iterable<string>): Map<string, string> {
  const labels = new Map<string, string>();
  let open = [...new Set(files)];
  for (let parts = 1; open.length > 0; parts++) {
    const counts = new Map<string, number>();
    for (const file of open) {
      const label = shortFile(file, parts);
      counts.set(label, (counts.get(label) ?? 0) + 1);
    }
    const alike = open.filter((file) => parts < MOST_PARTS && (counts.get(shortFile(file, parts)) ?? 0) > 1);
    for (const file of open) {
      labels.set(file, shortFile(file, parts));
    }
    open = alike;
  }
  return labels;
}

const MOST_PARTS = 6;
