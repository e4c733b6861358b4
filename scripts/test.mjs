// `npm test`: sets the checkout up, builds, and runs all tests: Python, the extension's units, and the whole in a real VS Code (end to end).
// `npm test -- python`, `-- extension`, `-- e2e` run a part; what follows a part's name goes to its runner (`npm test -- python -k clock`).
import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { ensureBrowser, findChromium } from './lib/browser.mjs';
import { main, must, root, run, ScriptError, step } from './lib/process.mjs';
import { venvPython } from './lib/python.mjs';
import { judged, junitCounts, summary, vitestCounts } from './lib/results.mjs';
import { ensureVscodeHost } from './lib/vscode-host.mjs';
import { setup } from './setup.mjs';

const reports = path.join(root, 'test-results');
const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs');
const MINUTE = 60_000;
const inCI = /^(1|true)$/i.test(process.env.CI ?? '');

async function python(extra) {
  const report = path.join(reports, 'python.xml');
  const args = ['-m', 'pytest', '-q', '--durations=5', `--junitxml=${report}`, ...extra];
  const code = await run(venvPython, args, { timeout: 20 * MINUTE });
  return judged(junitCounts(report), code);
}

async function withVitest(name, config, extra, env = process.env) {
  const report = path.join(reports, `${name}.json`);
  const args = [vitest, 'run', '--config', config, '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...extra];
  const code = await run(process.execPath, args, { env, timeout: 20 * MINUTE });
  return judged(vitestCounts(report), code);
}

/** Installs what a browser needs. Null when it is there; in CI its absence is an error. */
async function missingForBrowser() {
  const missing = await ensureBrowser();
  if (missing !== null && inCI) {
    throw new ScriptError(`The tests that need a browser can't run: ${missing}.`);
  }
  return missing;
}

async function extension(extra) {
  const missing = await missingForBrowser();
  if (missing !== null) {
    console.log(`The tests of the pages are skipped: ${missing}.`);
  }
  return await withVitest('extension', 'vitest.config.mts', extra, { ...process.env, KINETOSCOPE_CHROMIUM: findChromium() ?? '' });
}

async function e2e(extra) {
  const missing = await missingForBrowser();
  if (missing !== null) {
    console.log(`The end-to-end tests are skipped: ${missing}.`);
    return { passed: 0, failed: 0, skipped: 1 };
  }
  await ensureVscodeHost();
  await step('Package', () => must(process.execPath, [path.join(root, 'scripts', 'package.mjs')]));
  return await withVitest('e2e', 'tests/e2e/vitest.config.mts', extra, { ...process.env, KINETOSCOPE_CHROMIUM: findChromium() });
}

const parts = { python, extension, e2e };
const titles = { python: 'Python tests', extension: 'Extension unit tests', e2e: 'End-to-end tests' };

async function test([part, ...extra]) {
  if (part !== undefined && !(part in parts)) {
    throw new ScriptError(`unknown part ${part}; use: npm test [-- ${Object.keys(parts).join(' | ')} [arguments of the runner]]`);
  }
  await setup();
  rmSync(reports, { recursive: true, force: true });
  mkdirSync(reports, { recursive: true });
  const counts = [];
  for (const name of part === undefined ? Object.keys(parts) : [part]) {
    counts.push(await step(titles[name], () => parts[name](extra)));
  }
  console.log(`\n${summary(counts)}`);
  return counts.some(({ failed }) => failed > 0) ? 1 : 0;
}

await main(import.meta.url, test);
