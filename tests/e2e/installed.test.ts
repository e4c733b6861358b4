/**
 * The extension as it comes, without a setting: it makes an environment for its server by itself. The folder opens in Restricted Mode, where a run
 * that is there can be looked at and nothing of the folder is executed.
 */
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { kinetoscope, python } from './harness/project';
import { scene } from './harness/scene';
import type { Project } from './harness/project';

const at = scene({ restricted: true, machine: { 'kinetoscope.interpreter': python } }, record);

/** As somebody would do it on the command line before. */
function record(project: Project): void {
  const done = spawnSync(kinetoscope, ['profile', '--quiet', 'train.py'], { cwd: project.folder, encoding: 'utf8', timeout: 100_000 });
  if (done.status !== 0) {
    throw new Error(`the run could not be recorded:\n${done.stdout}\n${done.stderr}`);
  }
}

test('its server gets an environment of its own, and numbers of a run that is there appear', { timeout: 180_000 }, async () => {
  const { window } = at;
  await window.openFile('train.py');
  await window.numbered('train.py', 'time.sleep(0.2)').waitFor({ timeout: 150_000 });
});

test('a script is not run in Restricted Mode; the message says why', async () => {
  const { window, project } = at;
  const before = project.runs();
  await window.run('Kinetoscope: Profile this script');
  await window.toast('Restricted Mode').waitFor();
  expect(project.runs()).toEqual(before);
});

test('once the folder is trusted, it is', async () => {
  const { window, project } = at;
  const before = project.runs().length;
  await window.toast('Restricted Mode').getByRole('button', { name: 'Manage Workspace Trust' }).click();
  await window.page.locator('.workspace-trust-editor').getByRole('button', { name: 'Trust', exact: true }).click();
  await window.openFile('train.py');
  // Granting trust restarts the extension host: the palette offers the command again when the extension is back.
  await window.numbered('train.py', 'time.sleep(0.2)').waitFor({ timeout: 60_000 });
  await window.run('Kinetoscope: Profile this script');
  await expect.poll(() => project.runs().length, { timeout: 60_000 }).toBe(before + 1);
});
