/**
 * Next and previous hot spot: through the hot lines of a file from top to bottom, then on to the next file, and round again.
 */
import type { HotSpot } from '../server/wire';

export interface Position {
  readonly path: string;
  readonly line: number;
}

/** The hot spot after (`1`) or before (`-1`) the cursor. Spots whose file is not on this machine are left out. */
export function neighbour(spots: readonly HotSpot[], from: Position | undefined, direction: 1 | -1): HotSpot | undefined {
  const places = spots.filter(({ path }) => path !== null).sort(byPlace);
  if (from === undefined) {
    // No editor to start from: the dearest line, which is the first of the server's list.
    return spots.find(({ path }) => path !== null);
  }
  const after = (spot: HotSpot) => direction * comparePlaces({ path: spot.path ?? '', line: spot.line }, from) > 0;
  const ordered = direction === 1 ? places : places.reverse();
  return ordered.find(after) ?? ordered[0];
}

function byPlace(a: HotSpot, b: HotSpot): number {
  return comparePlaces({ path: a.path ?? '', line: a.line }, { path: b.path ?? '', line: b.line });
}

function comparePlaces(a: Position, b: Position): number {
  return a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1;
}
