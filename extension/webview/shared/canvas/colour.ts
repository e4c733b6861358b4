/**
 * Arithmetic of colours: what a theme gives as text becomes numbers that can be mixed, and it is known how well
 * one is read on another.
 */

/** Red, green and blue from 0 to 255; opacity from 0 to 1. */
export interface Colour {
  readonly r: number;
  readonly g: number;
  readonly b: number;
  readonly a: number;
}

/** A colour as a canvas writes it back: `#rrggbb`, `rgba(r, g, b, a)` or `color(srgb r g b / a)`. Null for anything else. */
export function parseColour(text: string): Colour | null {
  const hex = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(text);
  if (hex) {
    const [r = 0, g = 0, b = 0] = hex.slice(1).map((part) => parseInt(part, 16));
    return { r, g, b, a: 1 };
  }
  const called = /^(rgba?|color)\((srgb )?([^)]*)\)$/.exec(text);
  const numbers = called?.[3]?.split(/[\s,/]+/).map(Number) ?? [];
  if (!called || numbers.length < 3 || numbers.some(Number.isNaN)) {
    return null;
  }
  const [r = 0, g = 0, b = 0, a = 1] = numbers;
  const scale = called[1] === 'color' ? 255 : 1;
  return { r: r * scale, g: g * scale, b: b * scale, a };
}

/** What is seen where a colour lies over an opaque one. */
export function over(top: Colour, ground: Colour): Colour {
  return mix(ground, { ...top, a: 1 }, top.a);
}

/** `part` of the second colour, the rest of the first; both opaque. */
export function mix(first: Colour, second: Colour, part: number): Colour {
  const of = (a: number, b: number) => a + (b - a) * part;
  return { r: of(first.r, second.r), g: of(first.g, second.g), b: of(first.b, second.b), a: 1 };
}

/** Relative luminance, from 0 (black) to 1 (white), as WCAG 2 defines it. */
export function luminance({ r, g, b }: Colour): number {
  const linear = (channel: number) => {
    const part = channel / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
}

/** Contrast ratio of WCAG 2, from 1 to 21. */
export function contrast(one: Colour, other: Colour): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

export function css({ r, g, b, a }: Colour): string {
  return `rgba(${Math.round(r)}, ${Math.round(g)}, ${Math.round(b)}, ${Number(a.toFixed(3))})`;
}
