/**
 * The pages in the workbench: each is opened by its command, shows the run of a GPU whose numbers are known by construction, and leads to the line in the
 * editor.
 */
import { rmSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { goTo, PAGE_SPECS, RANKS_SPEC, writeGpuRun, writeRanksRun } from './harness/views';
import { picture, scene } from './harness/scene';
import type { Project } from './harness/project';

const PRODUCT = 'h = x @ x';

const at = scene({}, (project: Project) => {
  // The run's own files are the only ones of their names.
  rmSync(project.path('model.py'));
  rmSync(project.path('train.py'));
  writeGpuRun(project.folder);
  writeRanksRun(project.folder);
});

const app = () => at.window.webview();

describe('the views of the active run', () => {
  test('open beside the code, on the Overview', async () => {
    const { window } = at;
    await window.showContainer('Kinetoscope');
    await window.pane('Runs').locator('.monaco-list-row', { hasText: '10:00' }).waitFor({ timeout: 60_000 });
    await window.run('Kinetoscope: Open views');
    await app().getByText('Where a step’s time goes').waitFor({ timeout: 60_000 });
    await window.run('View: Toggle Primary Side Bar Visibility');
  });

  test.each(PAGE_SPECS)('$title shows it', async (spec) => {
    await goTo(app(), spec);
  });
});

describe('the way to the source', () => {
  test.each(PAGE_SPECS.filter(({ jump }) => jump !== undefined))('from $title is the line in the editor', async ({ jump, ...spec }) => {
    const { window, project } = at;
    const page = await goTo(app(), spec);
    await jump?.act(page, window.page.keyboard);
    const file = jump?.file ?? '';
    await window.tab(file).waitFor();
    await window.cursorOn(project.lineOf(`net/${file}`, jump?.text ?? ''));
    await window.run('View: Close Editor');
  });
});

describe('a step that is chosen on a page', () => {
  test('is what the numbers on lines are of, and the status bar says so', async () => {
    const { window } = at;
    await goTo(app(), PAGE_SPECS[1] ?? never());
    await app().getByRole('button', { name: 'All steps' }).click();
    await app()
      .getByRole('button', { name: /^Step 1/ })
      .click();
    await window.page.locator('.statusbar-item', { hasText: 'Step 1' }).waitFor();
    await window.openFile('model.py');
    await window.numbered('model.py', PRODUCT, 'GPU 400+200 µs').waitFor();
  });

  test('until the whole is chosen again in the status bar', async () => {
    const { window } = at;
    const item = window.page.locator('.statusbar-item', { hasText: 'Step 1' });
    await item.click();
    await item.waitFor({ state: 'hidden' });
    // The file was opened over the app.
    await window.run('Kinetoscope: Open views');
    await app().getByRole('button', { name: 'All steps' }).waitFor();
  });
});

describe('the baseline of the Compare page', () => {
  test('is what the numbers on lines are compared with once that is asked for', async () => {
    const { window } = at;
    await goTo(app(), PAGE_SPECS.find(({ id }) => id === 'compare') ?? never());
    await app().getByRole('button', { name: 'Show in the editor' }).click();
    await window.page.locator('.statusbar-item', { hasText: 'train.py, ' }).waitFor();
    await window.openFile('model.py');
    // Its product took 300 µs forward there, and 200 backward.
    await window.numbered('model.py', PRODUCT, 'GPU 400+200 µs · +20 %').waitFor();
    await picture(window, 'baseline-dark');
  });

  test('until a click on it in the status bar', async () => {
    const { window } = at;
    const item = window.page.locator('.statusbar-item', { hasText: 'train.py, ' });
    await item.click();
    await item.waitFor({ state: 'hidden' });
    await window.numbered('model.py', PRODUCT, 'GPU 400+200 µs · 80 %').waitFor();
    await window.run('Kinetoscope: Open views');
  });
});

describe('the line under the cursor', () => {
  test('is shown in the timeline, and its events are found', async () => {
    const { window } = at;
    await window.openFile('model.py');
    await window.line('model.py', PRODUCT).click();
    await window.run('Kinetoscope: Reveal in timeline');
    const page = app().locator('.page-timeline:not([hidden])');
    await page.getByText('model.py:2').first().waitFor();
  });

  test('leaves its operators alone in Operators', async () => {
    const { window } = at;
    await window.openFile('model.py');
    await window.line('model.py', PRODUCT).click();
    await window.run('Kinetoscope: Reveal in Operators');
    const page = app().locator('.page-operators:not([hidden])');
    await page.locator('.row.selected', { hasText: 'aten::mm' }).waitFor();
    expect(await page.locator('.row .main').allInnerTexts()).toEqual([
      expect.stringContaining('aten::mm'),
      expect.stringContaining('MmBackward0'),
      expect.stringContaining('autograd::engine::evaluate_function: MmBackward0'),
    ]);
  });

  test('has its idle time in Idle & sync', async () => {
    const { window } = at;
    await window.openFile('train.py');
    await window.line('train.py', 'loss.backward()').click();
    await window.run('Kinetoscope: Reveal in Idle & sync');
    await app().locator('.page-idle:not([hidden]) .row.selected', { hasText: 'train.py:8' }).waitFor();
  });
});

describe('a run of two ranks', () => {
  test('leads from the rank that was late to the line that made it so', async () => {
    const { window, project } = at;
    await app().getByLabel('Run', { exact: true }).selectOption(project.path('.kinetoscope/ranks'));
    const page = await goTo(app(), RANKS_SPEC);
    await RANKS_SPEC.jump?.act(page, window.page.keyboard);
    await window.tab('train.py').waitFor();
    await window.cursorOn(project.lineOf('net/train.py', RANKS_SPEC.jump?.text ?? ''));
    await window.run('View: Close Editor');
    await app().getByLabel('Run', { exact: true }).selectOption(project.path('.kinetoscope/gpu'));
    await goTo(app(), PAGE_SPECS[1] ?? never());
  });
});

// The tests of each page in plain Chromium look at colours; here pictures are made for people.
describe.runIf(process.env.KINETOSCOPE_SCREENSHOTS === '1').each([
  ['dark', 'Dark Modern', 'vs-dark'],
  ['light', 'Light Modern', 'vs'],
  ['high-contrast', 'Dark High Contrast', 'hc-black'],
])('in the %s theme', (name, theme, base) => {
  test.each(PAGE_SPECS)('$title has a picture', async (spec) => {
    const { window } = at;
    if (spec === PAGE_SPECS[0]) {
      await window.run('View: Close All Editors');
      await window.useTheme(theme, base);
      await window.run('Kinetoscope: Open views');
    }
    await goTo(app(), spec);
    await picture(window, `page-${spec.id}-${name}`);
  });
});

test('nothing was asked of another machine', () => {
  expect([...at.window.offsite]).toEqual([]);
});

function never(): never {
  throw new Error('there is such a page');
}
