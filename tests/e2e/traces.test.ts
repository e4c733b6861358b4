/**
 * Traces that lie alone are opened as files: by their name, by Open With, from the explorer's menu, from a folder. Their numbers come to the code
 * when that is asked for. The traces are generated: what each line costs is known.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from './harness/host';
import { python } from './harness/project';
import { picture, scene } from './harness/scene';
import type { Project } from './harness/project';

const TRACE = 'worker0.1623143089861.pt.trace.json.gz';
const OTHER_RANK = 'worker1.1623143089861.pt.trace.json.gz';
const LARGE = 'large.pt.trace.json';
const LARGE_EVENTS = 2_500_000;

const GENERATE = `
import sys
from pathlib import Path
from support.runs import trace, write_project
project = Path(sys.argv[1])
write_project(project)
trace(project).write(project / "trace.json.gz")
`;

const at = scene({}, (project: Project) => {
  const env = { ...process.env, PYTHONPATH: path.join(root, 'tests/python') };
  const done = spawnSync(python, ['-c', GENERATE, project.path('net')], { env, encoding: 'utf8' });
  if (done.status !== 0) {
    throw new Error(`no trace was generated:\n${done.stderr}`);
  }
  mkdirSync(project.path('logs/first'), { recursive: true });
  renameSync(project.path('net/trace.json.gz'), project.path(`logs/first/${TRACE}`));
  for (const copy of [`logs/first/${OTHER_RANK}`, 'anything.json.gz']) {
    copyFileSync(project.path(`logs/first/${TRACE}`), project.path(copy));
  }
  mkdirSync(project.path('empty'));
  writeFileSync(project.path('damaged.pt.trace.json'), 'no trace at all');
  const event = '{"ph":"X","cat":"cpu_op","name":"aten::add","pid":1,"tid":1,"ts":100,"dur":1,"args":{"External id":1}},\n';
  writeFileSync(project.path(LARGE), `{"schemaVersion":1,"traceEvents":[\n${event.repeat(LARGE_EVENTS).slice(0, -2)}]}`);
});

const page = () => at.window.webview();

/** Whether a process reads the trace. */
function isReading(trace: string): boolean {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .some((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(1).join(' ').includes(`kinetoscope.service.worker ${trace}`);
      } catch {
        return false; // it has ended
      }
    });
}

describe('a trace that is named as Kineto names it', () => {
  test('opens as the app on it', async () => {
    const { window } = at;
    await window.openFile(TRACE);
    await window.goToPage('Lines');
    await page().getByText('h = x @ x').first().waitFor({ timeout: 60_000 });
    expect(await page().locator('h1').innerText()).toBe(TRACE);
    expect(await page().locator('.facts').innerText()).toContain('2 steps');
  });

  test('brings its numbers to the code when it is to be shown in the editor, and is listed while it is', async () => {
    const { window, project } = at;
    await page().getByRole('button', { name: 'Show in the editor' }).click();
    await page().getByText('Shown in the editor').waitFor();
    await window.showContainer('Kinetoscope');
    await window.pane('Runs').getByText(TRACE).waitFor();
    // the view is too narrow for the whole row
    await window.pane('Runs').locator('.monaco-list-row', { hasText: 'trace file · 2 steps' }).waitFor();
    await page().getByText('model.py:2').click();
    await window.numbered('model.py', 'h = x @ x', 'GPU 400+200 µs').waitFor();
    await picture(window, 'trace-dark');
    expect(project.runs()).toEqual([]);
  });

  test('is there again after the window was loaded again', async () => {
    const { window } = at;
    await window.openFile(TRACE);
    await window.reload(/page\\*":\\*"lines/);
    await page().getByText('h = x @ x').first().waitFor({ timeout: 60_000 });
    await page().getByText('Shown in the editor').waitFor();
  });
});

