/**
 * The same window in the light and the high contrast themes: heat has the colours of the theme, and is told apart by its width, not by colour alone.
 */
import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { kinetoscope } from './harness/project';
import { picture, scene } from './harness/scene';
import type { Project } from './harness/project';

const THEMES = { light: 'Light Modern', 'high-contrast': 'Default High Contrast', 'high-contrast-light': 'Default High Contrast Light' };

function record(project: Project): void {
  spawnSync(kinetoscope, ['profile', '--quiet', 'train.py'], { cwd: project.folder, timeout: 100_000 });
}

describe.each(Object.entries(THEMES))('in the %s theme', (name, theme) => {
  const at = scene({ settings: { 'workbench.colorTheme': theme } }, record);

  test('the hottest line has the widest bar, and a colour of its own', async () => {
    const { window } = at;
    await window.openFile('train.py');
    await window.numbered('train.py', 'time.sleep(0.2)').waitFor({ timeout: 60_000 });
    await expect.poll(async () => (await window.bars('train.py')).length).toBeGreaterThan(2);
    const bars = await window.bars('train.py');
    const hottest = bars.find(({ line }) => line.includes('time.sleep'));
    const cooler = bars.filter(({ width }) => width < (hottest?.width ?? 0));
    expect(cooler.length).toBeGreaterThan(0);
    expect(cooler.map(({ color }) => color)).not.toContain(hottest?.color);
    await window.run('Kinetoscope: Open Lines');
    await window.webview().getByText('time.sleep').first().waitFor();
    await picture(window, `lines-${name}`);
  });
});
