/**
 * A VS Code of its own for one test file: fresh settings, extensions and home, on a port of 127.0.0.1, ended with all it started.
 */
import { spawn, spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { hostEntry, hostNode } from '../../../scripts/lib/vscode-host.mjs';

export const root = path.resolve(import.meta.dirname, '../../..');
export const vsix = path.join(root, 'kinetoscope.vsix');

export interface HostOptions {
  /** Extensions to install: paths of .vsix files. */
  readonly extensions?: readonly string[];
  /** User settings on top of quiet defaults. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Machine settings: the only place where settings of machine scope are read from. */
  readonly machine?: Readonly<Record<string, unknown>>;
  /** Keep workspace trust: folders open in Restricted Mode. */
  readonly restricted?: boolean;
  /** Let the window reach servers of this machine, under `/proxy/PORT/` of the host's own address. */
  readonly proxy?: boolean;
  readonly env?: Readonly<Record<string, string>>;
}

/** No welcome, no telemetry, no chat, nothing that looks for updates; what a test wants to see is on. */
const QUIET = {
  'telemetry.telemetryLevel': 'off',
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.welcomePage.walkthroughs.openOnInstall': false,
  'workbench.enableExperiments': false,
  'workbench.settings.enableNaturalLanguageSearch': false,
  'workbench.colorTheme': 'Dark Modern',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'chat.disableAIFeatures': true,
  'update.mode': 'none',
  'extensions.autoUpdate': false,
  'extensions.autoCheckUpdates': false,
  'extensions.ignoreRecommendations': true,
  'git.enabled': false,
  'editor.minimap.enabled': false,
  'editor.accessibilitySupport': 'off',
  'editor.hover.delay': 50,
  'files.autoSave': 'off',
  'window.restoreWindows': 'none',
  'typescript.disableAutomaticTypeAcquisition': true,
  'terminal.integrated.gpuAcceleration': 'off',
  'terminal.integrated.suggest.enabled': false,
};

const freePort = () =>
  new Promise<number>((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => (address !== null && typeof address === 'object' ? resolve(address.port) : reject(new Error('no port'))));
    });
  });

export class Host {
  private constructor(
    readonly url: string,
    /** Folder with everything of this host; removed by `stop`. */
    readonly state: string,
    private readonly end: () => Promise<void>,
  ) {}

  static async start(options: HostOptions = {}): Promise<Host> {
    const state = mkdtempSync(path.join(tmpdir(), 'kinetoscope-e2e-'));
    const write = (name: string, text: string) => {
      mkdirSync(path.dirname(path.join(state, name)), { recursive: true });
      writeFileSync(path.join(state, name), text);
    };
    const trust = options.restricted
      ? { 'security.workspace.trust.enabled': true, 'security.workspace.trust.startupPrompt': 'never' }
      : { 'security.workspace.trust.enabled': false };
    write('data/User/settings.json', JSON.stringify({ ...QUIET, ...trust, ...options.settings }));
    write('data/Machine/settings.json', JSON.stringify(options.machine ?? {}));
    write('config.yaml', '');
    mkdirSync(path.join(state, 'home'));
    mkdirSync(path.join(state, 'extensions'));

    const common = [hostEntry, '--config', path.join(state, 'config.yaml'), '--user-data-dir', path.join(state, 'data')];
    common.push('--extensions-dir', path.join(state, 'extensions'));
    const env = {
      ...process.env,
      HOME: path.join(state, 'home'),
      EXTENSIONS_GALLERY: '{}', // no marketplace is asked
      PATH: `${path.dirname(hostNode)}:${process.env.PATH ?? ''}`,
      ...options.env,
    };
    for (const extension of options.extensions ?? [vsix]) {
      const done = spawnSync(hostNode, [...common, '--install-extension', extension, '--force'], {
        env,
        encoding: 'utf8',
        timeout: 60_000,
      });
      if (done.status !== 0) {
        throw new Error(`${extension} could not be installed:\n${done.stdout}\n${done.stderr}`);
      }
    }
    const port = await freePort();
    const serve = ['--bind-addr', `127.0.0.1:${port}`, '--auth', 'none', '--disable-telemetry', '--disable-update-check'];
    serve.push('--disable-getting-started-override', '--ignore-last-opened');
    serve.push(...(options.proxy ? [] : ['--disable-proxy']));
    serve.push(...(options.restricted ? [] : ['--disable-workspace-trust']));
    const log = path.join(state, 'host.log');
    const output = openSync(log, 'w');
    // A process group of its own, so that stopping it also ends the extension host, the server and the terminals.
    const child = spawn(hostNode, [...common, ...serve], { env, stdio: ['ignore', output, output], detached: true });
    closeSync(output);
    const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    const killGroup = (signal: NodeJS.Signals) => {
      try {
        process.kill(-(child.pid ?? 0), signal);
      } catch {
        // it has ended already
      }
    };
    const host = new Host(`http://127.0.0.1:${port}`, state, async () => {
      if (child.exitCode === null) {
        killGroup('SIGTERM');
        const timer = setTimeout(() => killGroup('SIGKILL'), 5000);
        await gone;
        clearTimeout(timer);
      }
      rmSync(state, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
    });
    const end = Date.now() + 60_000;
    while (
      !(await fetch(`${host.url}/healthz`).then(
        (answer) => answer.ok,
        () => false,
      ))
    ) {
      if (child.exitCode !== null || Date.now() > end) {
        killGroup('SIGKILL');
        throw new Error(`VS Code did not start:\n${readFileSync(log, 'utf8')}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    return host;
  }

  /** Text of the extension's log channels, and of the extension host's own log (errors while activating). */
  log(): string {
    const folder = path.join(this.state, 'data', 'logs');
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.log') && /kinetoscope|remoteexthost/i.test(name))
      .map((name) => `--- ${name}\n${readFileSync(path.join(folder, name), 'utf8')}`)
      .join('\n');
  }

  async stop(): Promise<void> {
    await this.end();
  }
}
