/**
 * The Lines page in a real browser, as a person uses it: keys, clicks, what is to be read.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { chromiumPath, openBrowser, Playground } from './playground/playground';
import type { PlaygroundOptions } from './playground/playground';
import { DESCRIPTION, largeView, ROWS, TRACE, VIEW } from './playground/sample';
import { THEMES } from './playground/themes';

const root = path.resolve(import.meta.dirname, '../..');

const OF_TRACE = { ...DESCRIPTION, run: TRACE, active: false };

vi.setConfig({ testTimeout: 60_000 });

describe.skipIf(!existsSync(chromiumPath))('the Lines page', () => {
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
  const open = async (options: PlaygroundOptions = {}) => {
    const playground = await Playground.open(browser, options);
    opened.push(playground);
    return playground;
  };
  const ready = async (options: PlaygroundOptions = {}) => {
    const playground = await open(options);
    await playground.page.locator('.row').first().waitFor();
    return playground;
  };

  test('ranks the lines by own GPU time, says of which run, and what it cost as a whole', async () => {
    const { page } = await ready();
    expect(await page.locator('.row code').first().innerText()).toBe('return self.down(F.gelu(self.up(x)))');
    expect(await page.locator('.row .amount').first().innerText()).toMatch(/30 %\s*42\.7 ms/);
    expect(await page.locator('h1').innerText()).toBe('train.py');
    const totals = await page.locator('.totals').innerText();
    expect(totals).toContain('143 ms / step');
    expect(totals).toMatch(/In libraries\s*1\.3 %/);
    expect(totals).toMatch(/Unattributed\s*0\.6 %/);
    expect(await page.locator('.notices').innerText()).toContain('prepare() ran a hot Python loop');
  });

  test('tells a line that is known by its function only from one that is exact', async () => {
    const { page } = await ready();
    const precision = (text: string) => page.locator('.row', { hasText: text }).locator('.precision').innerText();
    expect(await precision('core.py:12')).toContain('whole function');
    expect(await precision('self.down')).toContain('exact line');
  });

  test('shows names as they are: nothing in them is markup', async () => {
    const evil = '<img src=x onerror="window.hacked=1"><b>bold</b>';
    const [first] = ROWS;
    const view = { ...VIEW, rows: [{ ...(first ?? never()), source: evil, function: evil }], notices: [evil] };
    const { page } = await ready({ view });
    expect(await page.locator('.row code').innerText()).toBe(evil);
    expect(await page.locator('#root img, #root b').count()).toBe(0);
  });

  test('opens a line with a click on it, wherever it is', async () => {
    const playground = await ready();
    await playground.page.locator('.row code', { hasText: 'optimizer.step()' }).click();
    await expect.poll(() => playground.requests('host/open')).toEqual([{ file: '/home/ada/minigpt/train.py', line: 43 }]);
  });

  test('is worked by keyboard: one tab stop, arrows, Space for what is behind a line, Enter for its source', async () => {
    const playground = await ready();
    const { page } = playground;
    await page.locator('[role=treegrid]').focus();
    await page.keyboard.press('ArrowDown');
    expect(await page.locator('.row.selected code').innerText()).toContain('scaled_dot_product_attention');
    await page.keyboard.press('Space');
    await page.locator('.stack .link', { hasText: 'train.py:71' }).waitFor();
    expect(await page.locator('.work').allInnerTexts()).toHaveLength(5);
    await page.keyboard.press('Enter');
    await expect.poll(() => playground.requests('host/open')).toEqual([{ file: '/home/ada/minigpt/minigpt/model.py', line: 70 }]);
    await page.keyboard.press('ArrowLeft');
    expect(await page.locator('.detail').count()).toBe(0);
    const active = await page.locator('[role=treegrid]').getAttribute('aria-activedescendant');
    expect(await page.locator(`#${active ?? ''}`).getAttribute('aria-selected')).toBe('true');
  });

  test('opens every frame of a call stack', async () => {
    const playground = await ready();
    await playground.page.locator('.twistie').first().click();
    await playground.page.locator('.stack .link', { hasText: 'evaluate.py:14' }).click();
    await expect.poll(() => playground.requests('host/open')).toEqual([{ file: '/home/ada/minigpt/evaluate.py', line: 14 }]);
  });

  test('says how much of a line is forward work done again in backward', async () => {
    const { page } = await ready();
    await page.locator('.row').first().click();
    await page.keyboard.press('Space');
    expect(await page.locator('.detail .extra').innerText()).toContain('of which recomputed in backward: GPU 2.9 ms, CPU 340 µs');
  });

  test('filters: / goes there, Escape clears, Enter goes back to the lines; a filter that keeps nothing says so', async () => {
    const { page } = await ready();
    await page.keyboard.press('/');
    await page.keyboard.type('attention.forward');
    expect(await page.locator('.filter .count').innerText()).toBe('2 of 15');
    await page.keyboard.type('xyz');
    await page.getByText('No line matches the filter').waitFor();
    await page.keyboard.press('Escape');
    expect(await page.locator('.filter .count').innerText()).toBe('15');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('treegrid');
  });

  test('changes metric and amounts, and sorts by any column', async () => {
    const { page } = await ready();
    await page.locator('.segment', { hasText: 'CPU' }).click();
    expect(await page.locator('.row code').first().innerText()).toBe('loss.backward()');
    expect(await page.locator('.row .amount').first().innerText()).toMatch(/32 %\s*32\.4 ms/);
    await page.getByText('per run').click();
    expect(await page.locator('.row .amount').first().innerText()).toMatch(/32 %\s*162 ms/);
    await page.getByRole('button', { name: 'Calls' }).click();
    expect(await page.locator('.row code').first().innerText()).toContain('self.tokens');
    expect(await page.locator('[role=columnheader]', { hasText: 'Calls' }).getAttribute('aria-sort')).toBe('descending');
  });

  test('offers no GPU numbers for a run without a device', async () => {
    const device_us = { attributed: 0, library: 0, unattributed: 0, without_launch: 0, total: 0 };
    const { page } = await ready({ view: { ...VIEW, metric: 'cpu_time', device_us } });
    expect(await page.locator('input[name=lines-metric]').first().isDisabled()).toBe(true);
    expect(await page.locator('[role=columnheader]').allInnerTexts()).not.toContain('GPU self');
  });

  test('copies the lines that are shown', async () => {
    const playground = await ready();
    await playground.page.locator('.filter input').fill('backward');
    await playground.page.getByRole('button', { name: 'Markdown' }).click();
    await expect.poll(() => playground.requests('host/copy')).toHaveLength(1);
    const [copied] = playground.requests('host/copy');
    expect(copied?.what).toBe('1 line as Markdown');
    expect(copied?.text).toContain('`loss.backward()`');
  });

  test('shows the line that is asked for, also one that is filtered out or far down', async () => {
    const playground = await ready({ view: largeView(3000) });
    const { page } = playground;
    await page.locator('.filter input').fill('layer_17');
    const line = { file: '/home/ada/minigpt/package/module_81.py', line: 2710 };
    await playground.event('show', { page: 'lines', target: { line } });
    await page.locator('.row.selected', { hasText: 'self.layer_2700(x)' }).waitFor();
    await page.locator('.detail').waitFor();
    expect(await page.locator('.row').count()).toBeLessThan(40);
  });

  test('asks again when the run is another', async () => {
    const playground = await ready();
    await playground.event('kinetoscope/lines/changed', { uri: null });
    await expect.poll(() => playground.requests('kinetoscope/lines/view')).toHaveLength(2);
  });

  test('of one run offers to show its numbers in the editor, and says when they are', async () => {
    let active = false;
    const playground = await ready({
      run: TRACE.path,
      view: { ...VIEW, run: TRACE, active: false },
      answers: { 'kinetoscope/run/describe': () => ({ ...DESCRIPTION, run: TRACE, active }) },
    });
    await playground.page.getByRole('button', { name: 'Show in the editor' }).click();
    await expect.poll(() => playground.requests('host/run')).toEqual([{ command: 'show-in-editor' }]);
    const told = async (now: boolean) => {
      active = now;
      await playground.event('kinetoscope/runs/changed', { active: now ? TRACE.path : null, arrived: null });
    };
    await told(true);
    await playground.page.getByText('Shown in the editor').waitFor();
    await told(false);
    await playground.page.getByRole('button', { name: 'Show in the editor' }).waitFor();
  });

  test('that follows the active run offers no such thing', async () => {
    const { page } = await ready();
    expect(await page.getByText(/in the editor/).count()).toBe(0);
  });

  describe('says why there is nothing to see', () => {
    test('while a run is being read, with how far it is, and can end that', async () => {
      const playground = await open({ description: null });
      await playground.page.getByText('Waiting for the server…').waitFor();
      const progress = { run: DESCRIPTION.run.path, stage: 'reading', done: 30 << 20, total: 100 << 20, problem: null } as const;
      await playground.event('kinetoscope/read/progress', progress);
      await playground.page.getByText('Reading the trace…').waitFor();
      expect(await playground.page.locator('progress').evaluate((bar: HTMLProgressElement) => bar.value / bar.max)).toBe(0.3);
      await playground.page.getByText('30.0 MiB of 100 MiB').waitFor();
      await playground.page.getByRole('button', { name: 'Cancel' }).click();
      await expect.poll(() => playground.requests('host/run')).toEqual([{ command: 'cancel-reading' }]);
    });

    test('when a trace is damaged or its reading was cancelled, and asks for it again', async () => {
      const problem = '/logs/bert.json is cut off at byte 7. Copy it again.';
      const playground = await open({
        run: TRACE.path,
        description: OF_TRACE,
        view: { ...VIEW, run: { ...TRACE, problem }, rows: [], reason: problem },
      });
      await playground.page.getByText('The trace was not read').waitFor();
      await playground.page.getByText(problem).waitFor();
      await playground.page.getByRole('button', { name: 'Try again' }).click();
      await expect.poll(() => playground.requests('kinetoscope/lines/view')).toHaveLength(2);
    });

    test('when no cost of a trace could be tied to a line, with what it cost as a whole', async () => {
      const reason = 'The recording holds no user line.';
      const notices = ['The trace has no Python stacks.'];
      const { page } = await open({
        run: TRACE.path,
        description: OF_TRACE,
        view: { ...VIEW, run: TRACE, active: false, rows: [], reason, notices },
      });
      await page.getByText('This trace has no lines').waitFor();
      await page.getByText(reason).waitFor();
      expect(await page.locator('h1').innerText()).toBe('bert.json');
      expect(await page.locator('.totals').innerText()).toContain('143 ms / step');
      expect(await page.getByText('The trace has no Python stacks.').count()).toBe(1);
      expect(await page.getByRole('button', { name: /Profile the last script again|Show in the editor/ }).count()).toBe(0);
    });

    test('when it can’t be read', async () => {
      const playground = await open({ view: 'The trace is damaged at byte 7. Profile again.' });
      await playground.page.getByText('The trace is damaged at byte 7. Profile again.').waitFor();
      await playground.page.getByRole('button', { name: 'Show log' }).click();
      await expect.poll(() => playground.requests('host/run')).toEqual([{ command: 'show-log' }]);
    });

    test('when no run is active', async () => {
      const playground = await open({ runs: { runs: [], active: null, baseline: null } });
      await playground.page.getByText('No run is active. Profile a script').waitFor();
      await playground.page.getByRole('button', { name: 'Profile the last script again' }).click();
      await expect.poll(() => playground.requests('host/run')).toEqual([{ command: 'profile' }]);
    });
  });

  test.runIf(process.env.KINETOSCOPE_SCREENSHOTS === '1').each(Object.keys(THEMES))(
    'is worth looking at in the theme %s',
    async (theme) => {
      for (const widthPx of [400, 1200]) {
        const { page } = await ready({ theme, widthPx });
        await page.locator('[role=treegrid]').focus();
        await page.keyboard.press('Space');
        await page.locator('.stack').first().waitFor();
        await page.screenshot({ path: path.join(root, `out/playground/lines-${theme}-${widthPx}.png`) });
      }
    },
  );

  test.each(Object.keys(THEMES))('fits 400 pixels in the theme %s, with an outline on what has the focus', async (theme) => {
    const { page } = await ready({ theme, widthPx: 400 });
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    expect(overflow).toBe(0);
    const [row] = await page.locator('.row').evaluateAll((rows) => rows.map((each) => each.scrollWidth - each.clientWidth));
    expect(row).toBe(0);
    await page.keyboard.press('Tab');
    const outline = await page.evaluate(
      () => getComputedStyle(document.activeElement?.closest('.segment') ?? document.activeElement ?? document.body).outlineStyle,
    );
    expect(outline).toBe('solid');
  });
});

function never(): never {
  throw new Error('the sample has no rows');
}
