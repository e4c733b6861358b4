/**
 * The tiles that are known, and what is asked for next. What is on the screen comes first, then its neighbours; a question whose answer is no
 * longer of use is given up; old tiles are forgotten when there are too many. Until a tile is there, a coarser one stands in for it.
 */
import type { Span } from '../shared/canvas/viewport';
import { ancestor, keyOf, levelOf, slotsOf } from './grid';
import type { Slot } from './grid';
import type { TrackData } from './pieces';

export type AskTile = (slot: Slot, tracks: readonly string[], signal: AbortSignal) => Promise<ReadonlyMap<string, TrackData>>;

/** Questions at once: one is computed while the answer of the other is on its way. */
const AT_ONCE = 2;
/** Memory of what is kept, pieces, names and all. */
const KEPT_BYTES = 48 * 2 ** 20;
/** A failed question is asked again after this time at the earliest. */
const AGAIN_MS = 3000;

const NOTHING: TrackData = { pieces: null, curves: null };

interface Kept {
  readonly slot: Slot;
  readonly tracks: Map<string, TrackData>;
  bytes: number;
  /** Number of the look that last wanted it. */
  used: number;
}

interface Asked {
  readonly key: string;
  readonly tracks: ReadonlySet<string>;
  readonly controller: AbortController;
}

interface Want {
  readonly slot: Slot;
  readonly key: string;
  readonly tracks: readonly string[];
}

export interface Best {
  readonly slot: Slot;
  readonly data: TrackData;
}

export class Tiles {
  private readonly known = new Map<string, Kept>();
  private asked: Asked[] = [];
  private wanted: readonly Want[] = [];
  private looks = 0;
  private bytes = 0;
  private readonly failedAt = new Map<string, number>();
  /** Words of the last failure; null where the last answer was one. */
  problem: string | null = null;

  constructor(
    readonly whole: Span,
    private readonly ask: AskTile,
    /** Something new can be drawn. */
    private readonly changed: () => void,
    private readonly now: () => number = () => performance.now(),
    private readonly keptBytes = KEPT_BYTES,
  ) {}

  /** Says what is on the screen; asks for what of it is not known. */
  look(tracks: readonly string[], span: Span, widthPx: number): void {
    this.looks += 1;
    const level = levelOf(this.whole, span, widthPx);
    const seen = slotsOf(this.whole, span, level);
    const first = seen[0]?.index ?? 0;
    const last = seen.at(-1)?.index ?? 0;
    const middle = (first + last) / 2;
    const nearest = [...seen].sort((a, b) => Math.abs(a.index - middle) - Math.abs(b.index - middle));
    const beside = [first - 1, last + 1].filter((index) => index >= 0 && index < 2 ** level).map((index) => ({ level, index }));
    // The whole stands in for everything that is not there yet.
    const slots = [...(level > 0 ? [{ level: 0, index: 0 }] : []), ...nearest, ...beside];
    this.wanted = slots.map((slot) => {
      const key = keyOf(slot);
      const kept = this.known.get(key);
      if (kept) {
        kept.used = this.looks;
      }
      return { slot, key, tracks: kept ? tracks.filter((track) => !kept.tracks.has(track)) : tracks };
    });
    const useful = new Set(this.wanted.map(({ key }) => key));
    for (const one of this.asked) {
      if (!useful.has(one.key)) {
        one.controller.abort();
      }
    }
    this.asked = this.asked.filter(({ key }) => useful.has(key));
    this.next();
  }

  /** What to draw of a track in a tile: the tile itself, else the finest coarser one that is known. */
  best(track: string, slot: Slot): Best | null {
    for (let above = 0; above <= slot.level; above++) {
      const of = ancestor(slot, above);
      const data = this.known.get(keyOf(of))?.tracks.get(track);
      if (data) {
        return { slot: of, data };
      }
    }
    return null;
  }

