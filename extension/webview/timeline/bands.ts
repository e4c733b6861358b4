/**
 * Which tracks are shown, and where: pinned ones above, the others below as far as they are not hidden and the groups around them are open.
 */
import type { Track } from '../../server/wire';

export const ROW_PX = 18;
/** Of a collapsed track: its shape can be seen, its names not. */
const THIN_PX = 3;
const GROUP_PX = 24;
const COUNTER_PX = 44;
/** Below each track. */
const GAP_PX = 6;
export const RULER_PX = 26;

export interface Shown {
  /** Ids of tracks. A collapsed group hides what it holds, a collapsed track has thin rows. */
  readonly collapsed: readonly string[];
  readonly hidden: readonly string[];
  readonly pinned: readonly string[];
}

export interface Band {
  readonly track: Track;
  /** Groups around it. */
  readonly depth: number;
  readonly isGroup: boolean;
  readonly collapsed: boolean;
  /** Rows of events. */
  readonly rows: number;
  readonly rowPx: number;
  /** From the top of all bands of its part. */
  readonly topPx: number;
  readonly heightPx: number;
}

export interface Bands {
  readonly pinned: readonly Band[];
  readonly pinnedPx: number;
  readonly scrolled: readonly Band[];
  readonly scrolledPx: number;
}

export function isGroup({ kind }: Track): boolean {
  return kind === 'thread' || kind === 'device';
}

export function bandsOf(tracks: readonly Track[], { collapsed, hidden, pinned }: Shown): Bands {
  const byId = new Map(tracks.map((track) => [track.id, track]));
  const [closed, gone, above] = [new Set(collapsed), new Set(hidden), new Set(pinned)];
  const around = (track: Track): readonly Track[] => {
    const found: Track[] = [];
    for (let at = track.parent; at !== null; at = byId.get(at)?.parent ?? null) {
      const parent = byId.get(at);
      if (parent) {
        found.push(parent);
      }
    }
    return found;
  };
  const kept = tracks.filter((track) => {
    const groups = around(track);
    return !above.has(track.id) && !gone.has(track.id) && !groups.some(({ id }) => closed.has(id) || gone.has(id));
  });
  // A group whose tracks are all pinned or hidden by themselves says nothing.
  const holding = new Set(kept.filter((track) => !isGroup(track)).flatMap((track) => around(track).map(({ id }) => id)));
  const shown = kept.filter((track) => !isGroup(track) || holding.has(track.id) || closed.has(track.id));
  const stacked = (list: readonly Track[], indent: boolean): readonly Band[] => {
    let topPx = 0;
    return list.map((track) => {
      const group = isGroup(track);
      const isClosed = closed.has(track.id);
      const rows = group || track.kind === 'counter' ? 0 : track.rows;
      const rowPx = isClosed ? THIN_PX : ROW_PX;
      const heightPx = group ? GROUP_PX : track.kind === 'counter' ? COUNTER_PX + GAP_PX : Math.max(ROW_PX, rows * rowPx) + GAP_PX;
      const band = { track, depth: indent ? around(track).length : 0, isGroup: group, collapsed: isClosed, rows, rowPx, topPx, heightPx };
      topPx += heightPx;
      return band;
    });
  };
  const pinnedBands = stacked(
    pinned.map((id) => byId.get(id)).filter((track) => track !== undefined),
    false,
  );
  const scrolledBands = stacked(shown, true);
  return { pinned: pinnedBands, pinnedPx: bottomOf(pinnedBands), scrolled: scrolledBands, scrolledPx: bottomOf(scrolledBands) };
}

function bottomOf(bands: readonly Band[]): number {
  const last = bands.at(-1);
  return last ? last.topPx + last.heightPx : 0;
}

/** What a window of a height shows. */
export interface Stage {
  readonly bands: Bands;
  readonly heightPx: number;
  readonly scrollPx: number;
}

