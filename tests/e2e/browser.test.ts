/**
 * The app in a plain browser, over the real `kinetoscope view`: every page shows the run, and leads to the source that was profiled. The numbers of the
 * GPU's run are known by construction; the other run is recorded here, and has no GPU.
 */
import { spawnSync } from 'node:child_process';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ViewHost } from '../extension/viewHost';
import { kinetoscope, Project } from './harness/project';
import { goTo, PAGE_SPECS, RANKS_SPEC, section, writeGpuRun, writeHostileRun, writeRanksRun } from './harness/views';
import type { PageSpec } from './harness/views';
import { launchBrowser } from './harness/workbench';

let project: Project;
let host: ViewHost | undefined;
let browser: Browser | undefined;
let page: Page;
const problems: string[] = [];

beforeAll(async () => {
  project = new Project();
  writeGpuRun(project.folder);
  writeHostileRun(project.folder);
  writeRanksRun(project.folder);
  const recorded = spawnSync(kinetoscope, ['profile', '--quiet', '--stacks', 'train.py'], { cwd: project.folder, timeout: 100_000 });
  expect(recorded.status).toBe(0);
  host = await ViewHost.start(project.folder);
  browser = await launchBrowser();
  page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  page.on('pageerror', (error) => problems.push(error.message));
  // What the content security policy forbids is told here too.
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  await page.goto(host.address);
}, 180_000);

afterEach(() => expect(problems.splice(0)).toEqual([]));

afterAll(async () => {
  await browser?.close();
  if (host) {
    expect(await host.stop()).toBe(0);
  }
  project.remove();
});

describe('of a run that was recorded without a GPU', () => {
  test.each(PAGE_SPECS)('$title shows it, or says what it lacks', async (spec) => {
    await open(spec);
  });
});

describe('of a run of a GPU', () => {
  test('it is chosen in the list of runs', async () => {
    await page.getByLabel('Run', { exact: true }).selectOption(project.path('.kinetoscope/gpu'));
    await goTo(page, PAGE_SPECS[1] ?? never());
  });

  test.each(PAGE_SPECS)('$title shows it', async (spec) => {
    await goTo(page, spec);
  });

  test.each(PAGE_SPECS.filter(({ jump }) => jump !== undefined))('$title leads to the line', async (spec) => {
    await leadsToLine(spec);
  });
});

describe('of a run of two ranks', () => {
  test('Distributed leads to the line that made a rank late', async () => {
    await page.getByLabel('Run', { exact: true }).selectOption(project.path('.kinetoscope/ranks'));
    await leadsToLine(RANKS_SPEC);
  });
});

describe('of a run whose names are markup', () => {
  test('it is chosen in the list of runs', async () => {
    await page.getByLabel('Run', { exact: true }).selectOption(project.path('.kinetoscope/hostile'));
    await goTo(page, PAGE_SPECS[1] ?? never());
  });

  test.each(PAGE_SPECS)('$title shows them as text', async (spec) => {
    const shown = await open(spec);
    expect(await shown.locator('img, script').count()).toBe(0);
    expect(await page.title()).not.toContain('taken');
  });

  test('and so does a search', async () => {
    await page.keyboard.press('Control+k');
    await page.keyboard.type('<img');
    await page.getByRole('option', { name: '<img src=x' }).first().waitFor();
    expect(await page.locator('img').count()).toBe(0);
    await page.keyboard.press('Escape');
  });
});

/** Goes to a page and waits until it shows the run. */
async function open(spec: PageSpec): Promise<Locator> {
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('button', { name: spec.title }).click();
  const shown = section(page, spec);
  await expect.poll(async () => (await shown.innerText()).length, { timeout: 60_000 }).toBeGreaterThan(40);
  await expect.poll(async () => await shown.getByText('Waiting for the server').count(), { timeout: 60_000 }).toBe(0);
  expect(await shown.getByText('This can’t be shown').count()).toBe(0);
  return shown;
}

async function leadsToLine(spec: PageSpec): Promise<void> {
  const shown = await goTo(page, spec);
  await spec.jump?.act(shown, page.keyboard);
  const source = page.getByRole('complementary', { name: 'Source' });
  await source.locator('[aria-current="location"]', { hasText: spec.jump?.text ?? '' }).waitFor();
  await source.getByRole('button', { name: 'Close the source' }).click();
}

function never(): never {
  throw new Error('there are pages');
}
