/**
 * The timeline without a canvas: tiles and what is asked for, columns of pieces, tracks in their places, walking from event to event.
 */
import { describe, expect, test } from 'vitest';
import type { Tile, Track } from '../../extension/server/wire';
import type { Span } from '../../extension/webview/shared/canvas/viewport';
import {
  bandAt,
  bandsOf,
  collapsedAtFirst,
  greatestScroll,
  pinnedHeight,
  placeOf,
  revealed,
  ROW_PX,
  RULER_PX,
  scrolledSeen,
  scrollToRow,
} from '../../extension/webview/timeline/bands';
import type { Shown, Stage } from '../../extension/webview/timeline/bands';
import { DEFAULT_CHOICES, restoreChoices } from '../../extension/webview/timeline/choices';
import { GROUPS, styleOf } from '../../extension/webview/timeline/colours';
import { drawCurve } from '../../extension/webview/timeline/curve';
import { pieceAt, scaleOf } from '../../extension/webview/timeline/draw';
import { ancestor, levelOf, slotsOf, spanOf, TILE_PX } from '../../extension/webview/timeline/grid';
import type { Slot } from '../../extension/webview/timeline/grid';
import { actOf } from '../../extension/webview/timeline/keys';
import { dataOf } from '../../extension/webview/timeline/pieces';
import type { Curve, TrackData } from '../../extension/webview/timeline/pieces';
import { piecesIn } from '../../extension/webview/timeline/rowRange';
import { Tiles } from '../../extension/webview/timeline/tiles';
import { longestSeen } from '../../extension/webview/timeline/VisibleTable';
import { across, beside } from '../../extension/webview/timeline/walk';

const base64 = (values: Float64Array | Uint32Array) => Buffer.from(values.buffer).toString('base64');
const floats = (...values: readonly number[]) => base64(Float64Array.from(values));
const integers = (...values: readonly number[]) => base64(Uint32Array.from(values));

/** Events as `[row, start, duration, name]`, sorted by row and start; events are numbered from `first`. */
type Event = readonly [row: number, start: number, duration: number, name: number];

function tile(events: readonly Event[], track = 't', names: readonly string[] = ['a', 'b', 'c'], first = 0): Tile {
  return {
    start_us: 0,
    end_us: 100,
    width_px: TILE_PX,
    names,
    categories: names.map(() => 'operator' as const),
    tracks: [
      {
        track,
        events: events.length,
        start_us: floats(...events.map(([, start]) => start)),
        dur_us: floats(...events.map(([, , duration]) => duration)),
        row: integers(...events.map(([row]) => row)),
        name: integers(...events.map(([, , , name]) => name)),
        event: integers(...events.map((_, at) => first + at)),
        count: integers(...events.map(() => 1)),
      },
    ],
    counters: [],
  };
}

describe('columns of a tile', () => {
  const pieces = dataOf(
    tile([
      [0, 0, 50, 0],
      [0, 60, 40, 1],
      [2, 10, 5, 2],
    ]),
  ).get('t')?.pieces;

  test('have starts and ends, and say where each row begins, an empty one too', () => {
    expect([...(pieces?.end ?? [])]).toEqual([50, 100, 15]);
    expect([...(pieces?.rowFrom ?? [])]).toEqual([0, 2, 2, 3]);
  });
  test('of a track without events have no rows', () => expect([...(dataOf(tile([])).get('t')?.pieces?.rowFrom ?? [])]).toEqual([0]));
  test('give what begins in a span, and what reaches into it', () => {
    if (!pieces) {
      throw new Error('no pieces');
    }
    expect(piecesIn(pieces, 0, { start: 20, end: 70 }, false)).toEqual([1, 2]);
    expect(piecesIn(pieces, 0, { start: 20, end: 70 }, true)).toEqual([0, 2]);
    expect(piecesIn(pieces, 1, { start: 0, end: 100 }, true)).toEqual([2, 2]);
    expect(piecesIn(pieces, 7, { start: 0, end: 100 }, true)).toEqual([0, 0]);
  });
  test('of frames are labelled by what they call, of others by their names', () => {
    const named = { ...tile([[0, 0, 1, 0]], 't', ['net.py(3): forward', 'void gemm<4>()']), categories: ['user', 'gemm'] as const };
    expect(dataOf(named).get('t')?.pieces?.labels).toEqual(['forward  net.py:3', 'gemm<4>()']);
  });
  test('of counters are curves', () => {
    const one = floats(1, NaN, 3);
    const counted = { ...tile([]), counters: [{ track: 'c', series: [{ name: 'allocated', mean: one, low: one, high: one, last: one }] }] };
    expect([...(dataOf(counted).get('c')?.curves?.[0]?.mean ?? [])]).toEqual([1, NaN, 3]);
  });
});