describe('a folder', () => {
  test('lists its traces with their ranks to pick from', async () => {
    const { window } = at;
    await window.run('View: Close All Editors');
    await window.showContainer('Explorer');
    await window.pickFromMenu(window.explorerRow('logs'), 'Open with Kinetoscope');
    await window.quickRows().filter({ hasText: OTHER_RANK }).filter({ hasText: 'rank 1' }).click();
    await window.tab(OTHER_RANK).waitFor();
    await window.goToPage('Lines');
    await page().getByText('Show in the editor').waitFor();
  });

  test('that has none says what was looked for', async () => {
    const { window } = at;
    await window.pickFromMenu(window.explorerRow('empty'), 'Open with Kinetoscope');
    await window.toast('There is neither a run nor a trace in').waitFor();
    await window.run('Notifications: Clear All Notifications');
  });
});

describe('a trace of another name', () => {
  test('opens from the explorer', async () => {
    const { window } = at;
    await window.pickFromMenu(window.explorerRow('anything.json.gz'), 'Open with Kinetoscope');
    await window.tab('anything.json.gz').waitFor();
    await window.goToPage('Lines');
    await page().getByText('h = x @ x').first().waitFor();
  });

  test('opens from the dialog of Open trace, and by Open With', async () => {
    const { window, project } = at;
    renameSync(project.path('anything.json.gz'), project.path('something.json'));
    await window.run('Kinetoscope: Open trace…');
    await window.page.locator('.quick-input-title', { hasText: 'Open trace' }).waitFor();
    // A path that is typed before the dialog has listed its first folder is not taken.
    await window.quickRows().filter({ hasText: '..' }).first().waitFor();
    const input = window.page.locator('.quick-input-widget:visible .quick-input-box input').first();
    // While the dialog lists a folder it takes no Enter, and what is typed meanwhile may be lost on it: it is typed anew until it is taken.
    await expect
      .poll(
        async () => {
          const opened = await window.tab('something.json').isVisible();
          if (!opened && (await input.isVisible())) {
            await input.fill(project.path(''), { timeout: 1000 }).catch(() => undefined);
            await input.fill(project.path('something.json'), { timeout: 1000 }).catch(() => undefined);
            await input.press('Enter', { timeout: 1000 }).catch(() => undefined);
          }
          return opened;
        },
        { interval: 1500, timeout: 40_000 },
      )
      .toBe(true);
    await window.goToPage('Lines');
    await page().getByText('h = x @ x').first().waitFor();
    await window.run('View: Close All Editors');
    await window.pickFromMenu(window.explorerRow('something.json'), 'Open With...');
    await window.pick('Kinetoscope (Chrome trace)');
    await window.tab('something.json').waitFor();
    await window.goToPage('Lines');
    await page().getByText('h = x @ x').first().waitFor();
  });
});

describe('a trace', () => {
  test('that can’t be read says which and why, and is read when it was mended', async () => {
    const { window, project } = at;
    await window.openFile('damaged.pt.trace.json');
    await page().getByText('The trace was not read').waitFor();
    expect(await page().locator('.message').innerText()).toContain(project.path('damaged.pt.trace.json'));
    writeFileSync(project.path('damaged.pt.trace.json'), readFileSync(project.path('something.json')));
    await page().getByRole('button', { name: 'Try again' }).click();
    await window.goToPage('Lines');
    await page().getByText('h = x @ x').first().waitFor();
  });

  test('of many megabytes shows how far it is read, and stops at once when that is cancelled or its editor closed', async () => {
    const { window, project } = at;
    const reading = () => isReading(project.path(LARGE));
    await window.openFile(LARGE);
    await page()
      .getByText(/ of \d+ MiB/)
      .waitFor();
    expect(reading()).toBe(true);
    await page().getByRole('button', { name: 'Cancel' }).click();
    await page().getByText('The trace was not read').waitFor();
    await page().getByText('Reading the run was cancelled').waitFor();
    expect(reading()).toBe(false);
    await page().getByRole('button', { name: 'Try again' }).click();
    await expect.poll(reading).toBe(true);
    await window.run('View: Close Editor');
    await expect.poll(reading).toBe(false);
    rmSync(project.path(LARGE));
  });

  test('leaves nothing beside it', () => {
    const { window, project } = at;
    expect(readdirSync(project.path('logs/first')).sort()).toEqual([TRACE, OTHER_RANK]);
    expect([...window.offsite]).toEqual([]);
  });
});
