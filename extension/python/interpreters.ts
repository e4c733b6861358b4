/**
 * The interpreter for a file of the user: chosen from the settings and the machine, checked, and selectable.
 */
import * as os from 'node:os';
import * as vscode from 'vscode';
import { ProblemError } from '../problem';
import { expandVariables } from '../settings';
import { inFolder, onPath } from './locate';
import type { Interpreter } from './order';
import { chooseInterpreter } from './order';
import { cachedProbe, probe } from './probe';
import type { ProbeResult } from './probe';
import { selectedInterpreter } from './pythonExtension';
import { profilingProblem } from './requirements';

export class Interpreters {
  private readonly ask = cachedProbe(probe);

  constructor(private readonly log: vscode.LogOutputChannel) {}

  /** The interpreter that runs `resource`. Throws a ProblemError where there is none at all. */
  async choose(resource: vscode.Uri | undefined): Promise<Interpreter> {
    const chosen = await chooseInterpreter(this.sources(resource));
    if (chosen === undefined) {
      throw new ProblemError({
        what: 'No Python interpreter was found: none is set, the workspace has no .venv, and there is no python3 on PATH.',
        remedy: 'Select the interpreter that has PyTorch.',
      });
    }
    this.log.debug(`Interpreter: ${chosen.path} (${chosen.origin})`);
    return chosen;
  }

  /** The interpreter that runs `resource`, known to have Python and PyTorch new enough. Throws a ProblemError with the remedy otherwise. */
  async chooseForProfiling(resource: vscode.Uri | undefined): Promise<Interpreter> {
    const chosen = await this.choose(resource);
    const problem = profilingProblem(chosen, await this.ask(chosen.path));
    if (problem !== null) {
      throw new ProblemError(problem);
    }
    return chosen;
  }

  async probe(python: string): Promise<ProbeResult> {
    return await this.ask(python);
  }

  /** All interpreters that can be named without searching the disk, each once. */
  async candidates(resource: vscode.Uri | undefined): Promise<Interpreter[]> {
    const sources = this.sources(resource);
    const selected = await sources.pythonExtension();
    const all: Interpreter[] = [
      ...(sources.setting === '' ? [] : [{ path: sources.setting, origin: 'setting' as const }]),
      ...(selected === undefined ? [] : [{ path: selected, origin: 'python-extension' as const }]),
      ...sources.workspace.map((path) => ({ path, origin: 'workspace' as const })),
      ...sources.onPath.map((path) => ({ path, origin: 'path' as const })),
    ];
    return all.filter(({ path }, i) => all.findIndex((other) => other.path === path) === i);
  }

  private sources(resource: vscode.Uri | undefined) {
    const folder = folderOf(resource);
    const known = { workspaceFolder: folder?.uri.fsPath, home: os.homedir(), env: process.env };
    const setting = (section: string, key: string) =>
      expandVariables(vscode.workspace.getConfiguration(section, resource ?? folder?.uri).get<string>(key, ''), known);
    return {
      setting: setting('kinetoscope', 'interpreter'),
      pythonExtension: async () => await selectedInterpreter(resource ?? folder?.uri, this.log),
      defaultPath: setting('python', 'defaultInterpreterPath'),
      workspace: inFolder(folder?.uri.fsPath),
      onPath: onPath(['python3', 'python']),
    };
  }
}

/** The workspace folder of a resource, else the first one. */
export function folderOf(resource: vscode.Uri | undefined): vscode.WorkspaceFolder | undefined {
  return (resource && vscode.workspace.getWorkspaceFolder(resource)) ?? vscode.workspace.workspaceFolders?.[0];
}
