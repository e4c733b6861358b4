/**
 * What goes wrong is said with the interpreter or command it was, and what to do; nothing that was there is lost.
 */
import { spawnSync } from 'node:child_process';
import { afterEach, describe, expect, test } from 'vitest';
import { python } from './harness/project';
import { scene } from './harness/scene';
import type { Project } from './harness/project';

const at = scene({ machine: { 'kinetoscope.server.environment': 'custom', 'kinetoscope.server.path': python } }, (project: Project) => {
  spawnSync(python, ['-m', 'venv', '--without-pip', project.path('plain')]);
  useInterpreter(project, 'plain/bin/python');
  project.write('broken.py', 'import torch\n\nvalues = {}\nprint(values["missing"])\n');
});

function useInterpreter(project: Project, name: string): void {
  project.write(
    '.vscode/settings.json',
    JSON.stringify({ 'kinetoscope.interpreter': project.path(name), 'files.exclude': { plain: true } }),
  );
}

async function profile(): Promise<void> {
  await at.window.openFile('train.py');
  await at.window.run('Kinetoscope: Profile this script');
}

afterEach(async () => {
  await at.window.run('Notifications: Clear All Notifications');
});

describe('the interpreter', () => {
  test('that has no PyTorch is named, with the command that installs it', async () => {
    const { window, project } = at;
    await profile();
    const toast = window.toast('PyTorch is not installed in this interpreter');
    await toast.waitFor();
    const text = await toast.innerText();
    expect(text).toContain(project.path('plain/bin/python'));
    expect(text).toContain('-m pip install torch');
    await toast.getByRole('button', { name: 'Select Interpreter' }).waitFor();
    expect(project.runs()).toEqual([]);
  });

  test('that does not exist is named', async () => {
    const { window, project } = at;
    useInterpreter(project, 'nowhere/python');
    // the setting is read from the file, which the window watches
    await expect
      .poll(
        async () => {
          await profile();
          return await window.toast(project.path('nowhere/python')).count();
        },
        { timeout: 30_000 },
      )
      .toBeGreaterThan(0);
    await window.toast("can't be run").first().waitFor();
  });
});

describe('TensorBoard', () => {
  test('that is not installed is named with its plugin, the interpreter and the command that installs them', async () => {
    const { window, project } = at;
    useInterpreter(project, 'plain/bin/python');
    project.write('logs/worker0.1.pt.trace.json', '{"traceEvents": []}');
    const toast = window.toast("TensorBoard can't be opened: the interpreter has no tensorboard and no torch-tb-profiler");
    // the setting is read from the file, which the window watches
    await expect
      .poll(
        async () => {
          await window.pickFromMenu(window.explorerRow('logs'), 'Open in TensorBoard');
          return await toast.waitFor({ timeout: 10_000 }).then(
            () => true,
            () => false,
          );
        },
        { timeout: 60_000 },
      )
      .toBe(true);
    expect(await toast.first().innerText()).toContain(`${project.path('plain/bin/python')} -m pip install tensorboard torch-tb-profiler`);
    await toast.first().getByRole('button', { name: 'Copy Command' }).click();
    const copied = await window.page.evaluate(async () => await navigator.clipboard.readText());
    expect(copied).toBe(`${project.path('plain/bin/python')} -m pip install tensorboard torch-tb-profiler`);
  });
});

describe('a script', () => {
  test('that fails before its first step keeps its traceback in the terminal, and the failure is told', async () => {
    const { window, project } = at;
    project.write('.vscode/settings.json', JSON.stringify({ 'kinetoscope.interpreter': python, 'files.exclude': { plain: true } }));
    await window.openFile('broken.py');
    await window.run('Kinetoscope: Profile this script');
    await window.terminal().filter({ hasText: "KeyError: 'missing'" }).waitFor({ timeout: 60_000 });
  });
});
