/**
 * What a key does to a canvas: A and D or the arrows move, W and S or + and − zoom, Home and End go to the ends, 0 shows everything.
 */

export type Move =
  | { readonly kind: 'pan'; readonly part: number }
  | { readonly kind: 'scroll'; readonly rows: number }
  | { readonly kind: 'zoom'; readonly factor: number }
  | { readonly kind: 'start' | 'end' | 'all' };

export interface Key {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
}

const STEP = 0.15;
const FACTOR = 1.4;
const ROWS = 3;
const PAGE = 15;

/** Null for a key that moves nothing. With shift, moves are longer. Arrows are left out where a page walks with them. */
export function moveOf({ key, ctrlKey, metaKey, altKey, shiftKey }: Key, arrows: boolean): Move | null {
  if (ctrlKey || metaKey || altKey) {
    return null;
  }
  const step = shiftKey ? STEP * 4 : STEP;
  switch (arrows || !key.startsWith('Arrow') ? key : '') {
    case 'a':
    case 'A':
    case 'ArrowLeft':
      return { kind: 'pan', part: -step };
    case 'd':
    case 'D':
    case 'ArrowRight':
      return { kind: 'pan', part: step };
    case 'w':
    case 'W':
    case '+':
    case '=':
      return { kind: 'zoom', factor: shiftKey && key !== '+' ? FACTOR ** 3 : FACTOR };
    case 's':
    case 'S':
    case '-':
      return { kind: 'zoom', factor: 1 / (shiftKey ? FACTOR ** 3 : FACTOR) };
    case 'ArrowUp':
      return { kind: 'scroll', rows: -ROWS };
    case 'ArrowDown':
      return { kind: 'scroll', rows: ROWS };
    case 'PageUp':
      return { kind: 'scroll', rows: -PAGE };
    case 'PageDown':
      return { kind: 'scroll', rows: PAGE };
    case 'Home':
      return { kind: 'start' };
    case 'End':
      return { kind: 'end' };
    case '0':
      return { kind: 'all' };
    default:
      return null;
  }
}
