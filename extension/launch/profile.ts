/**
 * The commands that profile a script: check what is needed, save what is unsaved, start the task.
 */
import * as path from 'node:path';
import * as vscode from 'vscode';
import { runFolderOf } from '../places';
import { asProblem, ProblemError, problemText } from '../problem';
import type { Interpreters } from '../python/interpreters';
import { profileSettings } from '../settings';
import { askOptions } from './options';
import type { ProfileOptions } from './options';
import { TASK_TYPE } from './tasks';
import type { ProfileTaskDefinition, ProfileTasks } from './tasks';

interface LastProfile {
  readonly file: string;
  readonly options: ProfileOptions;
}

const LAST = 'kinetoscope.lastProfile';
const OPTIONS = 'kinetoscope.profileOptions';

export class ProfileCommands {
  constructor(
    private readonly tasks: ProfileTasks,
    private readonly interpreters: Interpreters,
    private readonly memory: vscode.Memento,
    private readonly log: vscode.LogOutputChannel,
    /** Called with the folder that will hold the run when a profiling starts, so that the server is ready when it ends. */
    private readonly onStart: (runFolder: string) => void,
  ) {}

  async profileFile(resource?: vscode.Uri): Promise<void> {
    const file = await this.file(resource);
    if (file) {
      await this.start(file, {});
    }
  }

  async profileFileWithOptions(resource?: vscode.Uri): Promise<void> {
    const file = await this.file(resource);
    if (!file) {
      return;
    }
    const all = this.memory.get<Readonly<Record<string, ProfileOptions>>>(OPTIONS, {});
    const settings = profileSettings(vscode.workspace.getConfiguration('kinetoscope', file));
    const options = await askOptions(path.basename(file.fsPath), settings, all[file.fsPath] ?? {});
    if (options) {
      await this.memory.update(OPTIONS, { ...all, [file.fsPath]: options });
      await this.start(file, options);
    }
  }

  async rerunLast(): Promise<void> {
    const last = this.memory.get<LastProfile>(LAST);
    if (!last) {
      void vscode.window.showInformationMessage(
        'Nothing was profiled in this workspace yet. Open a Python script and choose “Profile This Script”.',
      );
    } else if (this.allowed()) {
      await this.start(vscode.Uri.file(last.file), last.options);
    }
  }

  /** The script to profile: saved, on disk, in a trusted workspace. Says why where there is none. */
  private async file(resource: vscode.Uri | undefined): Promise<vscode.Uri | undefined> {
    const uri = resource ?? vscode.window.activeTextEditor?.document.uri;
    if (!this.allowed()) {
      return undefined;
    }
    if (!uri || (uri.scheme !== 'file' && uri.scheme !== 'untitled')) {
      void vscode.window.showErrorMessage('There is no script to profile. Open a Python file first.');
      return undefined;
    }
    if (uri.scheme === 'untitled') {
      const saved = await vscode.workspace.save(uri);
      return saved?.scheme === 'file' ? saved : undefined;
    }
    return uri;
  }

  private allowed(): boolean {
    if (vscode.workspace.isTrusted) {
      return true;
    }
    const manage = 'Manage Workspace Trust';
    void vscode.window
      .showErrorMessage(
        'Profiling runs the script. This workspace is in Restricted Mode, where nothing is executed; runs can still be viewed.',
        manage,
      )
      .then((choice) => {
        if (choice === manage) {
          void vscode.commands.executeCommand('workbench.trust.manage');
        }
      });
    return false;
  }

  private async start(file: vscode.Uri, options: ProfileOptions): Promise<void> {
    try {
      if (!(await endedBefore(file))) {
        return;
      }
      await saveUnsaved(file);
      const { path: python } = await this.interpreters.chooseForProfiling(file);
      await this.memory.update(LAST, { file: file.fsPath, options } satisfies LastProfile);
      await vscode.tasks.executeTask(this.tasks.forFile(file, options, python));
      this.onStart(runFolderOf(file));
    } catch (error) {
      this.report(error);
    }
  }

  private report(error: unknown): void {
    const problem = asProblem(error);
    this.log.error(problemText(problem));
    const select = 'Select Interpreter';
    const show = 'Show Log';
    void vscode.window.showErrorMessage(problemText(problem), select, show).then((choice) => {
      if (choice === select) {
        void vscode.commands.executeCommand('kinetoscope.selectInterpreter');
      } else if (choice === show) {
        this.log.show();
      }
    });
  }
}

/** Asks what to do where the script still runs since it was profiled last. False: leave it. */
async function endedBefore(file: vscode.Uri): Promise<boolean> {
  const running = vscode.tasks.taskExecutions.find(({ task }) => {
    const { type, program } = task.definition as Partial<ProfileTaskDefinition>;
    return type === TASK_TYPE && program === file.fsPath;
  });
  if (!running) {
    return true;
  }
  const again = 'Stop It and Profile Again';
  const name = path.basename(file.fsPath);
  if ((await vscode.window.showWarningMessage(`${name} is still running since it was profiled last.`, again)) !== again) {
    return false;
  }
  await new Promise<void>((resolve) => {
    const ended = vscode.tasks.onDidEndTask(({ execution }) => {
      if (execution === running) {
        ended.dispose();
        resolve();
      }
    });
    // It may have ended while the question stood there.
    if (vscode.tasks.taskExecutions.includes(running)) {
      running.terminate();
    } else {
      ended.dispose();
      resolve();
    }
  });
  return true;
}

/** Saves the script and every other changed Python file: the program reads them from disk. */
async function saveUnsaved(file: vscode.Uri): Promise<void> {
  const unsaved = vscode.workspace.textDocuments.filter(
    (document) =>
      document.isDirty && document.uri.scheme === 'file' && (document.languageId === 'python' || document.uri.fsPath === file.fsPath),
  );
  const saved = await Promise.all(unsaved.map(async (document) => ({ name: document.fileName, ok: await document.save() })));
  const failed = saved.find(({ ok }) => !ok);
  if (failed) {
    throw new ProblemError({ what: `${failed.name} could not be saved.`, remedy: 'Save it, then profile again.' });
  }
}
