/**
 * What a column of a table is: declared once, and everything follows from it: how it is shown, sorted, searched, drawn as a bar and copied.
 */
import type { ComponentChildren } from 'preact';
import { count, share, sizeBytes, timeUs } from '../../../format';

/** `text` stands left, numbers right. `share` is a part of 1, `percent` of 100; `number` is shown as it is. */
export type Unit = 'text' | 'us' | 'bytes' | 'share' | 'percent' | 'count' | 'number';

export interface Column<Row> {
  readonly id: string;
  readonly title: string;
  /** What it is, in one sentence: the header's tooltip. */
  readonly help: string;
  readonly unit: Unit;
  /** For sorting, search, bars and export; numbers in the unit. Null: not known, shown empty and sorted last. */
  readonly value: (row: Row) => number | string | null;
  /** To sort by this instead of the value. */
  readonly order?: (row: Row) => number | string | null;
  /** Other words or elements than the formatted value. */
  readonly render?: (row: Row) => ComponentChildren;
  /** Otherwise text stands left and numbers right. */
  readonly align?: 'left' | 'right';
  /** Width in pixels; the first text column without one takes the room that is left. */
  readonly widthPx?: number;
  /** Of the column that takes the room that is left: how much of it others may not take. */
  readonly leastPx?: number;
  /** A bar beside the number: of the greatest value of the column, or of this whole. */
  readonly bar?: 'greatest' | { readonly of: number };
  /** False: only shown when the reader chooses it. */
  readonly shown?: boolean;
  /** Where room is short, columns with a greater number leave first, with 0 never; by default they leave from the right. */
  readonly leaves?: number;
  /** False: not to be sorted by. */
  readonly sortable?: boolean;
  /** False: not looked at by the search. By default text is. */
  readonly searched?: boolean;
  /** Columns of the CSV instead of this one; empty for none. */
  readonly csv?: readonly CsvColumn<Row>[];
  /** The cell in Markdown instead of the formatted value; null leaves the column out. */
  readonly markdown?: ((row: Row) => string) | null;
}

export interface CsvColumn<Row> {
  readonly title: string;
  readonly value: (row: Row) => number | string | null;
}

export interface Sort {
  readonly column: string;
  readonly descending: boolean;
}

export function isNumber<Row>(column: Column<Row>): boolean {
  return column.unit !== 'text';
}

/** The value as it is read. What is not there at all, and a time or size of nothing, is an empty cell. */
export function cellText<Row>(column: Column<Row>, row: Row): string {
  const value = column.value(row);
  return value === null ? '' : typeof value === 'string' ? value : amountText(value, column.unit);
}

export function amountText(value: number, unit: Unit): string {
  switch (unit) {
    case 'us':
      return value === 0 ? '' : timeUs(value);
    case 'bytes':
      return value === 0 ? '' : sizeBytes(value);
    case 'share':
      return share(value);
    case 'percent':
      return share(value / 100);
    case 'count':
      return value === 0 ? '' : count(value);
    case 'number':
    case 'text':
      return String(value);
  }
}

/** Width of a bar, 0 to 100 per cent. */
export function barPercent(value: number | string | null, whole: number): number {
  return typeof value === 'number' && whole > 0 ? Math.min(100, Math.max(0, (100 * Math.abs(value)) / whole)) : 0;
}
