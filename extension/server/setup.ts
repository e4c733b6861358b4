/**
 * Gathers what decides where the server runs from the editor, and shows progress while its environment is made.
 */
import * as os from 'node:os';
import * as vscode from 'vscode';
import type { Bundle } from '../bundle';
import { ProblemError } from '../problem';
import type { Interpreters } from '../python/interpreters';
import { onPath } from '../python/locate';
import { run } from '../python/process';
import { probe } from '../python/probe';
import { expandVariables, serverEnvironment } from '../settings';
import { serverCommand } from './environment';
import type { ServerCommand } from './environment';
import { ensureManaged } from './managed';

const PYTHONS = ['python3.13', 'python3.12', 'python3.11', 'python3.10', 'python3', 'python'];

export async function currentServerCommand(
  storage: string,
  bundle: Bundle,
  interpreters: Interpreters,
  log: vscode.LogOutputChannel,
  token: vscode.CancellationToken,
): Promise<ServerCommand> {
  const setting = serverEnvironment(vscode.workspace.getConfiguration('kinetoscope'));
  const workspaceFolder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  const { isTrusted } = vscode.workspace;
  return await serverCommand(
    {
      setting: { ...setting, path: expandVariables(setting.path, { workspaceFolder, home: os.homedir(), env: process.env }) },
      trusted: isTrusted,
      bundle,
      selected: async () => (await interpreters.choose(undefined)).path,
      managed: async () => await managed(storage, bundle, isTrusted ? interpreters : undefined, log, token),
      probe,
    },
    token,
  );
}

async function managed(
  storage: string,
  { install }: Bundle,
  interpreters: Interpreters | undefined,
  log: vscode.LogOutputChannel,
  outer: vscode.CancellationToken,
): Promise<string> {
  if (install === null) {
    throw new ProblemError({ what: 'The extension’s folder lacks its server.', remedy: 'Install the extension again.' });
  }
  // In an untrusted workspace `interpreters` is undefined: only interpreters of the machine are used, none that the workspace may name.
  const candidates = (await interpreters?.candidates(undefined)) ?? [];
  const pythons = [...onPath(PYTHONS), ...candidates.map(({ path }) => path)];
  const tokens = new vscode.CancellationTokenSource();
  const linked = outer.onCancellationRequested(() => tokens.cancel());
  let reporter: { report(step: string): void; done(): void } | undefined;
  try {
    return await ensureManaged(
      {
        storage,
        install,
        pythons: [...new Set(pythons)],
        uv: onPath(['uv'])[0],
        probe,
        run,
        report: (step) => {
          reporter ??= openProgress(tokens);
          reporter.report(step);
        },
        onLine: (line) => log.info(`[setup] ${line}`),
      },
      tokens.token,
    );
  } finally {
    reporter?.done();
    linked.dispose();
    tokens.dispose();
  }
}

/** A notification with progress that stands only while an environment is really being made. */
function openProgress(tokens: vscode.CancellationTokenSource): { report(step: string): void; done(): void } {
  let done: () => void = () => undefined;
  let show: (step: string) => void = () => undefined;
  const finished = new Promise<void>((resolve) => {
    done = resolve;
  });
  void vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: 'Setting up Kinetoscope (once)', cancellable: true },
    async (progress, token) => {
      token.onCancellationRequested(() => tokens.cancel());
      show = (step) => progress.report({ message: `${step}…` });
      await finished;
    },
  );
  return { report: (step) => show(step), done };
}
