/**
 * Jumps to a profiled line: the server says where it is now, only files that exist are opened, and one outside the workspace only after the user
 * agreed, since its name came from a trace.
 */
import * as fs from 'node:fs';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { asProblem } from '../problem';
import type { Server } from '../server/server';
import type { Place } from '../server/wire';
import type { SourceLocator } from '../sources/locate';
import type { SourceMemory } from '../sources/memory';

export interface PlaceRequest {
  readonly run?: string | null;
  readonly file: string;
  readonly line: number;
  /** Use the active column; otherwise the one beside the page that asks. */
  readonly inPlace?: boolean;
}

const FLASH_MS = 1200;

export class PlaceOpener implements vscode.Disposable {
  private readonly flash = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor('editor.findMatchHighlightBackground'),
  });
  private timer: NodeJS.Timeout | undefined;
  /** Folders outside the workspace that the user agreed to, in this session. */
  private readonly agreed = new Set<string>();

  constructor(
    private readonly server: Server,
    private readonly memory: SourceMemory,
    private readonly locator: SourceLocator,
  ) {}

  async open(request: PlaceRequest): Promise<void> {
    try {
      const place = await this.find(request);
      if (place.path === null) {
        void this.offerToLocate(request, place);
      } else if (!path.isAbsolute(place.path) || !isFile(place.path)) {
        void vscode.window.showWarningMessage(`${place.path} does not exist, or is no file.`);
      } else if (await this.mayOpen(place.path)) {
        await this.show(place.path, place.line, request.inPlace === true);
      }
    } catch (error) {
      void vscode.window.showErrorMessage(`${request.file}:${request.line} can't be opened. ${asProblem(error).what}`);
    }
  }

  /** Where it is. The interpreter, whose packages it may be one of, is asked only when nothing else knows the file. */
  private async find({ run, file, line }: PlaceRequest): Promise<Place> {
    const ask = async () => await this.server.request('kinetoscope/source/place', { run: run ?? null, file, line });
    const place = await ask();
    return place.path === null && place.candidates.length === 0 && (await this.memory.askInterpreter()) ? await ask() : place;
  }

  private async offerToLocate(request: PlaceRequest, { problem, candidates }: Place): Promise<void> {
    const locate = 'Locate source…';
    const choice = await vscode.window.showWarningMessage(problem ?? `${request.file} was not found.`, locate);
    const chosen = choice === locate ? await this.locator.locate(request.file, candidates) : undefined;
    if (chosen !== undefined) {
      this.agreed.add(path.dirname(chosen));
      await this.open(request);
    }
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.flash.dispose();
  }

  private async mayOpen(file: string): Promise<boolean> {
    const folder = path.dirname(file);
    if (vscode.workspace.getWorkspaceFolder(vscode.Uri.file(file)) !== undefined || this.agreed.has(folder)) {
      return true;
    }
    const open = 'Open';
    const detail = `${file}\n\nThe profile names this file. Other files of its folder are then opened without asking, until the window is closed.`;
    const choice = await vscode.window.showWarningMessage('Open a file outside the workspace?', { modal: true, detail }, open);
    if (choice === open) {
      this.agreed.add(folder);
      return true;
    }
    return false;
  }

  private async show(file: string, line: number, inPlace: boolean): Promise<void> {
    const document = await vscode.workspace.openTextDocument(vscode.Uri.file(file));
    const text = document.lineAt(Math.min(Math.max(line, 1), document.lineCount) - 1);
    const position = text.range.start.with({ character: text.firstNonWhitespaceCharacterIndex });
    const editor = await vscode.window.showTextDocument(document, {
      viewColumn: inPlace ? vscode.ViewColumn.Active : columnFor(document.uri),
      selection: new vscode.Range(position, position),
      preserveFocus: false,
    });
    editor.revealRange(new vscode.Range(position, position), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    editor.setDecorations(this.flash, [new vscode.Range(position, position)]);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      // An editor that was closed meanwhile takes no decorations.
      if (vscode.window.visibleTextEditors.includes(editor)) {
        editor.setDecorations(this.flash, []);
      }
    }, FLASH_MS);
  }
}

/** The column that shows the file already, else any that shows text, else the one beside: a page is never covered by the file it points at. */
function columnFor(uri: vscode.Uri): vscode.ViewColumn {
  const groups = vscode.window.tabGroups.all;
  const showing = groups.find(({ tabs }) =>
    tabs.some(({ input }) => input instanceof vscode.TabInputText && input.uri.toString() === uri.toString()),
  );
  const active = vscode.window.tabGroups.activeTabGroup;
  const text = groups.find((group) => group !== active && group.activeTab?.input instanceof vscode.TabInputText);
  const activeIsText = active.activeTab === undefined || active.activeTab.input instanceof vscode.TabInputText;
  return (showing ?? (activeIsText ? active : text))?.viewColumn ?? vscode.ViewColumn.Beside;
}

function isFile(file: string): boolean {
  try {
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}
