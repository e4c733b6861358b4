/**
 * The numbers of a line: what each says, and how lines are ranked by them.
 */
import { share, sizeBytes, timeUs } from '../../format';
import type { LineCost, LinesView, Metric } from '../../server/wire';
import type { Spread } from '../shared/perStep';
import type { Unit } from '../shared/table';

/** A number of a line, summed over the recording. */
export interface LineNumber {
  readonly id: string;
  readonly title: string;
  /** What the number is, in one sentence. */
  readonly help: string;
  /** The metric that it belongs to; a narrow page shows only numbers of the chosen metric. */
  readonly metric: Metric | null;
  readonly unit: Unit;
  readonly widthPx: number;
  readonly value: (row: LineCost) => number;
}

export const NUMBERS: readonly LineNumber[] = [
  {
    id: 'gpu_self',
    title: 'GPU self',
    help: 'Device time of kernels launched by the line itself, forward',
    metric: 'gpu_time',
    unit: 'us',
    widthPx: 76,
    value: (row) => row.gpu_us,
  },
  {
    id: 'gpu_total',
    title: 'GPU total',
    help: 'Device time of kernels launched by the line and what it called, forward',
    metric: 'gpu_time',
    unit: 'us',
    widthPx: 76,
    value: (row) => row.gpu_total_us,
  },
  {
    id: 'gpu_backward',
    title: 'GPU bwd',
    help: 'Device time of backward kernels whose forward operator is on the line',
    metric: 'gpu_time',
    unit: 'us',
    widthPx: 76,
    value: (row) => row.gpu_backward_us,
  },
  {
    id: 'cpu_self',
    title: 'CPU self',
    help: 'Wall time on the thread while the line itself ran',
    metric: 'cpu_time',
    unit: 'us',
    widthPx: 76,
    value: (row) => row.cpu_self_us,
  },
  {
    id: 'cpu_total',
    title: 'CPU total',
    help: 'Wall time on the thread of the line and what it called',
    metric: 'cpu_time',
    unit: 'us',
    widthPx: 76,
    value: (row) => row.cpu_total_us,
  },
  {
    id: 'cpu_backward',
    title: 'CPU bwd',
    help: 'Host time of backward operators whose forward operator is on the line',
    metric: 'cpu_time',
    unit: 'us',
    widthPx: 76,
    value: (row) => row.cpu_backward_us,
  },
  {
    id: 'alloc',
    title: 'Allocated',
    help: 'Bytes that the line allocated, over all devices',
    metric: 'memory',
    unit: 'bytes',
    widthPx: 80,
    value: allocated,
  },
  {
    id: 'calls',
    title: 'Calls',
    help: 'Times the line was arrived at',
    metric: null,
    unit: 'count',
    widthPx: 60,
    value: (row) => row.calls,
  },
];

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
