/**
 * What is chosen on the page, kept over reloads and in links.
 */
import type { Shown } from './bands';

type Range = readonly [start: number, end: number];

export interface Choices {
  /** Run and rank that `span`, `event` and `range` are of; null in a link by hand: of the one that is shown. */
  readonly of: string | null;
  /** What is seen, in µs since the recording's start; null: everything. */
  readonly span: Range | null;
  /** Null: as it is at first. */
  readonly collapsed: readonly string[] | null;
  readonly hidden: Shown['hidden'];
  readonly pinned: Shown['pinned'];
  /** Number of the chosen event. */
  readonly event: number | null;
  /** The range whose sums are shown. */
  readonly range: Range | null;
  readonly find: string;
}

export const DEFAULT_CHOICES: Choices = {
  of: null,
  span: null,
  collapsed: null,
  hidden: [],
  pinned: [],
  event: null,
  range: null,
  find: '',
};

/** Saved choices as far as they are of the present shape: another version of the page, or a link by hand, may have made them. */
export function restoreChoices(saved: unknown): Choices {
  if (typeof saved !== 'object' || saved === null) {
    return DEFAULT_CHOICES;
  }
  // SAFETY: each field is checked before it is used.
  const raw = saved as { [K in keyof Choices]?: unknown };
  return {
    of: typeof raw.of === 'string' ? raw.of : null,
    span: rangeOf(raw.span),
    collapsed: raw.collapsed === null || raw.collapsed === undefined ? null : idsOf(raw.collapsed),
    hidden: idsOf(raw.hidden),
    pinned: idsOf(raw.pinned),
    event: typeof raw.event === 'number' && Number.isInteger(raw.event) ? raw.event : null,
    range: rangeOf(raw.range),
    find: typeof raw.find === 'string' ? raw.find : '',
  };
}

/** The choices as far as they are of a run and rank: events and times of another one mean nothing in it. */
export function choicesOf(of: string, choices: Choices): Choices {
  return choices.of === null || choices.of === of ? { ...choices, of } : { ...choices, of, span: null, event: null, range: null };
}

function idsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((id) => typeof id === 'string') : [];
}

function rangeOf(value: unknown): Range | null {
  const [start, end] = Array.isArray(value) ? (value as readonly unknown[]) : [];
  return typeof start === 'number' && typeof end === 'number' && start < end && Number.isFinite(end - start) ? [start, end] : null;
}
