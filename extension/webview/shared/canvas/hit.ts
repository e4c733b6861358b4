/**
 * Which box of a row lies under the pointer. Boxes of a row don't overlap and are sorted.
 */

export interface Boxes {
  readonly count: number;
  readonly start: (index: number) => number;
  readonly end: (index: number) => number;
}

/** Index of the box that holds `at`, or of the nearest one within `slack` (very narrow boxes are hard to meet); -1 for none. */
export function boxAt({ count, start, end }: Boxes, at: number, slack: number): number {
  const after = firstWhere(count, (index) => start(index) > at);
  const before = after - 1;
  if (before >= 0 && at <= end(before)) {
    return before;
  }
  const toBefore = before >= 0 ? at - end(before) : Infinity;
  const toAfter = after < count ? start(after) - at : Infinity;
  return Math.min(toBefore, toAfter) > slack ? -1 : toBefore <= toAfter ? before : after;
}

/** The first index for which something is true that is true of all after it; `count` where it is of none. */
export function firstWhere(count: number, is: (index: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (is(middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}
