/**
 * The runs of this window the active one and the baseline, as the server last said. Remembers these two across sessions.
 */
import * as vscode from 'vscode';
import { asProblem } from '../problem';
import type { Server } from '../server/server';
import type { RunList, RunSummary } from '../server/wire';

const ACTIVE = 'kinetoscope.activeRun';
const BASELINE = 'kinetoscope.baseline';

/** The run that was active when the window was last open: what the server starts with. */
export function rememberedRun(memory: vscode.Memento): string | null {
  return memory.get<string | null>(ACTIVE, null);
}

/** The baseline that was chosen when the window was last open. */
export function rememberedBaseline(memory: vscode.Memento): string | null {
  return memory.get<string | null>(BASELINE, null);
}

export class RunStore implements vscode.Disposable {
  private list: RunList = { runs: [], active: null, baseline: null };
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly subscriptions: { dispose(): unknown }[];
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

  /** The run that the active one's numbers in the editor are compared with. */
  get baseline(): RunSummary | undefined {
    return this.list.runs.find(({ path }) => path === this.list.baseline);
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

  async setBaseline(run: string | null): Promise<void> {
    this.accept(await this.server.request('kinetoscope/runs/set_baseline', { run }));
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
    void this.memory.update(BASELINE, list.baseline);
    void vscode.commands.executeCommand('setContext', 'kinetoscope.hasRuns', list.runs.length > 0);
    this.changed.fire();
  }
}
