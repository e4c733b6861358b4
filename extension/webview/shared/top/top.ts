/**
 * Which rows a top-N chart shows, and what is left over: the parts always add up to the whole.
 */
export const SIZES = [5, 10, 20] as const;
export type TopSize = (typeof SIZES)[number];

export interface Top<R> {
  /** Greatest first, none without an amount. */
  readonly rows: readonly R[];
  /** What all others have together. */
  readonly others: { readonly count: number; readonly amount: number };
}

export function topOf<R>(rows: readonly R[], amount: (row: R) => number, size: number): Top<R> {
  const some = rows.filter((row) => amount(row) > 0).sort((a, b) => amount(b) - amount(a));
  const rest = some.slice(size);
  return { rows: some.slice(0, size), others: { count: rest.length, amount: rest.reduce((sum, row) => sum + amount(row), 0) } };
}

/** What the reader chose of a chart. */
export interface TopState {
  readonly shown: boolean;
  readonly size: TopSize;
  /** Id of the amount. */
  readonly by: string;
}

export function restoreTop(saved: unknown, initial: TopState, amounts: readonly string[]): TopState {
  if (typeof saved !== 'object' || saved === null) {
    return initial;
  }
  // SAFETY: each field is checked before it is used.
  const raw = saved as { readonly [K in keyof TopState]?: unknown };
  return {
    shown: typeof raw.shown === 'boolean' ? raw.shown : initial.shown,
    size: SIZES.find((size) => size === raw.size) ?? initial.size,
    by: amounts.find((id) => id === raw.by) ?? initial.by,
  };
}
