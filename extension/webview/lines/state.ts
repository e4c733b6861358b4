/**
 * What the reader of the page chose, kept across reloads.
 */
import type { Metric } from '../../server/wire';
import type { Sort } from './rows';

export interface Choices {
  /** Null: the run's own (GPU where it used one). */
  readonly metric: Metric | null;
  readonly per: 'step' | 'run';
  readonly filter: string;
  readonly sort: Sort;
  /** Keys of rows; null for none. */
  readonly selected: string | null;
  readonly open: string | null;
}

export const DEFAULT_CHOICES: Choices = {
  metric: null,
  per: 'step',
  filter: '',
  sort: { column: 'share', descending: true },
  selected: null,
  open: null,
};

/** Saved choices as far as they are of the present shape: another version of the page may have saved them. */
export function restoreChoices(saved: unknown): Choices {
  const view = typeof saved === 'object' && saved !== null && 'view' in saved ? saved.view : undefined;
  if (typeof view !== 'object' || view === null) {
    return DEFAULT_CHOICES;
  }
  // SAFETY: each field is checked before it is used.
  const raw = view as { [K in keyof Choices]?: unknown };
  const metric = ['gpu_time', 'cpu_time', 'memory'].includes(String(raw.metric)) ? (raw.metric as Metric) : null;
  return {
    ...DEFAULT_CHOICES,
    metric,
    per: raw.per === 'run' ? 'run' : 'step',
    filter: typeof raw.filter === 'string' ? raw.filter : '',
    selected: typeof raw.selected === 'string' ? raw.selected : null,
  };
}
