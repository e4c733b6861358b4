/**
 * The pages that are drawn, timeline and flame graph, over the real `kinetoscope view`: worked by keyboard and pointer, heard by a screen reader,
 * with names of a trace that are markup.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { chromiumPath, openBrowser } from './playground/playground';
import { python, runPython, ViewHost } from './viewHost';

vi.setConfig({ testTimeout: 90_000 });

/** Two steps: `main` calls Net_0, which runs a linear operator with its kernel and the kernel of its backward operator. */
const TRACE = `
import sys
from pathlib import Path
from support.kineto import ENGINE, TraceMaker

trace = TraceMaker(end_us=1000.0)
trace.frame("train.py(1): <module>", 5, 990).frame("train.py(6): main", 10, 980)
for step, at in ((0, 20.0), (1, 500.0)):
    trace.event("user_annotation", f"ProfilerStep#{step}", at, 400)
    trace.module("Net", 0, at + 10, 150)
    trace.op("aten::linear", at + 20, 100, seq=step + 1).op("aten::addmm", at + 40, 60, seq=step + 1)
    trace.kernel("<img src=x onerror=window.hacked=1>gemm", at + 50, at + 60, 120).memory(at + 45, 4096, 0xA + step)
    trace.backward("AddmmBackward0", at + 200, 100, ENGINE, seq=step + 1).kernel("gemm_backward", at + 220, at + 230, 150, ENGINE)
trace.write(Path(sys.argv[1], "two_steps.pt.trace.json"))
`;

