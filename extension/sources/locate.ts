/**
 * "Locate source…": asks where a recorded file is and remembers the answer for all files beside it.
 */
import * as vscode from 'vscode';
import { asProblem, problemText } from '../problem';
import type { Server } from '../server/server';
import type { PathMapping, SourceFile } from '../server/wire';
import type { SourceMemory } from './memory';
import { fileName, sameName, wholePrefix } from './prefix';

export class SourceLocator {
  constructor(
    private readonly server: Server,
    private readonly memory: SourceMemory,
  ) {}

  /** The command of the palette: which file of the active run, then where it is. */
  async command(): Promise<void> {
    try {
      const { files } = await this.server.request('kinetoscope/source/files', { run: null });
      const picked = await vscode.window.showQuickPick(fileItems(files), {
        title: 'Source file to locate',
        placeHolder: files.length === 0 ? 'The active run names no source file' : '',
        matchOnDescription: true,
      });
      if (picked) {
        await this.locate(picked.file.file, picked.file.candidates);
      }
    } catch (error) {
      void vscode.window.showErrorMessage(problemText(asProblem(error, '')).trim());
    }
  }

  /** Asks where `file` is: one of the candidates, or any other. The answer, undefined where there was none. */
  async locate(file: string, candidates: readonly string[]): Promise<string | undefined> {
    const chosen = candidates.length > 0 ? await pickCandidate(file, candidates) : await browse(file);
    if (chosen === undefined || !(sameName(file, chosen) || (await confirmOtherName(file, chosen)))) {
      return undefined;
    }
    const answer = wholePrefix(file, chosen);
    await this.memory.remember(answer);
    vscode.window.setStatusBarMessage(`$(check) ${described(answer)}`, 6000);
    return chosen;
  }

  async forget(): Promise<void> {
    const count = await this.memory.forget();
    const what = count === 1 ? 'One located source was' : `${count} located sources were`;
    void vscode.window.showInformationMessage(count === 0 ? 'No source was located in this workspace.' : `${what} forgotten.`);
  }
}

function described({ remote_root, local_root }: PathMapping): string {
  return `${remote_root === '' ? 'Relative names' : remote_root} → ${local_root}`;
}

interface FileItem extends vscode.QuickPickItem {
  readonly file: SourceFile;
}

/** What is not found comes first. */
function fileItems(files: readonly SourceFile[]): FileItem[] {
  const items = files.map((file) => {
    const found = file.path !== null;
    const several = file.candidates.length;
    const state = several === 0 ? 'not found' : several === 1 ? 'may be one file here' : `may be ${several} files here`;
    return { label: `$(${found ? 'check' : several > 0 ? 'question' : 'error'}) ${file.file}`, description: file.path ?? state, file };
  });
  return [...items.filter(({ file }) => file.path === null), ...items.filter(({ file }) => file.path !== null)];
}

async function pickCandidate(file: string, candidates: readonly string[]): Promise<string | undefined> {
  const items = [
    ...candidates.map((path) => ({ label: vscode.workspace.asRelativePath(path), description: path, path })),
    { label: '$(folder-opened) Browse…', description: 'another file', path: undefined },
  ];
  const picked = await vscode.window.showQuickPick(items, { title: `Which file is ${file}?`, matchOnDescription: true });
  return picked && (picked.path ?? (await browse(file)));
}

async function browse(file: string): Promise<string | undefined> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const files = await vscode.window.showOpenDialog({
    title: `Where is ${file}?`,
    openLabel: 'Use this file',
    canSelectMany: false,
    filters: { Python: ['py', 'pyw', 'pyx'], 'All files': ['*'] },
    ...(folder && { defaultUri: folder }),
  });
  return files?.[0]?.fsPath;
}

async function confirmOtherName(file: string, chosen: string): Promise<boolean> {
  const use = 'Use it';
  const detail = `${file}\n\nwas recorded, and its numbers will be shown in\n\n${chosen}`;
  return (
    (await vscode.window.showWarningMessage(`${fileName(chosen)} has another name. Use it all the same?`, { modal: true, detail }, use)) ===
    use
  );
}