export interface Placed {
  readonly band: Band;
  /** Of the band, from the top of the window. */
  readonly y: number;
}

/** Pinned tracks take half of the window at most. */
export function pinnedHeight({ bands, heightPx }: Stage): number {
  return Math.min(bands.pinnedPx, Math.max(0, (heightPx - RULER_PX) / 2));
}

export function greatestScroll(stage: Stage): number {
  return Math.max(0, stage.bands.scrolledPx - (stage.heightPx - RULER_PX - pinnedHeight(stage)));
}

export function pinnedSeen(stage: Stage): readonly Placed[] {
  const limit = RULER_PX + pinnedHeight(stage);
  return stage.bands.pinned.map((band) => ({ band, y: RULER_PX + band.topPx })).filter(({ y }) => y < limit);
}

export function scrolledSeen(stage: Stage): readonly Placed[] {
  const from = RULER_PX + pinnedHeight(stage);
  return stage.bands.scrolled
    .map((band) => ({ band, y: from + band.topPx - stage.scrollPx }))
    .filter(({ band, y }) => y + band.heightPx > from && y < stage.heightPx);
}

/** The band at a height, and its row of events (-1 for none). */
export function bandAt(stage: Stage, y: number): (Placed & { readonly row: number }) | null {
  if (y < RULER_PX) {
    return null;
  }
  const all = y < RULER_PX + pinnedHeight(stage) ? pinnedSeen(stage) : scrolledSeen(stage);
  const found = all.find((placed) => y >= placed.y && y < placed.y + placed.band.heightPx);
  if (!found) {
    return null;
  }
  const row = Math.floor((y - found.y) / found.band.rowPx);
  return { ...found, row: row < found.band.rows ? row : -1 };
}

export interface RowPlace {
  readonly y: number;
  readonly rowPx: number;
  readonly pinned: boolean;
}

/** Where the row of a track stands in the window; null where the track is not shown. */
export function placeOf(stage: Stage, track: string, row: number): RowPlace | null {
  const pinned = stage.bands.pinned.find((band) => band.track.id === track);
  const band = pinned ?? stage.bands.scrolled.find((one) => one.track.id === track);
  if (!band) {
    return null;
  }
  const from = pinned ? RULER_PX : RULER_PX + pinnedHeight(stage) - stage.scrollPx;
  return { y: from + band.topPx + row * band.rowPx, rowPx: band.rowPx, pinned: pinned !== undefined };
}

/** The scroll position that brings a row into the window with the least movement. */
export function scrollToRow(stage: Stage, track: string, row: number): number {
  const place = placeOf(stage, track, row);
  if (!place || place.pinned) {
    return stage.scrollPx;
  }
  const from = RULER_PX + pinnedHeight(stage);
  const by = place.y < from + ROW_PX ? place.y - from - ROW_PX : Math.max(0, place.y + 2 * ROW_PX - stage.heightPx);
  return Math.min(greatestScroll(stage), Math.max(0, stage.scrollPx + by));
}

/** What must be opened or shown again so that a track can be seen. */
export function revealed(tracks: readonly Track[], shown: Shown, track: string): Shown {
  if (shown.pinned.includes(track)) {
    return shown;
  }
  const around = new Set<string>();
  for (let at = tracks.find(({ id }) => id === track)?.parent ?? null; at !== null;) {
    const id: string = at;
    around.add(id);
    at = tracks.find((one) => one.id === id)?.parent ?? null;
  }
  return {
    collapsed: shown.collapsed.filter((id) => !around.has(id)),
    hidden: shown.hidden.filter((id) => id !== track && !around.has(id)),
    pinned: shown.pinned,
  };
}

/** Tracks with more rows than this are collapsed at first, so that what is below them is seen too. */
const MANY_ROWS = 20;

export function collapsedAtFirst(tracks: readonly Track[]): readonly string[] {
  return tracks.filter(({ rows }) => rows > MANY_ROWS).map(({ id }) => id);
}
