/**
 * What the canvas pages share, without a canvas: the viewport, marks of an axis, text that fits, colours, keys, boxes under the pointer.
 */
import { describe, expect, test } from 'vitest';
import { contrast, mix, over, parseColour } from '../../extension/webview/shared/canvas/colour';
import { boxAt } from '../../extension/webview/shared/canvas/hit';
import { moveOf } from '../../extension/webview/shared/canvas/keys';
import { fillColumn, pixel } from '../../extension/webview/shared/canvas/pixels';
import { TextFit } from '../../extension/webview/shared/canvas/text';
import { roundStep, ticks, timeLabel } from '../../extension/webview/shared/canvas/ticks';
import { between, fromPx, lengthOf, panned, revealing, toPx, within, zoomed } from '../../extension/webview/shared/canvas/viewport';
import type { Limits } from '../../extension/webview/shared/canvas/viewport';

describe('the viewport', () => {
  const limits: Limits = { start: 0, end: 1000, least: 1 };

  test('keeps the point under the pointer where it is while zooming', () => {
    const span = { start: 200, end: 600 };
    const next = zoomed(span, 4, 0.25, limits);
    expect(lengthOf(next)).toBe(100);
    expect(toPx(next, 400, 300)).toBe(toPx(span, 400, 300));
  });

  test('never leaves its limits, neither by moving nor by zooming', () => {
    expect(panned({ start: 100, end: 300 }, -5, limits)).toEqual({ start: 0, end: 200 });
    expect(panned({ start: 100, end: 300 }, 50, limits)).toEqual({ start: 800, end: 1000 });
    expect(zoomed({ start: 900, end: 1000 }, 0.001, 0.9, limits)).toEqual({ start: 0, end: 1000 });
  });

  test('shows no less than the least', () => {
    const next = zoomed({ start: 10, end: 12 }, 1e9, 0.5, limits);
    expect(lengthOf(next)).toBe(1);
    expect(next.start).toBe(10.5);
  });

  test('of an axis shorter than the least shows all', () => {
    expect(within({ start: 3, end: 4 }, { start: 0, end: 0.5, least: 1 })).toEqual({ start: 0, end: 0.5 });
  });

  test('moves as little as brings something into view, and not at all where it is seen', () => {
    const span = { start: 200, end: 300 };
    expect(revealing(span, { start: 220, end: 280 }, limits)).toBe(span);
    expect(revealing(span, { start: 400, end: 410 }, limits)).toEqual({ start: 315, end: 415 });
    expect(revealing(span, { start: 500, end: 900 }, limits)).toEqual({ start: 500, end: 600 });
  });

  test('arrives where a move goes to, zooming by equal factors on the way', () => {
    const [from, to] = [
      { start: 0, end: 1000 },
      { start: 100, end: 110 },
    ];
    expect(between(from, to, 1)).toBe(to);
    expect(lengthOf(between(from, to, 0))).toBe(1000);
    expect(lengthOf(between(from, to, 0.5))).toBeGreaterThan(10);
    expect(lengthOf(between(from, to, 0.5))).toBeLessThan(100);
  });

  test('px and values are each other’s inverse', () => {
    const span = { start: 12.5, end: 99 };
    expect(fromPx(span, 640, toPx(span, 640, 42))).toBeCloseTo(42);
  });
});

describe('marks of an axis', () => {
  test('stand at round values with room between them', () => {
    const { step, at } = ticks({ start: 130, end: 1130 }, 500, 100);
    expect(step).toBe(200);
    expect(at).toEqual([200, 400, 600, 800, 1000]);
  });

  test.each([
    [1, 1],
    [1.2, 2],
    [3, 5],
    [7, 10],
    [0.03, 0.05],
  ])('the round step from %s is %s', (least, step) => expect(roundStep(least)).toBeCloseTo(step));

  test('count from an origin', () => expect(ticks({ start: 0, end: 100 }, 100, 40, 7).at).toEqual([7, 57]));
  test('there are none without room', () => expect(ticks({ start: 5, end: 5 }, 100, 50).at).toEqual([]));

  test.each([
    [1_250_000, 50_000, 2_000_000, '1.25 s'],
    [250_000, 50_000, 400_000, '250 ms'],
    [12.5, 0.5, 15, '12.5 µs'],
    [0.25, 0.05, 0.5, '250 ns'],
    [-1500, 500, 2000, '−1.5 ms'],
  ])('%s µs at steps of %s is told apart from its neighbours', (us, step, greatest, text) =>
    expect(timeLabel(us, step, greatest)).toBe(text),
  );
});

