/**
 * Draws heat in the visible Python editors: a bar before each costly line and its mark in the overview ruler. The server says which lines of the
 * present text are hot; VS Code moves the bars with edits until it has answered for the new text.
 */
import * as vscode from 'vscode';
import { asProblem } from '../problem';
import type { Server } from '../server/server';
import { heatShown } from '../settings';
import { BAR_WIDTH_CH, groupHeat, LEVELS, liesBehindCode } from './bars';
import type { Level } from './bars';

/**
 * Edits come in bursts, and the editor moves the bars along by itself: nothing is drawn before a pause. An editor takes decorations without a
 * version, so that bars drawn amid typing could land where their lines were a keystroke ago.
 */
const PAUSE_MS = 250;

export class Heat implements vscode.Disposable {
  private readonly types = new Map<string, vscode.TextEditorDecorationType>();
  private readonly timers = new Map<string, NodeJS.Timeout>();
  private readonly hot = new Set<vscode.TextEditor>();
  private readonly subscriptions: vscode.Disposable[];

  constructor(
    private readonly server: Server,
    private readonly log: vscode.LogOutputChannel,
  ) {
    for (const level of LEVELS) {
      this.types.set(key(level, false), decoration(level, false));
      this.types.set(key(level, true), decoration(level, true));
    }
    this.subscriptions = [
      ...this.types.values(),
      server.on('kinetoscope/lines/changed', ({ uri }) => this.refreshAll(uri)),
      server.onDidChangeState(() => this.refreshAll(null)),
      vscode.window.onDidChangeVisibleTextEditors(() => this.refreshAll(null)),
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length > 0) {
          this.schedule(document);
        }
      }),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('kinetoscope.inline')) {
          this.refreshAll(null);
        }
      }),
    ];
  }

  dispose(): void {
    for (const timer of this.timers.values()) {
      clearTimeout(timer);
    }
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  private refreshAll(uri: string | null): void {
    for (const document of new Set(vscode.window.visibleTextEditors.map((editor) => editor.document))) {
      if (uri === null || uri === document.uri.toString()) {
        void this.refresh(document);
      }
    }
  }

  private schedule(document: vscode.TextDocument): void {
    const name = document.uri.toString();
    clearTimeout(this.timers.get(name));
    this.timers.set(
      name,
      setTimeout(() => {
        this.timers.delete(name);
        void this.refresh(document);
      }, PAUSE_MS),
    );
  }

  private async refresh(document: vscode.TextDocument): Promise<void> {
    if (document.languageId !== 'python' || document.uri.scheme !== 'file') {
      return;
    }
    const shown = this.server.state === 'running' && heatShown(vscode.workspace.getConfiguration('kinetoscope', document));
    if (!shown) {
      this.draw(document, []);
      return;
    }
    try {
      const heat = await this.server.request('kinetoscope/lines/heat', { uri: document.uri.toString() });
      // Where the text changed while the server answered, the change has scheduled another question.
      if (!this.timers.has(document.uri.toString()) && (heat.version === null || heat.version === document.version)) {
        this.draw(document, heat.lines);
      }
    } catch (error) {
      this.log.warn(`No heat for ${document.uri.fsPath}: ${asProblem(error).what}`);
    }
  }

  private draw(document: vscode.TextDocument, lines: Parameters<typeof groupHeat>[0]): void {
    const groups = groupHeat(lines.filter(({ line }) => line <= document.lineCount));
    for (const editor of vscode.window.visibleTextEditors.filter((each) => each.document === document)) {
      for (const { level, stale, lines: hot } of groups) {
        const type = this.types.get(key(level, stale));
        if (type) {
          editor.setDecorations(
            type,
            hot.map(({ line }) => {
              const range = new vscode.Range(line - 1, 0, line - 1, 0);
              return liesBehindCode(document.lineAt(line - 1).text, level)
                ? { range, renderOptions: { before: { height: '3px', textDecoration: place('top: auto; bottom: 0', stale) } } }
                : { range };
            }),
          );
        }
      }
      if (lines.length > 0) {
        this.hot.add(editor);
      } else {
        this.hot.delete(editor);
      }
    }
    const visible = new Set(vscode.window.visibleTextEditors);
    const hasInline = [...this.hot].some((editor) => visible.has(editor));
    void vscode.commands.executeCommand('setContext', 'kinetoscope.hasInline', hasInline);
  }
}

function key(level: Level, stale: boolean): string {
  return `${level}${stale ? ' stale' : ''}`;
}

function decoration(level: Level, stale: boolean): vscode.TextEditorDecorationType {
  const color = new vscode.ThemeColor(`kinetoscope.heat${level}`);
  return vscode.window.createTextEditorDecorationType({
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
    overviewRulerColor: stale ? new vscode.ThemeColor('kinetoscope.stale') : color,
    overviewRulerLane: vscode.OverviewRulerLane.Right,
    before: {
      contentText: '',
      width: `${BAR_WIDTH_CH[level]}ch`,
      height: '72%',
      backgroundColor: stale ? new vscode.ThemeColor('kinetoscope.stale') : color,
      textDecoration: place('top: 14%', stale),
    },
  });
}

/** Rules that the API has no words for: out of the text's flow, behind it, and nothing to click. */
function place(where: string, stale: boolean): string {
  const opacity = stale ? 0.45 : 0.85;
  return `none; position: absolute; left: 0; ${where}; z-index: -1; pointer-events: none; border-radius: 0 2px 2px 0; opacity: ${opacity}`;
}
