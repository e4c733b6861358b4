/**
 * The columns of the Lines table: what each says of a line, how it is ranked, and when there is room for it.
 */
import { count, share, sizeBytes, timeUs } from '../../format';
import type { LineCost, LinesView, Metric } from '../../server/wire';

export type ColumnId =
  | 'source'
  | 'share'
  | 'gpu_self'
  | 'gpu_total'
  | 'gpu_backward'
  | 'cpu_self'
  | 'cpu_total'
  | 'cpu_backward'
  | 'calls'
  | 'memory'
  | 'precision';

export interface Column {
  readonly id: ColumnId;
  readonly title: string;
  /** What the number is, in one sentence. */
  readonly help: string;
  /** The metric that the column belongs to; a narrow page shows only columns of the chosen metric. */
  readonly metric: Metric | null;
  readonly widthPx: number;
  /** For sorting and export: summed over the recording, in µs, bytes or times. */
  readonly value: (row: LineCost) => number;
  readonly text: (value: number, per: Spread) => string;
}

/** Over how many steps sums are spread: 1 for the whole recording. */
export interface Spread {
  readonly steps: number;
}

const time = (value: number, { steps }: Spread) => (value === 0 ? '' : timeUs(value / steps));
const bytes = (value: number, { steps }: Spread) => (value === 0 ? '' : sizeBytes(value / steps));
const times = (value: number, { steps }: Spread) => (value === 0 ? '' : count(value / steps));

export const NUMBERS: readonly Column[] = [
  {
    id: 'gpu_self',
    title: 'GPU self',
    help: 'Device time of kernels launched by the line itself, forward',
    metric: 'gpu_time',
    widthPx: 76,
    value: (row) => row.gpu_us,
    text: time,
  },
  {
    id: 'gpu_total',
    title: 'GPU total',
    help: 'Device time of kernels launched by the line and what it called, forward',
    metric: 'gpu_time',
    widthPx: 76,
    value: (row) => row.gpu_total_us,
    text: time,
  },
  {
    id: 'gpu_backward',
    title: 'GPU bwd',
    help: 'Device time of backward kernels whose forward operator is on the line',
    metric: 'gpu_time',
    widthPx: 76,
    value: (row) => row.gpu_backward_us,
    text: time,
  },
  {
    id: 'cpu_self',
    title: 'CPU self',
    help: 'Wall time on the thread while the line itself ran',
    metric: 'cpu_time',
    widthPx: 76,
    value: (row) => row.cpu_self_us,
    text: time,
  },
  {
    id: 'cpu_total',
    title: 'CPU total',
    help: 'Wall time on the thread of the line and what it called',
    metric: 'cpu_time',
    widthPx: 76,
    value: (row) => row.cpu_total_us,
    text: time,
  },
  {
    id: 'cpu_backward',
    title: 'CPU bwd',
    help: 'Host time of backward operators whose forward operator is on the line',
    metric: 'cpu_time',
    widthPx: 76,
    value: (row) => row.cpu_backward_us,
    text: time,
  },
  {
    id: 'memory',
    title: 'Allocated',
    help: 'Bytes that the line allocated, over all devices',
    metric: 'memory',
    widthPx: 80,
    value: allocated,
    text: bytes,
  },
  {
    id: 'calls',
    title: 'Calls',
    help: 'Times the line was arrived at',
    metric: null,
    widthPx: 60,
    value: (row) => row.calls,
    text: times,
  },
];

/** Width of the columns that are always there. */
export const SHARE_PX = 108;
export const PRECISION_PX = 30;
/** A line's text keeps this much room; below it, columns leave. */
const SOURCE_LEAST_PX = 190;

export const METRICS: readonly { readonly metric: Metric; readonly label: string }[] = [
  { metric: 'gpu_time', label: 'GPU' },
  { metric: 'cpu_time', label: 'CPU' },
  { metric: 'memory', label: 'Memory' },
];

export function allocated(row: LineCost): number {
  return Object.values(row.alloc_bytes).reduce((sum, bytesOfDevice) => sum + bytesOfDevice, 0);
}

/** A line's own cost in a metric, forward and backward: what lines are ranked by. CPU backward work is time of the `.backward()` line already. */
export function ownCost(row: LineCost, metric: Metric): number {
  switch (metric) {
    case 'gpu_time':
      return row.gpu_us + row.gpu_backward_us;
    case 'cpu_time':
      return row.cpu_self_us;
    case 'memory':
      return allocated(row);
  }
}

/** What shares are parts of: device time, wall time of the recording, bytes that all lines allocated. */
export function wholeOf(view: LinesView, metric: Metric): number {
  switch (metric) {
    case 'gpu_time':
      return view.device_us.total;
    case 'cpu_time':
      return view.recording_us;
    case 'memory':
      return view.rows.reduce((sum, row) => sum + allocated(row), 0);
  }
}

export function amountText(value: number, metric: Metric, spread: Spread): string {
  return metric === 'memory' ? sizeBytes(value / spread.steps) : timeUs(value / spread.steps);
}

export function shareText(value: number, whole: number): string {
  return whole > 0 ? share(value / whole) : '';
}

/** The columns that a page of this width has room for: those of the metric first, then the rest, in the table's order. */
export function visibleColumns(widthPx: number, metric: Metric, hasDevice: boolean): Column[] {
  const useful = NUMBERS.filter((column) => hasDevice || column.metric !== 'gpu_time');
  const byRank = [...useful].sort((a, b) => rank(a, metric) - rank(b, metric));
  let room = widthPx - SOURCE_LEAST_PX - SHARE_PX - PRECISION_PX;
  const kept = new Set<ColumnId>();
  for (const column of byRank) {
    room -= column.widthPx;
    if (room < 0) {
      break;
    }
    kept.add(column.id);
  }
  return useful.filter(({ id }) => kept.has(id));
}

function rank(column: Column, metric: Metric): number {
  return column.metric === metric ? 0 : column.id === 'calls' ? 1 : column.metric === 'memory' ? 3 : 2;
}
