/**
 * The rows of the Kernels page: how they are named, and the families and Tensor Cores that they are chosen by.
 */
import type { Kernel, ViewContents } from '../../server/views';
import type { Tone } from '../shared/chart';

export type Group = 'name' | 'launch';

export const GROUPS: readonly { readonly value: Group; readonly label: string; readonly help: string }[] = [
  { value: 'name', label: 'Name', help: 'One row for each name' },
  {
    value: 'launch',
    label: 'Launch',
    help: 'One row for each name, operator that launched it, grid, block, registers and shared memory',
  },
];

export const VIEW_OF = { name: 'kernels', launch: 'kernels-by-launch' } as const satisfies Readonly<Record<Group, keyof ViewContents>>;

/** Identity of a row across sorting and reloading, within its grouping. Grouped by name it is the name: what links and searches know. */
export function kernelKey({ name, operator, grid, block, registers, shared_memory_bytes: shared }: Kernel): string {
  return [name, operator, grid, block, registers ?? '', shared ?? ''].join('\n').trimEnd();
}

/** `328×3×16` of `[328, 3, 16]`. As it is where it is no such list. */
export function sizesText(json: string): string {
  return /^\[[\d\s,]*\]$/.test(json) ? json.slice(1, -1).split(',').map((size) => size.trim()).join('×') : json; // prettier-ignore
}

export interface Family {
  readonly name: string;
  readonly total_us: number;
  /** Of all device time. */
  readonly share: number;
}

/** The families with their device time, dearest first: together all of it. */
export function familiesOf(rows: readonly Kernel[], total_us: number): Family[] {
  const sums = new Map<string, number>();
  for (const row of rows) {
    sums.set(row.family, (sums.get(row.family) ?? 0) + row.total_us);
  }
  return [...sums]
    .map(([name, us]) => ({ name, total_us: us, share: total_us > 0 ? us / total_us : 0 }))
    .sort((a, b) => b.total_us - a.total_us);
}

export type Cores = 'all' | 'with' | 'without';

/** The rows of the chosen families; of all where none is chosen. Copies and fills compute nothing: they are neither with nor without Tensor Cores. */
export function chosenRows(rows: readonly Kernel[], families: readonly string[], cores: Cores): readonly Kernel[] {
  const chosen = new Set(families);
  return rows.filter(
    (row) =>
      (chosen.size === 0 || chosen.has(row.family)) &&
      (cores === 'all' || (row.kind === 'kernel' && row.tensor_cores === (cores === 'with'))),
  );
}

/** `GEMM`, `Attention`. */
export function familyLabel(family: string): string {
  return family === 'gemm' ? 'GEMM' : family.slice(0, 1).toUpperCase() + family.slice(1);
}

const TONES: Readonly<Record<string, Tone>> = {
  gemm: { colour: 'blue', pattern: 'plain' },
  convolution: { colour: 'blue', pattern: 'rising' },
  attention: { colour: 'purple', pattern: 'plain' },
  softmax: { colour: 'purple', pattern: 'rising' },
  loss: { colour: 'purple', pattern: 'dots' },
  elementwise: { colour: 'orange', pattern: 'plain' },
  optimizer: { colour: 'orange', pattern: 'rising' },
  random: { colour: 'orange', pattern: 'dots' },
  norm: { colour: 'green', pattern: 'plain' },
  reduction: { colour: 'green', pattern: 'rising' },
  pooling: { colour: 'green', pattern: 'dots' },
  copy: { colour: 'yellow', pattern: 'plain' },
  fill: { colour: 'yellow', pattern: 'rising' },
  communication: { colour: 'red', pattern: 'plain' },
  index: { colour: 'quiet', pattern: 'rising' },
  sort: { colour: 'quiet', pattern: 'dots' },
};

export function familyTone(family: string): Tone {
  return TONES[family] ?? { colour: 'quiet', pattern: 'plain' };
}