describe('the grid of tiles', () => {
  const whole = { start: -10, end: 1014 };

  test('has one tile of everything where everything is seen on few pixels', () => expect(levelOf(whole, whole, TILE_PX)).toBe(0));
  test('has no pixel of a tile wider than one of the screen', () => {
    for (const length of [1024, 700, 300, 20]) {
      const level = levelOf(whole, { start: 0, end: length }, 1500);
      expect(1024 / 2 ** level / TILE_PX).toBeLessThanOrEqual(length / 1500);
    }
  });
  test('ends at a nanosecond', () => expect(levelOf(whole, { start: 0, end: 1e-9 }, 1500)).toBe(10));
  test('covers a span, and only that', () => {
    expect(slotsOf(whole, { start: -10, end: 246 }, 2).map(({ index }) => index)).toEqual([0]);
    expect(slotsOf(whole, { start: 245, end: 247 }, 2).map(({ index }) => index)).toEqual([0, 1]);
    expect(slotsOf(whole, { start: 1014, end: 1014 }, 2).map(({ index }) => index)).toEqual([3]);
  });
  test('has each tile in one of the level above', () => {
    const slot = { level: 5, index: 21 };
    const [outer, inner] = [spanOf(whole, ancestor(slot, 3)), spanOf(whole, slot)];
    expect(ancestor(slot, 3)).toEqual({ level: 2, index: 2 });
    expect(outer.start <= inner.start && inner.end <= outer.end).toBe(true);
  });
});

