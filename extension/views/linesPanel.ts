/**
 * The Lines view as an editor panel beside the code. One panel follows the active run; a run that is opened from the list gets one of its own,
 * and so does a trace that is opened as a file.
 */
import * as vscode from 'vscode';
import { ProblemError } from '../problem';
import type { Problem } from '../problem';
import type { RunStore } from '../runs/store';
import type { Server } from '../server/server';
import { PageBridge } from './bridge';
import type { LinesPageState, PageCommand, SourceLine } from './messages';
import type { PlaceOpener } from './openPlace';
import { pageHtml } from './page';

export const LINES_VIEW = 'kinetoscope.lines';

interface Open {
  /** Null: the panel that follows the active run. */
  readonly run: string | null;
  readonly panel: vscode.WebviewPanel;
  readonly bridge: PageBridge;
}

export class LinesPanels implements vscode.WebviewPanelSerializer, vscode.Disposable {
  private readonly open = new Set<Open>();
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
        for (const { run, bridge } of this.open) {
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
    const known = this.of(key);
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
    if (this.of(run)) {
      panel.dispose();
    } else {
      this.adopt(panel, run);
    }
    await Promise.resolve();
  }

  /** Fills the panel of a trace that is opened as a file. `problem`: why it can't be read. */
  fill(panel: vscode.WebviewPanel, trace: string, problem?: Problem): void {
    this.attach(panel, trace, problem);
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
    for (const { panel } of [...this.open]) {
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

  private of(run: string | null): Open | undefined {
    return [...this.open].find((open) => open.run === run);
  }

  private adopt(panel: vscode.WebviewPanel, run: string | null): Open {
    const icon = (theme: string) => vscode.Uri.joinPath(this.root, '..', '..', 'media', `lines-${theme}.svg`);
    panel.iconPath = { light: icon('light'), dark: icon('dark') };
    const summary = run === null ? undefined : this.store.runs.find(({ path }) => path === run);
    panel.title = run === null ? 'Lines' : `Lines: ${summary?.name ?? 'run'}`;
    return this.attach(panel, run);
  }

  private attach(panel: vscode.WebviewPanel, run: string | null, problem?: Problem): Open {
    panel.webview.options = this.options();
    const closed = new vscode.CancellationTokenSource();
    const bridge = new PageBridge(panel.webview, {
      // A page sees its own run only, whatever it asks for. When it is closed it waits no more: a reading that is only for it ends.
      'kinetoscope/lines/view': async (params) => {
        if (problem) {
          throw new ProblemError(problem);
        }
        return await this.server.request('kinetoscope/lines/view', { ...params, run }, closed.token);
      },
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
        await this.run(command, run);
        return {};
      },
    });
    const open = { run, panel, bridge };
    this.open.add(open);
    panel.onDidDispose(() => {
      closed.cancel();
      closed.dispose();
      bridge.dispose();
      this.open.delete(open);
    });
    panel.webview.html = pageHtml(panel.webview, this.root, 'lines', panel.title, run);
    return open;
  }

  private async run(command: PageCommand, run: string | null): Promise<void> {
    switch (command) {
      case 'show-log':
        this.log.show();
        break;
      case 'profile':
        await vscode.commands.executeCommand('kinetoscope.rerunLast');
        break;
      case 'cancel-reading':
        await vscode.commands.executeCommand('kinetoscope.cancelReading', run ?? this.store.active?.path);
        break;
      case 'show-in-editor':
        if (run !== null) {
          await this.store.setActive(run);
        }
    }
  }

  private followActive(): void {
    this.lastActive = this.store.active?.path ?? null;
    for (const { run, bridge } of this.open) {
      if (run === null) {
        bridge.send('run-changed', {});
      } else {
        bridge.send('active-changed', { active: run === this.lastActive });
      }
    }
  }
}
