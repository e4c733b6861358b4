/**
 * *Open in TensorBoard*: the user's own TensorBoard with the profiler's plugin, in an editor. Clicks on frames of its stacks open their lines; the
 * process ends with its editor.
 */
import * as path from 'node:path';
import * as vscode from 'vscode';
import { asProblem, ProblemError, problemText } from '../problem';
import type { Interpreters } from '../python/interpreters';
import type { RunStore } from '../runs/store';
import type { Server } from '../server/server';
import type { SourceLine } from '../views/messages';
import type { PlaceOpener } from '../views/openPlace';
import { jumpOf } from './jump';
import { tensorBoardHtml } from './page';
import { checkInstalled, installCommand, PACKAGES, TensorBoard } from './process';

const VIEW = 'kinetoscope.tensorboard';

export class TensorBoards implements vscode.Disposable {
  /** By the folder of traces. */
  private readonly open = new Map<string, vscode.WebviewPanel>();
  /** Folders whose TensorBoard is on its way: asked for again, it is not started again. */
  private readonly starting = new Set<string>();
  /** Cancelled with the window: what is on its way then does not start. */
  private readonly closing = new vscode.CancellationTokenSource();

  constructor(
    private readonly server: Server,
    private readonly store: RunStore,
    private readonly interpreters: Interpreters,
    private readonly places: PlaceOpener,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  /** `uri`: a trace or a folder of the explorer; without it the active run, else a folder that is asked for. */
  async show(uri?: vscode.Uri): Promise<void> {
    try {
      const chosen = uri ?? (this.store.active ? vscode.Uri.file(this.store.active.path) : await askForFolder());
      if (chosen === undefined) {
        return;
      }
      const folder = await folderOf(chosen);
      const known = this.open.get(folder);
      if (known) {
        known.reveal();
        return;
      }
      if (this.starting.has(folder)) {
        return;
      }
      this.starting.add(folder);
      await this.start(folder, chosen.fsPath).finally(() => this.starting.delete(folder));
    } catch (error) {
      await this.report(error);
    }
  }

  dispose(): void {
    this.closing.cancel();
    this.closing.dispose();
    for (const panel of [...this.open.values()]) {
      panel.dispose();
    }
  }

  private async start(folder: string, shownPath: string): Promise<void> {
    if (!vscode.workspace.isTrusted) {
      throw new ProblemError({
        what: 'TensorBoard is not started in Restricted Mode: it runs the interpreter of this workspace.',
        remedy: 'Trust the workspace, or look at the trace with Kinetoscope, which runs nothing of it.',
      });
    }
    const interpreter = await this.interpreters.choose(vscode.Uri.file(folder));
    const title = `Starting TensorBoard for ${path.basename(folder)}`;
    const progress = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
    const board = await vscode.window.withProgress(progress, async (_, cancelled) => {
      const either = new vscode.CancellationTokenSource();
      const { token } = either;
      const given = [cancelled, this.closing.token].map((each) => each.onCancellationRequested(() => either.cancel()));
      try {
        await checkInstalled(interpreter.path, token);
        return await TensorBoard.start(interpreter.path, folder, (line) => this.log.info(`TensorBoard: ${line}`), token);
      } catch (error) {
        // Who cancels knows that it does not start.
        if (token.isCancellationRequested) {
          return undefined;
        }
        throw error;
      } finally {
        vscode.Disposable.from(...given).dispose();
      }
    });
    if (board === undefined) {
      return;
    }
    const panel = vscode.window.createWebviewPanel(VIEW, `TensorBoard: ${path.basename(folder)}`, vscode.ViewColumn.Active, {
      enableScripts: true,
      // It is a page of its own: loaded again it would forget where the user was.
      retainContextWhenHidden: true,
      localResourceRoots: [],
    });
    this.open.set(folder, panel);
    panel.onDidDispose(() => {
      this.open.delete(folder);
      board.stop();
    });
    board.onDidEnd(() => {
      if (this.open.get(folder) === panel) {
        panel.dispose();
        void this.tellEnded();
      }
    });
    panel.webview.onDidReceiveMessage((message: unknown) => {
      const place = jumpOf(message);
      if (place) {
        void this.jump(folder, shownPath, place);
      }
    });
    // Over SSH and in a browser the port is reached by another address than here.
    panel.webview.html = tensorBoardHtml((await vscode.env.asExternalUri(vscode.Uri.parse(board.address))).toString(true));
  }

  private async jump(folder: string, shownPath: string, place: SourceLine): Promise<void> {
    try {
      await this.places.open({ run: await this.runOf(folder, shownPath), ...place });
    } catch (error) {
      await this.report(error);
    }
  }

  /** The run or trace whose files the names of frames are: what was opened, else what the folder has first. */
  private async runOf(folder: string, shownPath: string): Promise<string | null> {
    if (shownPath !== folder || this.store.runs.some(({ path: run }) => run === shownPath)) {
      return shownPath;
    }
    const found = await this.server.request('kinetoscope/traces/find', { folder });
    return found.runs[0]?.path ?? found.traces[0]?.path ?? null;
  }

  private async tellEnded(): Promise<void> {
    const show = 'Show Log';
    if ((await vscode.window.showWarningMessage('TensorBoard ended. The log has what it said.', show)) === show) {
      this.log.show();
    }
  }

  private async report(error: unknown): Promise<void> {
    const problem = asProblem(error);
    this.log.error([problemText(problem), problem.detail ?? ''].join('\n').trim());
    const lacks = problem.remedy.startsWith('Install');
    const copy = 'Copy Command';
    const select = 'Select Interpreter';
    const show = 'Show Log';
    const choice = await vscode.window.showErrorMessage(problemText(problem), ...(lacks ? [copy, select] : [show]));
    if (choice === copy) {
      await vscode.env.clipboard.writeText(installCommand(problem.command ?? 'python', Object.values(PACKAGES)));
    } else if (choice === select) {
      await vscode.commands.executeCommand('kinetoscope.selectInterpreter');
    } else if (choice === show) {
      this.log.show();
    }
  }
}

async function askForFolder(): Promise<vscode.Uri | undefined> {
  const options = { title: 'Folder of traces', openLabel: 'Open in TensorBoard', canSelectFiles: false, canSelectFolders: true };
  return (await vscode.window.showOpenDialog(options))?.[0];
}

/** The folder of traces; TensorBoard takes no single file. Throws a ProblemError for a file that its plugin can't read. */
async function folderOf(chosen: vscode.Uri): Promise<string> {
  const { type } = await vscode.workspace.fs.stat(chosen);
  if ((type & vscode.FileType.Directory) !== 0) {
    return chosen.fsPath;
  }
  if (!/\.pt\.trace\.json(\.gz)?$/.test(chosen.path)) {
    throw new ProblemError({
      what: `TensorBoard's profiler plugin reads files named *.pt.trace.json and *.pt.trace.json.gz only, not ${path.basename(chosen.fsPath)}.`,
      remedy: 'Open it with Kinetoscope, or rename a copy.',
    });
  }
  return path.dirname(chosen.fsPath);
}