describe('tiles', () => {
  const whole = { start: 0, end: 1000 };
  const data = dataOf(tile([[0, 1, 2, 0]]));

  /** A server whose answers wait to be given. */
  function server(kept?: number) {
    const asked: {
      slot: Slot;
      tracks: readonly string[];
      signal: AbortSignal;
      answer: (of?: ReadonlyMap<string, TrackData>) => void;
      fail: () => void;
    }[] = [];
    let now = 0;
    let changes = 0;
    const tiles = new Tiles(
      whole,
      async (slot, tracks, signal) =>
        await new Promise((resolve, reject) => {
          asked.push({ slot, tracks, signal, answer: (of = data) => resolve(of), fail: () => reject(new Error('no server')) });
        }),
      () => (changes += 1),
      () => now,
      kept,
    );
    const settle = async () => await new Promise((resolve) => setTimeout(resolve, 0));
    return { tiles, asked, settle, later: (ms: number) => (now += ms), changed: () => changes };
  }

  test('are asked for once: the whole first, then what is seen, then its neighbours, two at a time', async () => {
    const { tiles, asked, settle } = server();
    const look = () => tiles.look(['t'], { start: 500, end: 560 }, TILE_PX);
    look();
    look();
    expect(asked.map(({ slot }) => slot.level)).toEqual([0, 5]);
    for (let at = 0; at < 8; at++) {
      asked[at]?.answer();
      await settle();
    }
    look();
    expect(asked.map(({ slot }) => `${slot.level}/${slot.index}`)).toEqual(['0/0', '5/16', '5/17', '5/15', '5/18']);
    expect(tiles.complete).toBe(true);
  });

  test('a coarser one stands in until the fine one is there', async () => {
    const { tiles, asked, settle, changed } = server();
    tiles.look(['t'], { start: 500, end: 560 }, TILE_PX);
    expect(tiles.best('t', { level: 5, index: 16 })).toBeNull();
    asked[0]?.answer();
    await settle();
    expect(tiles.best('t', { level: 5, index: 16 })?.slot.level).toBe(0);
    asked[1]?.answer();
    await settle();
    expect(tiles.best('t', { level: 5, index: 16 })?.slot.level).toBe(5);
    expect(changed()).toBe(2);
  });

  test('that are seen no more are given up, the newest win', () => {
    const { tiles, asked } = server();
    tiles.look(['t'], { start: 0, end: 20 }, TILE_PX);
    tiles.look(['t'], { start: 900, end: 920 }, TILE_PX);
    expect(asked.map(({ slot, signal }) => [slot.level, signal.aborted])).toEqual([
      [0, false],
      [6, true],
      [6, false],
    ]);
  });

  test('of a track that was hidden are asked for that track alone', async () => {
    const { tiles, asked, settle } = server();
    tiles.look(['t'], whole, TILE_PX);
    asked[0]?.answer();
    await settle();
    tiles.look(['t', 'u'], whole, TILE_PX);
    expect(asked.map(({ tracks }) => tracks)).toEqual([['t'], ['u']]);
  });

  test('without an answer for a track are not asked for again', async () => {
    const { tiles, asked, settle } = server();
    tiles.look(['t', 'none'], whole, TILE_PX);
    asked[0]?.answer();
    await settle();
    tiles.look(['t', 'none'], whole, TILE_PX);
    expect(asked).toHaveLength(1);
    expect(tiles.best('none', { level: 0, index: 0 })?.data).toEqual({ pieces: null, curves: null });
  });

  test('that failed say why, and are asked for again when one wants, or a little later', async () => {
    const { tiles, asked, settle, later } = server();
    tiles.look(['t'], whole, TILE_PX);
    asked[0]?.fail();
    await settle();
    expect(tiles.problem).toBe('no server');
    tiles.look(['t'], whole, TILE_PX);
    expect(asked).toHaveLength(1);
    tiles.again();
    asked[1]?.fail();
    await settle();
    later(5000);
    tiles.look(['t'], whole, TILE_PX);
    asked[2]?.answer();
    await settle();
    expect(tiles.problem).toBeNull();
  });

  describe.each([
    ['pieces', 300_000, dataOf(tile(Array.from({ length: 1000 }, (_, at) => [0, at, 1, 0])))],
    ['few pieces with long names', 300_000, dataOf(tile([[0, 1, 2, 0]], 't', ['x'.repeat(15_000)]))],
    ['nothing in them', 3_000, new Map<string, TrackData>()],
  ])('with %s', (_, kept, data) => {
    test('that were seen longest ago are forgotten when they take too much; those on the screen never', async () => {
      const { tiles, asked, settle } = server(kept);
      for (const start of [0, 200, 400, 600, 800]) {
        tiles.look(['t'], { start, end: start + 20 }, TILE_PX);
        for (let at = 0; at < 12; at++) {
          asked.forEach(({ answer }) => answer(data));
          await settle();
        }
      }
      const levels = levelOf(whole, { start: 0, end: 20 }, TILE_PX);
      const known = (time: number) =>
        tiles.best('t', slotsOf(whole, { start: time, end: time }, levels)[0] ?? { level: 0, index: 0 })?.slot.level;
      expect(known(10)).toBe(0);
      expect(known(810)).toBe(levels);
    });
  });
});

const track = (id: string, parent: string | null, fields: Partial<Track> = {}): Track => ({
  id,
  kind: 'operators',
  title: id,
  detail: '',
  help: '',
  parent,
  rows: 3,
  events: 5,
  start_us: 0,
  end_us: 1,
  unit: null,
  series: [],
  ...fields,
});
const TRACKS: readonly Track[] = [
  track('steps', null, { kind: 'steps', rows: 1 }),
  track('main', null, { kind: 'thread', rows: 0 }),
  track('main/python', 'main', { kind: 'python', rows: 30 }),
  track('main/ops', 'main'),
  track('gpu', null, { kind: 'device', rows: 0 }),
  track('gpu/use', 'gpu', { kind: 'counter', rows: 0, unit: 'percent' }),
  track('gpu/stream', 'gpu', { kind: 'stream', rows: 1 }),
];
const NONE: Shown = { collapsed: [], hidden: [], pinned: [] };

