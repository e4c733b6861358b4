/**
 * What the server needs to find recorded files on this machine: the setting `kinetoscope.pathMappings`, what the user located, which the workspace
 * remembers, and the `sys.path` of the user's interpreter, asked for when a file is missing.
 */
import * as os from 'node:os';
import * as vscode from 'vscode';
import type { Interpreters } from '../python/interpreters';
import { run } from '../python/process';
import type { Server } from '../server/server';
import type { PathMapping, SourceSettings } from '../server/wire';
import { pathMappings } from '../settings';
import { withAnswer } from './prefix';
import { parseSysPath, SYS_PATH } from './sysPath';

const LOCATED = 'kinetoscope.locatedSources';

export class SourceMemory {
  /** The interpreter that was asked, and its answer. */
  private asked: { readonly python: string; readonly paths: readonly string[] } | undefined;

  constructor(
    private readonly server: Server,
    private readonly memory: vscode.Memento,
    private readonly interpreters: Interpreters,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  get located(): readonly PathMapping[] {
    return this.memory.get<readonly PathMapping[]>(LOCATED, []);
  }

  settings(): SourceSettings {
    return { mappings: configured(), located: this.located, interpreter_paths: this.asked?.paths ?? [] };
  }

  /** Tells the server; to be awaited before it is asked again. */
  async send(): Promise<void> {
    await this.server.notify('kinetoscope/source/settings', this.settings());
  }

  async remember(answer: PathMapping): Promise<void> {
    await this.memory.update(LOCATED, withAnswer(this.located, answer));
    await this.send();
  }

  /** Forgets all answers; how many there were. */
  async forget(): Promise<number> {
    const { length } = this.located;
    await this.memory.update(LOCATED, undefined);
    await this.send();
    return length;
  }

  /** Asks the interpreter for its `sys.path`, once, and never in Restricted Mode, where nothing is executed. True where something was learnt. */
  async askInterpreter(): Promise<boolean> {
    if (!vscode.workspace.isTrusted) {
      return false;
    }
    try {
      const { path: python } = await this.interpreters.choose(undefined);
      if (python === this.asked?.python) {
        return false;
      }
      const { error, stdout } = await run(python, ['-I', '-c', SYS_PATH], { timeoutMs: 20_000 });
      this.asked = { python, paths: error === null ? parseSysPath(stdout) : [] };
      await this.send();
      return this.asked.paths.length > 0;
    } catch (error) {
      this.log.debug(`No sys.path of an interpreter: ${String(error)}`);
      return false;
    }
  }
}

/** The mappings of all workspace folders, each with its own `${workspaceFolder}`. */
function configured(): PathMapping[] {
  const folders = vscode.workspace.workspaceFolders ?? [undefined];
  const all = folders.flatMap((folder) =>
    pathMappings(vscode.workspace.getConfiguration('kinetoscope', folder?.uri), {
      workspaceFolder: folder?.uri.fsPath,
      home: os.homedir(),
      env: process.env,
    }),
  );
  return [...new Map(all.map((mapping) => [JSON.stringify(mapping), mapping])).values()];
}
