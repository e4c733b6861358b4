/**
 * Two recordings of one program beside each other as the server gives them: it loads its data faster, and its optimizer became slower.
 */
import type { Change, Comparison, LineChange } from '../../../extension/server/wire';

export function change(before: number, after: number): Change {
  return { before, after, difference: after - before, percent: before === 0 ? null : (100 * (after - before)) / before };
}

const TRAIN = '/home/ada/minigpt/train.py';

function line(of: Partial<LineChange> & Pick<LineChange, 'line' | 'source' | 'match'>): LineChange {
  return {
    file: TRAIN,
    line_before: of.match === 'new' ? null : of.line,
    function: 'main',
    calls: change(1, 1),
    cpu_self_us: change(10, 10),
    gpu_us: change(0, 0),
    alloc_bytes: change(0, 0),
    ...of,
  };
}

export const COMPARISON: Comparison = {
  per_step: true,
  steps: {
    count: change(5, 6),
    mean_us: change(100_000, 80_000),
    least_us: change(96_000, 78_000),
    most_us: change(105_000, 85_000),
    gpu_us: change(30_000, 33_000),
  },
  categories: [
    { name: 'DataLoader', us: change(50_000, 20_000) },
    { name: 'CPU Exec', us: change(20_000, 27_000) },
    { name: 'Kernel', us: change(30_000, 33_000) },
  ],
  operators: [
    { name: 'aten::mm', calls: change(10, 10), host_self_us: change(400, 400), device_self_us: change(20_000, 24_000) },
    { name: 'aten::addcdiv_', calls: change(0, 4), host_self_us: change(0, 900), device_self_us: change(0, 1000) },
    { name: 'aten::add_', calls: change(4, 0), host_self_us: change(1200, 0), device_self_us: change(800, 0) },
    { name: 'aten::view', calls: change(7, 7), host_self_us: change(90, 60), device_self_us: change(0, 0) },
  ],
  kernels: [{ name: 'sgemm_128x128', calls: change(10, 10), total_us: change(20_000, 24_000) }],
  lines: [
    line({ line: 41, line_before: 40, source: 'optimizer.step()', match: 'moved', gpu_us: change(2000, 8000) }),
    line({
      line: 39,
      source: 'loss = loss_of(model(x), y)',
      match: 'same',
      gpu_us: change(20_000, 19_000),
      alloc_bytes: change(4096, 1024),
    }),
    line({ line: 42, source: 'total += loss.item()', match: 'gone', gpu_us: change(500, 0) }),
    line({ line: 36, source: 'for x, y in loader:', match: 'changed' }),
  ],
  memory: [{ device: 'cuda:0', peak_bytes: change(2 * 1024 ** 2, 5 * 1024 ** 2) }],
  notices: ['The recordings ran with different versions of torch: 2.12 before, 2.13 after.'],
};
