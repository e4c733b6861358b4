/**
 * Pixels as numbers, and how they are written into columns.
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
  const end = Math.min(height, to) * width + x;
  for (let at = Math.max(0, from) * width + x; at < end; at += width) {
    if ((words[at] ?? 0) >>> 24 <= opacity) {
      words[at] = word;
    }
  }
}
