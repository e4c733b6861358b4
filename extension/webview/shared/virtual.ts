/**
 * Which rows of a long list are on the screen. All rows have one height, except that one of them may be open and have a part below it, whose
 * height is measured.
 */

export interface Layout {
  readonly count: number;
  readonly rowPx: number;
  /** Index of the open row, -1 for none. */
  readonly open: number;
  /** Height of the part below the open row. */
  readonly openPx: number;
}

export interface Window {
  /** First and one past the last row to draw. */
  readonly first: number;
  readonly end: number;
}

/** Rows drawn above and below what is seen, so that scrolling shows no holes. */
const MARGIN = 6;

export function totalPx({ count, rowPx, open, openPx }: Layout): number {
  return count * rowPx + (open >= 0 && open < count ? openPx : 0);
}

/** Distance of a row's top from the list's. */
export function topOf(layout: Layout, index: number): number {
  return index * layout.rowPx + (layout.open >= 0 && index > layout.open ? layout.openPx : 0);
}

export function visibleRows(layout: Layout, scrollPx: number, heightPx: number): Window {
  const first = rowAt(layout, scrollPx);
  const last = rowAt(layout, scrollPx + heightPx);
  return { first: Math.max(0, first - MARGIN), end: Math.min(layout.count, last + 1 + MARGIN) };
}

function rowAt(layout: Layout, px: number): number {
  const { rowPx, open, openPx, count } = layout;
  if (open < 0 || px < (open + 1) * rowPx) {
    return Math.min(count, Math.max(0, Math.floor(px / rowPx)));
  }
  return Math.min(count, Math.max(open, Math.floor((px - openPx) / rowPx)));
}

/** The scroll position that brings a row, with its open part, into view with the least movement; where it is too tall for that, its top. */
export function scrollTo(layout: Layout, index: number, scrollPx: number, heightPx: number): number {
  const top = topOf(layout, index);
  const bottom = top + layout.rowPx + (index === layout.open ? layout.openPx : 0);
  return top < scrollPx ? top : bottom > scrollPx + heightPx ? Math.min(top, bottom - heightPx) : scrollPx;
}
