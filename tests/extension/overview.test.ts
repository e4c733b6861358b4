/**
 * The Overview page: how stacked charts are drawn, what findings say, and the page in a real browser as a person uses it.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Finding } from '../../extension/server/views';
import { categoryRank, categorySlices, stepStacks } from '../../extension/webview/overview/categories';
import { evidenceText, gainText, lineText, ofText, pageOf, unexplained } from '../../extension/webview/overview/evidence';
import { labelEvery, percentOf, ticks, toneClass, totalOf } from '../../extension/webview/shared/chart/slices';
import { ADVICE, ADVICE_OF_RANKS, ON_CPU, OVERVIEW } from './playground/overviewSample';
import { chromiumPath, openBrowser, Playground } from './playground/playground';
import type { PlaygroundOptions } from './playground/playground';
import { DESCRIPTION, OLDER, RUN, TRACE } from './playground/sample';
import { THEMES } from './playground/themes';

const root = path.resolve(import.meta.dirname, '../..');

vi.setConfig({ testTimeout: 60_000 });

describe('a stacked chart', () => {
  test.each([
    [0, [0]],
    [1, [0, 0.5, 1]],
    [186, [0, 50, 100, 150, 200]],
    [1030, [0, 500, 1000, 1500]],
    [200, [0, 50, 100, 150, 200]],
  ])('has round ticks up to at least %d', (most, expected) => expect(ticks(most)).toEqual(expected));

  test('gives lengths as parts of one whole, never more than it', () => {
    expect([percentOf(1, 4), percentOf(5, 4), percentOf(1, 0)]).toEqual(['25%', '100%', '0%']);
  });

  test('labels as many columns as there is room for', () => {
    expect([labelEvery(40, 34), labelEvery(12, 34), labelEvery(0, 34)]).toEqual([1, 3, 1]);
  });
});

describe('categories', () => {
  test('of a step add up to it', () => {
    for (const { us, categories } of OVERVIEW.steps.each) {
      expect(totalOf(categorySlices(categories))).toBe(us);
    }
    expect(stepStacks(OVERVIEW.steps.each).map(({ id, name }) => [id, name])).toEqual([
      ['4', 'Step 4'],
      ['5', 'Step 5'],
      ['6', 'Step 6'],
    ]);
  });

  test('no two look alike, and one that is not known is shown all the same', () => {
    const looks = categorySlices([...OVERVIEW.categories, { name: 'Future', us: 1, percent: 1 }]).map(({ tone }) => toneClass(tone));
    expect(new Set(looks).size).toBe(OVERVIEW.categories.length + 1);
    expect(categoryRank('Kernel')).toBe(0);
    expect(categoryRank('Future')).toBe(Infinity);
  });
});

describe('a finding', () => {
  const [waits, full] = ADVICE.findings as [Finding, Finding];

  test('says what it can gain of a step, in time and in part; of the recording where there are no steps; nothing where it is not known', () => {
    expect(gainText(waits, ADVICE)).toBe('up to 25.0 ms per step (28 %)');
    expect(gainText(waits, { steps: 0, step_us: 0 })).toBe('up to 25.0 ms in all');
    expect(gainText(full, ADVICE)).toBeNull();
  });

  test('has its numbers in their units', () => {
    expect(waits.evidence.map(evidenceText)).toEqual(['25.0 ms', '28 %']);
    expect(full.evidence.map(evidenceText)).toEqual(['76.0 GiB']);
    expect(evidenceText({ name: 'kernels', value: 1234, unit: 'count' })).toBe('1,234');
    expect(ofText(ADVICE)).toBe('Times, sizes and counts are of one step, the mean of 3.');
    expect(ofText({ steps: 0 })).toContain('no steps are marked');
  });

  test('has lines with their time and how often, or with their bytes where it is of memory', () => {
    expect(ADVICE.lines.map((line) => lineText(line, ADVICE))).toEqual(['25.0 ms per step · 1×', '1.0 GiB']);
  });

  test('leads to the best page that is there', () => {
    expect(pageOf('data-loader', () => true)).toBe('idle');
    expect(pageOf('data-loader', (page) => page === 'timeline')).toBe('timeline');
    expect(pageOf('data-loader', () => false)).toBeNull();
    expect(pageOf('of-the-future', () => true)).toBe('timeline');
    expect(pageOf('constructor', () => true)).toBe('timeline');
  });

  test('of one rank is left out where the ranks together explain its time', () => {
    expect(unexplained(ADVICE, ADVICE_OF_RANKS).findings.map(({ id }) => id)).toEqual(['memory-limit']);
    expect(unexplained(ADVICE, null)).toBe(ADVICE);
  });
});

const VIEWS = { overview: OVERVIEW, advice: ADVICE, 'advice-of-ranks': ADVICE_OF_RANKS };

describe.skipIf(!existsSync(chromiumPath))('the Overview page', () => {
  let browser: Browser;
  const opened: Playground[] = [];
  beforeAll(async () => {
    browser = await openBrowser();
  }, 60_000);
  afterAll(async () => await browser.close());
  afterEach(async () => {
    for (const { page } of opened.splice(0)) {
      await page.close();
    }
  });
  const ready = async (options: PlaygroundOptions = {}) => {
    const playground = await Playground.open(browser, { views: VIEWS, state: { run: null, page: 'overview', pages: {} }, ...options });
    opened.push(playground);
    await playground.page.locator('.overview').waitFor();
    return playground;
  };

  test('is the page that an app begins with', async () => {
    const { page } = await ready({ state: { run: null } });
    expect(await page.locator('.navigation button').first().innerText()).toBe('Overview');
  });

  test('says first what of the recording is lost', async () => {
    const notices = ['3 events of the trace could not be read: the file ends in the middle of an event. The numbers are of what is left.'];
    const { page } = await ready({
      answers: { 'kinetoscope/run/describe': () => ({ ...DESCRIPTION, run: { ...TRACE, notices } }) },
    });
    expect(await page.locator('.overview > .notices').innerText()).toContain('3 events of the trace could not be read');
  });

  test('leads to what changed since the same script was profiled before', async () => {
    const before = { ...OLDER, main: RUN.main };
    const playground = await ready({
      runs: { runs: [RUN, before], active: RUN.path, baseline: null },
      answers: { 'kinetoscope/compare': () => 'not here' },
    });
    const { page } = playground;
    await page.getByRole('button', { name: `See what changed since ${before.created.slice(0, 10)}` }).click();
    await expect.poll(() => playground.requests('kinetoscope/compare').at(-1)?.before).toBe(before.path);
    const alone = await ready({ runs: { runs: [RUN, OLDER], active: RUN.path, baseline: null } });
    expect(await alone.page.getByText('See what changed').count()).toBe(0);
  });

  test('says what the run is, what bounds it and why', async () => {
    const { page } = await ready();
    const facts = await page.locator('.facts').innerText();
    expect(facts).toMatch(/Steps\s*3, 90\.0 ms on average/);
    expect(facts).toMatch(/Rank\s*1 of 2/);
    expect(await page.locator('.bound').innerText()).toMatch(/Bound by compute\s*Kernels run in 50 % of the step/);
  });

  test('divides the mean step by category, with the numbers as a table', async () => {
    const { page } = await ready();
    expect(await page.locator('.whole .of').innerText()).toBe('90.0 ms mean of 3 steps');
    const rows = await page.locator('.whole .chart-legend tbody tr').allInnerTexts();
    expect(rows.map((row) => row.split(/\t+/).map((cell) => cell.trim()))).toContainEqual(['DataLoader', '25.0 ms', '28 %']);
    expect(rows).toHaveLength(8);
    // What has no time has no part of the bar.
    expect(await page.locator('.whole .stacked-bar > span').count()).toBe(7);
    expect(await page.locator('.whole').innerText()).toContain('Without ProfilerStep#7');
  });

  test('shows the steps side by side, told in numbers when pointed at, and as a table for screen readers', async () => {
    const { page } = await ready();
    await page.getByRole('button', { name: 'Step 5: 90.0 ms' }).hover();
    expect(await page.locator('.told').innerText()).toMatch(/Step 5: 90\.0 ms\s*Kernel 45\.0 ms/);
    const table = page.locator('.by-step table');
    expect(await table.locator('tbody tr').first().innerText()).toMatch(/Step 4\s+80\.0 ms\s+40\.0 ms/);
  });

  test('selects a step for all pages, by mouse or keyboard, and the whole again', async () => {
    const playground = await ready();
    const { page } = playground;
    const selected = () => playground.requests('kinetoscope/part/select').map(({ part }) => part?.step ?? null);
    await page.getByRole('button', { name: 'Step 4: ' }).click();
    await expect.poll(selected).toEqual([4]);
    await page.locator('.column[aria-pressed=true]').waitFor();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await expect.poll(selected).toEqual([4, 5]);
    await page.locator('.column[aria-pressed=true]', { hasText: '5' }).click();
    await expect.poll(selected).toEqual([4, 5, null]);
    expect(await page.locator('.columns button[tabindex="0"]').count()).toBe(1);
  });

  test('has a gauge for each measure of a device, and says which the trace does not tell', async () => {
    const { page } = await ready();
    expect(await page.getByRole('meter', { name: 'Utilisation' }).getAttribute('aria-valuetext')).toBe('61 %');
    expect(await page.getByRole('meter', { name: 'Tensor Cores' }).getAttribute('aria-valuetext')).toBe('0 %');
    expect(await page.getByRole('meter').count()).toBe(3);
    expect(await page.getByRole('img', { name: /Occupancy: not recorded\. The trace does not say/ }).count()).toBe(1);
    expect(await page.locator('.device').innerText()).toContain('80.0 GiB · compute capability 9.0');
  });

  test('is right for a CPU alone and for a recording without steps', async () => {
    const { page } = await ready({ views: { ...VIEWS, overview: ON_CPU } });
    const text = await page.locator('.overview').innerText();
    expect(text).toContain('What bounds the step can’t be told');
    expect(text).toContain('90.0 ms in all');
    expect(text).toContain('No steps were found');
    const trace = await ready({
      views: { ...VIEWS, overview: ON_CPU },
      answers: { 'kinetoscope/run/describe': () => ({ ...DESCRIPTION, run: TRACE }) },
    });
    await trace.page.getByText('No steps are marked').waitFor();
    expect(text).toContain('No device ran a kernel here');
    expect(await page.getByRole('meter').count()).toBe(0);
  });

  test('gives advice: how grave in a word, what was seen, what it can gain, what to do, and where to read on', async () => {
    const { page } = await ready();
    const card = page.locator('.card').first();
    const text = await card.innerText();
    expect(text).toMatch(/High\s*The step waits for data\s*Gain up to 25\.0 ms per step \(28 %\)/);
    expect(text).toContain('What to do: Load in other processes');
    const link = card.getByRole('link', { name: 'Documentation' });
    expect(await link.getAttribute('href')).toBe('https://docs.pytorch.org/docs/stable/data.html');
    expect(await link.getAttribute('rel')).toBe('noopener noreferrer');
    expect(await page.locator('.advice .notices').innerText()).toContain('The first step was left out.');
  });

  test('leads from a finding to its line and to the page that shows it', async () => {
    const playground = await ready();
    const { page } = playground;
    await page.locator('.card').first().getByRole('button', { name: 'train.py:36' }).click();
    await expect.poll(() => playground.requests('host/open')).toEqual([{ file: '/home/ada/minigpt/train.py', line: 36 }]);
    await page.locator('.bound').getByRole('button', { name: 'See kernels' }).click();
    await page.locator('.page-kernels').waitFor();
  });

  test('of several ranks gives what they show together first, and of the rank only what that does not explain', async () => {
    const { page } = await ready({ description: { ...DESCRIPTION, ranks: [0, 1] } });
    await page.locator('.card').nth(1).waitFor();
    expect(await page.locator('.advice h2').allInnerTexts()).toEqual(['Advice across the 2 ranks', 'Advice for rank 0']);
    expect(await page.locator('.card h3').allInnerTexts()).toEqual(['Rank 1 is late to collectives', 'The device’s memory is nearly full']);
    expect(await page.locator('.places').first().innerText()).toContain('rank 1');
  });

  test('says so where nothing was found, and where the advice failed', async () => {
    const none = await ready({ views: { ...VIEWS, advice: { ...ADVICE, findings: [], lines: [] } } });
    await none.page.getByText('None of the faults that Kinetoscope knows was found.').waitFor();
    const failed = await ready({ views: { ...VIEWS, advice: 'The server is busy.' } });
    await failed.page.getByText('The server is busy.').waitFor();
    await failed.page.getByRole('button', { name: 'Try again' }).waitFor();
  });

  test('shows names as they are: nothing in them is markup, and only web addresses become links', async () => {
    const evil = '<img src=x onerror="window.hacked=1"><b>bold</b>';
    const [finding] = ADVICE.findings as [Finding];
    const advice = { ...ADVICE, findings: [{ ...finding, title: evil, seen: evil, link: 'javascript:alert(1)' }] };
    const { page } = await ready({ views: { ...VIEWS, advice, overview: { ...OVERVIEW, bound: { kind: null, evidence: evil } } } });
    expect(await page.locator('.card h3').innerText()).toBe(evil);
    expect(await page.locator('#root img, #root b, #root a').count()).toBe(0);
  });

  const pictures = process.env.KINETOSCOPE_SCREENSHOTS === undefined ? [] : Object.keys(THEMES);
  test.each(pictures.flatMap((theme) => [1200, 360].map((widthPx) => [theme, widthPx] as const)))(
    'is pictured in %s at %d pixels',
    async (theme, widthPx) => {
      const { page } = await ready({ theme, widthPx, heightPx: 1400 });
      await page.locator('.card').first().waitFor();
      await page.screenshot({ path: path.join(root, 'out/playground', `overview-${theme}-${widthPx}.png`) });
    },
  );
});