describe('text that fits', () => {
  let measured = 0;
  const fit = new TextFit((text) => {
    measured += 1;
    return text.length * 10;
  });

  test('is the whole where there is room', () => expect(fit.fit('aten::mm', 80)).toBe('aten::mm'));
  test('is its beginning where not', () => expect(fit.fit('aten::addmm', 80)).toBe('aten::a…'));
  test('is nothing where even three characters don’t fit', () => expect(fit.fit('aten::addmm', 30)).toBe(''));
  test('is measured once', () => {
    fit.width('once');
    const before = measured;
    fit.fit('once', 100);
    expect(measured).toBe(before);
  });
});

describe('colours', () => {
  const white = { r: 255, g: 255, b: 255, a: 1 };
  const black = { r: 0, g: 0, b: 0, a: 1 };

  test.each([
    ['#0078d4', { r: 0, g: 120, b: 212, a: 1 }],
    ['rgba(90, 93, 94, 0.31)', { r: 90, g: 93, b: 94, a: 0.31 }],
    ['color(srgb 1 0.5 0 / 0.5)', { r: 255, g: 127.5, b: 0, a: 0.5 }],
  ])('%s is read as a canvas writes it', (text, colour) => expect(parseColour(text)).toEqual(colour));
  test('what is no colour is none', () => expect(parseColour('inherit')).toBeNull());
  test('a half-transparent colour is seen over its ground', () =>
    expect(over({ ...white, a: 0.5 }, black)).toEqual(mix(black, white, 0.5)));
  test('black on white has all the contrast there is', () => expect(contrast(black, white)).toBeCloseTo(21));
});

describe('pixels', () => {
  test('are red, green, blue and opacity, byte by byte', () => {
    expect([...new Uint8Array(Uint32Array.of(pixel('rgba(10, 20, 30, 1)', 0.2)).buffer)]).toEqual([10, 20, 30, 51]);
    expect([...new Uint8Array(Uint32Array.of(pixel('#ff8000', 1)).buffer)]).toEqual([255, 128, 0, 255]);
  });

  test('of a column end with the picture, and stay under what is less opaque', () => {
    const [faint, strong] = [pixel('#102030', 0.5), pixel('#405060', 1)];
    const pixels = { words: new Uint32Array(8), width: 2, height: 4 };
    fillColumn(pixels, 1, 1, 2, strong);
    fillColumn(pixels, 1, -5, 9, faint);
    expect([...pixels.words]).toEqual([0, faint, 0, strong, 0, faint, 0, faint]);
  });
});

describe('the box under the pointer', () => {
  const starts = [0, 10, 30];
  const ends = [5, 20, 30.1];
  const at = (value: number, slack = 0) => boxAt({ count: 3, start: (i) => starts[i] ?? 0, end: (i) => ends[i] ?? 0 }, value, slack);

  test('is the one that holds the point', () => expect([at(0), at(3), at(15), at(20)]).toEqual([0, 0, 1, 1]));
  test('is none between boxes', () => expect([at(-1), at(7), at(40)]).toEqual([-1, -1, -1]));
  test('is the nearest within a little slack: thin boxes can be met', () => expect([at(29, 2), at(31, 2), at(24, 2)]).toEqual([2, 2, -1]));
});

describe('keys', () => {
  const press = (key: string, arrows = true, modifiers = {}) =>
    moveOf({ key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...modifiers }, arrows);

  test('A and D move, W and S zoom, Home, End and 0 go to the ends', () => {
    expect([press('a')?.kind, press('d')?.kind, press('w')?.kind, press('s')?.kind]).toEqual(['pan', 'pan', 'zoom', 'zoom']);
    expect([press('Home')?.kind, press('End')?.kind, press('0')?.kind]).toEqual(['start', 'end', 'all']);
  });
  test('arrows are the page’s where it walks with them', () => {
    expect(press('ArrowLeft')).toMatchObject({ kind: 'pan' });
    expect(press('ArrowLeft', false)).toBeNull();
  });
  test('with Ctrl they are the editor’s', () => expect(press('a', true, { ctrlKey: true })).toBeNull());
});
