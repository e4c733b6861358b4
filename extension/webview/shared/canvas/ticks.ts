/**
 * Where the marks of an axis stand: round values (1, 2 or 5 times a power of ten), as many as have room.
 */
import type { Span } from './viewport';

export interface Ticks {
  /** Distance of two marks. */
  readonly step: number;
  readonly at: readonly number[];
}

/** The least round step that is not less than `least`. */
export function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  const digit = [1, 2, 5].find((round) => round * power >= least * (1 - 1e-9)) ?? 10;
  return digit * power;
}

/** Marks from `origin` at least `leastPx` apart on an axis that is drawn `widthPx` wide. */
export function ticks(span: Span, widthPx: number, leastPx: number, origin = 0): Ticks {
  const length = span.end - span.start;
  if (!(length > 0) || widthPx <= 0) {
    return { step: 0, at: [] };
  }
  const step = roundStep((length * Math.min(leastPx, widthPx)) / widthPx);
  const first = Math.ceil((span.start - origin) / step - 1e-9);
  const last = Math.floor((span.end - origin) / step + 1e-9);
  return { step, at: Array.from({ length: last - first + 1 }, (_, index) => origin + (first + index) * step) };
}

/**
 * A time on an axis of µs with as many decimals as tell it from the next mark: `1.25 s`, `250 ms`, `12.5 µs`. The unit is that of the greatest
 * value that is seen, so neighbours have the same.
 */
export function timeLabel(us: number, stepUs: number, greatestUs: number): string {
  const [unit, factor] = greatestUs >= 1e6 ? ['s', 1e6] : greatestUs >= 1e3 ? ['ms', 1e3] : greatestUs >= 1 ? ['µs', 1] : ['ns', 1e-3];
  const decimals = Math.max(0, Math.min(9, -Math.floor(Math.log10(stepUs / factor) + 1e-9)));
  const value = us / factor;
  return `${value < 0 ? '−' : ''}${Math.abs(value).toFixed(decimals)} ${unit}`;
}
