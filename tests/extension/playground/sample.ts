/**
 * A run as the server describes it, for looking at pages and for tests: a small GPT with a training loop on one GPU.
 */
import type { LineCost, LineDetail, LinesView, Precision, RunDescription, RunList, RunSummary } from '../../../extension/server/wire';

const ROOT = '/home/ada/minigpt';

type Numbers = Partial<Omit<LineCost, 'file' | 'line' | 'function' | 'source' | 'precision'>>;

export function lineCost(
  file: string,
  line: number,
  name: string,
  source: string,
  numbers: Numbers = {},
  precision: Precision = 'line',
): LineCost {
  return {
    file: `${ROOT}/${file}`,
    line,
    function: name,
    source,
    precision,
    calls: 5,
    cpu_self_us: 0,
    cpu_total_us: numbers.cpu_self_us ?? 0,
    cpu_backward_us: 0,
    cpu_backward_total_us: numbers.cpu_backward_us ?? 0,
    gpu_us: 0,
    gpu_total_us: numbers.gpu_us ?? 0,
    gpu_backward_us: 0,
    gpu_backward_total_us: numbers.gpu_backward_us ?? 0,
    cpu_recompute_us: 0,
    gpu_recompute_us: 0,
    launches: 0,
    sync_us: 0,
    gpu_idle_us: 0,
    alloc_bytes: {},
    freed_bytes: {},
    peak_bytes: {},
    peak_backward_bytes: {},
    ...numbers,
  };
}

const MIB = 1024 * 1024;

export const ROWS: readonly LineCost[] = [
  lineCost('minigpt/model.py', 62, 'Attention.forward', 'q, k, v = self.qkv(x).chunk(3, dim=-1)', {
    calls: 20,
    cpu_self_us: 9_400,
    cpu_backward_us: 7_100,
    gpu_us: 41_200,
    gpu_backward_us: 79_500,
    launches: 40,
    alloc_bytes: { 'cuda:0': 480 * MIB },
    peak_bytes: { 'cuda:0': 480 * MIB },
  }),
  lineCost('minigpt/model.py', 70, 'Attention.forward', 'y = F.scaled_dot_product_attention(q, k, v, is_causal=True)', {
    calls: 20,
    cpu_self_us: 6_300,
    cpu_backward_us: 5_200,
    gpu_us: 38_900,
    gpu_backward_us: 92_800,
    launches: 20,
    alloc_bytes: { 'cuda:0': 162 * MIB },
  }),
  lineCost('minigpt/model.py', 88, 'MLP.forward', 'return self.down(F.gelu(self.up(x)))', {
    calls: 20,
    cpu_self_us: 11_800,
    cpu_backward_us: 8_900,
    gpu_us: 71_500,
    gpu_backward_us: 142_000,
    cpu_recompute_us: 1_700,
    gpu_recompute_us: 14_500,
    launches: 60,
    alloc_bytes: { 'cuda:0': 1_310 * MIB },
    peak_bytes: { 'cuda:0': 960 * MIB },
  }),
  lineCost('train.py', 41, 'train_step', 'loss.backward()', {
    cpu_self_us: 162_000,
    gpu_us: 12_900,
    launches: 1200,
    gpu_idle_us: 1_800,
    alloc_bytes: { 'cuda:0': 2_300 * MIB, cpu: 40 },
  }),
  lineCost('train.py', 43, 'train_step', 'optimizer.step()', {
    cpu_self_us: 48_000,
    gpu_us: 33_000,
    launches: 90,
    alloc_bytes: { 'cuda:0': 48 * MIB },
  }),
  lineCost('train.py', 45, 'train_step', 'running += loss.item()  # waits for the device every step', {
    cpu_self_us: 131_000,
    sync_us: 129_400,
    gpu_us: 12,
    launches: 5,
  }),
  lineCost('train.py', 38, 'train_step', 'logits, loss = model(batch, targets)', {
    cpu_self_us: 4_100,
    cpu_total_us: 61_000,
    gpu_us: 90,
    gpu_total_us: 214_000,
  }),
  lineCost('train.py', 36, 'train_step', 'batch = batch.to(device, non_blocking=True)', {
    cpu_self_us: 1_900,
    gpu_us: 4_700,
    launches: 5,
    alloc_bytes: { 'cuda:0': 4 * MIB },
  }),
  lineCost('data/loader.py', 23, 'TokenDataset.__getitem__', 'chunk = self.tokens[i : i + self.block + 1].astype(np.int64)', {
    calls: 320,
    cpu_self_us: 22_600,
    alloc_bytes: { cpu: 12 * MIB },
  }),
  lineCost('minigpt/model.py', 120, 'GPT.forward', 'loss = F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1))', {
    cpu_self_us: 2_500,
    gpu_us: 19_400,
    gpu_backward_us: 24_600,
    launches: 15,
    alloc_bytes: { 'cuda:0': 820 * MIB },
    peak_bytes: { 'cuda:0': 820 * MIB },
  }),
  lineCost('minigpt/model.py', 104, 'Block.forward', 'x = x + self.attention(self.norm1(x))', {
    calls: 20,
    cpu_self_us: 5_100,
    cpu_total_us: 24_000,
    gpu_us: 8_800,
    gpu_total_us: 96_000,
    gpu_backward_us: 14_000,
    launches: 60,
  }),
  lineCost('minigpt/model.py', 105, 'Block.forward', 'x = x + self.mlp(self.norm2(x))', {
    calls: 20,
    cpu_self_us: 4_700,
    cpu_total_us: 19_500,
    gpu_us: 8_600,
    gpu_total_us: 83_000,
    gpu_backward_us: 13_700,
    launches: 60,
  }),
  lineCost(
    '/site-packages/fancyloss/core.py'.slice(1),
    12,
    'label_smoothing',
    '',
    { cpu_self_us: 7_900, gpu_us: 2_600, gpu_backward_us: 900, launches: 12 },
    'function',
  ),
  lineCost(
    'tools/model.py',
    9,
    'weight_norm',
    'return torch.stack([p.norm() for p in parameters]).norm()',
    { cpu_self_us: 14_500, gpu_us: 5_900, launches: 300 },
    'call',
  ),
  lineCost(
    'train.py',
    33,
    'train_step',
    'for batch, targets in loader:',
    { calls: 6, cpu_self_us: 18_200, cpu_total_us: 42_000 },
    'inferred',
  ),
];

