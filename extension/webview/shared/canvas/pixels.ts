/**
 * A picture that is written pixel by pixel and then drawn at once. Where each pixel of a row has a value of its own, thousands of shapes would
 * take many times as long.
 */
import { parseColour } from './colour';

/** Pixels of the screen, row by row, each as `pixel` makes them; 0 is nothing. */
export interface Pixels {
  readonly words: Uint32Array;
  readonly width: number;
  readonly height: number;
}

/** A colour, as the theme gives it, as a pixel; `opacity` from 0 to 1 comes on top of its own. */
export function pixel(colour: string, opacity: number): number {
  const { r, g, b, a } = parseColour(colour) ?? { r: 128, g: 128, b: 128, a: 1 };
  // A canvas has red, green, blue, opacity, byte by byte, and browsers run on little-endian machines only.
  return ((Math.round(a * opacity * 255) << 24) | (Math.round(b) << 16) | (Math.round(g) << 8) | Math.round(r)) >>> 0;
}

/** Rows `from` to before `to` of a column. What is there and more opaque stays. */
export function fillColumn({ words, width, height }: Pixels, x: number, from: number, to: number, word: number): void {
  const opacity = word >>> 24;
  const end = Math.min(height, to);
  for (let y = Math.max(0, from); y < end; y++) {
    const at = y * width + x;
    if ((words[at] ?? 0) >>> 24 <= opacity) {
      words[at] = word;
    }
  }
}

/** The one picture that is written at a time; pictures of one size share its memory. */
export class Picture implements Pixels {
  readonly words: Uint32Array;
  private readonly context: CanvasRenderingContext2D | null;
  private static kept: Picture | null = null;

  private constructor(private readonly image: ImageData) {
    this.words = new Uint32Array(image.data.buffer);
    const canvas = document.createElement('canvas');
    canvas.width = image.width;
    canvas.height = image.height;
    this.context = canvas.getContext('2d');
  }

  /** An empty picture; the one that was given before it can't be used any more. */
  static blank(width: number, height: number): Picture {
    const before = Picture.kept;
    if (before?.width === width && before.height === height) {
      before.words.fill(0);
      return before;
    }
    return (Picture.kept = new Picture(new ImageData(width, height)));
  }

  get width(): number {
    return this.image.width;
  }

  get height(): number {
    return this.image.height;
  }

  /** Draws it over what is there, each of its pixels on one of the screen: at `left`, `top` in pixels of the screen. */
  drawOn(context: CanvasRenderingContext2D, left: number, top: number): void {
    if (this.context) {
      this.context.putImageData(this.image, 0, 0);
      context.save();
      // Within the clip; in pixels of the screen.
      context.resetTransform();
      context.drawImage(this.context.canvas, left, top);
      context.restore();
    }
  }
}