describe('a curve', () => {
  const [LINE, BAND, AREA, BOTH] = [0xff000001, 0x50000002, 0x40000003, 0x70000004];
  const at = (values: readonly number[]) => Float64Array.from(values);
  const steady = (mean: readonly number[]): Curve => ({ name: '', mean: at(mean), low: at(mean), high: at(mean), last: at(mean) });
  /** Ten rows for values from 0 to 10, and what stands in each column from the top: `l` line, `b` band, `a` area, `+` both, `.` nothing. */
  function drawn(curve: Curve, width: number, span: Span, area = true, before: number | null = null) {
    const pixels = { words: new Uint32Array(width * 11), width, height: 11 };
    const frame = { from: 0, to: width, span, rowOfZero: 10, rowsPerUnit: -1, zeroRow: 10, thick: 1 };
    const ink = { line: LINE, band: BAND, area: area ? AREA : null, bandInArea: BOTH };
    drawCurve(pixels, curve, { start: 0, end: 100 }, frame, ink, before);
    const sign = new Map([
      [0, '.'],
      [LINE, 'l'],
      [BAND, 'b'],
      [AREA, 'a'],
      [BOTH, '+'],
    ]);
    return Array.from({ length: width }, (_, x) =>
      Array.from({ length: 11 }, (_, y) => sign.get(pixels.words[y * width + x] ?? 0)).join(''),
    );
  }

  test('is a line with an area below it', () => {
    expect(drawn(steady([4, 4]), 2, { start: 0, end: 100 })).toEqual(['......laaa.', '......laaa.']);
  });

  test('goes from one value to the next by a vertical line', () => {
    expect(drawn(steady([2, 5]), 2, { start: 0, end: 100 }, false)).toEqual(['........l..', '.....llll..']);
    expect(drawn(steady([5, 5]), 2, { start: 0, end: 100 }, false, 8)[0]).toBe('.....llll..');
  });

  test('has a band from the least to the greatest value, stronger within the area', () => {
    const curve = { ...steady([5]), low: at([3]), high: at([8]) };
    expect(drawn(curve, 1, { start: 0, end: 100 })).toEqual(['..bbbl+aaa.']);
    expect(drawn(curve, 1, { start: 0, end: 100 }, false)).toEqual(['..bbblb....']);
  });

  test('has nothing where there is no value, and no line across', () => {
    expect(drawn(steady([2, NaN, 7]), 3, { start: 0, end: 100 }, false)).toEqual(['........l..', '...........', '...l.......']);
  });

  test('shows the greatest and least of pixels that are narrower than those of the screen, and repeats wider ones', () => {
    expect(drawn(steady([2, 6, 3, 3]), 2, { start: 0, end: 100 }, false)).toEqual(['....bblb...', '......ll...']);
    expect(drawn(steady([2, 6]), 4, { start: 0, end: 100 }, false).map((column) => column.indexOf('l'))).toEqual([8, 8, 4, 4]);
  });

  test('outside its tile has nothing', () => {
    expect(drawn(steady([4]), 3, { start: -100, end: 200 }, false)).toEqual(['...........', '......l....', '...........']);
  });
});

