/**
 * The columns that show a change: before, after, and how much it is, with a bar to the left for less and to the right for more.
 */
import type { Change, KernelChange, LineChange, OperatorChange } from '../../server/wire';
import { shortFile } from '../shared/PlaceLink';
import { markdownCode } from '../shared/table';
import type { Column } from '../shared/table';
import { differenceText, matchText, MATCHES, percentText, verdictOf, wordOf } from './changes';
import type { Amount } from './changes';

interface Of<Row> {
  readonly of: (row: Row) => Change;
  readonly amount: Exclude<Amount, 'count'>;
  /** The greatest difference of all rows: its bar is full. */
  readonly most: number;
  readonly calls: (row: Row) => Change;
}

export function changeColumns<Row>({ of, amount, most, calls }: Of<Row>): Column<Row>[] {
  return [
    { id: 'before', title: 'Before', help: 'In the baseline', unit: amount, leaves: 2, value: (row) => of(row).before },
    { id: 'after', title: 'After', help: 'In this run', unit: amount, leaves: 3, value: (row) => of(row).after },
    {
      id: 'difference',
      title: 'Difference',
      help: 'After less before; sorted by its size, whether less or more',
      unit: amount,
      widthPx: 150,
      leaves: 0,
      value: (row) => of(row).difference,
      order: (row) => Math.abs(of(row).difference),
      render: (row) => <Difference change={of(row)} amount={amount} most={most} />,
      markdown: (row) => differenceText(of(row), amount),
    },
    {
      id: 'percent',
      title: 'Change',
      help: 'The difference in per cent of before',
      unit: 'percent',
      widthPx: 76,
      leaves: 4,
      value: (row) => of(row).percent,
      order: (row) => Math.abs(of(row).percent ?? 0),
      render: (row) => <span class={`text ${verdictOf(of(row), amount)}`}>{percentText(of(row))}</span>,
      markdown: (row) => percentText(of(row)),
    },
    {
      id: 'word',
      title: 'Result',
      help: amount === 'us' ? 'Faster, slower, new, gone or the same' : 'Less, more, new, gone or the same',
      unit: 'text',
      widthPx: 62,
      leaves: 1,
      value: (row) => wordOf(of(row), amount),
    },
    {
      id: 'calls_before',
      title: 'Calls before',
      help: 'How often in the baseline',
      unit: 'count',
      widthPx: 88,
      leaves: 6,
      value: (row) => calls(row).before,
    },
    {
      id: 'calls_after',
      title: 'Calls after',
      help: 'How often in this run',
      unit: 'count',
      widthPx: 82,
      leaves: 5,
      value: (row) => calls(row).after,
    },
  ];
}

export const OPERATOR: Column<OperatorChange> = {
  id: 'name',
  title: 'Operator',
  help: 'Name of the operator',
  unit: 'text',
  value: ({ name }) => name,
};

export const KERNEL: Column<KernelChange> = {
  id: 'name',
  title: 'Kernel',
  help: 'Name of the kernel, copy or fill',
  unit: 'text',
  value: ({ name }) => name,
};

export const LINE: Column<LineChange> = {
  id: 'line',
  title: 'Line',
  help: 'The line after; sort by file and line',
  unit: 'text',
  value: place,
  order: ({ file, line }) => `${file}:${String(line).padStart(8, '0')}`,
  render: (row) => <Line row={row} />,
  csv: [
    { title: 'file', value: ({ file }) => file },
    { title: 'line', value: ({ line }) => line },
    { title: 'line_before', value: ({ line_before }) => line_before },
    { title: 'match', value: ({ match }) => match },
    { title: 'function', value: (row) => row.function },
    { title: 'source', value: ({ source }) => source },
  ],
  markdown: (row) => [place(row), markdownCode(row.source), matchText(row)].filter((part) => part !== '').join(' '),
};

/** What the filter looks in. */
export function lineText(row: LineChange): string {
  return `${row.source}\n${row.function}\n${row.match} ${MATCHES[row.match].word}`;
}

function place({ file, line }: LineChange): string {
  return `${shortFile(file)}:${line}`;
}

function Line({ row }: { readonly row: LineChange }) {
  const match = matchText(row);
  return (
    <div class="source">
      <code title={row.source}>{row.source === '' ? row.function : row.source}</code>
      <div class="place">
        {row.match === 'gone' ? (
          <span>{place(row)}</span>
        ) : (
          <span class="link" title={`Open ${row.file}:${row.line}`}>
            {place(row)}
          </span>
        )}
        {match === '' ? null : (
          <span class="badge" title={MATCHES[row.match].help}>
            {match}
          </span>
        )}
        <span class="function">{row.function}</span>
      </div>
    </div>
  );
}

interface DifferenceProps {
  readonly change: Change;
  readonly amount: Amount;
  readonly most: number;
}

function Difference({ change, amount, most }: DifferenceProps) {
  const { difference } = change;
  const verdict = verdictOf(change, amount);
  const length = `${most > 0 ? Math.min(50, (50 * Math.abs(difference)) / most) : 0}%`;
  return (
    <span class={`difference ${verdict}`}>
      <span class="both-ways" aria-hidden="true">
        <span style={difference < 0 ? { right: '50%', width: length } : { left: '50%', width: length }} />
      </span>
      <span class="number">{differenceText(change, amount)}</span>
    </span>
  );
}
