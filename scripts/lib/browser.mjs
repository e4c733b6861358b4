// What the end-to-end tests run in: Chromium, and the system packages that building the VS Code host wants. Installed by apt where that is possible.
import { existsSync } from 'node:fs';
import { must, read, step } from './process.mjs';

const CHROMIUMS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome', '/snap/bin/chromium'];
const PACKAGES = ['chromium', 'fonts-dejavu-core', 'fonts-liberation'];
const BUILD_TOOLS = { 'g++': 'g++', make: 'make' };

/** Path of a Chromium: KINETOSCOPE_CHROMIUM, else one of the usual places. Undefined where there is none. */
export function findChromium(env = process.env) {
  return [env.KINETOSCOPE_CHROMIUM, ...CHROMIUMS].find((file) => file && existsSync(file));
}

const has = (program) => read('sh', ['-c', `command -v ${program}`]) !== null;

/** Installs what is missing. Resolves to the reason why the machine can't run a browser, or null when all is there. */
export async function ensureBrowser() {
  if (process.platform !== 'linux') {
    return `the VS Code host of these tests runs on Linux, this is ${process.platform}`;
  }
  const missing = [
    ...(findChromium() ? [] : PACKAGES),
    ...Object.entries(BUILD_TOOLS)
      .filter(([program]) => !has(program))
      .map(([, name]) => name),
  ];
  if (missing.length === 0) {
    return null;
  }
  const remedy = `apt-get install ${missing.join(' ')}`;
  if (!has('apt-get') || process.getuid() !== 0) {
    return `missing on this machine: ${missing.join(', ')} (as root: ${remedy})`;
  }
  await step(`System packages: ${missing.join(' ')}`, async () => {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    await must('apt-get', ['update', '-qq'], { env });
    await must('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...missing], { env, remedy });
  });
  return findChromium() ? null : 'Chromium was installed but is in none of the usual places: name it in KINETOSCOPE_CHROMIUM';
}
