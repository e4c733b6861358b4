/**
 * The Distributed page: how times of ranks are put together, and the page in a real browser.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { CollectiveCall, CollectiveStats, DistributedView, RankStep, RankSummary } from '../../extension/server/views';
import { bandwidthText } from '../../extension/webview/distributed/columns';
import { figuresOf, ranksText } from '../../extension/webview/distributed/DistributedPage';
import {
  callsOf,
  COMMUNICATION_PARTS,
  groupText,
  heatOf,
  heatPart,
  meanSlices,
  slicesOf,
  STEP_PARTS,
  synchronisingKnown,
} from '../../extension/webview/distributed/ranks';
import { DEFAULT_CHOICES, restoreChoices } from '../../extension/webview/distributed/state';
import { totalOf } from '../../extension/webview/shared/chart';
import { chromiumPath, openBrowser, Playground } from './playground/playground';
import type { PlaygroundOptions } from './playground/playground';
import { DESCRIPTION } from './playground/sample';
import { THEMES } from './playground/themes';

vi.setConfig({ testTimeout: 60_000 });

const FILE = '/home/ada/minigpt/train.py';

/** A step of 10 ms and, for each rank, 1 ms more. */
const step = (rank: number, number: number): RankStep => ({
  rank,
  step: number,
  name: `ProfilerStep#${number}`,
  step_us: 10_000 + 1000 * rank + number,
  computation_us: 6000,
  overlap_us: 1000,
  communication_us: 2000,
  other_us: 1000 + 1000 * rank + number,
  transfer_us: 1200,
  synchronising_us: 1800,
});

const summary = (rank: number): RankSummary => {
  const { rank: of, step_us, computation_us, overlap_us, communication_us, other_us, transfer_us, synchronising_us } = step(rank, 0);
  const times = { rank: of, step_us, computation_us, overlap_us, communication_us, other_us, transfer_us, synchronising_us };
  return { ...times, steps: 2, overlap_percent: 33 };
};

const collective = (rank: number, name: string, total_latency_us: number): CollectiveStats => ({
  rank,
  name,
  group: '0',
  group_description: 'default_pg',
  group_ranks: '[0, 1]',
  group_size: 2,
  calls: 2,
  total_bytes: 8_000_000,
  mean_bytes: 4_000_000,
  total_latency_us,
  mean_latency_us: total_latency_us / 2,
  transfer_us: 1200,
  mean_transfer_us: 600,
  algorithm_gb_per_s: 6.667,
  bus_gb_per_s: 6.667,
});

const call = (rank: number, name: string, latency_us: number): CollectiveCall => ({
  rank,
  name,
  group: '0',
  group_size: 2,
  peer: null,
  dtype: 'Float',
  bytes: 4_000_000,
  start_us: 100,
  latency_us,
  transfer_us: 600,
  wait_us: latency_us - 600,
  algorithm_gb_per_s: 6.667,
  bus_gb_per_s: 6.667,
  backward: true,
  frame: { file: FILE, line: 41, function: 'train_step', precision: 'line' },
});

const RANKS: DistributedView = {
  backend: 'nccl',
  world_size: 2,
  ranks: [summary(0), summary(1)],
  steps: [step(0, 3), step(0, 4), step(1, 3), step(1, 4)],
  collectives: [collective(0, 'all_reduce', 3000), collective(1, 'all_reduce', 1200), collective(0, 'broadcast', 100)],
  calls: [call(0, 'all_reduce', 1000), call(0, 'all_reduce', 2000), call(1, 'all_reduce', 600)],
  stragglers: [
    {
      rank: 1,
      late: 2,
      caused_wait_us: 1800,
      waited_us: 0,
      reasons: [
        {
          frame: { file: FILE, line: 17, function: 'augment', precision: 'line' },
          operator: '',
          on: 'host',
          collectives: 2,
          excess_us: 1500,
        },
      ],
    },
    { rank: 0, late: 0, caused_wait_us: 0, waited_us: 1800, reasons: [] },
  ],
  devices: [
    { rank: 0, device: 'cuda:0', name: 'NVIDIA H100', memory_bytes: 80 * 1024 ** 3, compute_capability: '9.0' },
    { rank: 1, device: 'cuda:1', name: 'NVIDIA H100', memory_bytes: 80 * 1024 ** 3, compute_capability: '9.0' },
  ],
  notices: [],
};

/** What can be said of one rank whose peers are not at hand. */
const ONE: DistributedView = {
  ...RANKS,
  ranks: [{ ...summary(0), transfer_us: null, synchronising_us: null }],
  steps: [step(0, 3), step(0, 4)].map((one) => ({ ...one, transfer_us: null, synchronising_us: null })),
  collectives: [{ ...collective(0, 'all_reduce', 3000), transfer_us: null, mean_transfer_us: null }],
  calls: [],
  stragglers: [],
  devices: RANKS.devices.slice(0, 1),
  notices: ['Only one rank is at hand.'],
};

