/**
 * The columns of the Lines table: a line's text and place, its share as a bar with the number, its numbers, and how exact they are.
 */
import type { LineCost, Metric } from '../../server/wire';
import type { Spread } from '../shared/perStep';
import { BEST_FIRST, PrecisionMark } from '../shared/Precision';
import { markdownCode } from '../shared/table';
import type { Column } from '../shared/table';
import { amountText, NUMBERS, ownCost, shareText } from './columns';
import type { LineNumber } from './columns';

export interface LinesOf {
  readonly metric: Metric;
  readonly hasDevice: boolean;
  /** What shares are parts of, over the recording. */
  readonly whole: number;
  /** Own cost of the dearest row: its bar is full. */
  readonly most: number;
  readonly spread: Spread;
  /** Shortest names that tell files apart. */
  readonly labels: ReadonlyMap<string, string>;
}

export function lineColumns(of: LinesOf): Column<LineCost>[] {
  const { metric, hasDevice, whole, most, spread, labels } = of;
  const place = (row: LineCost) => `${labels.get(row.file) ?? row.file}:${row.line}`;
  const numbers = NUMBERS.filter((number) => hasDevice || number.metric !== 'gpu_time');
  return [
    {
      id: 'source',
      title: 'Line',
      help: 'Sort by file and line',
      unit: 'text',
      value: place,
      order: (row) => `${row.file}:${String(row.line).padStart(8, '0')}`,
      render: (row) => <Source row={row} place={place(row)} />,
      csv: [
        { title: 'file', value: ({ file }) => file },
        { title: 'line', value: ({ line }) => line },
        { title: 'function', value: (row) => row.function },
        { title: 'source', value: ({ source }) => source },
      ],
      markdown: (row) => [place(row), markdownCode(row.source)].filter((part) => part !== '').join(' '),
    },
    {
      id: 'share',
      title: 'Share',
      help: 'Own cost of the line in the metric, forward and backward, as a share of the run',
      unit: 'share',
      align: 'left',
      widthPx: 108,
      leaves: 0,
      value: (row) => (whole > 0 ? ownCost(row, metric) / whole : ownCost(row, metric)),
      render: (row) => <Share row={row} metric={metric} most={most} whole={whole} spread={spread} />,
      csv: [],
      markdown: (row) => shareText(ownCost(row, metric), whole),
    },
    ...numbers.map((number, index): Column<LineCost> => ({
      id: number.id,
      title: number.title,
      help: number.help,
      unit: number.unit,
      widthPx: number.widthPx,
      leaves: 1 + 10 * rank(number, metric) + index,
      value: (row) => number.value(row) / spread.steps,
    })),
    {
      id: 'precision',
      title: '',
      help: 'Precision: how the cost was tied to its line',
      unit: 'text',
      widthPx: 30,
      leaves: 0,
      value: ({ precision }) => precision,
      order: ({ precision }) => BEST_FIRST.indexOf(precision) + 1,
      render: ({ precision }) => <PrecisionMark precision={precision} />,
      markdown: null,
      searched: false,
    },
  ];
}

/** Numbers of the metric leave last, then calls. */
function rank(number: LineNumber, metric: Metric): number {
  return number.metric === metric ? 0 : number.metric === null ? 1 : number.metric === 'memory' ? 3 : 2;
}

/** What the filter looks in beside the place as the table names it; not in whole paths, since all lines of a project lie below its folder. */
export function lineText(row: LineCost): string {
  return `${row.source}\n${row.function}`;
}

function Source({ row, place }: { readonly row: LineCost; readonly place: string }) {
  return (
    <div class="source">
      <code title={row.source}>{row.source === '' ? `${row.function}()` : row.source}</code>
      <div class="place">
        <span class="link" title={`Open ${row.file}:${row.line}`}>
          {place}
        </span>
        <span class="function">{row.function}</span>
      </div>
    </div>
  );
}

type ShareProps = Pick<LinesOf, 'metric' | 'most' | 'whole' | 'spread'> & { readonly row: LineCost };

/** Forward solid, backward lighter. */
function Share({ row, metric, most, whole, spread }: ShareProps) {
  const own = ownCost(row, metric);
  const backward = metric === 'gpu_time' ? row.gpu_backward_us : 0;
  const part = (value: number) => ({ width: most > 0 ? `${(100 * value) / most}%` : '0' });
  return (
    <div class="share">
      <span class="bar" aria-hidden="true">
        <span class="forward" style={part(own - backward)} />
        {backward > 0 ? <span class="backward" style={part(backward)} title="backward" /> : null}
      </span>
      <span class="amount">
        <strong>{shareText(own, whole)}</strong> {amountText(own, metric, spread)}
      </span>
    </div>
  );
}
