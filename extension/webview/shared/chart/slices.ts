/**
 * What a stacked chart is made of, and the arithmetic of drawing it.
 */

/** A theme's chart colour with a pattern: two slices that differ in neither look alike, and so do many colours to many people. */
export interface Tone {
  readonly colour: 'blue' | 'green' | 'orange' | 'purple' | 'red' | 'yellow' | 'quiet';
  readonly pattern: 'plain' | 'rising' | 'falling' | 'dots' | 'bars';
}

/** One part of a whole. */
export interface Slice {
  readonly id: string;
  readonly name: string;
  /** At least 0, in the chart's unit. */
  readonly value: number;
  readonly tone: Tone;
}

/** One stack of slices in a row of stacks. */
export interface Stack {
  readonly id: string;
  /** Below it on the axis: short. */
  readonly label: string;
  /** In words, for tables and screen readers: `Step 4`. */
  readonly name: string;
  readonly slices: readonly Slice[];
}

export function totalOf(slices: readonly Slice[]): number {
  return slices.reduce((sum, { value }) => sum + value, 0);
}

/** For CSS: its share of a whole. */
export function percentOf(value: number, whole: number): string {
  return `${whole > 0 ? Math.min(100, (100 * value) / whole) : 0}%`;
}

export function toneClass({ colour, pattern }: Tone): string {
  return `tone tone-${colour} pattern-${pattern}`;
}

/** Round values from 0 to at least `most`, one, two or five times a power of ten apart, in at most `steps` steps. */
export function ticks(most: number, steps = 4): number[] {
  if (!(most > 0)) {
    return [0];
  }
  const least = most / steps;
  const power = 10 ** Math.floor(Math.log10(least));
  const apart = [1, 2, 5, 10].map((times) => times * power).find((step) => step >= least * (1 - 1e-9)) ?? 10 * power;
  const count = Math.ceil(most / apart - 1e-9);
  return Array.from({ length: count + 1 }, (_, index) => index * apart);
}

/** Every how many labels there is room for one. */
export function labelEvery(columnPx: number, labelPx: number): number {
  return columnPx > 0 ? Math.max(1, Math.ceil(labelPx / columnPx)) : 1;
}
