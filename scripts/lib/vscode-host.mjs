// The VS Code that the end-to-end tests drive: code-server (VS Code's own workbench and extension host behind a local page) with a Node of its own,
// both from npm, in `.vscode-host/`. A stamp that is written last says that it is whole.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { must, root, step } from './process.mjs';

const CODE_SERVER = '4.139.1'; // VS Code 1.139.1
const NODE = '24.22.3'; // the Node that this code-server was made for

const folder = process.env.KINETOSCOPE_VSCODE_HOST || path.join(root, '.vscode-host');
const nodePackage = `node-linux-${process.arch === 'arm64' ? 'arm64' : 'x64'}`;
const nodeFolder = path.join(folder, 'node_modules', nodePackage);
const vscode = path.join(folder, 'node_modules', 'code-server', 'lib', 'vscode');
const stamp = path.join(folder, 'ready');

/** The programs that start the host. */
export const hostNode = path.join(nodeFolder, 'bin', 'node');
export const hostEntry = path.join(folder, 'node_modules', 'code-server', 'out', 'node', 'entry.js');

// Parts of VS Code that talk to services or start chat: none is wanted in a test, and they are half of the download's size.
const UNWANTED = [
  'node_modules/@github',
  'node_modules/@microsoft/mxc-sdk',
  'extensions/copilot',
  'extensions/github',
  'extensions/github-authentication',
  'extensions/microsoft-authentication',
  'extensions/tunnel-forwarding',
];

/** Installs the host where it is missing or of another version. */
export async function ensureVscodeHost() {
  const wanted = `code-server ${CODE_SERVER}, node ${NODE}`;
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) {
    return;
  }
  await step(`VS Code host (code-server ${CODE_SERVER})`, async () => {
    rmSync(stamp, { force: true });
    mkdirSync(folder, { recursive: true });
    writeFileSync(
      path.join(folder, 'package.json'),
      JSON.stringify({ private: true, dependencies: { 'code-server': CODE_SERVER, [nodePackage]: NODE } }),
    );
    const install = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    await must('npm', ['install', ...install], { cwd: folder });
    // From here on with the host's own Node: its version is checked, and native parts are built against its headers.
    const env = { ...process.env, PATH: `${path.join(nodeFolder, 'bin')}:${process.env.PATH}`, npm_config_nodedir: nodeFolder, JOBS: '2' };
    await must('npm', ['install', '--omit=dev', ...install], { cwd: vscode, env });
    // The two native parts that matter here and come without a binary: logs on disk, and an extension host that ends with its parent.
    await must('npm', ['rebuild', '@vscode/spdlog', '@vscode/native-watchdog', '--loglevel=error'], {
      cwd: vscode,
      env,
      remedy: 'Building it takes g++, make and python3.',
    });
    for (const part of UNWANTED) {
      rmSync(path.join(vscode, part), { recursive: true, force: true });
    }
    await must(hostNode, [hostEntry, '--config', '/dev/null', '--version'], { env });
    writeFileSync(stamp, wanted);
  });
}
