/**
 * Draws boxes with text in them. Boxes too narrow to see are put together: within a pixel of a row only the first is drawn. Boxes without
 * text, of which there can be as many as pixels, are written into a sheet in which each row is one pixel high.
 */
import type { Fill, Palette } from './palette';
import { pixel } from './pixels';
import type { Sheet, Strip } from './sheet';
import type { Paint } from './surface';

/** Space between a box's border and its text. */
const PAD_PX = 4;
/** Width of the mark at the beginning of a box in high contrast. */
const MARK_PX = 3;
/** Narrower boxes have no text. */
const TEXT_FROM_PX = 22;
/** Nor have lower ones, nor an outline in high contrast: it would fill them. */
const TEXT_ROW_PX = 12;

/** Of what is not looked for. */
const DIMMED = 0.35;

const STRONG = new WeakMap<Fill, number>();
const STRONG_DIMMED = new WeakMap<Fill, number>();

function pixelOf(fill: Fill, dimmed: boolean): number {
  const known = dimmed ? STRONG_DIMMED : STRONG;
  let word = known.get(fill);
  if (word === undefined) {
    word = pixel(fill.strong, dimmed ? DIMMED : 1);
    known.set(fill, word);
  }
  return word;
}

/** Row after row, each from left to right. `finish` draws what is in the sheet, which others may have added to, and text above all. */
export class BoxPainter {
  private readonly texts: { text: string; x: number; y: number; colour: string; dimmed: boolean }[] = [];
  /** Where the last box of the row ends: one that ends before is not seen. */
  drawnTo = -Infinity;
  private fill = '';
  private alpha = 1;
  private top = 0;
  private rowPx = 0;
  /** Of this row; null until something is written. */
  private strip: Strip | null = null;

  constructor(
    private readonly paint: Paint,
    private readonly sheet: Sheet,
  ) {}

  /** The boxes from now on are of a row from `top`, `rowPx` high with the space below it. */
  row(top: number, rowPx: number): void {
    this.top = top;
    this.rowPx = rowPx;
    this.strip = null;
    this.drawnTo = -Infinity;
  }

  /** A box from `left` to `right` (px). `dimmed`: not what is looked for. */
  box(left: number, right: number, style: Fill, label: string, dimmed = false): void {
    const { context, widthPx, palette, text } = this.paint;
    const { top, rowPx } = this;
    if (right <= this.drawnTo || right < 0 || left > widthPx) {
      return;
    }
    const from = Math.max(left, this.drawnTo, -2);
    const to = Math.min(Math.max(right, from + 1), widthPx + 2);
    this.drawnTo = to;
    const gap = to - from > 3 ? 1 : 0;
    const seenFrom = Math.max(0, from) + (palette.highContrast ? MARK_PX : 0);
    const room = Math.min(widthPx, to) - seenFrom - 2 * PAD_PX;
    const hasText = room > TEXT_FROM_PX - 2 * PAD_PX && rowPx >= TEXT_ROW_PX;
    // In high contrast a larger one has an outline.
    const outlined = palette.highContrast && to - from > 2 * MARK_PX && rowPx >= TEXT_ROW_PX;
    if (!hasText && !outlined) {
      this.write(from, to, gap, pixelOf(style, dimmed));
      return;
    }
    const alpha = dimmed ? DIMMED : 1;
    if (alpha !== this.alpha) {
      context.globalAlpha = this.alpha = alpha;
    }
    const fill = hasText ? style.fill : style.strong;
    if (fill !== this.fill) {
      context.fillStyle = this.fill = fill;
    }
    context.fillRect(from, top, to - from - gap, rowPx - 1);
    if (palette.highContrast) {
      outline(context, palette, from, top, to - from - gap, rowPx - 1, style.mark ?? palette.line);
      this.fill = '';
    }
    if (hasText) {
      const shown = text.fit(label, room);
      if (shown !== '') {
        this.texts.push({ text: shown, x: seenFrom + PAD_PX, y: top + rowPx / 2, colour: style.text, dimmed: alpha !== 1 });
      }
    }
  }

  /** A box in the sheet: pixels in which one is already stay. */
  private write(from: number, to: number, gap: number, word: number): void {
    const strip = (this.strip ??= this.stripOfRow());
    const { words, width } = strip;
    const { ratio } = this.paint;
    const left = Math.max(0, Math.round(from * ratio));
    const right = Math.min(width, Math.max(left + 1, Math.round(to * ratio) - Math.round(gap * ratio)));
    for (let at = left; at < right; at++) {
      words[at] ||= word;
    }
    strip.from = Math.min(strip.from, left);
    strip.to = Math.max(strip.to, right);
  }

  private stripOfRow(): Strip {
    const { ratio } = this.paint;
    const top = Math.round(this.top * ratio);
    const strip = this.sheet.add(1, top, Math.round((this.top + this.rowPx - 1) * ratio) - top);
    [strip.from, strip.to] = [strip.width, 0];
    return strip;
  }

  finish(): void {
    const { context } = this.paint;
    context.globalAlpha = 1;
    this.sheet.draw(context);
    let colour = '';
    for (const { text, x, y, colour: own, dimmed } of this.texts) {
      context.globalAlpha = dimmed ? 0.6 : 1;
      if (own !== colour) {
        context.fillStyle = colour = own;
      }
      context.fillText(text, x, y);
    }
    context.globalAlpha = 1;
  }
}

/** In high contrast a box is a border, with a mark in the colour of its series at its beginning. */
function outline(
  context: CanvasRenderingContext2D,
  { line }: Palette,
  x: number,
  y: number,
  width: number,
  height: number,
  mark: string,
): void {
  if (width > 2 * MARK_PX) {
    context.strokeStyle = line;
    context.lineWidth = 1;
    context.strokeRect(x + 0.5, y + 0.5, width - 1, height - 1);
  }
  context.fillStyle = mark;
  context.fillRect(x, y, Math.min(MARK_PX, width), height);
}

/** A frame around a box: thin for what is pointed at, thick for what is chosen. */
export function frameBox(
  { context, widthPx }: Paint,
  left: number,
  right: number,
  top: number,
  rowPx: number,
  colour: string,
  thickPx: number,
): void {
  const from = Math.max(left, -4);
  const to = Math.min(Math.max(right, from + 3), widthPx + 4);
  context.strokeStyle = colour;
  context.lineWidth = thickPx;
  context.strokeRect(from + thickPx / 2, top + thickPx / 2, to - from - thickPx, rowPx - 1 - thickPx);
}
