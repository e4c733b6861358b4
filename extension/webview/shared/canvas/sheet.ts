/**
 * Pixels of one frame that are written one by one and drawn at once. Where each pixel of a row has a value of its own, thousands of shapes
 * would take many times as long; and a browser without a GPU copies a picture that is written to again after it was drawn, so all of a frame
 * are in one.
 */
import type { Pixels } from './pixels';

/** Some rows of the sheet, empty at first. Columns before `from` and from `to` on are not drawn: who writes less than all may say so. */
export interface Strip extends Pixels {
  from: number;
  to: number;
}

interface Placed {
  readonly strip: Strip;
  readonly at: number;
  readonly top: number;
  readonly height: number;
}

/** Rows that there is room for at first. */
const ROWS = 64;

export class Sheet {
  private image: ImageData;
  private words: Uint32Array;
  private readonly context: CanvasRenderingContext2D | null;
  private placed: Placed[] = [];
  private rows = 0;

  constructor(readonly width: number) {
    this.context = document.createElement('canvas').getContext('2d');
    [this.image, this.words] = this.room(ROWS);
  }

  /** Rows that will be drawn from `top` on, `height` high (pixels of the screen). They can be written to until others are asked for. */
  add(rows: number, top: number, height: number): Strip {
    const { width } = this;
    const at = this.rows;
    this.rows += rows;
    if (this.rows > this.image.height) {
      const before = this.words;
      [this.image, this.words] = this.room(Math.max(this.rows, 2 * this.image.height));
      this.words.set(before);
    }
    const words = this.words.subarray(at * width, this.rows * width).fill(0);
    const strip = { words, width, height: rows, from: 0, to: width };
    this.placed.push({ strip, at, top, height });
    return strip;
  }

  /** Draws what was added over what is there, within the clip, each column on one of the screen; then it is empty again. */
  draw(context: CanvasRenderingContext2D): void {
    const seen = this.placed.filter(({ strip }) => strip.to > strip.from);
    if (this.context && seen.length > 0) {
      this.context.putImageData(this.image, 0, 0, 0, 0, this.width, this.rows);
      context.save();
      context.resetTransform();
      context.imageSmoothingEnabled = false;
      for (const { strip, at, top, height } of seen) {
        const columns = strip.to - strip.from;
        context.drawImage(this.context.canvas, strip.from, at, columns, strip.height, strip.from, top, columns, height);
      }
      context.restore();
    }
    this.placed = [];
    this.rows = 0;
  }

  private room(rows: number): [ImageData, Uint32Array] {
    const image = new ImageData(this.width, rows);
    if (this.context) {
      Object.assign(this.context.canvas, { width: this.width, height: rows });
    }
    return [image, new Uint32Array(image.data.buffer)];
  }
}
