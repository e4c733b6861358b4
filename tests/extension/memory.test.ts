/**
 * The Memory page: its layers, axes and rows as pure functions, and the page in a real browser.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { DeviceMemoryReport, MemoryEvent, MemoryReport, MemoryStack, OwnerCurve } from '../../extension/server/views';
import { lifetimeOf, peakColumns } from '../../extension/webview/memory/columns';
import {
  BEFORE,
  byteTicks,
  greatestInPixels,
  greatestOf,
  lastAt,
  layerAt,
  layersOf,
  rangeOf,
  REST,
  spanOf,
  toldMoments,
} from '../../extension/webview/memory/layers';
import { blockKeys, chosenSpan, knownKind, mainDevice, missingLine, peakRows } from '../../extension/webview/memory/MemoryPage';
import { DEFAULT_CHOICES, restoreChoices } from '../../extension/webview/memory/state';
import { WHOLE } from '../../extension/webview/shared/part';
import { chromiumPath, openBrowser, Playground } from './playground/playground';
import type { PlaygroundOptions } from './playground/playground';
import { THEMES } from './playground/themes';

vi.setConfig({ testTimeout: 60_000 });

const MIB = 1024 * 1024;
const GREY = 6;
const FILE = '/home/ada/minigpt/model.py';
const NO_LABELS = new Map<string, string>();

const curve = (name: string, bytes: number[], more: Partial<OwnerCurve> = {}): OwnerCurve => ({
  name,
  file: '',
  line: 0,
  owners: 1,
  bytes,
  ...more,
});

const STACK: MemoryStack = {
  at_us: [1000, 2000, 3000],
  before_bytes: [10 * MIB, 10 * MIB, 10 * MIB],
  lines: [curve('forward', [40 * MIB, 60 * MIB, 0], { file: FILE, line: 20 }), curve('', [0, 4 * MIB, 4 * MIB])],
  operators: [curve('aten::mm', [40 * MIB, 60 * MIB, 0]), curve('', [0, 4 * MIB, 4 * MIB], { owners: 3 })],
  modules: [curve('Linear_1', [40 * MIB, 60 * MIB, 0]), curve('', [0, 4 * MIB, 4 * MIB])],
  phases: [curve('forward', [40 * MIB, 60 * MIB, 0]), curve('other', [0, 4 * MIB, 4 * MIB])],
  categories: [curve('activation', [40 * MIB, 60 * MIB, 0]), curve('unknown', [0, 4 * MIB, 4 * MIB])],
};

const owner = (name: string, bytes: number, file = '', line = 0) =>
  ({ name, bytes, file, line, precision: file === '' ? null : 'line' }) as const;

const event = (bytes: number, allocated_us: number | null, released_us: number | null): MemoryEvent => ({
  bytes,
  allocated_us,
  released_us,
  operator: 'aten::mm',
  file: FILE,
  line: 20,
  precision: 'line',
  backward: false,
  category: 'activation',
});

const GPU: DeviceMemoryReport = {
  device: 'cuda:0',
  curve: {
    at_us: [1000, 2000, 3000],
    allocated_bytes: [50 * MIB, 74 * MIB, 14 * MIB],
    reserved_bytes: [128 * MIB, 128 * MIB, 128 * MIB],
    from_start: false,
    peak_allocated_bytes: 74 * MIB,
    peak_allocated_us: 2000,
    peak_reserved_bytes: 128 * MIB,
    events: 4,
  },
  events: [event(40 * MIB, 1000, 3000), event(20 * MIB, 2000, 3000)],
  blocks: 12,
  operators: [
    {
      name: 'aten::mm',
      calls: 5,
      increase_self_bytes: 60 * MIB,
      increase_total_bytes: 60 * MIB,
      allocation_self_bytes: 60 * MIB,
      allocation_total_bytes: 60 * MIB,
      allocation_self_count: 2,
      allocation_total_count: 2,
    },
  ],
  peak: {
    at_us: 2000,
    recorded_bytes: 64 * MIB,
    before_bytes: 10 * MIB,
    lines: [owner('forward', 60 * MIB, FILE, 20), owner('', 4 * MIB)],
    operators: [owner('aten::mm', 60 * MIB), owner('aten::add', 4 * MIB)],
    modules: [owner('Linear_1', 60 * MIB), owner('', 4 * MIB)],
    phases: [owner('forward', 60 * MIB), owner('other', 4 * MIB)],
    categories: [owner('activation', 60 * MIB), owner('unknown', 4 * MIB)],
  },
  stack: STACK,
};

const CPU: DeviceMemoryReport = {
  ...GPU,
  device: 'cpu',
  curve: { ...GPU.curve, allocated_bytes: [8, 16, 8], peak_allocated_bytes: 16, reserved_bytes: [], peak_reserved_bytes: null },
};

const MEMORY: MemoryReport = { devices: [CPU, GPU] };

/** As traces of torch 1.8 to 1.10 have it. */
const WITHOUT_ADDRESSES: DeviceMemoryReport = { ...GPU, peak: null, stack: null };

