// Bundles the extension and its pages: `node scripts/build.mjs [--watch]`. Prints the size of what it made.
import { context, build } from 'esbuild';
import { cp, mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const watch = process.argv.includes('--watch');

/** @type {import('esbuild').BuildOptions} */
const common = {
  absWorkingDir: root,
  bundle: true,
  minify: !watch,
  sourcemap: watch,
  legalComments: 'none',
  logLevel: 'warning',
  metafile: true,
};

const host = {
  ...common,
  entryPoints: { extension: 'extension/extension.ts' },
  outdir: 'dist',
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  external: ['vscode'],
};

const pages = {
  ...common,
  entryPoints: { app: 'extension/webview/app/main.tsx' },
  outdir: 'dist/webview',
  platform: 'browser',
  target: 'es2022',
  format: 'esm',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  loader: { '.ttf': 'file' },
  assetNames: '[name]',
  plugins: [{ name: 'to-the-web-host', setup: (building) => void building.onEnd(copyToWebHost) }],
};

/** Where `kinetoscope view` has the pages from: data of the Python package, and so of its wheel. */
const webHost = 'pyserver/kinetoscope/web/static';

/** What a plain browser needs besides the pages. */
const browser = { ...pages, entryPoints: { browser: 'extension/webview/app/browser.ts' }, outdir: webHost, plugins: [] };

async function copyToWebHost({ metafile }) {
  const files = [...Object.keys(metafile?.outputs ?? {}), 'media/icon.png'];
  await Promise.all(files.map((file) => cp(path.join(root, file), path.join(root, webHost, path.basename(file)))));
}

async function printSizes(result) {
  for (const file of Object.keys(result.metafile.outputs).sort()) {
    const { size } = await stat(path.join(root, file));
    console.log(`${file.padEnd(28)} ${(size / 1000).toFixed(1).padStart(8)} kB`);
  }
}

await mkdir(path.join(root, 'dist', 'webview'), { recursive: true });
await mkdir(path.join(root, webHost), { recursive: true });
if (watch) {
  for (const options of [host, pages, browser]) {
    await (await context(options)).watch();
  }
  console.log('watching; Ctrl+C ends it');
} else {
  for (const result of await Promise.all([build(host), build(pages), build(browser)])) {
    await printSizes(result);
  }
  for (const folder of ['dist/webview', webHost]) {
    await cp(path.join(root, 'node_modules/@vscode/codicons/LICENSE'), path.join(root, folder, 'codicon.LICENSE'));
  }
}
