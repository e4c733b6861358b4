/**
 * A picture that is written pixel by pixel and then drawn at once. Where each pixel of a row has a value of its own, thousands of shapes
 * would take many times as long.
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

/** Sizes of pictures whose memory is kept; then all is given back. */
const KEPT = 24;

/** Pixels that can be drawn. */
export class Picture implements Pixels {
  readonly words: Uint32Array;
  private readonly context: CanvasRenderingContext2D | null;
  private static readonly kept = new Map<string, Picture>();

  private constructor(
    readonly width: number,
    readonly height: number,
    private readonly image = new ImageData(width, height),
  ) {
    this.words = new Uint32Array(image.data.buffer);
    const canvas = document.createElement('canvas');
    canvas.width = width;
    canvas.height = height;
    this.context = canvas.getContext('2d');
  }

  /** An empty picture. There is one of each size: one that was given before must have been drawn. */
  static blank(width: number, height: number): Picture {
    const key = `${width} ${height}`;
    const before = Picture.kept.get(key);
    if (before) {
      before.words.fill(0);
      return before;
    }
    if (Picture.kept.size >= KEPT) {
      Picture.kept.clear();
    }
    const made = new Picture(width, height);
    Picture.kept.set(key, made);
    return made;
  }

  /** Draws all of it over what is there, each of its pixels on one of the screen, `top` in these. */
  drawAt(context: CanvasRenderingContext2D, top: number): void {
    this.drawRows(context, [{ at: 0, rows: this.height, top, height: this.height }]);
  }

  /** Draws some of its rows, `rows` from `at`, as high as is said; places in pixels of the screen. */
  drawRows(
    context: CanvasRenderingContext2D,
    parts: readonly { readonly at: number; readonly rows: number; readonly top: number; readonly height: number }[],
  ): void {
    const used = Math.max(0, ...parts.map(({ at, rows }) => at + rows));
    if (!this.context || used === 0) {
      return;
    }
    this.context.putImageData(this.image, 0, 0, 0, 0, this.width, used);
    context.save();
    // In pixels of the screen, within the clip.
    context.resetTransform();
    context.imageSmoothingEnabled = false;
    for (const { at, rows, top, height } of parts) {
      context.drawImage(this.context.canvas, 0, at, this.width, rows, 0, top, this.width, height);
    }
    context.restore();
  }
}
