/**
 * Draws a counter's curve into pixels: a line in steps, an area below it where it stands alone, and a band from the least to the greatest
 * value. Each column of the screen is written once, so the cost is that of the screen and not that of the curve.
 */
import { fillColumn } from '../shared/canvas/pixels';
import type { Pixels } from '../shared/canvas/pixels';
import { lengthOf } from '../shared/canvas/viewport';
import type { Span } from '../shared/canvas/viewport';
import type { Curve } from './pieces';

/** Pixels, as `pixel` makes them. `area` is null where only lines are drawn. */
export interface Ink {
  readonly line: number;
  readonly band: number;
  readonly area: number | null;
  /** Of the band within the area. */
  readonly bandInArea: number;
}

/** What of the pixels the curve is drawn into. */
export interface Frame {
  /** First column, and one past the last. */
  readonly from: number;
  readonly to: number;
  /** The time that all columns of the picture show. */
  readonly span: Span;
  /** Row, with its fraction, of the value 0, and how many rows lie between it and 1: below 0, since rows go down. */
  readonly rowOfZero: number;
  readonly rowsPerUnit: number;
  /** Row where the area ends. */
  readonly zeroRow: number;
  /** How thick the line is. */
  readonly thick: number;
}

/** Of a tile's pixel: what numbers lose on the way. */
const ROUNDING = 1e-6;

/** `of`: the time of the curve’s tile. `before`: the row at which the curve has left the column to the left, null where none. Returns that
 * of the last column. */
export function drawCurve(pixels: Pixels, curve: Curve, of: Span, frame: Frame, ink: Ink, before: number | null): number | null {
  const { mean, low, high } = curve;
  const { span, rowOfZero, rowsPerUnit, zeroRow, thick } = frame;
  const count = mean.length;
  // The place of a column's left side among the tile's pixels.
  const each = ((lengthOf(span) / pixels.width) * count) / lengthOf(of);
  const origin = ((span.start - of.start) * count) / lengthOf(of);
  const half = Math.floor(thick / 2);
  let last = before;
  // From the tile's pixel in which a column begins to before the one in which the next does, so that none is left out.
  let end = Math.floor(origin + frame.from * each + ROUNDING);
  for (let x = frame.from; x < frame.to; x++) {
    const first = end;
    end = Math.floor(origin + (x + 1) * each + ROUNDING);
    let [sum, values, least, most] = [0, 0, Infinity, -Infinity];
    for (let at = Math.max(0, first); at < Math.min(count, Math.max(first + 1, end)); at++) {
      const value = mean[at] ?? NaN;
      if (!Number.isNaN(value)) {
        sum += value;
        values += 1;
        least = Math.min(least, low[at] ?? value);
        most = Math.max(most, high[at] ?? value);
      }
    }
    if (values === 0) {
      last = null;
      continue;
    }
    const row = Math.round(rowOfZero + (rowsPerUnit * sum) / values);
    if (ink.area !== null) {
      fillColumn(pixels, x, Math.min(row, zeroRow), Math.max(row, zeroRow), ink.area);
    }
    if (most > least) {
      const top = Math.round(rowOfZero + rowsPerUnit * most);
      const bottom = Math.max(top + 1, Math.round(rowOfZero + rowsPerUnit * least));
      fillColumn(pixels, x, top, Math.min(bottom, row), ink.band);
      fillColumn(pixels, x, Math.max(top, row), bottom, ink.area === null ? ink.band : ink.bandInArea);
    }
    fillColumn(pixels, x, Math.min(row, last ?? row) - half, Math.max(row, last ?? row) - half + thick, ink.line);
    last = row;
  }
  return last;
}
