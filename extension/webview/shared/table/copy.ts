/**
 * A table as text for the clipboard: CSV with plain numbers for spreadsheets, Markdown as it is read.
 */
import { cellText, isNumber } from './columns';
import type { Column, CsvColumn, Unit } from './columns';
import { mainColumn } from './layout';
import type { Placed } from './rows';

const UNITS: Readonly<Record<Unit, string>> = { us: 'us', bytes: 'bytes', percent: 'percent', share: '', text: '', count: '', number: '' };

/** All rows with the columns, numbers as they are in the unit that the title ends with. Rows of a tree have their depth first. */
export function toCsv<Row>(rows: readonly Placed<Row>[], columns: readonly Column<Row>[]): string {
  const cells = columns.flatMap((column) => column.csv ?? [{ title: csvTitle(column), value: column.value }]);
  const depth = rows.some((placed) => placed.depth > 0);
  const header = [...(depth ? ['depth'] : []), ...cells.map(({ title }) => title)];
  const lines = rows.map((placed) => [
    ...(depth ? [String(placed.depth)] : []),
    ...cells.map((cell: CsvColumn<Row>) => plain(cell.value(placed.row))),
  ]);
  return [header, ...lines].map((line) => line.map(csvCell).join(',')).join('\r\n') + '\r\n';
}

function csvTitle<Row>({ id, unit }: Column<Row>): string {
  const suffix = UNITS[unit];
  return suffix === '' || id.endsWith(`_${suffix}`) ? id : `${id}_${suffix}`;
}

/** Three digits after the point: a thousandth of a microsecond is below any clock's grain. */
function plain(value: number | string | null): string {
  return value === null ? '' : typeof value === 'number' ? String(Math.round(value * 1000) / 1000) : value;
}

function csvCell(text: string): string {
  // A leading =, +, - or @ would be a formula to a spreadsheet; numbers of ours may be negative and stay as they are.
  const safe = /^[=+\-@\t\r]/.test(text) && !/^-?\d/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** The rows as a Markdown table, with the columns that are not empty everywhere. */
export function toMarkdown<Row>(rows: readonly Placed<Row>[], columns: readonly Column<Row>[]): string {
  const main = mainColumn(columns);
  const cell = (column: Column<Row>, placed: Placed<Row>) => {
    const text = column.markdown ? column.markdown(placed.row) : markdownText(cellText(column, placed.row));
    return column === main ? '&nbsp;&nbsp;'.repeat(placed.depth) + text : text;
  };
  const used = columns.filter((column) => column.markdown !== null && rows.some((placed) => cell(column, placed) !== ''));
  const header = used.map(({ title }) => title);
  const align = used.map((column) => (isNumber(column) ? '--:' : ':--'));
  const lines = rows.map((placed) => used.map((column) => cell(column, placed)));
  return [header, align, ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n') + '\n';
}

/** Text of a trace in a table cell: nothing in it is markup. */
export function markdownText(text: string): string {
  return text.replaceAll(/[\\`*_{}[\]<>|~]/g, '\\$&').replaceAll(/\s+/g, ' ');
}

/** Text as Markdown code in a table cell: the fence is longer than any run of backticks in it. */
export function markdownCode(text: string): string {
  if (text === '') {
    return '';
  }
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  const pad = longest > 0 ? ' ' : '';
  return `${fence}${pad}${text.replaceAll('|', '\\|')}${pad}${fence}`;
}
