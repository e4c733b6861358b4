/**
 * A tile's columns as arrays that can be drawn: pieces by row, each row from left to right.
 */
import type { EventCategory, Tile, TrackTile } from '../../server/wire';
import { labelOf } from '../shared/frameLabel';
import { styleOf } from './colours';

/** Pieces of one track. Times are µs since the recording's start. */
export interface Pieces {
  readonly start: Float64Array;
  readonly end: Float64Array;
  /** Index into `names` and `styles`. */
  readonly name: Uint32Array;
  readonly event: Uint32Array;
  /** How many events the piece stands for. */
  readonly count: Uint32Array;
  /** Where each row begins, and one more: the end. */
  readonly rowFrom: Uint32Array;
  readonly names: readonly string[];
  /** What is written into boxes. */
  readonly labels: readonly string[];
  readonly categories: readonly EventCategory[];
  /** Colour of each name. */
  readonly styles: Uint8Array;
}

/** One curve, a value a pixel; NaN where it has none. */
export interface Curve {
  readonly name: string;
  readonly mean: Float64Array;
  readonly low: Float64Array;
  readonly high: Float64Array;
  readonly last: Float64Array;
}

export interface TrackData {
  readonly pieces: Pieces | null;
  readonly curves: readonly Curve[] | null;
}

/** Names of Python frames: what is called comes first. */
const FRAMES: ReadonlySet<EventCategory> = new Set<EventCategory>(['user', 'library', 'builtin', 'module']);

/** What a tile has of each of its tracks. */
export function dataOf(tile: Tile): ReadonlyMap<string, TrackData> {
  const labels = tile.names.map((name, at) => (FRAMES.has(tile.categories[at] ?? 'other') ? labelOf(name) : name.replace(/^void /, '')));
  const styles = Uint8Array.from(tile.names, (name, at) => styleOf(name, tile.categories[at] ?? 'other'));
  return new Map<string, TrackData>([
    ...tile.tracks.map((track) => [track.track, { pieces: piecesOf(track, tile, labels, styles), curves: null }] as const),
    ...tile.counters.map(({ track, series }) => {
      const curves = series.map(({ name, mean, low, high, last }) => ({
        name,
        mean: floats(mean),
        low: floats(low),
        high: floats(high),
        last: floats(last),
      }));
      return [track, { pieces: null, curves }] as const;
    }),
  ]);
}

function piecesOf(track: TrackTile, { names, categories }: Tile, labels: readonly string[], styles: Uint8Array): Pieces {
  const start = floats(track.start_us);
  const end = floats(track.dur_us);
  for (let at = 0; at < end.length; at++) {
    end[at] = (start[at] ?? 0) + (end[at] ?? 0);
  }
  const row = integers(track.row);
  const rows = row.length === 0 ? 0 : (row[row.length - 1] ?? 0) + 1;
  const rowFrom = new Uint32Array(rows + 1).fill(row.length);
  for (let at = row.length - 1; at >= 0; at--) {
    rowFrom[row[at] ?? 0] = at;
  }
  // A row without pieces begins where the next one does.
  for (let at = rows - 1; at >= 0; at--) {
    rowFrom[at] = Math.min(rowFrom[at] ?? 0, rowFrom[at + 1] ?? 0);
  }
  return {
    start,
    end,
    name: integers(track.name),
    event: integers(track.event),
    count: integers(track.count),
    rowFrom,
    names,
    labels,
    categories,
    styles,
  };
}

export function floats(base64: string): Float64Array {
  return new Float64Array(bytes(base64).buffer);
}

export function integers(base64: string): Uint32Array {
  return new Uint32Array(bytes(base64).buffer);
}

/** Newer browsers decode by themselves, which takes a fraction of the time; types do not know it yet. */
const { fromBase64 } = Uint8Array as unknown as { readonly fromBase64?: (base64: string) => Uint8Array<ArrayBuffer> };

function bytes(base64: string): Uint8Array<ArrayBuffer> {
  if (fromBase64) {
    return fromBase64.call(Uint8Array, base64);
  }
  const text = atob(base64);
  const found = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) {
    found[at] = text.charCodeAt(at);
  }
  return found;
}
