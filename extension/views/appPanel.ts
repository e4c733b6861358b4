/**
 * The app as an editor panel beside the code. One panel follows the active run; a run that is opened from the list gets one of its own, and so does a
 * trace that is opened as a file.
 */
import * as vscode from 'vscode';
import { ProblemError } from '../problem';
import type { Problem } from '../problem';
import type { RunStore } from '../runs/store';
import type { Server } from '../server/server';
import type { Requests } from '../server/wire';
import { openTraceFile } from '../traces/commands';
import { PageBridge } from './bridge';
import type { PageHandlers } from './bridge';
import type { AppState, PageCommand, PageEvents, PageId, ServerMethod, Target, ToldMethod } from './messages';
import { PASSED_METHODS } from './methods';
import type { PassedMethod } from './methods';
import type { PlaceOpener } from './openPlace';
import { pageHtml } from './page';

export const APP_VIEW = 'kinetoscope.app';
/** The panel of earlier versions, which had the Lines page alone. */
const LINES_VIEW = 'kinetoscope.lines';

/** Where a command leads: a page, and what it is to show there. */
export interface Way {
  readonly page: PageId;
  readonly target?: Target;
}

interface Open {
  /** Null: the panel that follows the active run. */
  readonly run: string | null;
  readonly panel: vscode.WebviewPanel;
  readonly bridge: PageBridge;
}

export class AppPanels implements vscode.WebviewPanelSerializer, vscode.Disposable {
  private readonly open = new Set<Open>();
  private readonly subscriptions: vscode.Disposable[];
  private readonly root: vscode.Uri;

  constructor(
    extensionUri: vscode.Uri,
    private readonly server: Server,
    private readonly store: RunStore,
    private readonly places: PlaceOpener,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.root = vscode.Uri.joinPath(extensionUri, 'dist', 'webview');
    this.subscriptions = [
      vscode.window.registerWebviewPanelSerializer(APP_VIEW, this),
      vscode.window.registerWebviewPanelSerializer(LINES_VIEW, this),
      server.on('kinetoscope/runs/changed', (params) => this.tell('kinetoscope/runs/changed', params)),
      server.on('kinetoscope/lines/changed', (params) => {
        if (params.uri === null) {
          this.tell('kinetoscope/lines/changed', params);
        }
      }),
      server.on('kinetoscope/part/changed', (params) => this.tell('kinetoscope/part/changed', params, params.run)),
      server.on('kinetoscope/read/progress', (params) => this.tell('kinetoscope/read/progress', params, params.run)),
    ];
  }

  /**
   * Opens or reveals the app beside the code, and goes to a page in it. `run` undefined or the active one: the panel that follows. Without a `way` it is
   * where it was.
   */
  show(run?: string | null, way?: Way): void {
    const key = run === undefined || run === null || run === this.store.active?.path ? null : run;
    const known = this.of(key);
    const open = known ?? this.adopt(this.create(), key);
    if (known) {
      known.panel.reveal(undefined, way?.target !== undefined);
    }
    if (way) {
      open.bridge.send('show', { page: way.page, target: way.target ?? null });
    }
  }

  async deserializeWebviewPanel(panel: vscode.WebviewPanel, state: Partial<AppState> | undefined): Promise<void> {
    const run = typeof state?.run === 'string' && state.run !== '' ? state.run : null;
    if (this.of(run)) {
      panel.dispose();
    } else {
      const { bridge } = this.adopt(panel, run);
      if (panel.viewType === LINES_VIEW) {
        bridge.send('show', { page: 'lines', target: null });
      }
    }
    await Promise.resolve();
  }

  /** Fills the panel of a trace that is opened as a file. `problem`: why it can't be read. */
  fill(panel: vscode.WebviewPanel, trace: string, problem?: Problem): void {
    this.attach(panel, trace, problem ?? null, false);
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
    for (const { panel } of [...this.open]) {
      panel.dispose();
    }
  }