describe('times of ranks', () => {
  test('the parts add up to the step, and the two of communication to all of it', () => {
    for (const times of [...RANKS.ranks, ...RANKS.steps]) {
      expect(totalOf(slicesOf(times, STEP_PARTS))).toBe(times.step_us);
      expect(totalOf(slicesOf(times, COMMUNICATION_PARTS))).toBe(times.overlap_us + times.communication_us);
    }
  });

  test('the mean over ranks is of each part', () => {
    expect(meanSlices(RANKS.ranks, STEP_PARTS).map(({ value }) => value)).toEqual([6000, 1000, 2000, 1500]);
    expect(meanSlices([], STEP_PARTS).map(({ value }) => value)).toEqual([0, 0, 0, 0]);
  });

  test('waiting is known where it is of every rank', () => {
    expect([synchronisingKnown(RANKS.ranks), synchronisingKnown(ONE.ranks), synchronisingKnown([])]).toEqual([true, false, false]);
    expect(synchronisingKnown([...RANKS.ranks, ...ONE.ranks])).toBe(false);
  });

  test('the figures are of the ranks at hand', () => {
    const figures = new Map(figuresOf(RANKS).map(({ name, value }) => [name, value]));
    expect([...figures]).toEqual([
      ['Ranks', '2'],
      ['Backend', 'nccl'],
      ['Step', '10.0 ms – 11.0 ms'],
      ['Hidden', '33 %'],
    ]);
    expect(ranksText(1, 8)).toBe('1 of 8');
  });
});

describe('the map of ranks and steps', () => {
  test('has a field for each, and none is known where a rank has no such step', () => {
    const heat = heatOf([step(1, 3), step(0, 3), step(0, 4)], 'step_us');
    expect([heat.ranks, heat.steps]).toEqual([
      [0, 1],
      [3, 4],
    ]);
    expect(heat.cells.map((cells) => cells.map(({ us }) => us))).toEqual([
      [10_003, 10_004],
      [11_003, null],
    ]);
    expect([heat.least, heat.most]).toEqual([10_003, 11_003]);
  });

  test('is coloured from the least to the greatest', () => {
    expect([10, 15, 20].map((us) => heatPart(us, { least: 10, most: 20 }))).toEqual([0, 0.5, 1]);
    expect(heatPart(10, { least: 10, most: 10 })).toBe(0.5);
  });
});

describe('collectives', () => {
  test('a row has its calls, longest first', () => {
    const [row] = RANKS.collectives;
    expect(row && callsOf(row, RANKS.calls).map(({ latency_us }) => latency_us)).toEqual([2000, 1000]);
  });

  test('a group is told by its description, its name or its size', () => {
    const [row] = RANKS.collectives;
    const text = (patch: Partial<CollectiveStats>) => row && groupText({ ...row, ...patch });
    expect(text({})).toBe('default_pg (2 ranks)');
    expect(text({ group_description: '' })).toBe('0 (2 ranks)');
    expect(text({ group_description: '', group: '' })).toBe('2 ranks');
    expect(text({ group_size: null })).toBe('default_pg');
  });

  test('a bandwidth of the whole latency is a least one', () => {
    expect(bandwidthText({ transfer_us: 1 }, 14.204)).toBe('14.2');
    expect(bandwidthText({ transfer_us: null }, 0.0225)).toBe('≥ 0.0225');
    expect(bandwidthText({ transfer_us: null }, null)).toBe('');
    expect(bandwidthText({ transfer_us: 1 }, 312.4)).toBe('312');
  });
});

test('saved choices of another shape are left out one by one', () => {
  expect(restoreChoices({ metric: 'mood', only: 'rank' })).toEqual({ ...DEFAULT_CHOICES, only: 'rank' });
});

