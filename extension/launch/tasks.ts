/**
 * The task type `kinetoscope`: a profiled script as a process in the integrated terminal, so that prompts, progress bars and Ctrl+C work.
 */
import { randomUUID } from 'node:crypto';
import * as os from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { Bundle } from '../bundle';
import { runFolderOf } from '../places';
import type { Interpreters } from '../python/interpreters';
import { folderOf } from '../python/interpreters';
import { profileSettings } from '../settings';
import { recorderArgs } from './commandLine';
import type { ProfileRequest } from './commandLine';

export const TASK_TYPE = 'kinetoscope';

/** As in `tasks.json`; package.json holds the schema. */
export interface ProfileTaskDefinition extends vscode.TaskDefinition, ProfileRequest {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Interpreter; without it, the one that is chosen for the program. */
  readonly python?: string;
}

export class ProfileTasks implements vscode.TaskProvider {
  constructor(
    private readonly bundle: Bundle,
    private readonly interpreters: Interpreters,
  ) {}

  provideTasks(): vscode.Task[] {
    // Tasks are made by the commands, or written in tasks.json: a list of every script of the workspace would help nobody.
    return [];
  }

  async resolveTask(task: vscode.Task): Promise<vscode.Task | undefined> {
    const definition = task.definition as ProfileTaskDefinition;
    if (typeof definition.program !== 'string' || definition.program === '') {
      return undefined;
    }
    const scope = typeof task.scope === 'object' ? task.scope : undefined;
    const resource = scope?.uri ?? folderOf(undefined)?.uri;
    const python = definition.python ?? (await this.interpreters.choose(resource)).path;
    return this.build(definition, python, task.scope ?? vscode.TaskScope.Workspace, resource);
  }

  /** The task that profiles `file`. */
  forFile(file: vscode.Uri, request: Omit<ProfileTaskDefinition, 'type' | 'program'>, python: string): vscode.Task {
    const folder = vscode.workspace.getWorkspaceFolder(file);
    const cwd = folder?.uri.fsPath ?? path.dirname(file.fsPath);
    return this.build({ cwd, ...request, type: TASK_TYPE, program: file.fsPath }, python, folder ?? vscode.TaskScope.Global, file);
  }

  private build(
    definition: ProfileTaskDefinition,
    python: string,
    scope: vscode.WorkspaceFolder | vscode.TaskScope,
    resource: vscode.Uri | undefined,
  ): vscode.Task {
    const settings = profileSettings(vscode.workspace.getConfiguration('kinetoscope', resource));
    const out = resource === undefined ? path.join(definition.cwd ?? os.homedir(), '.kinetoscope') : runFolderOf(resource);
    const status = path.join(os.tmpdir(), `kinetoscope-${randomUUID()}.jsonl`);
    const args = recorderArgs(definition, settings, { recorder: this.bundle.recorder, out, status });
    const cwd = definition.cwd ?? (typeof scope === 'object' ? scope.uri.fsPath : undefined);
    const execution = new vscode.ProcessExecution(python, args, {
      ...(cwd === undefined ? {} : { cwd }),
      ...(definition.env === undefined ? {} : { env: { ...definition.env } }),
    });
    const task = new vscode.Task(definition, scope, `profile ${path.basename(definition.program)}`, 'Kinetoscope', execution, []);
    task.presentationOptions = {
      reveal: vscode.TaskRevealKind.Always,
      panel: vscode.TaskPanelKind.Dedicated,
      clear: true,
      showReuseMessage: false,
    };
    return task;
  }
}
