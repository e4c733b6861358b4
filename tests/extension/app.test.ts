/**
 * The app around the pages in a real browser, as a person uses it: going from page to page, choosing run, rank and step, search, help, and what is kept.
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { SearchHit } from '../../extension/server/wire';
import { restoreApp } from '../../extension/webview/app/restore';
import { changedPart, samePart, spanOfPart, WHOLE } from '../../extension/webview/shared/part';
import { chromiumPath, openBrowser, Playground } from './playground/playground';
import type { PlaygroundOptions } from './playground/playground';
import { DESCRIPTION, OLDER, RUN, RUNS, TRACE } from './playground/sample';
import { THEMES } from './playground/themes';

const root = path.resolve(import.meta.dirname, '../..');

vi.setConfig({ testTimeout: 60_000 });

const operator = (name: string, device_self_us: number) => ({
  name,
  input_shape: '',
  stack: [],
  backward: false,
  calls: 10,
  host_self_us: 1000,
  host_total_us: 2000,
  device_self_us,
  device_total_us: device_self_us,
  tensor_cores_eligible: false,
  tensor_cores_self_percent: null,
  tensor_cores_total_percent: null,
});

const OPERATORS = {
  group_by: 'name',
  rows: [operator('aten::mm', 3000), operator('aten::add', 2000), operator('aten::copy_', 1000)],
  unlinked_device_us: 0,
};

const HITS: readonly SearchHit[] = [
  { kind: 'operator', name: 'aten::add', detail: '10 calls', us: 2000, file: null, line: null },
  { kind: 'line', name: 'loss.backward()', detail: 'train.py:41, train_step', us: 900, file: '/home/ada/minigpt/train.py', line: 41 },
];

describe.skipIf(!existsSync(chromiumPath))('the app', () => {
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
  const open = async (options: PlaygroundOptions = {}) => {
    const playground = await Playground.open(browser, { views: { operators: OPERATORS }, ...options });
    opened.push(playground);
    return playground;
  };
  const ready = async (options: PlaygroundOptions = {}) => {
    const playground = await open(options);
    await playground.page.locator('.page:not([hidden]) .row').first().waitFor();
    return playground;
  };
  const pageButton = ({ page }: Playground, name: string) => page.getByRole('navigation').getByRole('button', { name });
  const operators = async (playground: Playground) => {
    await playground.event('show', { page: 'operators', target: null });
    await playground.page.locator('.page-operators .row').first().waitFor();
  };

  describe('pages', () => {
    test('are asked for what they show when they are first gone to, and stay as they are', async () => {
      const playground = await ready();
      const { page } = playground;
      expect(playground.requests('kinetoscope/view')).toEqual([]);
      await page.locator('.filter input').fill('backward');
      await pageButton(playground, 'Operators').click();
      await page.locator('.page-operators .row').first().waitFor();
      expect(playground.requests('kinetoscope/view')).toEqual([{ run: null, name: 'operators', part: WHOLE }]);
      await pageButton(playground, 'Lines').click();
      expect(await page.locator('.page-lines .filter input').inputValue()).toBe('backward');
      await pageButton(playground, 'Operators').click();
      expect(playground.requests('kinetoscope/view')).toHaveLength(1);
    });

    test('are gone to by arrow keys; the one that is shown is told to screen readers and in the title', async () => {
      const playground = await ready();
      await pageButton(playground, 'Lines').focus();
      await playground.page.keyboard.press('ArrowDown');
      await playground.page.keyboard.press('Enter');
      await playground.page.locator('.page-operators .row').first().waitFor();
      expect(await pageButton(playground, 'Operators').getAttribute('aria-current')).toBe('page');
      expect(await pageButton(playground, 'Lines').getAttribute('aria-current')).toBeNull();
      await expect.poll(() => playground.requests('host/title').at(-1)).toEqual({ title: 'Operators: train.py' });
    });

    test('are in a drop-down where there is no room for their list', async () => {
      const playground = await ready({ widthPx: 400 });
      await playground.page.getByLabel('Page', { exact: true }).selectOption('Operators');
      await playground.page.locator('.page-operators .row').first().waitFor();
      expect(await playground.page.getByRole('navigation').isVisible()).toBe(false);
    });

    test('show the target that a command of the editor names', async () => {
      const playground = await ready();
      await playground.event('show', { page: 'operators', target: { operator: 'aten::copy_' } });
      await playground.page.locator('.page-operators .row.selected', { hasText: 'aten::copy_' }).waitFor();
    });

    test('say in words what they show', async () => {
      const { page } = await ready();
      await page.getByRole('button', { name: 'What am I looking at? Lines' }).click();
      await page.getByRole('dialog').getByText('Times the line was arrived at').waitFor();
      await page.keyboard.press('Escape');
      await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
      await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toContain('What am I looking at?');
    });
  });

  describe('the run', () => {
    test('is chosen from the list; the host makes it the active one', async () => {
      const playground = await ready();
      const runs = playground.page.getByLabel('Run', { exact: true });
      expect(await runs.locator('option').allInnerTexts()).toEqual([
        'train.py · 2026-11-30 14:03 · active',
        expect.stringContaining('finetune.py'),
        expect.stringContaining('bert.json'),
      ]);
      await runs.selectOption({ value: OLDER.path });
      await expect.poll(() => playground.requests('host/show-run')).toEqual([{ run: OLDER.path }]);
    });

    test('that becomes another is asked for anew, on the page that is shown only', async () => {
      let active = RUN.path;
      const playground = await ready({
        answers: {
          'kinetoscope/runs/list': () => ({ ...RUNS, active }),
          'kinetoscope/run/describe': () => ({ ...DESCRIPTION, run: active === RUN.path ? RUN : OLDER }),
        },
      });
      await operators(playground);
      expect(playground.requests('kinetoscope/lines/view')).toHaveLength(1);
      active = OLDER.path;
      await playground.event('kinetoscope/runs/changed', { active, arrived: null });
      await expect.poll(() => playground.requests('kinetoscope/view')).toHaveLength(2);
      expect(playground.requests('kinetoscope/lines/view')).toHaveLength(1);
      await pageButton(playground, 'Lines').click();
      await expect.poll(() => playground.requests('kinetoscope/lines/view')).toHaveLength(2);
    });

    test('of its own stays, whatever becomes active', async () => {
      const playground = await ready({ run: TRACE.path, description: { ...DESCRIPTION, run: TRACE, active: false } });
      expect(playground.requests('kinetoscope/lines/view')).toEqual([{ run: TRACE.path }]);
      await playground.event('kinetoscope/runs/changed', { active: OLDER.path, arrived: null });
      await playground.event('kinetoscope/lines/changed', { uri: null });
      await expect.poll(() => playground.requests('kinetoscope/runs/list')).toHaveLength(2);
      expect(playground.requests('kinetoscope/lines/view')).toHaveLength(1);
    });
  });

  describe('the part', () => {
    test('is a step of the list; all pages are then of it, until it is cleared', async () => {
      const playground = await ready();
      await operators(playground);
      const { page } = playground;
      await page.getByRole('button', { name: 'Steps:' }).click();
      await page.keyboard.press('ArrowDown');
      await page.getByRole('button', { name: /^Step 4/ }).click();
      const part = { rank: null, step: 4, range_us: null };
      await expect.poll(() => playground.requests('kinetoscope/part/select')).toEqual([{ run: null, part }]);
      await expect.poll(() => playground.requests('kinetoscope/view').at(-1)).toEqual({ run: null, name: 'operators', part });
      await page.locator('.chip', { hasText: 'Step 4' }).waitFor();
      await page.getByRole('button', { name: 'Clear the selection' }).click();
      await expect.poll(() => playground.requests('kinetoscope/view').at(-1)?.part).toEqual(WHOLE);
      expect(await page.locator('.chip').count()).toBe(0);
    });

    test('is the one that another page or the editor selects', async () => {
      const playground = await ready();
      await playground.event('kinetoscope/part/changed', { run: OLDER.path, part: { step: 5 } });
      await playground.event('kinetoscope/part/changed', { run: RUN.path, part: { range_us: [1500, 40_000] } });
      await playground.page.locator('.chip', { hasText: '1.5 ms – 40.0 ms' }).waitFor();
    });

    describe('that another page selects', () => {
      const select = async ({ page }: Playground, step: number) => {
        await page.getByRole('button', { name: 'Steps:' }).click();
        await page.getByRole('button', { name: new RegExp(`^Step ${step}`) }).click();
      };
      const answer = async (playground: Playground, reply: { readonly result: unknown } | { readonly error: string }) => {
        await expect.poll(() => playground.requests('kinetoscope/part/select')).toHaveLength(1);
        const id = playground.asked.findLast(({ method }) => method === 'kinetoscope/part/select')?.id ?? -1;
        await playground.send({ kind: 'reply', id, ...reply });
      };
      const slow = { answers: { 'kinetoscope/part/select': () => null } } as const;

      test('while this one’s choice is still read is what both show, and what lines are of', async () => {
        const playground = await ready(slow);
        await select(playground, 4);
        await playground.page.locator('.chip', { hasText: 'Step 4' }).waitFor();
        await playground.event('kinetoscope/part/changed', { run: RUN.path, part: { step: 5 } });
        await playground.page.locator('.chip', { hasText: 'Step 5' }).waitFor();
        await expect.poll(() => playground.requests('kinetoscope/lines/view')).toHaveLength(2);
        await answer(playground, { result: { ...DESCRIPTION, part: { step: 4 } } });
        // Lines of what is shown can be asked for again.
        await playground.event('kinetoscope/lines/changed', { uri: null });
        await expect.poll(() => playground.requests('kinetoscope/lines/view')).toHaveLength(3);
      });

      test('is shown, not what was before, where this one’s choice was given up for it', async () => {
        const playground = await ready(slow);
        await select(playground, 4);
        await playground.event('kinetoscope/part/changed', { run: RUN.path, part: { step: 5 } });
        await answer(playground, { error: 'It was cancelled.' });
        await playground.page.getByRole('button', { name: 'Steps: Step 5' }).click();
        expect(await playground.page.locator('.chip').innerText()).toContain('Step 5');
      });

      test('has its own steps, where it is another rank', async () => {
        const steps = (rank: number) => [{ number: 10 + rank, start_us: 0, dur_us: 1000 }];
        let rank = 0;
        const playground = await ready({
          answers: {
            'kinetoscope/run/describe': () => ({ ...DESCRIPTION, ranks: [0, 1], part: { rank }, steps: steps(rank) }),
          },
        });
        rank = 1;
        await playground.event('kinetoscope/part/changed', { run: RUN.path, part: { rank } });
        await expect.poll(() => playground.requests('kinetoscope/run/describe')).toHaveLength(2);
        expect(await playground.page.getByLabel('Rank').inputValue()).toBe('1');
        await playground.page.getByRole('button', { name: 'Steps:' }).click();
        await playground.page.getByRole('button', { name: /^Step 11/ }).waitFor();
      });
    });

    test('is a rank where there are several', async () => {
      const playground = await ready({ description: { ...DESCRIPTION, ranks: [0, 1, 2] } });
      await playground.page.getByLabel('Rank').selectOption('Rank 2');
      await expect.poll(() => playground.requests('kinetoscope/part/select')).toEqual([{ run: null, part: { ...WHOLE, rank: 2 } }]);
    });

    test('is that of the lines too, of a run of its own as well', async () => {
      const playground = await ready({ run: TRACE.path, description: { ...DESCRIPTION, run: TRACE, active: false } });
      await playground.page.getByRole('button', { name: 'Steps:' }).click();
      await playground.page.getByRole('button', { name: /^Step 5/ }).click();
      await expect.poll(() => playground.requests('kinetoscope/lines/view')).toHaveLength(2);
      const order = playground.asked.map(({ method }) => method).filter((method) => /part|lines.view/.test(method));
      expect(order).toEqual(['kinetoscope/lines/view', 'kinetoscope/part/select', 'kinetoscope/lines/view']);
    });

    test('that can’t be selected is not shown as if it were', async () => {
      const playground = await ready({ answers: { 'kinetoscope/part/select': () => 'There is no step 4.' } });
      await playground.page.getByRole('button', { name: 'Steps:' }).click();
      await playground.page.getByRole('button', { name: /^Step 4/ }).click();
      await playground.page.getByText('All steps').waitFor();
    });

    test('is said to have no steps where there are none', async () => {
      const { page } = await ready({ description: { ...DESCRIPTION, steps: [] } });
      await page.getByRole('button', { name: 'Steps:' }).click();
      await page.getByText('The recording marks no steps').waitFor();
    });
  });

  describe('answers', () => {
    test('of the part before are dimmed while the new one is on its way, and a newer question gives up an older', async () => {
      let wait = false;
      const playground = await open({ answers: { 'kinetoscope/view': () => (wait ? null : { content: OPERATORS }) } });
      await playground.page.locator('.page-lines .row').first().waitFor();
      await operators(playground);
      wait = true;
      const select = async (step: number) => await playground.event('kinetoscope/part/changed', { run: RUN.path, part: { step } });
      await select(3);
      await playground.page.locator('.page-operators .answer[aria-busy=true]').waitFor();
      await select(4);
      await expect
        .poll(() => playground.cancelled.map(({ params }) => params))
        .toEqual([{ run: null, name: 'operators', part: { ...WHOLE, step: 3 } }]);
    });

    test('that fail say why, and can be asked for again', async () => {
      let fails = true;
      const playground = await open({
        answers: { 'kinetoscope/view': () => (fails ? 'The view failed for a reason.' : { content: OPERATORS }) },
      });
      await pageButton(playground, 'Operators').click();
      await playground.page.getByText('The view failed for a reason.').waitFor();
      fails = false;
      await playground.page.getByRole('button', { name: 'Try again' }).click();
      await playground.page.locator('.page-operators .row').first().waitFor();
    });

    test('that are waited for can be given up', async () => {
      const playground = await open({ answers: { 'kinetoscope/view': () => null } });
      await pageButton(playground, 'Operators').click();
      await playground.page.getByRole('button', { name: 'Cancel' }).click();
      await playground.page.getByText('It was cancelled.').waitFor();
    });

    test('that the run is not there say why, and can be asked for again', async () => {
      const { page } = await open({ description: 'The trace is cut off at byte 7. Copy it again.' });
      await page.getByText('The run was not read').waitFor();
      await page.getByText('The trace is cut off at byte 7. Copy it again.').waitFor();
      await page.getByRole('button', { name: 'Try again' }).waitFor();
    });
  });

  describe('search', () => {
    const answers = { 'kinetoscope/search': () => ({ hits: HITS, more: 3 }) };

    test('opens by Ctrl+K, finds names, and goes to the page of a hit', async () => {
      const playground = await ready({ answers });
      const { page } = playground;
      await page.keyboard.press('Control+k');
      await page.keyboard.type('add');
      await page.getByText('3 more').waitFor();
      expect(playground.requests('kinetoscope/search')).toEqual([{ run: null, part: WHOLE, text: 'add' }]);
      expect(await page.locator('.search').getByRole('option').allInnerTexts()).toEqual([
        expect.stringContaining('loss.backward()'),
        expect.stringContaining('aten::add'),
      ]);
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await page.locator('.page-operators .row.selected', { hasText: 'aten::add' }).waitFor();
      await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    });

    test('goes to the line of a hit', async () => {
      const { page } = await ready({ answers });
      await page.keyboard.press('Control+k');
      await page.keyboard.type('back');
      await page.getByRole('option', { name: 'loss.backward()' }).click();
      await page.locator('.page-lines .row.selected', { hasText: 'loss.backward()' }).waitFor();
      await page.locator('.detail').waitFor();
    });

    test('leaves the focus on the page of the hit, also where it was opened by its button', async () => {
      const { page } = await ready({ answers });
      await page.getByRole('button', { name: 'Search' }).press('Enter');
      await page.keyboard.type('back');
      await page.getByText('3 more').waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await expect.poll(() => page.evaluate(() => document.activeElement?.closest('.page-lines') !== null)).toBe(true);
    });

    test('takes what is typed right after the key that opens it', async () => {
      const { page } = await ready({ answers });
      // As fast as keys can come: no frame is drawn between them.
      const focused = await page.evaluate(async () => {
        document.dispatchEvent(new KeyboardEvent('keydown', { key: 'k', ctrlKey: true, bubbles: true, cancelable: true }));
        await new Promise((resolve) => {
          const { port1, port2 } = new MessageChannel();
          port1.onmessage = resolve;
          port2.postMessage(null);
        });
        return document.activeElement?.getAttribute('aria-label');
      });
      expect(focused).toBe('Search the run');
    });

    test('leaves / to the filter of a table', async () => {
      const { page } = await ready({ answers });
      await page.keyboard.press('/');
      await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Filter lines');
    });

    test('says when nothing has that name, or why it failed, and gives the focus back', async () => {
      let answer: 'fails' | 'nothing' = 'nothing';
      const { page } = await ready({
        answers: { 'kinetoscope/search': () => (answer === 'fails' ? 'The search failed.' : { hits: [], more: 0 }) },
      });
      await page.locator('[role=treegrid]').focus();
      await page.keyboard.press('Control+k');
      await page.keyboard.type('xyz');
      await page.getByText('Nothing in this run is called “xyz”').waitFor();
      answer = 'fails';
      await page.keyboard.type('z');
      await page.getByText('The search failed.').waitFor();
      await page.keyboard.press('Escape');
      await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('treegrid');
    });
  });

  test('is as it was after it was loaded again', async () => {
    const playground = await ready();
    await operators(playground);
    const { page } = playground;
    await page.locator('.page-operators .filter input').fill('add');
    await page.getByRole('button', { name: 'Calls' }).filter({ visible: true }).click();
    await page.reload();
    await page.locator('.page-operators .row').first().waitFor();
    expect(await page.locator('.page-operators .filter input').inputValue()).toBe('add');
    expect(await page.locator('.page-operators [role=columnheader]', { hasText: 'Calls' }).getAttribute('aria-sort')).toBe('descending');
  });

  describe('the focus', () => {
    const focused = (page: Page) =>
      page.evaluate(() => {
        const { activeElement: at } = document;
        return at?.getAttribute('aria-label') ?? at?.textContent.trim();
      });
    const TEXT = { file: '/home/ada/train.py', text: 'a = 1\nb = 2\n', rows: [], metric: 'gpu_time' as const, steps: 0, reason: null };

    test('goes into the source that is opened, and back to what opened it when that closes', async () => {
      const playground = await ready({ answers: { 'kinetoscope/source/text': () => TEXT } });
      const { page } = playground;
      for (const close of ['Escape', 'Enter']) {
        await page.getByRole('treegrid').focus();
        await playground.event('source-opened', { file: '/home/ada/train.py', line: 2 });
        await expect.poll(() => focused(page)).toBe('Source');
        // Of another place that a link of the source leads to, the way back is the same.
        await page.locator('.source-line', { hasText: 'a = 1' }).click();
        if (close === 'Enter') {
          await page.getByRole('button', { name: 'Close the source' }).focus();
        }
        await page.keyboard.press(close);
        await page.getByRole('complementary', { name: 'Source' }).waitFor({ state: 'detached' });
        await expect.poll(() => focused(page)).toBe('Lines by cost');
      }
    });

    test('is on the page where what opened the source is gone', async () => {
      const playground = await ready({ answers: { 'kinetoscope/source/text': () => TEXT } });
      const { page } = playground;
      await page.getByRole('treegrid').focus();
      await playground.event('source-opened', { file: '/home/ada/train.py', line: 2 });
      await expect.poll(() => focused(page)).toBe('Source');
      await playground.event('show', { page: 'operators', target: null });
      await page.locator('.page-operators:not([hidden])').waitFor();
      await page.keyboard.press('Escape');
      await expect.poll(() => focused(page)).toBe('Operators');
    });

    test('is on the page that a hit of the search leads to', async () => {
      const playground = await ready({
        answers: {
          'kinetoscope/search': () => ({
            hits: [{ kind: 'operator', name: 'aten::add', detail: '', file: null, line: null, us: 1 }],
            more: 0,
          }),
        },
      });
      const { page } = playground;
      await page.getByRole('treegrid').focus();
      await page.keyboard.press('Control+k');
      await page.keyboard.type('add');
      await page.getByRole('option', { name: 'aten::add' }).waitFor();
      await page.keyboard.press('Enter');
      await expect.poll(() => focused(page)).toBe('Operators');
    });

    test('is not lost with a button that vanishes by its own click', async () => {
      const playground = await ready();
      const { page } = playground;
      await page.getByLabel('Filter lines').fill('nothing is called so');
      await page.getByRole('button', { name: 'Clear filter' }).focus();
      await page.keyboard.press('Enter');
      await page.locator('.row').first().waitFor();
      await expect.poll(() => focused(page)).toBe('Filter lines');

      await page.getByRole('button', { name: 'Steps: All steps' }).click();
      await page
        .getByRole('button', { name: /^Step \d/ })
        .first()
        .click();
      await page.getByRole('button', { name: 'Clear the selection' }).focus();
      await page.keyboard.press('Enter');
      await expect.poll(() => focused(page)).toBe('Steps: All steps');

      // A button of a page that no more can be said of than that it is gone.
      await page.evaluate(() => {
        const button = document.createElement('button');
        button.textContent = 'Show all';
        button.onclick = () => button.remove();
        document.querySelector('.page:not([hidden]) .table')?.append(button);
        button.focus();
      });
      await page.keyboard.press('Enter');
      await expect.poll(() => focused(page)).toBe('Lines by cost');
    });
  });

  test.each(Object.keys(THEMES))('fits 320 pixels in the theme %s, with an outline on what has the focus', async (theme) => {
    const playground = await ready({ theme, widthPx: 320, description: { ...DESCRIPTION, ranks: [0, 1] } });
    const { page } = playground;
    for (const name of ['lines', 'operators'] as const) {
      await playground.event('show', { page: name, target: null });
      await page.locator(`.page-${name} .row`).first().waitFor();
      expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0);
    }
    const box = async (of: string) => await page.locator(of).filter({ visible: true }).boundingBox();
    const middle = async (of: string) => await box(of).then((at) => Math.round((at?.y ?? 0) + (at?.height ?? 0) / 2));
    // The page is legible beside search and help, and what a table is searched and copied with is one line.
    expect((await box('.page-choice'))?.width).toBeGreaterThan(180);
    expect(await middle('.page-choice')).toBe(await middle('.search-button'));
    expect(Math.abs((await middle('.filter')) - (await middle('.copy')))).toBeLessThanOrEqual(1);
    for (const button of ['Steps: All steps', 'What am I looking at? Operators', 'Columns']) {
      await page.getByRole('button', { name: button, exact: true }).filter({ visible: true }).click();
      const dialog = await page.getByRole('dialog').boundingBox();
      expect(dialog?.x).toBeGreaterThanOrEqual(0);
      expect((dialog?.x ?? 0) + (dialog?.width ?? 0)).toBeLessThanOrEqual(320);
      await page.keyboard.press('Escape');
    }
    // The table shows the focus by its selected row; its headers come after it.
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => getComputedStyle(document.activeElement ?? document.body).outlineStyle)).toBe('solid');
  });
});

describe('the part of a recording', () => {
  test('is a step or a range, never both', () => {
    const range = changedPart({ ...WHOLE, step: 3 }, { range_us: [1, 2] });
    expect(range).toEqual({ rank: null, step: null, range_us: [1, 2] });
    expect(changedPart(range, { step: 4 })).toEqual({ rank: null, step: 4, range_us: null });
    expect(changedPart(range, { rank: 1 })).toEqual({ rank: 1, step: null, range_us: [1, 2] });
    expect(changedPart(range, { step: null, range_us: null })).toEqual(WHOLE);
  });

  test('is the same where all of it is', () => {
    expect(samePart({ ...WHOLE, range_us: [0, 1] }, { ...WHOLE, range_us: [0, 1] })).toBe(true);
    expect(samePart({ ...WHOLE, range_us: [0, 1] }, { ...WHOLE, range_us: [0, 2] })).toBe(false);
  });

  test('has a time: the range, or that of the step by its number', () => {
    const steps = [
      { number: 4, start_us: 10, dur_us: 5 },
      { number: 5, start_us: 15, dur_us: 6 },
    ];
    expect(spanOfPart({ ...WHOLE, range_us: [1, 2] }, steps)).toEqual({ start: 1, end: 2 });
    expect(spanOfPart({ ...WHOLE, step: 5 }, steps)).toEqual({ start: 15, end: 21 });
    expect(spanOfPart({ ...WHOLE, step: 9 }, steps)).toBeNull();
    expect(spanOfPart(WHOLE, steps)).toBeNull();
  });
});

describe('what the app kept', () => {
  const isPage = (id: string): id is 'lines' | 'memory' => id === 'lines' || id === 'memory';

  test('is taken up again', () => {
    const state = { run: '/r', page: 'memory', pages: { lines: { per: 'run' } } } as const;
    expect(restoreApp(state, isPage, 'lines')).toEqual(state);
  });

  test.each([undefined, null, 'text', { run: 7, page: 'gone', pages: 3 }, { run: '', view: { filter: 'of the first version' } }])(
    'is forgotten where it is of another shape: %j',
    (saved) => {
      expect(restoreApp(saved, isPage, 'lines')).toEqual({ run: null, page: 'lines', pages: {} });
    },
  );
});

test('each page has its command, and each command its page', () => {
  const listed = readFileSync(path.join(root, 'extension/webview/app/pages.ts'), 'utf8');
  const pages = [...listed.matchAll(/^ {4}id: '(\w+)'/gm)].map(([, id = '']) => id);
  const { contributes } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    contributes: { commands: { command: string }[]; menus: Record<string, { command?: string }[]> };
  };
  const named = (verb: string) =>
    contributes.commands.flatMap(({ command }) => {
      const prefix = `kinetoscope.${verb}.`;
      return command.startsWith(prefix) ? [command.slice(prefix.length)] : [];
    });
  expect(pages.length).toBeGreaterThan(0);
  expect(named('show').sort()).toEqual([...pages].sort());
  expect(pages).toEqual(expect.arrayContaining(named('reveal')));
  // Each way from a line is in the editor's menu and the palette.
  for (const menu of ['kinetoscope.reveal', 'commandPalette']) {
    const offered = contributes.menus[menu]?.map(({ command }) => command);
    expect(offered).toEqual(expect.arrayContaining(named('reveal').map((page) => `kinetoscope.reveal.${page}`)));
  }
});

test('the app is small: 400 kB as it is sent', () => {
  const bytes = ['app.js', 'app.css'].reduce((sum, name) => sum + gzipSync(readFileSync(path.join(root, 'dist/webview', name))).length, 0);
  expect(bytes).toBeLessThan(400_000);
});
