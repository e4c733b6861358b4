/**
 * The same window in the other themes: heat has the colours of the theme, and is told apart by its width, not by colour alone.
 */
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { kinetoscope } from './harness/project';
import { picture, scene } from './harness/scene';
import type { Project } from './harness/project';

const THEMES = [
  ['light', 'Light Modern', 'vs'],
  ['high-contrast', 'Dark High Contrast', 'hc-black'],
  ['high-contrast-light', 'Light High Contrast', 'hc-light'],
] as const;

const at = scene({}, (project: Project) => {
  spawnSync(kinetoscope, ['profile', '--quiet', 'train.py'], { cwd: project.folder, timeout: 100_000 });
});

test('the editor and the Lines view are open', async () => {
  const { window } = at;
  await window.openFile('train.py');
  await window.numbered('train.py', 'time.sleep(0.2)').waitFor({ timeout: 60_000 });
  await window.run('Kinetoscope: Show lines');
  await window.webview().getByText('time.sleep(0.2)').first().waitFor();
  await window.run('View: Toggle Primary Side Bar Visibility');
});

test.each(THEMES)('a hotter line has a wider bar and another colour in the %s theme', async (name, theme, base) => {
  const { window } = at;
  await window.useTheme(theme, base);
  await window.webview().locator('body.vscode-high-contrast, body.vscode-light').waitFor();

  const bar = async (code: string) => (await window.bars('train.py')).find(({ line }) => line.includes(code));
  await expect.poll(async () => await bar('time.sleep(0.02)')).toBeDefined();
  // Ten to one, whatever else the machine does.
  const [hot, cool] = [await bar('time.sleep(0.2)'), await bar('time.sleep(0.02)')];
  expect(hot?.width).toBeGreaterThan(cool?.width ?? Infinity);
  expect(hot?.color).not.toBe(cool?.color);
  await picture(window, `lines-${name}`);
});
