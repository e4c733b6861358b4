/**
 * What is chosen on the page, kept over reloads and in links.
 */
import type { Shown } from './bands';

type Range = readonly [start: number, end: number];

export interface Choices {
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

export const DEFAULT_CHOICES: Choices = { span: null, collapsed: null, hidden: [], pinned: [], event: null, range: null, find: '' };

/** Saved choices as far as they are of the present shape: another version of the page, or a link by hand, may have made them. */
export function restoreChoices(saved: unknown): Choices {
  if (typeof saved !== 'object' || saved === null) {
    return DEFAULT_CHOICES;
  }
  // SAFETY: each field is checked before it is used.
  const raw = saved as { [K in keyof Choices]?: unknown };
  return {
    span: rangeOf(raw.span),
    collapsed: raw.collapsed === null || raw.collapsed === undefined ? null : idsOf(raw.collapsed),
    hidden: idsOf(raw.hidden),
    pinned: idsOf(raw.pinned),
    event: typeof raw.event === 'number' && Number.isInteger(raw.event) ? raw.event : null,
    range: rangeOf(raw.range),
    find: typeof raw.find === 'string' ? raw.find : '',
  };
}

function idsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((id) => typeof id === 'string') : [];
}

function rangeOf(value: unknown): Range | null {
  const [start, end] = Array.isArray(value) ? (value as readonly unknown[]) : [];
  return typeof start === 'number' && typeof end === 'number' && start < end && Number.isFinite(end - start) ? [start, end] : null;
}