  /** Whether all that is on the screen is as fine as it can be. */
  get complete(): boolean {
    return this.asked.length === 0 && this.wanted.every(({ tracks }) => tracks.length === 0);
  }

  /** Asks again for what failed. */
  again(): void {
    this.failedAt.clear();
    this.next();
  }

  dispose(): void {
    this.asked.forEach(({ controller }) => controller.abort());
    this.asked = [];
    this.wanted = [];
  }

  private next(): void {
    for (const { slot, key, tracks } of this.wanted) {
      if (this.asked.length >= AT_ONCE) {
        return;
      }
      const kept = this.known.get(key);
      const missing = tracks.filter(
        (track) => !kept?.tracks.has(track) && !this.asked.some((one) => one.key === key && one.tracks.has(track)),
      );
      if (missing.length > 0 && this.now() - (this.failedAt.get(key) ?? -Infinity) >= AGAIN_MS) {
        void this.get(slot, key, missing);
      }
    }
  }

  private async get(slot: Slot, key: string, tracks: readonly string[]): Promise<void> {
    const controller = new AbortController();
    const mine: Asked = { key, tracks: new Set(tracks), controller };
    this.asked.push(mine);
    try {
      const data = await this.ask(slot, tracks, controller.signal);
      this.failedAt.delete(key);
      this.problem = null;
      // What has no answer has nothing there: it is not asked for again and again.
      this.keep(slot, key, new Map(tracks.map((track) => [track, data.get(track) ?? NOTHING])));
    } catch (error) {
      if (controller.signal.aborted) {
        return;
      }
      const now = this.now();
      for (const [old, at] of this.failedAt) {
        if (now - at >= AGAIN_MS) {
          this.failedAt.delete(old);
        }
      }
      this.failedAt.set(key, now);
      this.problem = error instanceof Error ? error.message : String(error);
    }
    this.asked = this.asked.filter((one) => one !== mine);
    this.changed();
    this.next();
  }

  private keep(slot: Slot, key: string, data: ReadonlyMap<string, TrackData>): void {
    const kept = this.known.get(key) ?? { slot, tracks: new Map<string, TrackData>(), bytes: 0, used: this.looks };
    this.known.set(key, kept);
    data.forEach((of, track) => kept.tracks.set(track, of));
    const more = bytesOf(data);
    kept.bytes += more;
    this.bytes += more;
    if (this.bytes > this.keptBytes) {
      this.forget();
    }
  }

  /** The tiles that were wanted longest ago, but never those of the last look. */
  private forget(): void {
    const old = [...this.known].filter(([, { used }]) => used < this.looks).sort(([, a], [, b]) => a.used - b.used);
    for (const [key, { bytes }] of old) {
      if (this.bytes <= this.keptBytes * 0.75) {
        return;
      }
      this.known.delete(key);
      this.bytes -= bytes;
    }
  }
}

/** Start, end, name, event and count of a piece. */
const PIECE_BYTES = 28;
/** Mean, low, high and last of a pixel. */
const PIXEL_BYTES = 32;
/** Of a name what is beside its characters: its label, category and style. */
const NAME_BYTES = 64;
/** Of a track, even one where nothing is. */
const TRACK_BYTES = 256;

/** About the memory that an answer takes. Its tracks have their names in common. */
function bytesOf(data: ReadonlyMap<string, TrackData>): number {
  let bytes = 0;
  const names = new Set<readonly string[]>();
  for (const { pieces, curves } of data.values()) {
    bytes += TRACK_BYTES + (pieces?.start.length ?? 0) * PIECE_BYTES + (pieces?.rowFrom.byteLength ?? 0);
    bytes += (curves ?? []).reduce((sum, { mean }) => sum + mean.length * PIXEL_BYTES, 0);
    if (pieces) {
      names.add(pieces.names);
    }
  }
  names.forEach((all) => all.forEach((name) => (bytes += NAME_BYTES + 2 * name.length)));
  return bytes;
}
