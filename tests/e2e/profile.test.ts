/**
 * The main job, as a person does it: profile a script from its context menu, read what each line cost, edit, and jump from the Lines view to code
 * in another file. Each test goes on where the one before left off.
 */
import { describe, expect, test } from 'vitest';
import { picture, scene } from './harness/scene';

const at = scene();

const SLEEP = 'time.sleep(0.2)';
const PRODUCT = 'product = weights @ weights';
/** A number at a line's end, fresh or stale. */
const HINT = /CPU [\d.,<]+ (µs|ms|s)( · [\d.<]+ %)?/;

describe('a script is profiled', () => {
  test('from the context menu of the editor, in the integrated terminal, with its step in the status bar', async () => {
    const { window } = at;
    await window.openFile('train.py');
    await window.pickFromMenu(window.line('train.py', 'optimizer.step()'), 'Profile this script');

    await window.statusItem(/waiting, step \d\/3/).waitFor();
    await window.terminal().filter({ hasText: 'step 1 loss' }).waitFor();
    await window.statusItem(/recording step \d\/5/).waitFor();
    await picture(window, 'recording-dark');
  });

  test('and the numbers appear by themselves: hints, code lenses, heat', async () => {
    const { window, project } = at;
    await window.numbered('train.py', SLEEP).waitFor({ timeout: 60_000 });
    expect(project.runs()).toHaveLength(1);

    const hint = HINT.exec(await window.lineText('train.py', SLEEP))?.[0] ?? '';
    const [, milliseconds] = /CPU ([\d.]+) ms/.exec(hint) ?? [];
    expect(Number(milliseconds)).toBeGreaterThanOrEqual(200); // it sleeps 200 ms a step

    await window.lenses('train.py').first().waitFor();
    await expect.poll(async () => (await window.bars('train.py')).filter(({ line }) => line.includes(SLEEP))).toHaveLength(1);
    // Lines that cost nothing to speak of stay as they are.
    expect(await window.lineText('train.py', 'import sys')).toBe('import sys');
    expect((await window.bars('train.py')).find(({ line }) => line.includes('import sys'))).toBeUndefined();
    await window.run('View: Hide Panel');
    await picture(window, 'editor-dark');
  });

  test('the other file that it used has its numbers too', async () => {
    const { window } = at;
    await window.openFile('model.py');
    await window.numbered('model.py', PRODUCT).waitFor();
  });

  test('a hover tells the whole cost of a line', async () => {
    const { window } = at;
    await window.openFile('model.py');
    const hover = await window.hover('model.py', PRODUCT, 'weights', 'aten::matmul');
    expect(await hover.innerText()).toMatch(/mix, line 19[\s\S]*allocated 4\.0 MiB[\s\S]*exact line/);
    await picture(window, 'hover-dark');
    await window.page.keyboard.press('Escape');
  });
});

