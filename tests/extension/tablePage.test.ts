/**
 * The table in a real browser, as a person uses it: keys, trees, details, columns, copies, and very many rows.
 */
import { existsSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Item } from './playground/fixture';
import { chromiumPath, openBrowser, Playground } from './playground/playground';
import type { PlaygroundOptions } from './playground/playground';

vi.setConfig({ testTimeout: 60_000 });

const item = (name: string, us: number, below: readonly Item[] = []): Item => ({ name, us, bytes: us * 1024, below });

const TREE = [
  item('model', 9000, [item('encoder', 6000, [item('attention', 4000), item('mlp', 2000)]), item('head', 3000)]),
  item('loss', 500),
];

describe.skipIf(!existsSync(chromiumPath))('a table', () => {
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
    const playground = await Playground.open(browser, { fixture: true, views: { modules: TREE }, ...options });
    opened.push(playground);
    return playground;
  };
  const ready = async (options: PlaygroundOptions = {}) => {
    const playground = await open(options);
    await playground.page.locator('.row').first().waitFor();
    return playground;
  };
  const names = async ({ page }: Playground) => await page.locator('.row .main .text').allInnerTexts();
  const selected = ({ page }: Playground) => page.locator('.row.selected .main .text');

  test('that is a tree is walked by keyboard: right expands and goes in, left collapses and goes out', async () => {
    const playground = await ready();
    const { page } = playground;
    const tree = page.getByRole('treegrid');
    await tree.focus();
    expect(await names(playground)).toEqual(['model', 'encoder', 'head', 'loss']);
    await page.keyboard.press('ArrowRight');
    expect(await selected(playground).innerText()).toBe('encoder');
    await page.keyboard.press('ArrowRight');
    expect(await names(playground)).toEqual(['model', 'encoder', 'attention', 'mlp', 'head', 'loss']);
    const row = page.locator('.row.selected');
    expect([await row.getAttribute('aria-level'), await row.getAttribute('aria-expanded')]).toEqual(['2', 'true']);
    await page.keyboard.press('ArrowDown');
    expect(await selected(playground).innerText()).toBe('attention');
    await page.keyboard.press('ArrowLeft');
    expect(await selected(playground).innerText()).toBe('encoder');
    await page.keyboard.press('ArrowLeft');
    expect(await names(playground)).toEqual(['model', 'encoder', 'head', 'loss']);
  });

  test('shows what is behind a row by Space, also of one that has rows below it', async () => {
    const playground = await ready();
    const { page } = playground;
    await page.getByRole('treegrid').focus();
    await page.keyboard.press('Space');
    await page.getByText('Behind model').waitFor();
    await page.keyboard.press('End');
    await page.keyboard.press('Space');
    await page.getByText('Behind loss').waitFor();
    expect(await page.locator('.fixture-detail').count()).toBe(1);
    await page.keyboard.press('Space');
    expect(await page.locator('.fixture-detail').count()).toBe(0);
  });

  test('is one grid for a screen reader: the header is its first row, and what is behind a row a row of its own', async () => {
    const { page } = await ready();
    const grid = page.getByRole('treegrid', { name: 'Items by time' });
    await grid.focus();
    await page.keyboard.press('Space');
    await page.getByText('Behind model').waitFor();
    const rows = await grid.getByRole('row').evaluateAll((all) =>
      all.map((row) => ({
        text: (row as HTMLElement).innerText.replace(/\s+/g, ' ').trim(),
        index: row.getAttribute('aria-rowindex'),
        level: row.getAttribute('aria-level'),
        cells: [...row.children].map((cell) => cell.getAttribute('role')).join(' '),
      })),
    );
    const cells = 'rowheader gridcell gridcell';
    expect(rows).toEqual([
      { text: 'Name Time Memory', index: '1', level: null, cells: 'columnheader columnheader columnheader' },
      { text: 'model 9.0 ms 8.8 MiB', index: '2', level: '1', cells },
      { text: 'Behind model', index: '3', level: '2', cells: 'gridcell' },
      { text: 'encoder 6.0 ms 5.9 MiB', index: '4', level: '2', cells },
      { text: 'head 3.0 ms 2.9 MiB', index: '5', level: '2', cells },
      { text: 'loss 500 µs 500 KiB', index: '6', level: '1', cells },
    ]);
    expect(await grid.getAttribute('aria-rowcount')).toBe('6');
    const active = await grid.getAttribute('aria-activedescendant');
    expect(await grid.locator(`[id="${active ?? ''}"]`).innerText()).toContain('model');
    // Nothing that is no row is between the grid and its rows.
    const between = await grid.evaluate((of) => {
      const roles = (row: Element): string[] =>
        row.parentElement === of ? [] : [row.parentElement?.getAttribute('role') ?? 'none', ...roles(row.parentElement ?? of)];
      return [...new Set([...of.querySelectorAll('[role=row]')].flatMap(roles))].sort();
    });
    expect(between).toEqual(['presentation', 'rowgroup']);
  });

  test('is one tab stop before its headers, however long it is', async () => {
    const { page } = await ready({ heightPx: 220 });
    await page.locator('.filter input').focus();
    const stops: (string | null)[] = [];
    for (let i = 0; i < 6; i++) {
      await page.keyboard.press('Tab');
      stops.push(
        await page.evaluate(() => document.activeElement?.getAttribute('role') ?? document.activeElement?.textContent.trim() ?? null),
      );
    }
    expect(stops).toEqual(['CSV', 'Markdown', '', 'treegrid', 'Name', 'Time']);
    await page.locator('.row', { hasText: 'head' }).click({ position: { x: 200, y: 5 } });
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('treegrid');
  });

  test('sorts by a click on a header and says so', async () => {
    const playground = await ready();
    const { page } = playground;
    const header = (name: string) => page.getByRole('columnheader', { name });
    expect(await header('Time').getAttribute('aria-sort')).toBe('descending');
    await header('Name').getByRole('button').click();
    expect(await header('Name').getAttribute('aria-sort')).toBe('ascending');
    expect(await names(playground)).toEqual(['loss', 'model', 'encoder', 'head']);
  });

  test('has the columns that the reader chooses, and copies what is shown', async () => {
    const playground = await ready();
    const { page } = playground;
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByLabel('Memory').uncheck();
    await page.getByLabel('Rare').check();
    expect(await page.getByRole('columnheader').allInnerTexts()).toEqual(['Name', 'Time', 'Rare']);
    await page.keyboard.press('Escape');
    await page.locator('.filter input').fill('head');
    await page.getByRole('button', { name: 'CSV' }).click();
    await page.getByRole('button', { name: 'Markdown' }).click();
    await expect
      .poll(() => playground.requests('host/copy'))
      .toEqual([
        { text: 'depth,name,time_us,rare\r\n0,model,9000,7\r\n1,head,3000,7\r\n', what: '2 items as CSV' },
        {
          text: '| Name | Time | Rare |\n| :-- | --: | --: |\n| model | 9.0 ms | 7 |\n| &nbsp;&nbsp;head | 3.0 ms | 7 |\n',
          what: '2 items as Markdown',
        },
      ]);
  });

  test('is as it was after it was loaded again', async () => {
    const playground = await ready();
    const { page } = playground;
    await page.getByRole('treegrid').focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await page.getByRole('columnheader', { name: 'Memory' }).getByRole('button').click();
    await page.reload();
    await page.locator('.row').first().waitFor();
    expect(await names(playground)).toEqual(['model', 'encoder', 'attention', 'mlp', 'head', 'loss']);
    expect(await selected(playground).innerText()).toBe('encoder');
    expect(await page.getByRole('columnheader', { name: 'Memory' }).getAttribute('aria-sort')).toBe('descending');
  });

  test('of a hundred thousand rows draws only those on the screen', async () => {
    const playground = await open({ answers: { 'kinetoscope/view': () => null } });
    const { page } = playground;
    await expect.poll(() => playground.requests('kinetoscope/view')).toHaveLength(1);
    // Made in the page: as a message between processes it would take longer than all the rest.
    await page.evaluate(
      (id) => {
        const content = Array.from({ length: 100_000 }, (_, i) => ({ name: `item ${i}`, us: 100_000 - i, bytes: i, below: [] }));
        window.postMessage({ kind: 'reply', id, result: { content } }, '*');
      },
      playground.asked.findLast(({ method }) => method === 'kinetoscope/view')?.id,
    );
    await page.locator('.row').first().waitFor();
    await page.getByRole('treegrid').focus();
    await page.keyboard.press('End');
    await page.locator('.row.selected', { hasText: 'item 99999' }).waitFor();
    expect(await page.locator('.row').count()).toBeLessThan(60);
    expect(await page.getByRole('treegrid').getAttribute('aria-rowcount')).toBe('100001');
    expect(await page.locator('.row.selected').getAttribute('aria-rowindex')).toBe('100001');
  });
});
