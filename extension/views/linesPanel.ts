/**
 * The Lines view as an editor panel beside the code. One panel follows the active run; a run that is opened from the list gets one of its own.
 */
import * as vscode from 'vscode';
import type { RunStore } from '../runs/store';
import type { Server } from '../server/server';
import { PageBridge } from './bridge';
import type { LinesPageState, SourceLine } from './messages';
import type { PlaceOpener } from './openPlace';
import { pageHtml } from './page';

export const LINES_VIEW = 'kinetoscope.lines';

interface Open {
  readonly panel: vscode.WebviewPanel;
  readonly bridge: PageBridge;
}

export class LinesPanels implements vscode.WebviewPanelSerializer, vscode.Disposable {
  /** By run; null is the one that follows the active run. */
  private readonly open = new Map<string | null, Open>();
  private readonly subscriptions: vscode.Disposable[];
  private readonly root: vscode.Uri;
  private lastActive: string | null = null;

  constructor(
    extensionUri: vscode.Uri,
    private readonly server: Server,
    private readonly store: RunStore,
    private readonly places: PlaceOpener,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.root = vscode.Uri.joinPath(extensionUri, 'dist', 'webview');
    this.subscriptions = [
      vscode.window.registerWebviewPanelSerializer(LINES_VIEW, this),
      server.on('kinetoscope/lines/changed', ({ uri }) => {
        if (uri === null) {
          this.followActive();
        }
      }),
      server.on('kinetoscope/read/progress', (progress) => {
        for (const [run, { bridge }] of this.open) {
          if (progress.run === (run ?? this.store.active?.path)) {
            bridge.send('read-progress', progress);
          }
        }
      }),
      store.onDidChange(() => {
        if ((this.store.active?.path ?? null) !== this.lastActive) {
          this.followActive();
        }
      }),
    ];
  }

  /** Opens or reveals the view beside the code, and shows a line in it. `run` undefined or the active one: the panel that follows. */
  show(run?: string | null, line?: SourceLine): void {
    const key = run === undefined || run === null || run === this.store.active?.path ? null : run;
    const known = this.open.get(key);
    const open = known ?? this.adopt(this.create(), key);
    if (known) {
      known.panel.reveal(undefined, line !== undefined);
    }
    if (line) {
      open.bridge.send('show-line', line);
    }
  }

  async deserializeWebviewPanel(panel: vscode.WebviewPanel, state: LinesPageState | undefined): Promise<void> {
    const run = typeof state?.run === 'string' && state.run !== '' ? state.run : null;
    if (this.open.has(run)) {
      panel.dispose();
    } else {
      panel.webview.options = this.options();
      this.adopt(panel, run);
    }
    await Promise.resolve();
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
    for (const { panel } of [...this.open.values()]) {
      panel.dispose();
    }
  }

  private create(): vscode.WebviewPanel {
    const column = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
    return vscode.window.createWebviewPanel(LINES_VIEW, 'Lines', column, this.options());
  }

  private options(): vscode.WebviewOptions & vscode.WebviewPanelOptions {
    return { enableScripts: true, localResourceRoots: [this.root], enableFindWidget: false };
  }

  private adopt(panel: vscode.WebviewPanel, run: string | null): Open {
    const icon = (theme: string) => vscode.Uri.joinPath(this.root, '..', '..', 'media', `lines-${theme}.svg`);
    panel.iconPath = { light: icon('light'), dark: icon('dark') };
    const summary = run === null ? undefined : this.store.runs.find(({ path }) => path === run);
    panel.title = run === null ? 'Lines' : `Lines: ${summary?.name ?? 'run'}`;
    const bridge = new PageBridge(panel.webview, {
      // A page sees its own run only, whatever it asks for.
      'kinetoscope/lines/view': async (params) => await this.server.request('kinetoscope/lines/view', { ...params, run }),
      'kinetoscope/lines/detail': async (params) => await this.server.request('kinetoscope/lines/detail', { ...params, run }),
      'host/open': async ({ file, line }) => {
        await this.places.open({ run, file, line });
        return {};
      },
      'host/copy': async ({ text, what }) => {
        await vscode.env.clipboard.writeText(text);
        vscode.window.setStatusBarMessage(`$(check) Copied ${what}`, 3000);
        return {};
      },
      'host/run': async ({ command }) => {
        if (command === 'show-log') {
          this.log.show();
        } else {
          await vscode.commands.executeCommand('kinetoscope.rerunLast');
        }
        return {};
      },
    });
    const open = { panel, bridge };
    this.open.set(run, open);
    panel.onDidDispose(() => {
      bridge.dispose();
      this.open.delete(run);
    });
    panel.webview.html = pageHtml(panel.webview, this.root, 'lines', panel.title, run);
    return open;
  }

  private followActive(): void {
    this.lastActive = this.store.active?.path ?? null;
    this.open.get(null)?.bridge.send('run-changed', {});
  }
}
