/**
 * Which pieces of a row are drawn from a tile.
 */
import { firstWhere } from '../shared/canvas/hit';
import type { Span } from '../shared/canvas/viewport';
import type { Pieces } from './pieces';

/** Indices of the pieces of a row that begin in a span; with `reaching` also those that began before it and reach into it. */
export function piecesIn(pieces: Pieces, row: number, { start, end }: Span, reaching: boolean): readonly [first: number, end: number] {
  const from = pieces.rowFrom[row];
  const to = pieces.rowFrom[row + 1];
  if (from === undefined || to === undefined) {
    return [0, 0];
  }
  const count = to - from;
  const first = firstWhere(count, (at) => (reaching ? (pieces.end[from + at] ?? 0) > start : (pieces.start[from + at] ?? 0) >= start));
  const last = firstWhere(count, (at) => (pieces.start[from + at] ?? 0) >= end);
  return [from + first, from + Math.max(first, last)];
}
