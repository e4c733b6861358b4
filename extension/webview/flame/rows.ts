/**
 * Where the rows of a tree stand: callees below their callers from the top down (`icicle`), or above them from the bottom up (`flame`).
 */

export type Direction = 'icicle' | 'flame';

export const ROW_PX = 20;

export interface Stage {
  readonly direction: Direction;
  /** How many rows the tree has. */
  readonly rows: number;
  readonly heightPx: number;
  /** What of all rows is above the window. */
  readonly scrollPx: number;
}

export function contentPx({ rows, heightPx }: Stage): number {
  return Math.max(rows * ROW_PX, heightPx);
}

export function greatestScroll(stage: Stage): number {
  return contentPx(stage) - stage.heightPx;
}

export function topOf(stage: Stage, depth: number): number {
  return (stage.direction === 'icicle' ? depth * ROW_PX : contentPx(stage) - (depth + 1) * ROW_PX) - stage.scrollPx;
}

/** The depth whose row is at a height; it may be one that the tree doesn't have. */
export function depthAt(stage: Stage, y: number): number {
  const px = y + stage.scrollPx;
  return Math.floor((stage.direction === 'icicle' ? px : contentPx(stage) - px) / ROW_PX);
}

/** First and last depth that are seen. */
export function depthsSeen(stage: Stage): readonly [number, number] {
  const [one, other] = [depthAt(stage, 0), depthAt(stage, stage.heightPx - 1)].sort((a, b) => a - b);
  return [Math.max(0, one ?? 0), Math.min(stage.rows - 1, other ?? 0)];
}

/** The scroll position that brings a row into the window with the least movement; one row beside it is seen too. */
export function scrollTo(stage: Stage, depth: number): number {
  const top = topOf(stage, depth) + stage.scrollPx;
  const to = top - ROW_PX < stage.scrollPx ? top - ROW_PX : Math.max(stage.scrollPx, top + 2 * ROW_PX - stage.heightPx);
  return Math.min(greatestScroll(stage), Math.max(0, to));
}