describe.skipIf(!existsSync(chromiumPath) || !existsSync(python))('drawn pages', () => {
  let browser: Browser;
  let folder: string;
  let host: ViewHost;
  const problems: string[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'kinetoscope-canvas-'));
    runPython([TRACE], folder);
    host = await ViewHost.start(folder, folder);
    browser = await openBrowser();
  }, 60_000);
  afterEach(async () => {
    await Promise.all(browser.contexts().map((context) => context.close()));
    expect(problems.splice(0)).toEqual([]);
  });
  afterAll(async () => {
    await browser.close();
    await host.stop();
    rmSync(folder, { recursive: true });
  });

  const open = async (title: 'Timeline' | 'Flame graph'): Promise<Page> => {
    const page = await browser.newPage({ viewport: { width: 1100, height: 700 }, reducedMotion: 'reduce' });
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
    await page.goto(host.address);
    await page.getByRole('button', { name: title }).click();
    await page.getByRole('application').first().waitFor();
    return page;
  };
  const heard = (page: Page) => page.locator('.page:not([hidden]) [aria-live]').first();

  describe('the timeline', () => {
    const ready = async () => {
      const page = await open('Timeline');
      await page.getByRole('cell', { name: 'Stream 7' }).first().waitFor({ state: 'attached' });
      return page;
    };

    test('is told as a table of the longest events; names are text', async () => {
      const page = await ready();
      const rows = page.locator('.timeline table tbody tr');
      await expect
        .poll(() => rows.allInnerTexts())
        .toContainEqual(expect.stringMatching(/^gemm_backward\s+Stream 7.*\s+0\s+245 µs\s+150 µs$/));
      expect(await rows.allInnerTexts()).toContainEqual(expect.stringContaining('<img src=x onerror=window.hacked=1>gemm'));
      expect(await page.evaluate(() => [document.images.length, 'hacked' in window])).toEqual([0, false]);
    });

    test('is walked by keys; Enter opens the source of an event', async () => {
      const page = await ready();
      await page.getByRole('application').focus();
      await page.keyboard.press('Enter');
      await expect.poll(() => heard(page).innerText()).toContain('ProfilerStep#');
      const found = page.getByLabel('Find events by name');
      await found.fill('aten::addmm');
      await found.press('Enter');
      // From the step that was chosen on.
      await page.getByText('2 of 2').waitFor();
      await found.press('Enter');
      await page.getByText('1 of 2').waitFor();
      await expect.poll(() => heard(page).innerText()).toContain('aten::addmm, 60.0 µs at 55.0 µs, level 2, train.py:6');
      await found.press('Shift+Enter');
      await page.getByText('2 of 2').waitFor();
      await found.press('ArrowDown');
      await page.keyboard.press('ArrowUp');
      await expect.poll(() => heard(page).innerText()).toContain('aten::linear, 100');
      await page.keyboard.press('Enter');
      await page.getByLabel('Source', { exact: true }).waitFor();
      // The file is not here: the source pane says so.
      problems.splice(0);
    });

    test('shows what an event launched, and goes there', async () => {
      const page = await ready();
      await page.getByLabel('Find events by name').fill('gemm_backward');
      await page.getByLabel('Find events by name').press('Enter');
      const panel = page.getByRole('region', { name: 'Chosen event' });
      await panel.getByRole('heading', { name: 'gemm_backward' }).waitFor();
      expect(await panel.innerText()).toMatch(/Duration\s+150\.000 µs/);
      await panel.getByRole('button', { name: 'AddmmBackward0', exact: true }).click();
      await panel.getByRole('heading', { name: 'AddmmBackward0', exact: true }).waitFor();
      await page.keyboard.press('Escape');
    });

    test('sums a range that is dragged in the ruler, and makes it the selection of all pages', async () => {
      const page = await ready();
      const box = await page.getByRole('application').boundingBox();
      if (!box) {
        throw new Error('no canvas');
      }
      await page.mouse.move(box.x + 2, box.y + 12);
      await page.mouse.down();
      await page.mouse.move(box.x + box.width * 0.45, box.y + 12, { steps: 4 });
      await page.mouse.up();
      const sums = page.getByRole('region', { name: 'Sums of the range' });
      await sums.getByText('aten::addmm').first().waitFor();
      await sums.getByText('Kernels', { exact: true }).click();
      await sums.getByText('gemm_backward').first().waitFor();
      await sums.getByRole('button', { name: 'Use as selection' }).click();
      await page.locator('.part.chip').waitFor();
      await page.getByRole('button', { name: 'Clear the selection' }).click();
    });

    test('pins, hides and collapses tracks, and keeps that and what is chosen over a reload', async () => {
      const page = await ready();
      await page.getByRole('button', { name: 'Pin Stream 7' }).click({ force: true });
      await page.getByRole('list', { name: 'Pinned tracks' }).getByText('Stream 7').waitFor();
      await page.getByRole('button', { name: 'Hide Steps' }).click({ force: true });
      await page.getByRole('button', { name: 'Show 1 hidden' }).waitFor();
      await page.getByRole('button', { name: 'Collapse Main thread' }).click();
      await page.getByLabel('Find events by name').fill('gemm_backward');
      await page.getByLabel('Find events by name').press('Enter');
      await expect.poll(() => heard(page).innerText()).toContain('gemm_backward');
      await expect.poll(() => decodeURIComponent(page.url())).toMatch(/"event":\d/);
      await page.reload();
      await expect.poll(() => heard(page).innerText(), { timeout: 20_000 }).toContain('gemm_backward');
      await page.getByRole('list', { name: 'Pinned tracks' }).getByText('Stream 7').waitFor();
      await page.getByRole('button', { name: 'Expand Main thread' }).waitFor();
      await page.getByRole('button', { name: 'Show 1 hidden' }).click();
      await page.getByRole('button', { name: 'Hide Steps' }).waitFor();
    });

    test('gives the canvas the focus when what had it goes away', async () => {
      const page = await ready();
      const inFocus = async () => await page.evaluate(() => document.activeElement?.getAttribute('aria-roledescription'));
      await page.getByRole('application').focus();
      await page.keyboard.press('Enter');
      await page.getByRole('region', { name: 'Chosen event' }).getByRole('button', { name: 'Close' }).press('Enter');
      await expect.poll(inFocus).toBe('timeline');
      await page.getByRole('button', { name: 'Hide Steps' }).press('Enter');
      await expect.poll(inFocus).toBe('timeline');
      await page.getByRole('button', { name: 'Show 1 hidden' }).press('Enter');
      await expect.poll(inFocus).toBe('timeline');
    });

    test('has its tools in one line beside the search at 400 pixels, and each track’s actions within the keyboard’s reach', async () => {
      const page = await ready();
      await page.setViewportSize({ width: 400, height: 700 });
      const tops = await page
        .locator('.timeline-tools button')
        .evaluateAll((buttons) => buttons.map((button) => Math.round(button.getBoundingClientRect().top)));
      expect(new Set(tops).size).toBe(1);
      await page.getByRole('button', { name: 'Hide Stream 7' }).focus();
      expect((await page.getByRole('button', { name: 'Hide Stream 7' }).boundingBox())?.width).toBeGreaterThan(10);
    });

    test('says its keys', async () => {
      const page = await ready();
      await page.getByRole('application').focus();
      await page.keyboard.press('?');
      await page.getByRole('dialog').getByText('Zoom to the chosen event').waitFor();
      await page.keyboard.press('Escape');
      await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
      await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-roledescription'))).toBe('timeline');
    });
  });

  describe('the flame graph', () => {
    test('is told as a table of frames with their weights', async () => {
      const page = await open('Flame graph');
      const rows = page.locator('.flame table tbody tr');
      await expect
        .poll(() => rows.allInnerTexts())
        .toContainEqual(expect.stringMatching(/^3\s+nn\.Module: Net_0\s+540 µs\s+100 %\s+240 µs/));
    });

    test('is walked by keys, Enter opens the source, Escape leaves', async () => {
      const page = await open('Flame graph');
      await page.getByRole('application').focus();
      for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowDown']) {
        await page.keyboard.press(key);
      }
      await expect.poll(() => heard(page).innerText()).toContain('[backward]: 300 µs, 56 % of all, own 300 µs, level 4');
      await page.keyboard.press('ArrowUp');
      await page.keyboard.press('ArrowUp');
      await expect.poll(() => heard(page).innerText()).toContain('train.py(6): main');
      await page.keyboard.press('z');
      await page.getByRole('navigation', { name: 'Zoomed into' }).getByText('<module>').waitFor();
      await page.keyboard.press('Enter');
      await page.getByLabel('Source', { exact: true }).waitFor();
      problems.splice(0);
      await page.getByRole('application').focus();
      await page.keyboard.press('Escape');
      expect(await page.getByRole('navigation', { name: 'Zoomed into' }).innerText()).not.toContain('main');
    });

    test('says what part of the whole a search finds, and goes from frame to frame', async () => {
      const page = await open('Flame graph');
      await page.keyboard.press('/');
      await page.keyboard.type('backward');
      await page.getByText(/1 · 56 % · 300 µs/).waitFor();
      await page.keyboard.press('Enter');
      await expect.poll(() => heard(page).innerText()).toContain('[backward]');
    });

    test('shows a function from both sides', async () => {
      const page = await open('Flame graph');
      await page.getByRole('application').focus();
      for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'f']) {
        await page.keyboard.press(key);
      }
      await page.getByRole('application', { name: 'Who calls nn.Module: Net_0' }).waitFor();
      await expect.poll(async () => await page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('application');
      await page.getByRole('application', { name: 'What nn.Module: Net_0 calls' }).focus();
      await page.keyboard.press('Escape');
      await page.getByText('Icicle').waitFor();
      await expect.poll(async () => await page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('application');
    });

    test('is of operators, modules and lines too, by each weight', async () => {
      const page = await open('Flame graph');
      await page.getByLabel('Stacks of').selectOption('operator');
      await page.locator('.flame').getByText('CPU time').click();
      const rows = page.locator('.flame table tbody tr');
      await expect.poll(() => rows.allInnerTexts()).toContainEqual(expect.stringMatching(/^\d\s+aten::addmm\s+120 µs/));
      await page.locator('.flame').getByText('Memory', { exact: true }).click();
      await expect.poll(() => rows.allInnerTexts()).toContainEqual(expect.stringMatching(/aten::addmm\s+8\.0 KiB/));
    });
  });
});
