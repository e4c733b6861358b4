/**
 * The runs of this window and the active one, as the server last said. Remembers the active run across sessions.
 */
import * as vscode from 'vscode';
import { asProblem } from '../problem';
import type { Server } from '../server/server';
import type { ReadProgress, RunList, RunSummary } from '../server/wire';

const ACTIVE = 'kinetoscope.activeRun';

export class RunStore implements vscode.Disposable {
  private list: RunList = { runs: [], active: null };
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly subscriptions: vscode.Disposable[];
  /** Fires when the list or the active run is another. */
  readonly onDidChange = this.changed.event;

  constructor(
    private readonly server: Server,
    private readonly memory: vscode.Memento,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.subscriptions = [
      this.changed,
      server.on('kinetoscope/runs/changed', () => void this.refresh()),
      server.onDidChangeState((state) => {
        if (state === 'running') {
          void this.refresh();
        }
      }),
    ];
  }

  get runs(): readonly RunSummary[] {
    return this.list.runs;
  }

  get active(): RunSummary | undefined {
    return this.list.runs.find(({ path }) => path === this.list.active);
  }

  /** The run that was active when the window was last open: what the server starts with. */
  get remembered(): string | null {
    return this.memory.get<string | null>(ACTIVE, null);
  }

  /** Asks the server, which looks at the disk. Starts it where needed. */
  async refresh(): Promise<void> {
    try {
      this.accept(await this.server.request('kinetoscope/runs/list', {}));
    } catch (error) {
      this.log.debug(`No list of runs: ${asProblem(error).what}`);
    }
  }

  async setActive(run: string | null): Promise<void> {
    this.accept(await this.server.request('kinetoscope/runs/set_active', { run }));
  }

  async delete(run: string): Promise<void> {
    this.accept(await this.server.request('kinetoscope/runs/delete', { run }));
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  private accept(list: RunList): void {
    this.list = list;
    void this.memory.update(ACTIVE, list.active);
    void vscode.commands.executeCommand('setContext', 'kinetoscope.hasRuns', list.runs.length > 0);
    this.changed.fire();
  }
}

/** Shows that a run is being read in the status bar; a click cancels it. */
export class ReadingItem implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem('kinetoscope.reading', vscode.StatusBarAlignment.Left, 49);
  private readonly subscription: vscode.Disposable;

  constructor(server: Server, log: vscode.LogOutputChannel) {
    this.item.name = 'Kinetoscope: reading a run';
    this.subscription = server.on('kinetoscope/read/progress', (progress) => this.show(progress, log));
  }

  dispose(): void {
    this.subscription.dispose();
    this.item.dispose();
  }

  private show({ run, stage, done, total, problem }: ReadProgress, log: vscode.LogOutputChannel): void {
    if (stage === 'failed') {
      log.error(`Reading ${run} failed: ${problem ?? 'no reason given'}`);
    }
    if (stage === 'done' || stage === 'failed' || stage === 'cancelled') {
      this.item.hide();
      return;
    }
    const percent = stage === 'reading' && total > 0 ? ` ${Math.floor((100 * done) / total)} %` : '';
    this.item.text = `$(loading~spin) ${{ reading: 'reading run', linking: 'linking run', lines: 'summing up lines' }[stage]}${percent}`;
    this.item.tooltip = `${run}\nClick to cancel.`;
    this.item.command = { command: 'kinetoscope.cancelReading', title: 'Cancel', arguments: [run] };
    this.item.show();
  }
}