test('a block is the same one whatever other rows there are; of blocks that are alike in all each has its own key', () => {
  const [first, second, third] = [event(40 * MIB, 1000, 3000), event(20 * MIB, 2000, 3000), event(20 * MIB, 2000, 3000)];
  const all = blockKeys('cuda:0', [first, second, third]);
  expect(new Set(all).size).toBe(3);
  expect(blockKeys('cuda:0', [second])).toEqual([all[1]]);
  expect(blockKeys('cpu', [second])).not.toEqual([all[1]]);
});

describe('layers of the stack', () => {
  test('lie on each other, from before the recording at the bottom', () => {
    const layers = layersOf(STACK, 'operators', true, NO_LABELS, GREY);
    expect(layers.map(({ key, name }) => [key, name])).toEqual([
      [BEFORE, 'From before the recording'],
      ['aten::mm', 'aten::mm'],
      [REST, '3 more'],
    ]);
    expect(layers.map(({ from }) => from)).toEqual([
      [0, 0, 0],
      [10 * MIB, 10 * MIB, 10 * MIB],
      [50 * MIB, 70 * MIB, 10 * MIB],
    ]);
  });

  test('begin at 0 where only what was recorded is wanted', () => {
    const layers = layersOf(STACK, 'operators', false, NO_LABELS, GREY);
    expect(layers[0]).toMatchObject({ key: 'aten::mm', from: [0, 0, 0] });
    expect(greatestOf(GPU, layers, { before: false, reserved: true })).toBe(64 * MIB);
    expect(greatestOf(GPU, layers, { before: true, reserved: true })).toBe(128 * MIB);
    expect(greatestOf(GPU, layers, { before: true, reserved: false })).toBe(74 * MIB);
  });

  test('are named by file and line, and what has none says so', () => {
    const layers = layersOf(STACK, 'lines', false, new Map([[FILE, 'model.py']]), GREY);
    expect(layers.map(({ name, place }) => [name, place])).toEqual([
      ['model.py:20', { file: FILE, line: 20 }],
      ['Line not known', null],
    ]);
  });

  test('of categories keep their colour whatever their rank', () => {
    const colours = (stack: MemoryStack) =>
      new Map(layersOf(stack, 'categories', false, NO_LABELS, GREY).map(({ key, tone }) => [key, tone.series]));
    const turned = colours({ ...STACK, categories: [...STACK.categories].reverse() });
    expect(turned.get('activation')).toBe(colours(STACK).get('activation'));
    expect(turned.get('unknown')).toBe(GREY);
  });

  test('are found by the moment and the bytes that are pointed at', () => {
    const layers = layersOf(STACK, 'operators', true, NO_LABELS, GREY);
    expect(layerAt(layers, 1, 9 * MIB)?.key).toBe(BEFORE);
    expect(layerAt(layers, 1, 10 * MIB)?.key).toBe('aten::mm');
    expect(layerAt(layers, 1, 73 * MIB)?.key).toBe(REST);
    expect(layerAt(layers, 1, 74 * MIB)).toBeNull();
    expect(layerAt(layers, -1, 1)).toBeNull();
  });
});

