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
};

async function printSizes(result) {
  for (const file of Object.keys(result.metafile.outputs).sort()) {
    const { size } = await stat(path.join(root, file));
    console.log(`${file.padEnd(28)} ${(size / 1000).toFixed(1).padStart(8)} kB`);
  }
}

await mkdir(path.join(root, 'dist', 'webview'), { recursive: true });
if (watch) {
  for (const options of [host, pages]) {
    await (await context(options)).watch();
  }
  console.log('watching; Ctrl+C ends it');
} else {
  for (const result of await Promise.all([build(host), build(pages)])) {
    await printSizes(result);
  }
  await cp(path.join(root, 'node_modules/@vscode/codicons/LICENSE'), path.join(root, 'dist/webview/codicon.LICENSE'));
}