  private create(): vscode.WebviewPanel {
    const column = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
    return vscode.window.createWebviewPanel(APP_VIEW, 'Kinetoscope', column, this.options());
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
    return this.attach(panel, run, null, true);
  }

  /** `titled`: the panel's title is the app's; that of a file is the file's name. */
  private attach(panel: vscode.WebviewPanel, run: string | null, problem: Problem | null, titled: boolean): Open {
    panel.webview.options = this.options();
    const bridge = new PageBridge(panel.webview, this.handlers(panel, run, problem, titled));
    const open = { run, panel, bridge };
    this.open.add(open);
    panel.onDidChangeViewState(() => {
      if (!panel.visible) {
        bridge.gone();
      }
    });
    panel.onDidDispose(() => {
      bridge.dispose();
      this.open.delete(open);
    });
    panel.webview.html = pageHtml(panel.webview, this.root, 'app', panel.title, run);
    return open;
  }

  /** What a page may ask. When it is closed it waits no more: a reading that is only for it ends. */
  private handlers(panel: vscode.WebviewPanel, run: string | null, problem: Problem | null, titled: boolean): PageHandlers {
    const ask = async <M extends ServerMethod>(
      method: M,
      params: Requests[M]['params'],
      signal: AbortSignal,
    ): Promise<Requests[M]['result']> => {
      if (problem) {
        throw new ProblemError(problem);
      }
      const cancelling = new vscode.CancellationTokenSource();
      signal.addEventListener('abort', () => cancelling.cancel(), { once: true });
      return await this.server.request(method, params, cancelling.token);
    };
    const passed = PASSED_METHODS.map((method) => [
      method,
      async (params: { readonly run?: string | null }, signal: AbortSignal) =>
        await ask(method, { ...params, run: this.checked(params.run ?? run, run) }, signal),
    ]);
    return {
      // SAFETY: each method of the list is answered with what the server answers it.
      ...(Object.fromEntries(passed) as Pick<PageHandlers, PassedMethod>),
      'kinetoscope/runs/list': async (_, signal) => await ask('kinetoscope/runs/list', {}, signal),
      'kinetoscope/compare': async ({ before, rank }, signal) => {
        const runs = { before: this.checked(before, run) ?? before, after: run };
        return await ask('kinetoscope/compare', { ...runs, ...(rank === undefined ? {} : { rank }) }, signal);
      },
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
      'host/show-run': async ({ run: other }) => {
        await this.showRun(other, run);
        return {};
      },
      'host/baseline': async ({ run: chosen }) => {
        await this.store.setBaseline(this.checked(chosen, null));
        return {};
      },
      'host/title': async ({ title }) => {
        if (titled && title !== '') {
          panel.title = title;
        }
        return await Promise.resolve({});
      },
    };
  }

  /** A page sees its own run, and others of the list to compare with; no file that it may name. */
  private checked(asked: string | null, own: string | null): string | null {
    if (asked !== own && this.store.runs.every(({ path }) => path !== asked)) {
      throw new ProblemError({ what: 'This run is not in the list of runs.', remedy: 'Choose one of the list.' });
    }
    return asked;
  }

  /** Another run of the list: the panel that follows makes it the active one. */
  private async showRun(path: string, from: string | null): Promise<void> {
    const summary = this.store.runs.find((one) => one.path === path);
    if (summary === undefined) {
      return;
    }
    if (from === null) {
      await this.store.setActive(path);
    } else if (summary.kind === 'trace') {
      await openTraceFile(vscode.Uri.file(path));
    } else {
      this.show(path);
    }
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

  /** Passes on what the server tells; with `of` to the panels of this run only. */
  private tell<M extends ToldMethod>(method: M, params: PageEvents[M], of?: string): void {
    for (const { run, bridge } of this.open) {
      if (of === undefined || of === (run ?? this.store.active?.path)) {
        bridge.send(method, params);
      }
    }
  }
}
