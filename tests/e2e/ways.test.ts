/**
 * Every way to start a profiling, and to stop one.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { scene } from './harness/scene';
import type { Project } from './harness/project';

const TASKS = {
  version: '2.0.0',
  tasks: [
    { type: 'kinetoscope', label: 'profile a short training', program: '${workspaceFolder}/train.py', args: ['9'], skip: 1, record: 2 },
  ],
};

const at = scene({}, (project: Project) => project.write('.vscode/tasks.json', JSON.stringify(TASKS)));

/** Waits until a run more than before is listed, which is when the recording was read. */
async function oneMoreRun(work: () => Promise<void>): Promise<void> {
  const before = at.project.runs().length;
  await work();
  await expect.poll(() => at.project.runs().length, { timeout: 60_000 }).toBe(before + 1);
  await at.window.statusItem(/starting|waiting|recording|saving|goes on|ending|stopping/).waitFor({ state: 'detached' });
}

describe('profiling starts', () => {
  test('from the context menu of the explorer', async () => {
    const { window } = at;
    await oneMoreRun(async () => await window.pickFromMenu(window.explorerRow('train.py'), 'Profile this script'));
  });

  test('from the drop-down of the run button', async () => {
    const { window } = at;
    await window.openFile('train.py');
    await oneMoreRun(async () => {
      await window.page
        .locator('.editor-actions')
        .getByRole('button', { name: /Run or Debug|Run\.\.\.|Profile this script/ })
        .first()
        .click();
      const item = window.page.getByRole('menuitem', { name: 'Profile this script', exact: true });
      if (
        await item.waitFor({ timeout: 2000 }).then(
          () => true,
          () => false,
        )
      ) {
        await window.clickMenuItem(item);
      }
    });
  });

  test('from the command palette', async () => {
    const { window } = at;
    await window.openFile('train.py');
    await oneMoreRun(async () => await window.run('Kinetoscope: Profile this script'));
  });

  test('with options that are asked for', async () => {
    const { window, project } = at;
    await window.openFile('train.py');
    await oneMoreRun(async () => {
      await window.run('Kinetoscope: Profile with options…');
      await window.pick('Steps to record');
      const input = window.page.locator('.quick-input-widget:visible input').first();
      await expect.poll(async () => await input.inputValue()).toBe('5');
      await input.fill('2');
      await window.page.keyboard.press('Enter');
      await window.pick('Profile train.py');
    });
    const newest = project.runs().at(-1) ?? '';
    expect((JSON.parse(project.read(`.kinetoscope/${newest}/run.json`)) as { steps: number }).steps).toBe(2);
  });

  test('as a task of tasks.json', async () => {
    const { window, project } = at;
    await oneMoreRun(async () => {
      await window.run('Tasks: Run Task');
      await window.pick('profile a short training');
    });
    const newest = project.runs().at(-1) ?? '';
    const run = JSON.parse(project.read(`.kinetoscope/${newest}/run.json`)) as { steps: number; argv: string[] };
    expect(run.steps).toBe(2);
    expect(run.argv.slice(1)).toEqual(['9']);
  });

  test('again, as the last time', async () => {
    const { window } = at;
    await oneMoreRun(async () => await window.run('Kinetoscope: Profile the last script again'));
  });
});

describe('profiling stops', () => {
  // Long enough that it is still recording when the stop arrives, however busy the machine is.
  const RECORDING = /recording step ([2-9]|\d{2,})\/500/;

  beforeAll(() => {
    at.project.write('.vscode/settings.json', JSON.stringify({ 'kinetoscope.profile.recordSteps': 500 }));
  });

  test('when asked to, and what was recorded is kept and shown', async () => {
    const { window, project } = at;
    project.write('train.py', project.read('train.py').replace('else 12', 'else 1000'));
    await window.openFile('train.py');
    await oneMoreRun(async () => {
      await window.run('Kinetoscope: Profile this script');
      await window.statusItem(RECORDING).waitFor({ timeout: 60_000 });
      await window.run('Kinetoscope: Stop profiling');
    });
    const newest = project.runs().at(-1) ?? '';
    const run = JSON.parse(project.read(`.kinetoscope/${newest}/run.json`)) as { outcome: string };
    expect(run.outcome).toBe('interrupted');
    await window.numbered('train.py', 'time.sleep(0.2)').waitFor();
  });

  test('with Ctrl+C in the terminal just as well', async () => {
    const { window, project } = at;
    await oneMoreRun(async () => {
      await window.run('Kinetoscope: Profile this script');
      await window.statusItem(RECORDING).waitFor({ timeout: 60_000 });
      await window.page.locator('.terminal-wrapper.active').click();
      await window.page.keyboard.press('Control+C');
    });
    const newest = project.runs().at(-1) ?? '';
    const run = JSON.parse(project.read(`.kinetoscope/${newest}/run.json`)) as { outcome: string };
    expect(run.outcome).toBe('interrupted');
  });
});