describe('axes', () => {
  test('a moment holds until the next', () => {
    expect([999, 1000, 1999, 2000, 9999].map((at) => lastAt(STACK.at_us, at))).toEqual([-1, 0, 0, 1, 2]);
  });

  test('time is that of the chosen part, else from the first event to the last', () => {
    expect(spanOf(GPU.curve, { start: 500, end: 2500 })).toEqual({ start: 500, end: 2500 });
    expect(spanOf(GPU.curve, null)).toEqual({ start: 980, end: 3020 });
    expect(spanOf({ ...GPU.curve, at_us: [7], allocated_bytes: [1] }, null)).toEqual({ start: 7, end: 8 });
  });

  test('a step spans its work that ends after it', () => {
    const steps = [{ number: 3, start_us: 900, dur_us: 1500 }];
    expect(chosenSpan({ ...WHOLE, step: 3 }, steps, GPU)).toEqual({ start: 900, end: 3000 });
    expect(chosenSpan({ ...WHOLE, range_us: [1, 2] }, steps, GPU)).toEqual({ start: 1, end: 2 });
    expect(chosenSpan(WHOLE, steps, GPU)).toBeNull();
  });

  test('sizes are round in the unit of the greatest', () => {
    expect(byteTicks(74 * MIB).map((bytes) => bytes / MIB)).toEqual([0, 20, 40, 60, 80]);
    expect(byteTicks(2.6 * 1024 * MIB).map((bytes) => bytes / MIB / 1024)).toEqual([0, 1, 2, 3]);
    expect(byteTicks(3)).toEqual([0, 1, 2, 3]);
  });

  test('a line has the greatest of a pixel, and then what holds', () => {
    const drawn = (xs: number[], values: number[]) => greatestInPixels(xs, values).map(({ value, from, to }) => [value, from, to]);
    expect(drawn([0, 5], [1, 2])).toEqual([
      [1, 0, 5],
      [2, 5, null],
    ]);
    // Of many up and down in neighbouring pixels the upper edge is left, and after them the last value.
    expect(drawn([0, 0.2, 0.4, 1, 1.5], [1, 9, 0, 8, 2])).toEqual([
      [9, 0, 1],
      [8, 1, 1.5],
      [2, 1.5, null],
    ]);
  });

  test('a range is what was marked of the axis, in either direction', () => {
    const within = { start: 100, end: 200 };
    expect(rangeOf(180, 120, within)).toEqual([120, 180]);
    expect(rangeOf(50, 150, within)).toEqual([100, 150]);
    expect(rangeOf(250, 300, within)).toBeNull();
  });

  test('some moments are told, the fullest always', () => {
    expect(toldMoments(3, 1)).toEqual([0, 1, 2]);
    const told = toldMoments(300, 123);
    expect(told.length).toBeLessThanOrEqual(20);
    expect(told).toContain(123);
    expect(toldMoments(0, -1)).toEqual([]);
  });
});

