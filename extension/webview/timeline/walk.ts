/**
 * From an event to its neighbours by the arrow keys: along its row in time, and up and down to the nearest event at the same time.
 */
import { lengthOf } from '../shared/canvas/viewport';
import type { Span } from '../shared/canvas/viewport';
import { scrolledSeen } from './bands';
import type { Band, Stage } from './bands';
import { pieceAt } from './draw';
import type { Spot } from './draw';
import { levelOf, slotsOf } from './grid';
import type { Pieces } from './pieces';
import type { Tiles } from './tiles';

/** An event, or several that are too narrow to be told apart, as it is drawn. */
export interface Hit extends Spot {
  /** The longest, where there are several. */
  readonly event: number;
  readonly name: string;
  /** How many events are drawn as one. */
  readonly count: number;
}

export function hitOf(track: string, row: number, pieces: Pieces, at: number): Hit {
  const [start = 0, end = 0] = [pieces.start[at], pieces.end[at]];
  return {
    event: pieces.event[at] ?? 0,
    track,
    row,
    name: pieces.names[pieces.name[at] ?? 0] ?? '',
    start_us: start,
    dur_us: end - start,
    count: pieces.count[at] ?? 1,
  };
}

/** The piece beside it in its row, as fine as it is drawn; null at an end. Where its tile ends the next one is looked into. */
export function beside(tiles: Tiles, span: Span, widthPx: number, from: Spot, to: 'left' | 'right'): Hit | null {
  const level = levelOf(tiles.whole, span, widthPx);
  const time = to === 'right' ? from.start_us + from.dur_us : from.start_us;
  const [here] = slotsOf(tiles.whole, { start: time, end: time }, level);
  for (let index = here?.index ?? 0; index >= 0 && index < 2 ** level; index += to === 'right' ? 1 : -1) {
    const pieces = tiles.best(from.track, { level, index })?.data.pieces;
    if (!pieces) {
      return null;
    }
    const [first = 0, end = 0] = [pieces.rowFrom[from.row], pieces.rowFrom[from.row + 1]];
    for (let step = 0; step < end - first; step++) {
      const at = to === 'right' ? first + step : end - 1 - step;
      const isNext =
        to === 'right'
          ? (pieces.start[at] ?? 0) >= time && (pieces.start[at] ?? 0) > from.start_us
          : (pieces.start[at] ?? 0) < from.start_us;
      if (isNext) {
        return hitOf(from.track, from.row, pieces, at);
      }
    }
  }
  return null;
}

/** The nearest event of the next row with events, above or below, at the middle of what is seen of this one; null where there is none. */
export function across(tiles: Tiles, span: Span, widthPx: number, bands: readonly Band[], from: Spot, to: 'up' | 'down'): Hit | null {
  const rows = bands.flatMap(({ track, rows: count }) => Array.from({ length: count }, (_, row) => ({ track: track.id, row })));
  const here = rows.findIndex(({ track, row }) => track === from.track && row === from.row);
  const [left, right] = [Math.max(span.start, from.start_us), Math.min(span.end, from.start_us + from.dur_us)];
  const time = left <= right ? (left + right) / 2 : from.start_us + from.dur_us / 2;
  for (let at = here + (to === 'down' ? 1 : -1); here >= 0 && at >= 0 && at < rows.length; at += to === 'down' ? 1 : -1) {
    const { track = '', row = 0 } = rows[at] ?? {};
    const found = pieceAt(tiles, span, widthPx, track, row, time, (span.end - span.start) / 2);
    if (found) {
      return hitOf(track, row, found.pieces, found.at);
    }
  }
  return null;
}

/** The first event that is seen, from the top, nearest to the middle. */
export function firstSeen(stage: Stage, tiles: Tiles, span: Span, widthPx: number): Hit | null {
  const middle = (span.start + span.end) / 2;
  for (const { band } of scrolledSeen(stage)) {
    for (let row = 0; row < band.rows; row++) {
      const found = pieceAt(tiles, span, widthPx, band.track.id, row, middle, lengthOf(span) / 2);
      if (found) {
        return hitOf(band.track.id, row, found.pieces, found.at);
      }
    }
  }
  return null;
}
