/**
 * The Compare page: what changes are called, which run is compared with, and the page in a real browser as a person uses it.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { RunSummary } from '../../extension/server/wire';
import { baselineOf, candidates, runLabel } from '../../extension/webview/compare/baseline';
import { differenceText, matchText, mayBeChance, percentText, verdictOf, wordOf } from '../../extension/webview/compare/changes';
import { INITIAL, restoreChoices } from '../../extension/webview/compare/state';
import { change, COMPARISON } from './playground/compareSample';
import { chromiumPath, openBrowser, Playground } from './playground/playground';
import type { PlaygroundOptions } from './playground/playground';
import { OLDER, RUN, TRACE } from './playground/sample';
import { THEMES } from './playground/themes';

const root = path.resolve(import.meta.dirname, '../..');

vi.setConfig({ testTimeout: 60_000 });

describe('a change', () => {
  test('has a word, whatever its colour', () => {
    expect(wordOf(change(10, 5), 'us')).toBe('faster');
    expect(wordOf(change(5, 10), 'us')).toBe('slower');
    expect(wordOf(change(10, 5), 'bytes')).toBe('less');
    expect(wordOf(change(5, 10), 'bytes')).toBe('more');
    expect(wordOf(change(5, 10), 'count')).toBe('more');
    expect(wordOf(change(0, 10), 'us')).toBe('new');
    expect(wordOf(change(10, 0), 'us')).toBe('gone');
    expect(wordOf(change(10, 10), 'us')).toBe('same');
    expect(wordOf(change(0, 0), 'us')).toBe('');
  });

  test('is better where it is less time or memory; of a count it is neither', () => {
    expect([change(10, 5), change(5, 10), change(5, 5)].map((one) => verdictOf(one, 'us'))).toEqual(['better', 'worse', 'neutral']);
    expect(verdictOf(change(5, 10), 'count')).toBe('neutral');
  });

  test('has its sign and unit; nothing where nothing changed, no per cent of nothing', () => {
    expect(differenceText(change(10_000, 4900), 'us')).toBe('−5.1 ms');
    expect(differenceText(change(0, 3 * 1024 ** 2), 'bytes')).toBe('+3.0 MiB');
    expect(differenceText(change(5, 6), 'count')).toBe('+1');
    expect(differenceText(change(5, 5), 'us')).toBe('');
    expect([change(100, 79), change(100, 104.2), change(0, 5), change(5, 5)].map(percentText)).toEqual(['−21 %', '+4.2 %', '', '']);
  });

  test('of the steps may be chance where it takes their mean no further than single steps are apart', () => {
    const steps = (least: number, most: number, after: number) => ({
      count: change(5, 5),
      mean_us: change(100, after),
      least_us: change(least, after - 1),
      most_us: change(most, after + 1),
      gpu_us: change(0, 0),
    });
    expect(mayBeChance(steps(80, 130, 90))).toBe(true);
    expect(mayBeChance(steps(95, 105, 90))).toBe(false);
    expect(mayBeChance({ ...steps(95, 105, 90), most_us: change(105, 101) })).toBe(true);
    expect(mayBeChance(steps(80, 130, 100))).toBe(false);
    // One step says nothing of how much steps differ.
    expect(mayBeChance({ ...steps(90, 90, 90), count: change(1, 5) })).toBe(false);
  });

  test('of a line says how it was found again, and where it was', () => {
    expect(matchText({ match: 'same', line: 4, line_before: 4 })).toBe('');
    expect(matchText({ match: 'moved', line: 5, line_before: 4 })).toBe('moved, was 4');
    expect(matchText({ match: 'changed', line: 4, line_before: 4 })).toBe('changed');
    expect(matchText({ match: 'new', line: 4, line_before: null })).toBe('new line');
    expect(matchText({ match: 'unverified', line: 4, line_before: 4 })).toBe('by number');
  });
});

describe('the baseline', () => {
  const run = (path: string, created: string, rest: Partial<RunSummary> = {}): RunSummary => ({ ...RUN, path, created, ...rest });
  const [a, b, c] = [run('/a', '2026-01-03'), run('/b', '2026-01-02'), run('/c', '2026-01-01')];
  const other = run('/o', '2026-01-02T12:00', { main: '/other.py' });
  const broken = run('/x', '2026-01-02T13:00', { problem: 'cut off' });

  test('is the run that was chosen, where it is there, can be read and is another one', () => {
    expect(baselineOf([a, b, c], a, '/c')).toBe(c);
    expect(baselineOf([a, b, c], a, '/a')).toBe(b);
    expect(baselineOf([a, broken, b], a, '/x')).toBe(b);
  });

  test('else the run of the same script before this one, else a later one, never one of another script', () => {
    expect(baselineOf([a, other, broken, b, c], a, null)).toBe(b);
    expect(baselineOf([a, b, c], c, null)).toBe(a);
    expect(baselineOf([a, other], a, null)).toBeNull();
    expect(baselineOf([TRACE, { ...TRACE, path: '/y.json' }], TRACE, null)).toBeNull();
    expect(candidates([a], a)).toEqual([]);
  });

  test('is named so that it can be told from others', () => {
    expect(runLabel(OLDER)).toBe('finetune.py · 2026-11-29 09:00:00');
    expect(runLabel(TRACE)).toBe('logs/bert.json');
  });
});

test('choices of another version are forgotten', () => {
  expect(restoreChoices({ baseline: 3, shown: 'gone', metric: 'time', lines: 'x' })).toEqual(INITIAL);
  expect(restoreChoices({ baseline: '/a', shown: 'kernels', metric: 'cpu' })).toMatchObject({
    baseline: '/a',
    shown: 'kernels',
    metric: 'cpu',
  });
});

describe.skipIf(!existsSync(chromiumPath))('the Compare page', () => {
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
  const BEFORE = { ...OLDER, main: RUN.main, name: RUN.name };
  const open = async (options: PlaygroundOptions = {}, chosen: object = {}) => {
    const playground = await Playground.open(browser, {
      runs: { runs: [RUN, BEFORE, TRACE], active: RUN.path, baseline: null },
      answers: { 'kinetoscope/compare': () => COMPARISON },
      state: { run: null, page: 'compare', pages: { compare: chosen } },
      ...options,
    });
    opened.push(playground);
    return playground;
  };
  const rows = async ({ page }: Playground) => {
    await page.locator('.compare .row').first().waitFor();
    return (await page.locator('.compare .row').allInnerTexts()).map((text) => text.split(/\s*\n+\s*/));
  };

  test('compares with the run before of the same script, and says in a sentence what came of it', async () => {
    const playground = await open();
    const { page } = playground;
    const headline = page.locator('.headline');
    expect(await headline.innerText()).toBe('A step takes 80.0 ms instead of 100 ms: 20.0 ms faster (−20 %).');
    expect(playground.requests('kinetoscope/compare')).toEqual([{ before: BEFORE.path, after: null, rank: null }]);
    const whole = await page.locator('table.changes').innerText();
    expect(whole).toMatch(/Time of a step\s+100 ms\s+80\.0 ms\s+−20\.0 ms\s+−20 %\s+faster/);
    expect(whole).toMatch(/Fastest step\s+96\.0 ms\s+78\.0 ms/);
    expect(whole).toMatch(/Slowest step\s+105 ms\s+85\.0 ms/);
    expect(await page.locator('.chance').count()).toBe(0);
    expect(whole).toMatch(/GPU time of a step\s+30\.0 ms\s+33\.0 ms\s+\+3\.0 ms\s+\+10 %\s+slower/);
    expect(whole).toMatch(/Peak memory recorded, cuda:0\s+2\.0 MiB\s+5\.0 MiB\s+\+3\.0 MiB\s+\+150 %\s+more/);
    expect(await page.locator('.notices').innerText()).toContain('different versions of torch');
  });

  test('says where a difference is no larger than that of single steps', async () => {
    const steps = { ...COMPARISON.steps, least_us: change(70_000, 60_000), most_us: change(140_000, 110_000) };
    const { page } = await open({ answers: { 'kinetoscope/compare': () => ({ ...COMPARISON, steps }) } });
    expect(await page.locator('.chance').innerText()).toContain('70.0 ms to 140 ms before, 60.0 ms to 110 ms after');
  });

  test('shows where the time of a step went, before and after on one scale', async () => {
    const { page } = await open();
    await page.locator('.two-bars').waitFor();
    const widths = await page.locator('.two-bars .stacked-bar').evaluateAll((bars) =>
      bars.map((bar) => {
        const parts = [...bar.children].reduce((sum, part) => sum + part.getBoundingClientRect().width, 0);
        return Math.round((100 * parts) / bar.getBoundingClientRect().width);
      }),
    );
    expect(widths).toEqual([100, 80]);
    const first = await page.locator('.compare-summary .chart-legend tbody tr').first().innerText();
    expect(first).toMatch(/DataLoader\s+50\.0 ms\s+20\.0 ms\s+−30\.0 ms\s+−60 %/);
  });

  test('jumps to the lines that changed most', async () => {
    const playground = await open();
    const { page } = playground;
    expect(await page.locator('.changed-lines li').first().innerText()).toMatch(
      /\+6\.0 ms slower\s*train\.py:41\s*moved, was 40\s*optimizer\.step\(\)/,
    );
    await page.getByRole('button', { name: 'train.py:41' }).click();
    await expect.poll(() => playground.requests('host/open')).toEqual([{ file: '/home/ada/minigpt/train.py', line: 41 }]);
    await page.getByRole('button', { name: 'See all lines' }).click();
    await page.locator('.changes-of-lines').waitFor();
  });

  test('lists lines by the size of their change, less or more, with the word for it', async () => {
    const playground = await open({}, { shown: 'lines' });
    const seen = await rows(playground);
    expect(seen.map(([source]) => source)).toEqual(['optimizer.step()', 'loss = loss_of(model(x), y)', 'total += loss.item()']);
    expect(seen[0]).toEqual(expect.arrayContaining(['train.py:41', 'moved, was 40', '2.0 ms', '8.0 ms', '+6.0 ms', '+300 %', 'slower']));
    expect(seen[2]).toEqual(expect.arrayContaining(['gone', '−500 µs']));
    await playground.page.locator('.filter input').fill('gone');
    expect(await rows(playground)).toHaveLength(1);
  });

  test('opens a line with Enter, and a line that is gone not at all', async () => {
    const playground = await open({}, { shown: 'lines' });
    await rows(playground);
    const { page } = playground;
    await page.locator('[role=grid]').focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await expect.poll(() => playground.requests('host/open')).toMatchObject([{ line: 41 }]);
  });

  test('has operators by GPU or CPU time, new and gone ones too', async () => {
    const playground = await open({}, { shown: 'operators' });
    expect((await rows(playground)).map((cells) => [cells[0], cells.at(-3)])).toEqual([
      ['aten::mm', 'slower'],
      ['aten::addcdiv_', expect.anything()],
      ['aten::add_', expect.anything()],
    ]);
    const text = await playground.page.locator('.compare .body').innerText();
    expect(text).toMatch(/addcdiv_[^]*new[^]*add_[^]*gone/);
    await playground.page.getByText('CPU', { exact: true }).click();
    expect((await rows(playground)).map(([name]) => name)).toEqual(['aten::add_', 'aten::addcdiv_', 'aten::view', 'aten::mm']);
  });

  test('has another baseline when the reader chooses one or comes with one, and keeps it', async () => {
    const playground = await open();
    const { page } = playground;
    await page.getByLabel('Before', { exact: true }).selectOption(TRACE.path);
    await expect.poll(() => playground.requests('kinetoscope/compare').at(-1)?.before).toBe(TRACE.path);
    await page.reload();
    await expect.poll(() => page.getByLabel('Before', { exact: true }).inputValue()).toBe(TRACE.path);
    await playground.event('show', { page: 'compare', target: { baseline: BEFORE.path } });
    await expect.poll(() => page.getByLabel('Before', { exact: true }).inputValue()).toBe(BEFORE.path);
  });

  test('begins with the baseline of the editor, and makes the one that is shown that', async () => {
    const runs = { runs: [RUN, BEFORE, TRACE], active: RUN.path, baseline: TRACE.path };
    const playground = await open({ runs });
    const { page } = playground;
    await expect.poll(() => page.getByLabel('Before', { exact: true }).inputValue()).toBe(TRACE.path);
    const button = page.getByRole('button', { name: 'Show in the editor' });
    expect(await button.getAttribute('aria-pressed')).toBe('true');
    await button.click();
    await expect.poll(() => playground.requests('host/baseline')).toEqual([{ run: null }]);
    await page.getByLabel('Before', { exact: true }).selectOption(BEFORE.path);
    await expect.poll(() => button.getAttribute('aria-pressed')).toBe('false');
    await button.click();
    await expect.poll(() => playground.requests('host/baseline').at(-1)).toEqual({ run: BEFORE.path });
  });

  test('says so where the baseline was recorded after the run', async () => {
    const later = { ...BEFORE, created: '2099-01-01T00:00:00+00:00' };
    const { page } = await open({ runs: { runs: [later, RUN], active: RUN.path, baseline: null } });
    await page.getByText('The baseline was recorded after this run').waitFor();
    const usual = await open();
    await usual.page.locator('.headline').waitFor();
    expect(await usual.page.locator('.whole-note').count()).toBe(0);
  });

  test('says what to do where there is nothing to compare with', async () => {
    const alone = await open({ runs: { runs: [RUN], active: RUN.path, baseline: null } });
    await alone.page.getByText('Nothing to compare with yet').waitFor();
    await alone.page.getByRole('button', { name: 'Profile the last script again' }).click();
    await expect.poll(() => alone.requests('host/run')).toEqual([{ command: 'profile' }]);
    const others = await open({ runs: { runs: [RUN, TRACE], active: RUN.path, baseline: null } });
    await others.page.getByText('Choose a run to compare with').waitFor();
    expect(others.requests('kinetoscope/compare')).toEqual([]);
  });

  test('gives no verdict where only one of the two has steps', async () => {
    const comparison = { ...COMPARISON, per_step: false, steps: { ...COMPARISON.steps, count: change(5, 0) } };
    const { page } = await open({ answers: { 'kinetoscope/compare': () => comparison } });
    expect(await page.locator('.headline').innerText()).toContain('can’t be compared as a whole');
    expect(await page.locator('.two-bars').count()).toBe(0);
    expect(await page.locator('table.changes').innerText()).not.toContain('Time of the recording\t100');
  });

  test('says why where it failed, and that the whole is compared where a part is selected', async () => {
    const playground = await open({ answers: { 'kinetoscope/compare': () => 'Rank 3 is not in this run.' } });
    await playground.page.getByText('Rank 3 is not in this run.').waitFor();
    await playground.event('kinetoscope/part/changed', { run: RUN.path, part: { step: 4 } });
    await playground.page.getByText('Whole recordings are compared, not the selected part.').waitFor();
  });

  test('shows names as they are: nothing in them is markup', async () => {
    const evil = '<img src=x onerror="window.hacked=1"><b>bold</b>';
    const lines = COMPARISON.lines.map((line) => ({ ...line, source: evil, function: evil }));
    const { page } = await open({ answers: { 'kinetoscope/compare': () => ({ ...COMPARISON, lines, notices: [evil] }) } });
    expect(await page.locator('.changed-lines code').first().innerText()).toBe(evil);
    expect(await page.locator('#root img, #root b').count()).toBe(0);
  });

  const pictures = process.env.KINETOSCOPE_SCREENSHOTS === undefined ? [] : Object.keys(THEMES);
  test.each(
    pictures.flatMap((theme) => [1200, 360].flatMap((widthPx) => ['summary', 'lines'].map((shown) => [theme, widthPx, shown] as const))),
  )('is pictured in %s at %d pixels: %s', async (theme, widthPx, shown) => {
    const { page } = await open({ theme, widthPx }, { shown });
    await page.locator('.headline, .compare .row').first().waitFor();
    await page.screenshot({ path: path.join(root, 'out/playground', `compare-${shown}-${theme}-${widthPx}.png`) });
  });
});
