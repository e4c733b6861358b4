/**
 * The overview and the advice of a run as the server gives them: three steps on one GPU.
 */
import type { Advice, Category, Overview } from '../../../extension/server/views';

const NAMES = ['Kernel', 'Memcpy', 'Memset', 'Communication', 'Runtime', 'DataLoader', 'CPU Exec', 'Other'] as const;

/** Times by category, in µs, of a step or a mean. */
function categories(...us: readonly number[]): Category[] {
  const whole = us.reduce((sum, one) => sum + one, 0);
  return NAMES.map((name, i) => ({ name, us: us[i] ?? 0, percent: (100 * (us[i] ?? 0)) / whole }));
}

const step = (number: number, ...us: readonly number[]) => ({
  number,
  name: `ProfilerStep#${number}`,
  start_us: number * 100_000,
  us: us.reduce((sum, one) => sum + one, 0),
  categories: categories(...us),
});

export const OVERVIEW: Overview = {
  configuration: {
    device_type: 'GPU',
    devices: ['cpu', 'cuda:0'],
    rank: 1,
    world_size: 2,
    backend: 'nccl',
    torch: '2.13.0',
    python: '3.12.1',
  },
  steps: {
    count: 3,
    mean_us: 90_000,
    marked: true,
    left_out: ['ProfilerStep#7'],
    each: [
      step(4, 40_000, 2000, 0, 10_000, 3000, 20_000, 4000, 1000),
      step(5, 45_000, 2000, 0, 10_000, 3000, 25_000, 4000, 1000),
      step(6, 50_000, 2000, 0, 10_000, 3000, 30_000, 4000, 1000),
    ],
  },
  categories: categories(45_000, 2000, 0, 10_000, 3000, 25_000, 4000, 1000),
  devices: [
    {
      id: 0,
      device: 'cuda:0',
      name: 'NVIDIA H100 80GB HBM3',
      memory_bytes: 80 * 1024 ** 3,
      compute_capability: '9.0',
      utilization: 61.4,
      sm_efficiency: 40,
      occupancy: null,
      tensor_core_share: 0,
    },
  ],
  bound: { kind: 'compute', evidence: 'Kernels run in 50 % of the step, 67 % of their time in matrix products.' },
};

/** Of the same program on a CPU, without steps. */
export const ON_CPU: Overview = {
  ...OVERVIEW,
  configuration: { device_type: 'CPU', devices: ['cpu'], rank: null, world_size: null, backend: '', torch: '2.13.0', python: '3.12.1' },
  steps: { count: 1, mean_us: 90_000, marked: false, left_out: [], each: [{ ...step(0, 0, 0, 0, 0, 0, 0, 90_000, 0), name: '' }] },
  categories: [{ name: 'CPU Exec', us: 90_000, percent: 100 }],
  devices: [],
  bound: { kind: null, evidence: 'No kernels of a device were recorded.' },
};

const TRAIN = '/home/ada/minigpt/train.py';

export const ADVICE: Advice = {
  steps: 3,
  step_us: 90_000,
  findings: [
    {
      id: 'data-loader',
      severity: 'high',
      title: 'The step waits for data',
      seen: 'The data loader takes 28 % of the time while the device does nothing.',
      remedy: 'Load in other processes: DataLoader(num_workers=4).',
      link: 'https://docs.pytorch.org/docs/stable/data.html',
      evidence: [
        { name: 'waiting', value: 25_000, unit: 'us' },
        { name: 'share of the step', value: 27.8, unit: 'percent' },
      ],
      gain_us: 25_000,
      explains: [],
    },
    {
      id: 'memory-limit',
      severity: 'medium',
      title: 'The device’s memory is nearly full',
      seen: 'At the peak 95 % of the memory is in use.',
      remedy: 'Checkpoint activations.',
      link: 'https://docs.pytorch.org/docs/stable/checkpoint.html',
      evidence: [{ name: 'peak', value: 76 * 1024 ** 3, unit: 'bytes' }],
      gain_us: null,
      explains: [],
    },
  ],
  lines: [
    {
      finding: 'data-loader',
      file: TRAIN,
      line: 36,
      function: 'main',
      source: 'for x, y in loader:',
      calls: 1,
      us: 25_000,
      bytes: null,
      rank: null,
    },
    {
      finding: 'memory-limit',
      file: TRAIN,
      line: 12,
      function: 'f',
      source: 'h = self.up(x)',
      calls: 0,
      us: 0,
      bytes: 1024 ** 3,
      rank: null,
    },
  ],
  notices: ['The first step was left out.'],
};

/** What two ranks together show: it explains the wait for data of one of them. */
export const ADVICE_OF_RANKS: Advice = {
  steps: 3,
  step_us: 90_000,
  findings: [
    {
      id: 'stragglers',
      severity: 'high',
      title: 'Rank 1 is late to collectives',
      seen: 'A rank waits for 10 % of the step.',
      remedy: 'Balance the work.',
      link: 'https://docs.pytorch.org/tutorials/',
      evidence: [{ name: 'waiting of a rank', value: 9000, unit: 'us' }],
      gain_us: 9000,
      explains: ['data-loader'],
    },
  ],
  lines: [{ finding: 'stragglers', file: TRAIN, line: 40, function: 'main', source: 'sleep()', calls: 1, us: 9000, bytes: null, rank: 1 }],
  notices: [],
};
