/**
 * Rows of many small boxes, drawn as pictures one pixel high that are stretched: setting pixels is far faster than filling rectangles.
 */
import { parseColour } from './colour';

/** Rows that are collected before they are drawn. */
const ROWS = 64;

export class Strips {
  private readonly context: CanvasRenderingContext2D | null;
  private readonly picture: ImageData | null;
  private readonly pixels: Uint32Array;
  private readonly tops: number[] = [];
  private readonly words = new Map<string, number>();

  /** `widthPx` in CSS pixels, of which each has `ratio` of the screen's. */
  constructor(
    readonly widthPx: number,
    private readonly ratio: number,
  ) {
    const canvas = document.createElement('canvas');
    canvas.width = Math.max(1, Math.round(widthPx * ratio));
    canvas.height = ROWS;
    // Kept in memory, since it is written from there again and again.
    this.context = canvas.getContext('2d', { willReadFrequently: true });
    this.picture = this.context?.createImageData(canvas.width, ROWS) ?? null;
    this.pixels = this.picture ? new Uint32Array(this.picture.data.buffer) : new Uint32Array();
  }

  /** Fills a part of the row at `top`; at least one pixel. Rows of one flush have different tops, and come one after the other. */
  fill(from: number, to: number, top: number, colour: string, alpha: number, flush: () => void): void {
    if (this.tops.at(-1) !== top) {
      if (this.tops.length === ROWS) {
        flush();
      }
      this.tops.push(top);
    }
    const width = this.picture?.width ?? 0;
    const row = (this.tops.length - 1) * width;
    const first = Math.max(0, Math.min(width - 1, Math.round(from * this.ratio)));
    const end = Math.min(width, Math.max(first + 1, Math.round(to * this.ratio)));
    this.pixels.fill(this.word(colour, alpha), row + first, row + end);
  }

  /** Draws what was collected into rows of a height, and forgets it. */
  flush(onto: CanvasRenderingContext2D, heightPx: number): void {
    const { context, picture } = this;
    const rows = this.tops.length;
    if (rows === 0 || !context || !picture) {
      return;
    }
    const { width } = picture;
    context.putImageData(picture, 0, 0, 0, 0, width, rows);
    onto.imageSmoothingEnabled = false;
    this.tops.forEach((top, row) => onto.drawImage(context.canvas, 0, row, width, 1, 0, top, this.widthPx, heightPx));
    this.pixels.fill(0, 0, rows * width);
    this.tops.length = 0;
  }

  /** A colour as the four bytes of a pixel, in memory order. */
  private word(colour: string, alpha: number): number {
    const key = alpha === 1 ? colour : `${colour} ${alpha}`;
    let word = this.words.get(key);
    if (word === undefined) {
      const { r, g, b, a } = parseColour(colour) ?? { r: 0, g: 0, b: 0, a: 0 };
      const bytes = Uint8Array.of(Math.round(r), Math.round(g), Math.round(b), Math.round(a * alpha * 255));
      word = new Uint32Array(bytes.buffer)[0] ?? 0;
      this.words.set(key, word);
    }
    return word;
  }
}
