/**
 * The command "Select Interpreter": a list of what was found, with what each has, written to `kinetoscope.interpreter`.
 */
import * as vscode from 'vscode';
import type { Interpreters } from './interpreters';
import type { ProbeResult } from './probe';

interface Item extends vscode.QuickPickItem {
  readonly action: (() => Promise<string | undefined>) | undefined;
}

export async function selectInterpreter(interpreters: Interpreters, resource: vscode.Uri | undefined): Promise<void> {
  const candidates = await interpreters.candidates(resource);
  const facts = await Promise.all(candidates.map(async ({ path }) => await interpreters.probe(path)));
  const items: Item[] = [
    ...candidates.map(({ path }, i) => ({
      label: path,
      description: describe(facts[i]),
      action: async () => await Promise.resolve(path),
    })),
    { label: '', kind: vscode.QuickPickItemKind.Separator, action: undefined },
    { label: '$(folder-opened) Browse…', description: 'choose the python executable of the environment that has PyTorch', action: browse },
    {
      label: '$(discard) Automatic',
      description: 'the Python extension, the workspace’s .venv, or PATH',
      action: async () => await Promise.resolve(''),
    },
  ];
  const picked = await vscode.window.showQuickPick(items, { title: 'Interpreter that runs profiled scripts', matchOnDescription: true });
  const path = await picked?.action?.();
  if (path !== undefined) {
    const target = vscode.workspace.workspaceFolders ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global;
    await vscode.workspace.getConfiguration('kinetoscope').update('interpreter', path === '' ? undefined : path, target);
  }
}

async function browse(): Promise<string | undefined> {
  const files = await vscode.window.showOpenDialog({ title: 'Python executable', openLabel: 'Select', canSelectMany: false });
  return files?.[0]?.fsPath;
}

function describe(result: ProbeResult | undefined): string {
  if (!result?.ok) {
    return `can't be run: ${result?.reason ?? 'unknown'}`;
  }
  const { version, torch } = result.facts;
  return `Python ${version.join('.')}, ${torch === null ? 'no PyTorch' : `PyTorch ${torch}`}`;
}