describe('who owns the peak', () => {
  test('owners and what was from before are all that was allocated then', () => {
    const rows = peakRows(GPU, 'operators');
    expect(rows.map(({ name, before, bytes }) => [name, before, bytes / MIB])).toEqual([
      ['aten::mm', false, 60],
      ['aten::add', false, 4],
      ['', true, 10],
    ]);
    expect(rows.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(GPU.curve.peak_allocated_bytes);
    const share = peakColumns('operators', 74 * MIB, NO_LABELS).find(({ id }) => id === 'share');
    expect(rows.map((row) => share?.value(row))).toEqual([60 / 74, 4 / 74, 10 / 74]);
  });

  test('is told by line where lines are known, else by category', () => {
    expect(knownKind(GPU)).toBe('lines');
    expect(knownKind({ ...GPU, peak: GPU.peak && { ...GPU.peak, lines: [owner('', 64 * MIB)] } })).toBe('categories');
    expect(knownKind(WITHOUT_ADDRESSES)).toBe('categories');
  });

  test('a line that was asked for and owns nothing is named', () => {
    const rows = peakRows(GPU, 'lines');
    expect(missingLine(`${FILE}:20`, rows, NO_LABELS)).toBeNull();
    expect(missingLine(`${FILE}:21`, rows, new Map([[FILE, 'minigpt/model.py']]))).toBe('minigpt/model.py:21');
    expect(missingLine(null, rows, NO_LABELS)).toBeNull();
  });

  test('is first shown of the device with most', () => {
    expect(mainDevice(MEMORY.devices)?.device).toBe('cuda:0');
    expect(mainDevice([])).toBeUndefined();
  });
});

test('a block has a lifetime where both of its ends were recorded', () => {
  expect([event(1, 10, 30), event(1, 10, null), event(1, null, 30)].map(lifetimeOf)).toEqual([20, null, null]);
});

test('saved choices of another shape are left out one by one', () => {
  expect(restoreChoices({ kind: 'colour', panel: 'blocks', before: false, device: 7 })).toEqual({
    ...DEFAULT_CHOICES,
    panel: 'blocks',
    before: false,
  });
});

describe.skipIf(!existsSync(chromiumPath))('the Memory page', () => {
  let browser: Browser;
  const opened: Playground[] = [];
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(async () => await browser.close());
  afterEach(async () => {
    for (const { page } of opened.splice(0)) {
      await page.close();
    }
  });
  const open = async (content: MemoryReport = MEMORY, options: PlaygroundOptions = {}) => {
    const playground = await Playground.open(browser, { views: { memory: content }, ...options });
    opened.push(playground);
    await playground.page.locator('nav').waitFor({ state: 'attached' });
    await playground.event('show', { page: 'memory', target: null });
    await playground.page.locator('.memory-page, .message h2').first().waitFor();
    return playground;
  };

  test('shows the device with most, its peak in numbers and who owns it', async () => {
    const { page } = await open();
    expect(await page.locator('.memory-page .figures').innerText()).toMatch(/Peak allocated\s*74\.0 MiB\s*Peak reserved\s*128 MiB/);
    expect(await page.locator('.memory-page .told').innerText()).toContain('At the peak, 2.0 ms');
    const rows = await page.locator('.memory-page .row').allInnerTexts();
    expect(rows[0]).toMatch(/model\.py:20[\s\S]*60\.0 MiB\s*81 %/);
    expect(rows[1]).toMatch(/From before the recording[\s\S]*10\.0 MiB\s*14 %/);
    expect(await page.locator('.memory-page table.hidden tbody tr').count()).toBe(3);
  });

  test('a drag over the chart selects a range for all pages, and there is a way back', async () => {
    const playground = await open();
    const { page } = playground;
    const box = await page.locator('.memory-page .canvas').boundingBox();
    const [x, y] = [(box?.x ?? 0) + 200, (box?.y ?? 0) + 100];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 300, y, { steps: 4 });
    await page.mouse.up();
    await page.getByRole('button', { name: 'Whole recording' }).waitFor();
    const range = playground.requests('kinetoscope/part/select').at(-1)?.part?.range_us;
    expect(range?.[0]).toBeGreaterThan(980);
    expect(range?.[1]).toBeGreaterThan(range?.[0] ?? 0);
    expect(range?.[1]).toBeLessThan(3020);
    await page.getByRole('button', { name: 'Whole recording' }).click();
    await vi.waitFor(() => expect(playground.requests('kinetoscope/part/select').at(-1)?.part?.range_us ?? null).toBeNull());
  });

  test('the keyboard goes through time and owners, and marks a range', async () => {
    const playground = await open();
    const { page } = playground;
    await page.locator('.memory-page .canvas').focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowRight');
    expect(await page.locator('.memory-page .told').innerText()).toMatch(/^1\.0 ms\s*allocated 50\.0 MiB/);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    expect(await page.locator('.memory-page .told').innerText()).toContain('model.py:20 40.0 MiB');
    await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('Enter');
    await vi.waitFor(() => expect(playground.requests('kinetoscope/part/select').at(-1)?.part?.range_us).toEqual([1000, 3000]));
  });

  test('a row that was selected in another run is not said to be missing in this one', async () => {
    const peak = { selected: `${FILE}:21` };
    const { page } = await open(MEMORY, { state: { run: null, page: 'memory', pages: { memory: { kind: 'lines', peak } } } });
    await page.locator('.memory-page .row').first().waitFor();
    expect(await page.locator('.memory-page .missing').count()).toBe(0);
  });

  test('a line of the editor is selected at the peak; a row opens its source', async () => {
    const playground = await open();
    const { page } = playground;
    await playground.event('show', { page: 'memory', target: { line: { file: FILE, line: 20 } } });
    await page.locator('.memory-page .row.selected').waitFor();
    expect(await page.locator('.memory-page .row.selected').innerText()).toContain('model.py:20');
    await page.locator('.memory-page .row.selected .place-link').click();
    await vi.waitFor(() => expect(playground.requests('host/open')).toEqual([{ file: FILE, line: 20 }]));
    await playground.event('show', { page: 'memory', target: { line: { file: FILE, line: 21 } } });
    expect(await page.locator('.memory-page .missing').innerText()).toContain('model.py:21 has nothing at the peak');
    await page.getByRole('button', { name: 'Its blocks' }).click();
    expect(await page.locator('.memory-page .panel-of .message').innerText()).toContain('No block matches the filter');
  });

  test('blocks say how many more there are; operators what they allocated', async () => {
    const { page } = await open();
    await page.locator('.memory-page .segment', { hasText: 'Blocks' }).click();
    expect(await page.locator('.memory-page .panel-of').innerText()).toContain('the largest; 10 more');
    expect(await page.locator('.memory-page .row').first().innerText()).toMatch(
      /aten::mm[\s\S]*40\.0 MiB[\s\S]*1\.0 ms[\s\S]*3\.0 ms[\s\S]*2\.0 ms/,
    );
    await page.locator('.memory-page .segment', { hasText: 'Operators' }).click();
    expect(await page.locator('.memory-page .row').first().innerText()).toMatch(/aten::mm\s*60\.0 MiB/);
  });

  test('a block that is chosen stays it in another part, whose blocks are others', async () => {
    const part = { ...GPU, events: [event(30 * MIB, 1500, 2500), ...GPU.events.slice(1)] };
    const { page } = await open(MEMORY, {
      answers: { 'kinetoscope/view': (params) => ({ content: { devices: [(params.part?.step ?? null) === null ? GPU : part] } }) },
    });
    await page.locator('.memory-page .segment', { hasText: 'Blocks' }).click();
    const chosen = page.locator('.memory-page .row.selected');
    await page.locator('.memory-page .row', { hasText: '20.0 MiB' }).locator('.cell.main').click();
    await chosen.waitFor();
    await page.getByRole('button', { name: 'Steps: All steps' }).click();
    await page
      .getByRole('button', { name: /^Step \d/ })
      .first()
      .click();
    await page.locator('.memory-page .row', { hasText: '30.0 MiB' }).waitFor();
    expect(await chosen.innerText()).toContain('20.0 MiB');
  });

  test('without addresses it says why nobody owns the memory', async () => {
    const { page } = await open({ devices: [WITHOUT_ADDRESSES] });
    expect(await page.locator('.memory-page .over-time').innerText()).toContain('does not say where blocks lie');
    expect(await page.locator('.memory-page .segment', { hasText: 'Peak' }).locator('input').isDisabled()).toBe(true);
    expect(await page.locator('.memory-page .row').first().innerText()).toContain('aten::mm');
  });

  test('recorded without memory it says how to record it', async () => {
    const { page } = await open({ devices: [] });
    const text = await page.locator('.message').innerText();
    expect(text).toContain('Recorded without memory');
    expect(text).toContain('profile_memory=True');
  });

  test('names are text, whatever they are', async () => {
    const name = '<img src=x onerror="document.title=1">';
    const [mm] = GPU.operators;
    const { page } = await open({ devices: [{ ...GPU, operators: mm === undefined ? [] : [{ ...mm, name }] }] });
    await page.locator('.memory-page .segment', { hasText: 'Operators' }).click();
    expect(await page.locator('.memory-page .row').first().innerText()).toContain(name);
    expect(await page.locator('.memory-page img').count()).toBe(0);
  });

  test.each(Object.keys(THEMES))('is seen in %s at any width', async (theme) => {
    for (const widthPx of [1200, 320]) {
      const { page } = await open(MEMORY, { theme, widthPx });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      expect(wide).toBeLessThanOrEqual(widthPx);
      const canvas = await page.locator('.memory-page .canvas').boundingBox();
      expect(canvas?.width).toBeGreaterThan(widthPx / 2);
      if (process.env.KINETOSCOPE_SCREENSHOTS === '1') {
        await page.screenshot({ path: path.resolve(import.meta.dirname, `../../out/playground/memory-${theme}-${widthPx}.png`) });
      }
    }
  });
});