describe('tracks', () => {
  const ids = (shown: Shown) => {
    const { pinned, scrolled } = bandsOf(TRACKS, shown);
    return [pinned.map(({ track: { id } }) => id), scrolled.map(({ track: { id } }) => id)];
  };

  test('stand below each other without gaps or overlaps', () => {
    const { scrolled, scrolledPx } = bandsOf(TRACKS, NONE);
    expect(scrolled.map(({ topPx }) => topPx)).toEqual(
      scrolled.map((_, at) => scrolled.slice(0, at).reduce((sum, { heightPx }) => sum + heightPx, 0)),
    );
    expect(scrolledPx).toBe(scrolled.reduce((sum, { heightPx }) => sum + heightPx, 0));
  });
  test('of a collapsed group are not shown, the group is', () => {
    expect(ids({ ...NONE, collapsed: ['main'] })[1]).toEqual(['steps', 'main', 'gpu', 'gpu/use', 'gpu/stream']);
  });
  test('that are collapsed keep all their rows, thin', () => {
    const [band] = bandsOf(TRACKS, { ...NONE, collapsed: ['main/python'] }).scrolled.filter((one) => one.track.id === 'main/python');
    expect(band?.rows).toBe(30);
    expect(band?.heightPx).toBeLessThan(6 * ROW_PX);
  });
  test('that are pinned stand above, in the order of pinning, and no group stays that holds nothing', () => {
    expect(ids({ ...NONE, pinned: ['gpu/stream', 'gpu/use'] })).toEqual([
      ['gpu/stream', 'gpu/use'],
      ['steps', 'main', 'main/python', 'main/ops'],
    ]);
  });
  test('that are hidden are gone, with all they hold', () => {
    expect(ids({ ...NONE, hidden: ['main', 'gpu/use', 'gone'] })[1]).toEqual(['steps', 'gpu', 'gpu/stream']);
  });
  test('with very many rows are collapsed at first', () => expect(collapsedAtFirst(TRACKS)).toEqual(['main/python']));

  const stage: Stage = { bands: bandsOf(TRACKS, { ...NONE, pinned: ['gpu/stream'] }), heightPx: 300, scrollPx: 100 };
  test('are found where they are drawn, pinned or not', () => {
    for (const [id, row] of [
      ['gpu/stream', 0],
      ['main/python', 4],
    ] as const) {
      const place = placeOf(stage, id, row);
      const found = bandAt(stage, (place?.y ?? 0) + 1);
      expect([found?.band.track.id, found?.row]).toEqual([id, row]);
    }
    expect(bandAt(stage, RULER_PX - 1)).toBeNull();
    expect(placeOf(stage, 'no such track', 0)).toBeNull();
  });
  test('only those in the window are drawn', () => {
    expect(scrolledSeen(stage).map(({ band }) => band.track.id)).toEqual(['main/python']);
  });
  test('scrolling brings a row into the window', () => {
    const scrollPx = scrollToRow(stage, 'gpu/use', 0);
    expect(scrollPx).toBeLessThanOrEqual(greatestScroll(stage));
    const place = placeOf({ ...stage, scrollPx }, 'gpu/use', 0);
    expect(place?.y).toBeGreaterThanOrEqual(RULER_PX + pinnedHeight(stage));
    expect(place?.y).toBeLessThan(300);
  });
  test('are opened and shown again to reveal an event', () => {
    const shown: Shown = { collapsed: ['main', 'main/ops', 'gpu'], hidden: ['main/ops', 'steps'], pinned: [] };
    expect(revealed(TRACKS, shown, 'main/ops')).toEqual({ collapsed: ['main/ops', 'gpu'], hidden: ['steps'], pinned: [] });
  });
});

describe('walking', () => {
  const whole = { start: 0, end: 100 };
  const tiles = new Tiles(
    whole,
    async () =>
      await Promise.resolve(
        new Map([
          ...dataOf(
            tile(
              [
                [0, 0, 90, 0],
                [1, 5, 20, 1],
                [1, 40, 30, 2],
              ],
              'main/ops',
            ),
          ),
          ...dataOf(tile([[0, 42, 8, 1]], 'gpu/stream', ['a', 'b', 'c'], 3)),
        ]),
      ),
    () => undefined,
  );
  const bands = bandsOf(TRACKS, NONE).scrolled;
  const spot = { track: 'main/ops', row: 1, start_us: 5, dur_us: 20 };

  test('goes along a row, and up and down to the event at the same time', async () => {
    tiles.look(['main/ops', 'gpu/stream'], whole, TILE_PX);
    await new Promise((resolve) => setTimeout(resolve, 0));
    const next = beside(tiles, whole, TILE_PX, spot, 'right');
    expect(next).toMatchObject({ row: 1, start_us: 40, name: 'c', event: 2 });
    expect(beside(tiles, whole, TILE_PX, spot, 'left')).toBeNull();
    expect(next && beside(tiles, whole, TILE_PX, next, 'left')).toMatchObject(spot);
    expect(next && beside(tiles, whole, TILE_PX, next, 'right')).toBeNull();
    expect(across(tiles, whole, TILE_PX, bands, spot, 'up')).toMatchObject({ row: 0, name: 'a' });
    expect(next && across(tiles, whole, TILE_PX, bands, next, 'down')).toMatchObject({ track: 'gpu/stream', start_us: 42 });
    expect(across(tiles, whole, TILE_PX, bands, { ...spot, row: 0 }, 'up')).toBeNull();
  });

  test('the event under the pointer is the one that holds it, else the nearest within the slack', () => {
    const at = (time: number, slack: number) => pieceAt(tiles, whole, TILE_PX, 'main/ops', 1, time, slack)?.at ?? null;
    expect([at(10, 0), at(30, 1), at(38, 3), at(27, 3)]).toEqual([1, null, 2, 1]);
  });

  test('the longest events that are seen are told in time order', () => {
    const hits = longestSeen(tiles, TRACKS, whole, TILE_PX);
    expect(hits.map(({ name, start_us }) => [name, start_us])).toEqual([
      ['a', 0],
      ['b', 5],
      ['c', 40],
      ['b', 42],
    ]);
  });
});