describe.skipIf(!existsSync(chromiumPath))('the Distributed page', () => {
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
  const open = async (content: DistributedView = RANKS, options: PlaygroundOptions = {}) => {
    const playground = await Playground.open(browser, {
      views: { distributed: content },
      description: { ...DESCRIPTION, ranks: content.ranks.map(({ rank }) => rank) },
      ...options,
    });
    opened.push(playground);
    await playground.page.locator('nav').waitFor({ state: 'attached' });
    await playground.event('show', { page: 'distributed', target: null });
    await playground.page
      .locator('.page-distributed:not([hidden])')
      .locator('.distributed-page > *, .message:not(:has(.codicon-loading)) h2')
      .first()
      .waitFor();
    return playground;
  };

  test('shows the steps of all ranks, and how long each waited', async () => {
    const { page } = await open();
    const bars = page.getByRole('table', { name: 'Time of the mean step by rank', exact: true });
    expect(await bars.locator('tbody tr').allInnerTexts()).toEqual([
      expect.stringMatching(/Rank 0\s*10\.0 ms/),
      expect.stringMatching(/Rank 1\s*11\.0 ms/),
    ]);
    expect(await bars.getByRole('img').first().getAttribute('aria-label')).toBe(
      'Computation 6.0 ms, Overlap 1.0 ms, Communication 2.0 ms, Other 1.0 ms',
    );
    expect(await page.getByRole('table', { name: 'Communication by rank', exact: true }).innerText()).toMatch(/Rank 0\s*3\.0 ms/);
  });

  test('a rank’s name selects it', async () => {
    const playground = await open();
    await playground.page.getByRole('button', { name: 'Rank 1', exact: true }).first().click();
    await vi.waitFor(() => expect(playground.requests('kinetoscope/part/select').at(-1)?.part?.rank).toBe(1));
  });

  test('says which rank comes late, and opens the line that makes it so', async () => {
    const playground = await open();
    const late = playground.page.locator('.stragglers > li');
    await expect.poll(async () => await late.count()).toBe(1);
    expect(await late.innerText()).toMatch(
      /Rank 1[\s\S]*came last to 2 collectives; the others waited 1\.8 ms[\s\S]*train\.py:17[\s\S]*1\.5 ms more/,
    );
    await late.locator('.place-link').click();
    await vi.waitFor(() => expect(playground.requests('host/open')).toEqual([{ file: FILE, line: 17 }]));
  });

  test('a field of the map selects rank and step, by mouse and by keyboard, and the whole again', async () => {
    const playground = await open();
    const { page } = playground;
    const last = () => playground.requests('kinetoscope/part/select').at(-1)?.part;
    await page.getByRole('gridcell', { name: '11.0 ms' }).last().click();
    await vi.waitFor(() => expect(last()).toMatchObject({ rank: 1, step: 4 }));
    await page.locator('.heat td[aria-selected="true"]').waitFor();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Enter');
    await vi.waitFor(() => expect(last()).toMatchObject({ rank: 0, step: 3 }));
    await page.locator('.heat td[aria-selected="true"]').waitFor();
    await page.keyboard.press('Enter');
    await vi.waitFor(() => expect(last()?.step ?? null).toBeNull());
  });

  test('the map shows the metric that is chosen', async () => {
    const { page } = await open();
    await page.getByLabel('Metric of the map').selectOption({ label: 'Synchronising' });
    expect(await page.locator('.heat td').allInnerTexts()).toEqual(['1.8 ms', '1.8 ms', '1.8 ms', '1.8 ms']);
  });

  test('collectives can be of the selected rank; behind a row are its calls', async () => {
    const { page } = await open();
    await expect.poll(async () => await page.locator('.collectives .row').count()).toBe(3);
    await page.locator('.collectives .segment', { hasText: 'Rank 0' }).click();
    await expect.poll(async () => await page.locator('.collectives .row').count()).toBe(2);
    await page.locator('.collectives .row').first().click();
    await page.locator('.collectives .work').nth(1).waitFor();
    const calls = await page.locator('.collectives .work').allInnerTexts();
    expect(calls).toHaveLength(2);
    expect(calls[0]).toMatch(/2\.0 ms[\s\S]*1\.4 ms of it waiting[\s\S]*train\.py:41/);
  });

  test('of one rank alone it shows what can be said, and says what can’t and why', async () => {
    const { page } = await open(ONE);
    const text = await page.locator('.distributed-page').innerText();
    expect(text).toContain('How long it waited in collectives for others is not known: that takes the traces of all ranks.');
    expect(text).toContain('Open the folder with the traces of all ranks');
    expect(text).toContain('≥ 6.67');
    expect(await page.getByLabel('Metric of the map').locator('option:disabled').allInnerTexts()).toEqual([
      'Data transfer',
      'Synchronising',
    ]);
  });

  test('without communication it says what to open', async () => {
    const { page } = await open({ ...ONE, collectives: [] });
    const text = await page.locator('.message').innerText();
    expect(text).toContain('No communication between ranks');
    expect(text).toContain('open the folder that holds the traces of all its ranks');
  });

  test.each(Object.keys(THEMES))('is seen in %s at any width', async (theme) => {
    for (const widthPx of [1200, 320]) {
      const { page } = await open(RANKS, { theme, widthPx, heightPx: 1200 });
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(widthPx);
      expect(await page.locator('.distributed-page').evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0);
      if (process.env.KINETOSCOPE_SCREENSHOTS === '1') {
        await page.screenshot({ path: path.resolve(import.meta.dirname, `../../out/playground/distributed-${theme}-${widthPx}.png`) });
      }
    }
  });
});
