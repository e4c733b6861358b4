/**
 * Which columns a table of some width shows.
 */
import { isNumber } from './columns';
import type { Column, Unit } from './columns';
import type { TableState } from './state';

/** The main column's text keeps this much room unless it says otherwise; below it, other columns leave. */
const MAIN_LEAST_PX = 190;

const WIDTH_PX: Readonly<Record<Unit, number>> = { text: 160, us: 80, bytes: 84, share: 72, percent: 72, count: 66, number: 76 };
const BAR_PX = 124;

export function widthOf<Row>(column: Column<Row>): number {
  return column.widthPx ?? (column.bar === undefined ? WIDTH_PX[column.unit] : BAR_PX);
}

/** The column that takes the room that is left: the first text without a width, else the first. */
export function mainColumn<Row>(columns: readonly Column<Row>[]): Column<Row> | undefined {
  return columns.find((column) => !isNumber(column) && column.widthPx === undefined) ?? columns[0];
}

/** The columns that the reader wants. The main one is always there. */
export function chosenColumns<Row>(columns: readonly Column<Row>[], chosen: TableState['columns']): Column<Row>[] {
  const main = mainColumn(columns);
  return columns.filter((column) => column === main || (chosen[column.id] ?? column.shown ?? true));
}

/** Those that there is room for. The one that rows are sorted by leaves last. */
export function fittingColumns<Row>(columns: readonly Column<Row>[], widthPx: number, sortedBy: string): Column<Row>[] {
  const main = mainColumn(columns);
  const rank = (column: Column<Row>) => (column.id === sortedBy ? -1 : (column.leaves ?? columns.indexOf(column)));
  const others = columns.filter((column) => column !== main);
  // What never leaves takes its room first.
  const stays = others.filter(({ leaves }) => leaves === 0);
  let room = widthPx - (main?.leastPx ?? MAIN_LEAST_PX) - stays.reduce((sum, column) => sum + widthOf(column), 0);
  const kept = new Set<Column<Row>>(main === undefined ? stays : [main, ...stays]);
  for (const column of others.filter((one) => !kept.has(one)).sort((a, b) => rank(a) - rank(b))) {
    room -= widthOf(column);
    if (room < 0) {
      break;
    }
    kept.add(column);
  }
  return columns.filter((column) => kept.has(column));
}

/** For `grid-template-columns`. */
export function gridTemplate<Row>(columns: readonly Column<Row>[]): string {
  const main = mainColumn(columns);
  return columns.map((column) => (column === main ? 'minmax(0, 1fr)' : `${widthOf(column)}px`)).join(' ');
}