export const VIEW: LinesView = {
  run: {
    path: `${ROOT}/.kinetoscope/20261130-140312-train`,
    kind: 'run',
    name: 'train.py',
    created: '2026-11-30T14:03:12+01:00',
    main: `${ROOT}/train.py`,
    argv: ['train.py', '--batch', '16'],
    steps: 5,
    step_source: 'optimizer',
    outcome: 'complete',
    torch: '2.13.0+cu130',
    python: '3.12.1',
    devices: ['cuda:0'],
    notices: [],
    size_bytes: 3_400_000,
    problem: null,
  },
  active: true,
  metric: 'gpu_time',
  steps: 5,
  recording_us: 512_000,
  host_us: 470_000,
  device_us: { attributed: 701_000, library: 9_000, unattributed: 4_000, without_launch: 4_000, total: 714_000 },
  devices: ['cpu', 'cuda:0'],
  rows: ROWS,
  notices: ['prepare() ran a hot Python loop: its lines were no longer logged, its cost is known for the function only.'],
  reason: null,
};

export const DETAIL: LineDetail = {
  work: [
    { name: 'aten::linear', kind: 'operator', backward: false, calls: 40, host_us: 5_900, device_us: 66_200 },
    { name: 'aten::gelu', kind: 'operator', backward: false, calls: 20, host_us: 1_700, device_us: 5_300 },
    {
      name: 'sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_segment_k_off_kernel__5x_cublas',
      kind: 'kernel',
      backward: false,
      calls: 40,
      host_us: 0,
      device_us: 66_200,
    },
    { name: 'AddmmBackward0', kind: 'operator', backward: true, calls: 40, host_us: 6_100, device_us: 133_000 },
    {
      name: 'void at::native::vectorized_elementwise_kernel<4, GeluCUDAKernelImpl>',
      kind: 'kernel',
      backward: false,
      calls: 20,
      host_us: 0,
      device_us: 5_300,
    },
  ],
  stacks: [
    {
      frames: [
        { file: `${ROOT}/train.py`, line: 71, function: '<module>', precision: 'line' },
        { file: `${ROOT}/train.py`, line: 38, function: 'train_step', precision: 'line' },
        { file: `${ROOT}/minigpt/model.py`, line: 118, function: 'GPT.forward', precision: 'line' },
        { file: `${ROOT}/minigpt/model.py`, line: 105, function: 'Block.forward', precision: 'line' },
        { file: `${ROOT}/minigpt/model.py`, line: 88, function: 'MLP.forward', precision: 'line' },
      ],
      calls: 20,
      cpu_self_us: 11_800,
      cpu_backward_us: 8_900,
      gpu_us: 71_500,
      gpu_backward_us: 142_000,
    },
    {
      frames: [
        { file: `${ROOT}/train.py`, line: 78, function: '<module>', precision: 'line' },
        { file: `${ROOT}/evaluate.py`, line: 14, function: 'evaluate', precision: 'function' },
      ],
      calls: 4,
      cpu_self_us: 900,
      cpu_backward_us: 0,
      gpu_us: 2_100,
      gpu_backward_us: 0,
    },
  ],
};

/** A run with this many lines, to see that the table stays quick. */
export function largeView(lines: number): LinesView {
  const rows = Array.from({ length: lines }, (_, i) => {
    const cost = 1_000_000 / (i + 1);
    return lineCost(`package/module_${i % 97}.py`, 10 + i, `function_${i % 311}`, `x = self.layer_${i}(x)`, {
      cpu_self_us: cost,
      gpu_us: cost * 2,
      alloc_bytes: { 'cuda:0': Math.round(cost) * 1000 },
    });
  });
  return { ...VIEW, rows, device_us: { ...VIEW.device_us, total: rows.reduce((sum, row) => sum + row.gpu_us, 0) } };
}

/** A trace of another tool that lies alone. */
export const TRACE: RunSummary = {
  path: '/logs/bert.json',
  kind: 'trace',
  name: 'bert.json',
  created: '',
  main: null,
  argv: [],
  steps: 5,
  step_source: 'none',
  outcome: '',
  torch: '',
  python: '',
  devices: ['cpu', 'cuda:0'],
  notices: [],
  size_bytes: 53_000_000,
  problem: null,
};

/** A run that lies in the list beside the active one. */
export const OLDER: RunSummary = {
  ...TRACE,
  path: `${ROOT}/.kinetoscope/20261129-090000-finetune`,
  kind: 'run',
  name: 'finetune.py',
  created: '2026-11-29T09:00:00+01:00',
};

export const RUN: RunSummary = VIEW.run ?? TRACE;

export const RUNS: RunList = { runs: [RUN, OLDER, TRACE], active: RUN.path, baseline: null };

export const DESCRIPTION: RunDescription = {
  run: RUN,
  active: true,
  ranks: [0],
  part: {},
  steps: Array.from({ length: 5 }, (_, i) => ({ number: i + 3, start_us: i * 100_000, dur_us: 90_000 + 5_000 * i })),
  recording_us: 512_000,
};