describe('colours and scales', () => {
  test('every category is in one group', () => {
    const all = GROUPS.flatMap(({ categories }) => categories);
    expect(new Set(all).size).toBe(all.length);
  });
  test('an event keeps its colour', () => expect(styleOf('aten::mm', 'operator')).toBe(styleOf('aten::mm', 'operator')));
  test('percent go to 100, bytes from 0 to the greatest', () => {
    expect(scaleOf({ unit: 'percent', series: [{ low: 3, high: 40 }] })).toEqual({ start: 0, end: 100 });
    expect(
      scaleOf({
        unit: 'bytes',
        series: [
          { low: 4096, high: 8192 },
          { low: 0, high: 9000 },
        ],
      }),
    ).toEqual({ start: 0, end: 9000 });
    expect(scaleOf({ unit: 'count', series: [] })).toEqual({ start: 0, end: 1 });
  });
});

describe('choices', () => {
  test('of another shape are left out', () => {
    expect(restoreChoices({ span: [5, 2], collapsed: ['a', 3], event: 1.5, range: [1, 2], find: 7, pinned: 'x' })).toEqual({
      ...DEFAULT_CHOICES,
      collapsed: ['a'],
      range: [1, 2],
    });
    expect(restoreChoices(null)).toBe(DEFAULT_CHOICES);
  });
});

describe('keys', () => {
  const nothing = { selected: false, event: false, range: false };
  const event = { selected: true, event: true, range: false };
  const press = (key: string, standing = nothing, held: { readonly shiftKey?: boolean; readonly ctrlKey?: boolean } = {}) =>
    actOf({ key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...held }, standing);

  test('arrows walk from the chosen event; without one, or with Shift, they move', () => {
    expect(press('ArrowLeft', event)).toEqual({ kind: 'walk', to: 'left' });
    expect(press('ArrowDown', event)).toEqual({ kind: 'walk', to: 'down' });
    expect(press('ArrowLeft')?.kind).toBe('move');
    expect(press('ArrowLeft', event, { shiftKey: true })?.kind).toBe('move');
  });
  test('Enter chooses the first event, and then opens its source', () => {
    expect(press('Enter')).toEqual({ kind: 'first' });
    expect(press('Enter', event)).toEqual({ kind: 'open' });
  });
  test('F, M, P and C act on the chosen event, and do nothing without one', () => {
    expect(['f', 'm', 'p', 'c'].map((key) => press(key, event)?.kind)).toEqual(['fit', 'mark', 'pin', 'fold']);
    expect(['f', 'm', 'p', 'c'].map((key) => press(key))).toEqual([null, null, null, null]);
  });
  test('Escape leaves the event, then the range, then is of no use', () => {
    expect(press('Escape', { ...event, range: true })).toEqual({ kind: 'leave', what: 'event' });
    expect(press('Escape', { ...nothing, range: true })).toEqual({ kind: 'leave', what: 'range' });
    expect(press('Escape')).toBeNull();
  });
  test('with Ctrl they are the editor’s', () => expect(press('f', event, { ctrlKey: true })).toBeNull());
});
