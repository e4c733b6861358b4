// `npm run package`: builds the extension and its Python side and packs both into kinetoscope.vsix. What goes in is staged in out/vsix/, so that
// the package holds exactly what is named here; a file of any other kind fails the build.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { main, must, root, ScriptError, step } from './lib/process.mjs';
import { venvPython } from './lib/python.mjs';
import { setup } from './setup.mjs';

const stage = path.join(root, 'out', 'vsix');
const vsix = path.join(root, 'kinetoscope.vsix');

/** Everything that may be in the package, as paths in it. */
const EXPECTED = [
  /^(package\.json|README\.md|CHANGELOG\.md|LICENSE)$/,
  /^dist\/extension\.js$/,
  /^dist\/webview\/[\w.-]+\.(js|css|ttf|LICENSE)$/,
  /^media\/[\w./-]+\.(svg|png|md)$/,
  /^bundled\/requirements\.txt$/,
  /^bundled\/wheels\/kinetoscope-[\w.]+-py3-none-any\.whl$/,
  /^bundled\/kinetoscope\/recorder\/[\w/]+\.py$/,
];
const LARGEST_BYTES = 2_000_000;

const filesBelow = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/'))
    .sort();

/** The manifest as users get it: without what only a checkout has. All that it depends on is bundled. */
function stageManifest() {
  const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  for (const key of ['scripts', 'dependencies', 'devDependencies', 'private', 'prettier']) {
    delete manifest[key];
  }
  writeFileSync(path.join(stage, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

/** The README without its pictures: VS Code's page of an extension shows only those that are on the web. */
function stageReadme() {
  const text = readFileSync(path.join(root, 'README.md'), 'utf8');
  writeFileSync(path.join(stage, 'README.md'), text.replaceAll(/^!\[[^\]]*\]\(media\/[^)]*\)\n+/gm, ''));
}

function stageFolder(from, to, keep = () => true) {
  cpSync(path.join(root, from), path.join(stage, to), {
    recursive: true,
    filter: (source) => keep(path.relative(path.join(root, from), source)),
  });
}

async function stageAll() {
  rmSync(stage, { recursive: true, force: true });
  mkdirSync(stage, { recursive: true });
  stageManifest();
  stageReadme();
  for (const file of ['CHANGELOG.md', 'LICENSE']) {
    cpSync(path.join(root, file), path.join(stage, file));
  }
  stageFolder('dist', 'dist', (name) => !name.endsWith('.map'));
  stageFolder('media', 'media', (name) => !name.startsWith('screenshots'));
  // The recorder runs in the user's interpreter as a bare folder; the server is installed from the wheel.
  stageFolder('pyserver/kinetoscope/recorder', 'bundled/kinetoscope/recorder', (name) => !/(^|[\\/])__pycache__$|\.pyc$/.test(name));
  cpSync(path.join(root, 'pyserver', 'requirements.txt'), path.join(stage, 'bundled', 'requirements.txt'));
  // setuptools keeps what it built before in these: a file that is gone from the sources would stay in the wheel.
  for (const left of ['build', 'kinetoscope.egg-info']) {
    rmSync(path.join(root, 'pyserver', left), { recursive: true, force: true });
  }
  const wheels = path.join(stage, 'bundled', 'wheels');
  const wheel = [
    '-m',
    'pip',
    'wheel',
    '--quiet',
    '--no-deps',
    '--no-build-isolation',
    '--disable-pip-version-check',
    '--wheel-dir',
    wheels,
  ];
  await must(venvPython, [...wheel, path.join(root, 'pyserver')]);
  // The pages are the build's, and no source that setuptools would miss. A wheel names its files as they are.
  const made = path.join(wheels, readdirSync(wheels)[0] ?? '');
  for (const file of ['app.js', 'app.css', 'browser.js', 'browser.css']) {
    if (!readFileSync(made).includes(`kinetoscope/web/static/${file}`)) {
      throw new ScriptError(`The wheel lacks ${file} of the pages.`);
    }
  }
}

function check() {
  const staged = filesBelow(stage);
  const unexpected = staged.filter((file) => !EXPECTED.some((pattern) => pattern.test(file)));
  const missing = EXPECTED.filter((pattern) => !staged.some((file) => pattern.test(file)));
  if (unexpected.length > 0 || missing.length > 0) {
    throw new ScriptError(
      'The package is not as expected (scripts/package.mjs says what is).\n' +
        [...unexpected.map((file) => `  unexpected: ${file}`), ...missing.map((pattern) => `  missing: ${pattern.source}`)].join('\n'),
    );
  }
  return staged;
}

async function pack() {
  await setup();
  await step('Build', () => must(process.execPath, [path.join(root, 'scripts', 'build.mjs')]));
  await step('Package', async () => {
    await stageAll();
    const staged = check();
    rmSync(vsix, { force: true });
    // Nothing is to be ignored; without this file vsce warns.
    writeFileSync(path.join(stage, '.vscodeignore'), '');
    const vsce = path.join(root, 'node_modules', '@vscode', 'vsce', 'vsce');
    const args = ['package', '--no-dependencies', '--allow-missing-repository', '--no-rewrite-relative-links', '--out', vsix];
    await must(process.execPath, [vsce, ...args], { cwd: stage });
    if (!existsSync(vsix)) {
      throw new ScriptError('vsce wrote no package.');
    }
    const { size } = statSync(vsix);
    for (const [folder, bytes] of groupSizes(staged)) {
      console.log(`${folder.padEnd(24)} ${(bytes / 1000).toFixed(0).padStart(6)} kB`);
    }
    console.log(`${'kinetoscope.vsix'.padEnd(24)} ${(size / 1000).toFixed(0).padStart(6)} kB (compressed, ${staged.length} files)`);
    if (size > LARGEST_BYTES) {
      throw new ScriptError(`kinetoscope.vsix is larger than ${LARGEST_BYTES / 1e6} MB: something is in it that should not be.`);
    }
  });
}

function groupSizes(files) {
  const sizes = new Map();
  for (const file of files) {
    const group = file.split('/').slice(0, -1).slice(0, 2).join('/') || '.';
    sizes.set(group, (sizes.get(group) ?? 0) + statSync(path.join(stage, file)).size);
  }
  return sizes;
}

await main(import.meta.url, pack);
