/**
 * The app in a plain browser, over the real `kinetoscope view`: it loads under its content security policy, jumps to source, survives a reload and
 * hears of new runs.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { chromiumPath, openBrowser } from './playground/playground';
import { python, runPython, ViewHost } from './viewHost';

vi.setConfig({ testTimeout: 60_000 });

/** Writes a run whose costs are known by construction (tests/python/support/runs.py) into the folder's `.kinetoscope`. */
function writeRun(folder: string, name: string, created: string): void {
  const program = [
    'import sys; from pathlib import Path',
    'from support.runs import write_project, write_run',
    'folder, name, created = sys.argv[1:]',
    'write_run(Path(folder, ".kinetoscope"), name, write_project(Path(folder)), created=created)',
  ];
  runPython(program, folder, name, created);
}

describe.skipIf(!existsSync(chromiumPath) || !existsSync(python))('the app in a plain browser', () => {
  let browser: Browser;
  let folder: string;
  let host: ViewHost;
  const problems: string[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'kinetoscope-view-'));
    writeRun(folder, 'first', '2026-11-30T10:00:00+00:00');
    host = await ViewHost.start(folder);
    browser = await openBrowser();
  }, 60_000);
  afterEach(async () => {
    await Promise.all(browser.contexts().map((context) => context.close()));
    expect(problems.splice(0)).toEqual([]);
  });
  afterAll(async () => {
    await browser.close();
    expect(await host.stop()).toBe(0);
    rmSync(folder, { recursive: true });
  });

  const open = async (at = `${host.address}&/lines`): Promise<Page> => {
    const page = await browser.newPage();
    page.on('pageerror', (error) => problems.push(error.message));
    // What the policy forbids is told here too.
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
    await page.goto(at);
    return page;
  };
  const lines = async (page: Page) => {
    const link = page.getByText('model.py:2').first();
    await link.waitFor();
    return link;
  };

  test('shows the lines of the run, and takes the token out of the address', async () => {
    const page = await open();
    await lines(page);
    expect(await page.title()).toContain('train.py');
    expect(page.url()).not.toContain('token');
    expect(await page.evaluate(() => document.body.className)).toBe('vscode-light');
  });

  test('is there again after a reload', async () => {
    const page = await open();
    await lines(page);
    await page.reload();
    await lines(page);
  });

  test('shows the profiled text where a link leads', async () => {
    const page = await open();
    await (await lines(page)).click();
    const source = page.getByLabel('Source', { exact: true });
    await source.getByText('def forward(x):').waitFor();
    await source.getByText('h = x @ x').waitFor();
  });

  test('has one selection in all its windows', async () => {
    const [one, other] = [await open(), await open(`${host.address}&/operators`)];
    await lines(one);
    await other.getByText('aten::mm').first().waitFor();
    await one.getByRole('button', { name: 'Steps: All steps' }).click();
    await one.getByRole('button', { name: /^Step 1/ }).click();
    await other.getByRole('button', { name: 'Steps: Step 1' }).waitFor();
    await other.getByRole('button', { name: 'Clear the selection' }).click();
    await one.getByRole('button', { name: 'Steps: All steps' }).waitFor();
    await lines(one);
  });

  test('lists a run that appears while it is open', async () => {
    const page = await open();
    await lines(page);
    const runs = page.getByLabel('Run', { exact: true }).locator('option');
    expect(await runs.count()).toBe(1);
    writeRun(folder, 'second', '2026-11-30T11:00:00+00:00');
    await expect.poll(() => runs.count(), { timeout: 20_000 }).toBe(2);
  });

  test('without its token says what to do', async () => {
    const page = await open(host.address.replace(/#.*/, ''));
    await page.getByText('kinetoscope view').first().waitFor();
    // The server's refusals are what this is about.
    problems.splice(0).forEach((problem) => expect(problem).toContain('401'));
  });
});
