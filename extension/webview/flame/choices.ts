/**
 * What is chosen on the page, kept over reloads and in links.
 */
import type { Direction } from './rows';
import type { StackContent, Widths } from './tree';

export type By = StackContent['by'];
export type Metric = StackContent['metric'];

export interface Choices {
  /** Null: by lines where we recorded, which knows them exactly; else by Python stack, which others' traces have. */
  readonly by: By | null;
  /** Null: GPU time where there is some, else CPU time. */
  readonly metric: Metric | null;
  readonly direction: Direction;
  readonly search: string;
  /** Names of the frames from the whole to the one that fills the width. */
  readonly zoom: readonly string[];
  /** Key of the function that is seen from both sides. */
  readonly sandwich: string | null;
  /** Path of the run that this one is compared with. */
  readonly baseline: string | null;
  /** Of which of the two runs the widths are. */
  readonly widths: Widths;
}

export const DEFAULT_CHOICES: Choices = {
  by: null,
  metric: null,
  direction: 'icicle',
  search: '',
  zoom: [],
  sandwich: null,
  baseline: null,
  widths: 'after',
};

const BYS: readonly By[] = ['python', 'line', 'module', 'operator'];
const METRICS: readonly Metric[] = ['gpu', 'cpu', 'memory'];

/** Saved choices as far as they are of the present shape: another version of the page, or a link by hand, may have made them. */
export function restoreChoices(saved: unknown): Choices {
  if (typeof saved !== 'object' || saved === null) {
    return DEFAULT_CHOICES;
  }
  // SAFETY: each field is checked before it is used.
  const raw = saved as { [K in keyof Choices]?: unknown };
  return {
    by: BYS.find((by) => by === raw.by) ?? DEFAULT_CHOICES.by,
    metric: METRICS.find((metric) => metric === raw.metric) ?? null,
    direction: raw.direction === 'flame' ? 'flame' : 'icicle',
    search: typeof raw.search === 'string' ? raw.search : '',
    zoom: Array.isArray(raw.zoom) ? raw.zoom.filter((name) => typeof name === 'string') : [],
    sandwich: typeof raw.sandwich === 'string' ? raw.sandwich : null,
    baseline: typeof raw.baseline === 'string' ? raw.baseline : null,
    widths: raw.widths === 'before' ? 'before' : 'after',
  };
}

/** The view that has the stacks; the server chooses the metric where none is. */
export function viewName(by: By, metric: Metric | null): string {
  return `stacks${by === 'python' ? '' : `-by-${by}`}${metric === null ? '' : `-${metric}`}`;
}
