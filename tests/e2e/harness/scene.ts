/**
 * What a file of tests plays in: a host with the packaged extension, a browser, a project, and one window on it. When a test fails, what was on the
 * screen and in the logs is kept in test-results/.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { Host, root } from './host';
import type { HostOptions } from './host';
import { Project, python } from './project';
import { launchBrowser, Workbench } from './workbench';

export interface Scene {
  readonly host: Host;
  readonly browser: Browser;
  readonly project: Project;
  readonly window: Workbench;
}

/** The checkout's `.venv` runs both the scripts and the server. */
export const CHECKOUT_PYTHON = {
  'kinetoscope.interpreter': python,
  'kinetoscope.server.environment': 'custom',
  'kinetoscope.server.path': python,
};

/** Registers the hooks that build the scene before the tests of this file and take it down after; its parts can be used inside tests. The tests are one
 * story: after one has failed, the rest is skipped. */
export function scene(options: HostOptions = {}, prepare: (project: Project) => void = () => undefined): Scene {
  const parts: { host?: Host; browser?: Browser; project?: Project; window?: Workbench } = {};
  beforeAll(async () => {
    parts.project = new Project();
    prepare(parts.project);
    parts.host = await Host.start({ machine: CHECKOUT_PYTHON, ...options });
    parts.browser = await launchBrowser();
    parts.window = await Workbench.open(parts.browser, parts.host, parts.project.folder);
  });
  let broken = false;
  beforeEach(({ skip }) => skip(broken, 'a test before it failed, on which this one builds'));
  afterEach(async ({ task }) => {
    broken ||= task.result?.state === 'fail';
    if (task.result?.state === 'fail' && parts.window && parts.host) {
      const folder = path.join(root, 'test-results', 'e2e');
      const name = path.join(folder, task.name.replaceAll(/[^\w]+/g, '-'));
      mkdirSync(folder, { recursive: true });
      await parts.window.page.screenshot({ path: `${name}.png` }).catch(() => undefined);
      writeFileSync(`${name}.log`, parts.host.log());
    }
  });
  afterAll(async () => {
    await parts.browser?.close();
    await parts.host?.stop();
    parts.project?.remove();
  });
  const get = <K extends keyof typeof parts>(name: K): NonNullable<(typeof parts)[K]> => {
    const part = parts[name];
    if (part === undefined) {
      throw new Error(`the scene has no ${name} yet: use it inside tests only`);
    }
    return part;
  };
  return {
    get host() {
      return get('host');
    },
    get browser() {
      return get('browser');
    },
    get project() {
      return get('project');
    },
    get window() {
      return get('window');
    },
  };
}

/** Keeps a picture for README and docs, where KINETOSCOPE_SCREENSHOTS=1 asks for it. */
export async function picture({ page }: Workbench, name: string): Promise<void> {
  if (process.env.KINETOSCOPE_SCREENSHOTS !== '1') {
    return;
  }
  const folder = path.join(root, 'media', 'screenshots');
  mkdirSync(folder, { recursive: true });
  // A little smaller than the window of the tests, for the size of the file.
  const size = page.viewportSize() ?? { width: 1400, height: 900 };
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.waitForTimeout(700);
  await page.screenshot({ path: path.join(folder, `${name}.png`) });
  await page.setViewportSize(size);
}
