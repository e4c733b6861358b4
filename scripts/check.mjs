// `npm run check`: formatting, lint, types, import directions and the wire, in both languages. Runs all of them and ends with what failed and the
// command that mends it. `npm run check -- --fix` lets the tools mend what they can first.
import path from 'node:path';
import { main, root, run, shown } from './lib/process.mjs';
import { venvPython } from './lib/python.mjs';
import { setup } from './setup.mjs';

const tool = (name) => path.join(root, 'node_modules', '.bin', process.platform === 'win32' ? `${name}.cmd` : name);
const python = (...args) => [venvPython, args];
const FIX = 'npm run check -- --fix';
const BY_HAND = 'mend it by hand';

/** Title, command, what mends it, and the command that does where a tool can. */
const checks = [
  [
    'TypeScript and Markdown format',
    [tool('prettier'), ['--check', '--log-level=warn', '.']],
    FIX,
    [tool('prettier'), ['--write', '--log-level=warn', '.']],
  ],
  ['Python format', python('-m', 'ruff', 'format', '--check', '--quiet', '.'), FIX, python('-m', 'ruff', 'format', '--quiet', '.')],
  ['Wire up to date', python('scripts/generate_wire.py', '--check'), FIX, python('scripts/generate_wire.py')],
  ['Python import directions', python('scripts/check_imports.py'), BY_HAND],
  ['Python lint', python('-m', 'ruff', 'check', '--quiet', '.'), FIX, python('-m', 'ruff', 'check', '--quiet', '--fix', '.')],
  ['TypeScript lint', [tool('eslint'), ['--max-warnings=0', '.']], FIX, [tool('eslint'), ['--fix', '.']]],
  ['Types of the extension', [tool('tsc'), ['-p', 'tsconfig.json']], BY_HAND],
  ['Types of the pages', [tool('tsc'), ['-p', 'tsconfig.webview.json']], BY_HAND],
  ['Types of the unit tests', [tool('tsc'), ['-p', 'tsconfig.tests.json']], BY_HAND],
  ['Types of the end-to-end tests', [tool('tsc'), ['-p', 'tests/e2e/tsconfig.json']], BY_HAND],
  ['Types of Python', python('-m', 'pyright', '--warnings'), BY_HAND],
];

async function check(args) {
  const unknown = args.filter((arg) => arg !== '--fix');
  if (unknown.length > 0) {
    console.error(`unknown argument ${unknown.join(' ')}; use: npm run check [-- --fix]`);
    return 2;
  }
  await setup();
  // pyright of PyPI asks for news of itself otherwise
  const env = { ...process.env, PYRIGHT_PYTHON_IGNORE_WARNINGS: '1' };
  const fix = args.includes('--fix');
  const failed = [];
  for (const [title, [command, commandArgs], mend, fixer] of checks) {
    if (fix && fixer) {
      await run(...fixer, { env });
    }
    const start = performance.now();
    const code = await run(command, commandArgs, { env });
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    console.log(`${code === 0 ? 'ok    ' : 'FAILED'}  ${title} (${seconds} s)`);
    if (code !== 0) {
      failed.push({ title, command: shown(command, commandArgs), mend });
    }
  }
  if (failed.length === 0) {
    console.log(`\nAll ${checks.length} checks passed`);
    return 0;
  }
  console.log(`\n${failed.length} of ${checks.length} checks failed:`);
  for (const { title, command, mend } of failed) {
    console.log(`  ${title}\n      ${command}\n      → ${mend}`);
  }
  return 1;
}

await main(import.meta.url, check);
