/**
 * The table as text for the clipboard: CSV with plain numbers for spreadsheets, Markdown as it is read.
 */
import type { LineCost, Metric } from '../../server/wire';
import { NUMBERS, ownCost, shareText } from './columns';
import type { Spread } from './columns';

/** All rows with all numbers, in µs and bytes, spread over the steps. */
export function toCsv(rows: readonly LineCost[], spread: Spread): string {
  const units = (id: string) => (id === 'memory' ? 'alloc_bytes' : id === 'calls' ? 'calls' : `${id}_us`);
  const header = ['file', 'line', 'function', 'source', ...NUMBERS.map(({ id }) => units(id)), 'precision'];
  const lines = rows.map((row) => [
    row.file,
    String(row.line),
    row.function,
    row.source,
    ...NUMBERS.map(({ value }) => String(round(value(row) / spread.steps))),
    row.precision,
  ]);
  return [header, ...lines].map((cells) => cells.map(csvCell).join(',')).join('\r\n') + '\r\n';
}

/** Three digits after the point: a thousandth of a microsecond is below any clock's grain. */
function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}

function csvCell(text: string): string {
  // A leading =, +, - or @ would be a formula to a spreadsheet; numbers of ours may be negative and stay as they are.
  const safe = /^[=+\-@\t\r]/.test(text) && !/^-?\d/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** The rows as a Markdown table: place, text, share and the numbers that are not empty everywhere. */
export function toMarkdown(
  rows: readonly LineCost[],
  metric: Metric,
  whole: number,
  spread: Spread,
  labels: ReadonlyMap<string, string>,
): string {
  const columns = NUMBERS.filter(({ value }) => rows.some((row) => value(row) !== 0));
  const header = ['Line', 'Source', 'Share', ...columns.map(({ title }) => title)];
  const align = [':--', ':--', ...Array.from({ length: columns.length + 1 }, () => '--:')];
  const lines = rows.map((row) => [
    `${labels.get(row.file) ?? row.file}:${row.line}`,
    code(row.source),
    shareText(ownCost(row, metric), whole),
    ...columns.map(({ value, text }) => text(value(row), spread)),
  ]);
  return [header, align, ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n') + '\n';
}

/** Source as Markdown code in a table cell: the fence is longer than any run of backticks in it. */
function code(source: string): string {
  if (source === '') {
    return '';
  }
  const longest = Math.max(0, ...(source.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  const pad = longest > 0 ? ' ' : '';
  return `${fence}${pad}${source.replaceAll('|', '\\|')}${pad}${fence}`;
}
