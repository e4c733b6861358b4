/**
 * How time is cut into tiles: at level 0 the whole is one tile, at each further level each tile is two. A tile is asked for so many pixels that
 * at the level of a view none of its pixels is wider than one of the screen.
 */
import { lengthOf } from '../shared/canvas/viewport';
import type { Span } from '../shared/canvas/viewport';

export const TILE_PX = 1024;
/** Nothing is shorter than a nanosecond. */
const LEAST_US = 0.001;

export interface Slot {
  readonly level: number;
  readonly index: number;
}

export function levelOf(whole: Span, span: Span, widthPx: number): number {
  const usPerPx = Math.max(LEAST_US, lengthOf(span) / Math.max(1, widthPx));
  return Math.max(0, Math.ceil(Math.log2(lengthOf(whole) / (TILE_PX * usPerPx)) - 1e-9));
}

export function spanOf(whole: Span, { level, index }: Slot): Span {
  const length = lengthOf(whole) / 2 ** level;
  return { start: whole.start + index * length, end: whole.start + (index + 1) * length };
}

/** The tiles of a level that a span reaches into, from left to right. */
export function slotsOf(whole: Span, span: Span, level: number): readonly Slot[] {
  const length = lengthOf(whole) / 2 ** level;
  const last = 2 ** level - 1;
  const first = Math.min(last, Math.max(0, Math.floor((span.start - whole.start) / length)));
  const end = Math.min(last, Math.max(first, Math.ceil((span.end - whole.start) / length) - 1));
  return Array.from({ length: end - first + 1 }, (_, at) => ({ level, index: first + at }));
}

/** The tile of a lower level that holds this one. */
export function ancestor({ level, index }: Slot, above: number): Slot {
  return { level: level - above, index: Math.floor(index / 2 ** above) };
}

export function keyOf({ level, index }: Slot): string {
  return `${level}/${index}`;
}
