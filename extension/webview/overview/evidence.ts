/**
 * What a finding says in numbers, and on which pages they stand.
 */
import { count, share, sizeBytes, timeUs } from '../../format';
import type { Advice, AdviceLine, Bound, Evidence, Finding } from '../../server/views';
import type { PageId } from '../../views/messages';

export const SEVERITIES: Readonly<Record<Finding['severity'], { readonly icon: string; readonly word: string; readonly help: string }>> = {
  high: { icon: 'error', word: 'High', help: 'A tenth of the time or more is concerned' },
  medium: { icon: 'warning', word: 'Medium', help: 'A hundredth of the time or more is concerned' },
  low: { icon: 'info', word: 'Low', help: 'Less than a hundredth of the time is concerned, or there is little to gain' },
};

/** The pages that show what a finding rests on, best first. */
const PAGES: Readonly<Record<string, readonly PageId[]>> = {
  'allocation-churn': ['memory'],
  'blocking-copies': ['kernels', 'timeline'],
  communication: ['distributed', 'timeline'],
  'conv-bias': ['operators'],
  'cudnn-search': ['idle', 'timeline'],
  'data-loader': ['idle', 'timeline'],
  'data-parallel': ['timeline'],
  fragmentation: ['memory'],
  gloo: ['distributed'],
  imbalance: ['distributed'],
  'memory-limit': ['memory'],
  'optimizer-loop': ['operators'],
  'small-kernels': ['idle', 'kernels'],
  stragglers: ['distributed', 'timeline'],
  'synchronising-lines': ['idle', 'timeline'],
  'tensor-cores': ['kernels'],
  'unneeded-copies': ['operators'],
  'zero-grad': ['operators'],
};

export const BOUNDS: Readonly<
  Record<NonNullable<Bound['kind']>, { readonly title: string; readonly icon: string; readonly pages: readonly PageId[] }>
> = {
  overhead: { title: 'Bound by overhead: the device waits for the host', icon: 'watch', pages: ['idle', 'timeline'] },
  compute: { title: 'Bound by compute', icon: 'circuit-board', pages: ['kernels', 'operators'] },
  memory: { title: 'Bound by memory: moving data takes longer than computing', icon: 'database', pages: ['kernels', 'operators'] },
  communication: { title: 'Bound by communication', icon: 'broadcast', pages: ['distributed', 'timeline'] },
  input: { title: 'Bound by input: the step waits for data', icon: 'inbox', pages: ['idle', 'timeline'] },
};

export function pageOf(finding: string, has: (page: PageId) => boolean): PageId | null {
  return (Object.hasOwn(PAGES, finding) ? (PAGES[finding] ?? []) : ['timeline' as const]).find(has) ?? null;
}

export function evidenceText({ value, unit }: Evidence): string {
  switch (unit) {
    case 'us':
      return timeUs(value);
    case 'bytes':
      return sizeBytes(value);
    case 'percent':
      return share(value / 100);
    case 'count':
      return count(value);
  }
}

/** What all its numbers are of. */
export function ofText({ steps }: Pick<Advice, 'steps'>): string {
  const whole = 'Times, sizes and counts are of all of it, since no steps are marked.';
  return steps === 0 ? whole : `Times, sizes and counts are of one step${steps === 1 ? '' : `, the mean of ${count(steps)}`}.`;
}

/** The same, to be put after a number. */
export function perText({ steps }: Pick<Advice, 'steps'>): string {
  return steps > 0 ? 'per step' : 'in all';
}

/** `up to 2.8 ms per step (7.9 %)`; null where the gain can't be computed. */
export function gainText({ gain_us }: Finding, advice: Pick<Advice, 'steps' | 'step_us'>): string | null {
  if (gain_us === null) {
    return null;
  }
  const part = advice.step_us > 0 ? ` (${share(gain_us / advice.step_us)})` : '';
  return `up to ${timeUs(gain_us)} ${perText(advice)}${part}`;
}

/** `14.1 ms · 2× per step`: the time or, in findings of memory, the size; and how often. */
export function lineText(line: AdviceLine, advice: Pick<Advice, 'steps'>): string {
  const amount = line.bytes === null ? `${timeUs(line.us)} ${perText(advice)}` : sizeBytes(line.bytes);
  return line.calls > 0 ? `${amount} · ${count(line.calls)}×` : amount;
}

/** One rank's findings without those of the same time that the findings of all ranks together explain. */
export function unexplained(one: Advice, together: Advice | null): Advice {
  const explained = new Set(together?.findings.flatMap(({ explains }) => explains));
  return explained.size === 0 ? one : { ...one, findings: one.findings.filter(({ id }) => !explained.has(id)) };
}
