/**
 * The hot spots of the active run, as the server last ranked them.
 */
import * as vscode from 'vscode';
import { asProblem } from '../problem';
import type { Server } from '../server/server';
import type { HotSpot } from '../server/wire';
import type { RunStore } from './store';

/** Edits come in bursts: the list follows them after this pause. */
const PAUSE_MS = 300;

export class HotSpotList implements vscode.Disposable {
  private list: readonly HotSpot[] = [];
  private why: string | null = null;
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changed.event;
  private readonly subscriptions: { dispose(): unknown }[];
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly server: Server,
    store: RunStore,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.subscriptions = [
      this.changed,
      server.on('kinetoscope/lines/changed', () => this.schedule()),
      store.onDidChange(() => this.schedule()),
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length > 0 && this.list.some(({ path }) => path === document.uri.fsPath)) {
          this.schedule();
        }
      }),
    ];
  }

  get spots(): readonly HotSpot[] {
    return this.list;
  }

  /** Why there are none, else null. */
  get reason(): string | null {
    return this.why;
  }

  dispose(): void {
    clearTimeout(this.timer);
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  private schedule(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.refresh(), PAUSE_MS);
  }

  private async refresh(): Promise<void> {
    if (this.server.state !== 'running') {
      return;
    }
    try {
      const { spots, reason } = await this.server.request('kinetoscope/lines/hot_spots', {});
      this.list = spots;
      this.why = reason;
    } catch (error) {
      this.log.warn(`No hot spots: ${asProblem(error).what}`);
      this.list = [];
      this.why = asProblem(error).what;
    }
    this.changed.fire();
  }
}