describe('the numbers follow their lines', () => {
  const numberOf = async () => HINT.exec(await at.window.lineText('train.py', SLEEP))?.[0];
  let before: string | undefined;

  test('when lines are put in above', async () => {
    const { window } = at;
    await window.openFile('train.py');
    before = await numberOf();
    await window.page.keyboard.press('Control+Home');
    await window.page.keyboard.type('# one\n# two\n');
    await window.line('train.py', '# two').waitFor();
    await window.numbered('train.py', SLEEP).waitFor();
    expect(await numberOf()).toBe(before);
    await expect.poll(async () => (await window.bars('train.py')).filter(({ line }) => line.includes(SLEEP))).toHaveLength(1);
    expect((await window.bars('train.py')).find(({ line }) => /^#|^import|^\s*$/.test(line))).toBeUndefined();
  });

  test('and a changed line is marked stale, no other', async () => {
    const { window, project } = at;
    await window.line('train.py', SLEEP).click();
    await window.page.keyboard.press('End');
    await window.page.keyboard.type('  # slow');
    await window.numbered('train.py', '# slow', '≈ CPU').waitFor();
    await window.numbered('train.py', 'in enumerate(batches(count)):', 'CPU ').waitFor();
    const milliseconds = /CPU ([\d.]+ ms · \d+ %)/.exec(before ?? '')?.[1] ?? 'no number before';
    await expect.poll(async () => await window.lineText('train.py', '# slow')).toContain(`≈ CPU ${milliseconds}`);
    await picture(window, 'stale-dark');
    await window.run('File: Save');
    await expect.poll(() => project.read('train.py')).toContain('# slow');
  });

  test('after the window was loaded again', async () => {
    const { window } = at;
    await window.reload();
    await window.openFile('train.py');
    await window.numbered('train.py', '# slow', '≈ CPU').waitFor({ timeout: 60_000 });
  });

  test('after the file changed on disk, as when a branch is switched', async () => {
    const { window, project } = at;
    // A window that was loaded again right after saving may bring back its own copy of the text, as unsaved; the editor then leaves the disk alone.
    await window.run('File: Revert File');
    // The reload may have brought a backup back that was being deleted: a file with unsaved text does not follow the disk.
    await window.run('File: Revert File');
    project.write('train.py', project.read('train.py').replace('# one\n# two\n', '').replace('  # slow', ''));
    await window.numbered('train.py', SLEEP).waitFor();
    expect(await numberOf()).toBe(before);
  });
});

describe('from the numbers to the code', () => {
  test('the Lines view opens beside the code; a click on a line opens it, in whatever file it is', async () => {
    const { window, project } = at;
    await window.openFile('train.py');
    await window.run('Kinetoscope: Show lines');
    await window.webview().getByText(PRODUCT).first().waitFor();
    await window.run('View: Toggle Primary Side Bar Visibility');
    await picture(window, 'lines-dark');
    await window.run('View: Toggle Primary Side Bar Visibility');
    await window.webview().getByText(PRODUCT).first().click();
    await window.tab('model.py').waitFor();
    await window.cursorOn(project.lineOf('model.py', PRODUCT));
  });

  test('and back: the line under the cursor is shown on a page', async () => {
    const { window, project } = at;
    await window.openFile('train.py');
    await window.line('train.py', SLEEP).first().click();
    await window.cursorOn(project.lineOf('train.py', SLEEP));
    await window.run('Kinetoscope: Reveal in Lines');
    await window.webview().locator('.row.selected', { hasText: SLEEP }).waitFor();
    await window.webview().locator('.detail').waitFor();
  });

  test('a step that is chosen in the app is that of the numbers in the editor, until it is cleared', async () => {
    const { window } = at;
    const app = window.webview();
    await app.getByRole('button', { name: 'Steps:' }).click();
    await app
      .getByRole('button', { name: /^Step / })
      .first()
      .click();
    await app.locator('.chip', { hasText: /Step \d/ }).waitFor();
    await window.statusItem(/step \d/i).waitFor();
    await app.getByRole('button', { name: 'Clear the selection' }).click();
    await window.statusItem(/step \d/i).waitFor({ state: 'hidden' });
    await app.getByText('All steps').waitFor();
  });

  test('the app opens on any of its pages, as commands name them', async () => {
    const { window } = at;
    await window.run('Kinetoscope: Show operators');
    await window.webview().locator('.page-operators .row', { hasText: 'aten::' }).first().waitFor({ timeout: 60_000 });
    await window.run('Kinetoscope: Show lines');
    await window.webview().locator('.page-lines .row').first().waitFor();
  });

  test('Hot Spots ranks the lines; a click opens one', async () => {
    const { window, project } = at;
    await window.showContainer('Kinetoscope');
    const rows = window.pane('Hot Spots').locator('.monaco-list-row');
    await rows.first().waitFor();
    expect(await rows.first().innerText()).toContain(SLEEP);
    await rows.filter({ hasText: SLEEP }).click();
    await window.tab('train.py').waitFor();
    await window.cursorOn(project.lineOf('train.py', SLEEP));
  });

  test('Runs lists the run, active', async () => {
    const { window } = at;
    const row = window.pane('Runs').locator('.monaco-list-row', { hasText: 'train.py' });
    await row.waitFor();
    expect(await row.innerText()).toContain('5 steps');
    expect(await row.getAttribute('aria-label')).toContain('active');
  });

  test('the keyboard walks through the hot spots, forward and back', async () => {
    const { window, project } = at;
    await window.line('train.py', SLEEP).click();
    await window.page.keyboard.press('Home');
    const cursor = async () => await window.page.locator('[id="status.editor.selection"]').innerText();
    const start = await cursor();
    await window.page.keyboard.press('Alt+F8');
    await expect.poll(cursor).not.toBe(start);
    await window.page.keyboard.press('Shift+Alt+F8');
    await window.cursorOn(project.lineOf('train.py', SLEEP));
  });
});

describe('the numbers can be chosen', () => {
  test('by metric', async () => {
    const { window } = at;
    await window.openFile('model.py');
    await window.run('Kinetoscope: Select metric');
    await window.pick('Memory');
    await window.numbered('model.py', PRODUCT, '+4.0 MiB').waitFor();
    await window.run('Kinetoscope: Select metric');
    await window.pick('Automatic');
    await window.numbered('model.py', PRODUCT).waitFor();
  });

  test('and switched off and on', async () => {
    const { window } = at;
    await window.run('Kinetoscope: Toggle inline numbers');
    await expect.poll(async () => await window.lineText('model.py', PRODUCT)).not.toMatch(HINT);
    await expect.poll(async () => await window.bars('model.py')).toEqual([]);
    await expect.poll(async () => await window.lenses('model.py').count()).toBe(0);
    await window.run('Kinetoscope: Toggle inline numbers');
    await window.numbered('model.py', PRODUCT).waitFor();
  });
});

test('nothing was asked of another machine', () => {
  expect([...at.window.offsite]).toEqual([]);
});
