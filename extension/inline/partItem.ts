/**
 * Says in the status bar that the inline numbers are of a part of the active run only; a click brings those of the whole recording back.
 */
import * as vscode from 'vscode';
import { partText } from '../format';
import { asProblem } from '../problem';
import type { RunStore } from '../runs/store';
import type { Server } from '../server/server';
import type { Part } from '../server/wire';

export const CLEAR_SELECTION = 'kinetoscope.clearSelection';

export class PartItem implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem('kinetoscope.part', vscode.StatusBarAlignment.Left, 48);
  private readonly parts = new Map<string, Part>();
  private readonly subscriptions: { dispose(): unknown }[];

  constructor(
    private readonly server: Server,
    private readonly store: RunStore,
  ) {
    this.item.name = 'Kinetoscope: part of the run that is shown';
    this.item.command = CLEAR_SELECTION;
    this.subscriptions = [
      this.item,
      server.on('kinetoscope/part/changed', ({ run, part }) => {
        this.parts.set(run, part);
        this.show();
      }),
      server.onDidChangeState((state) => {
        // A server that starts anew knows no selection.
        if (state !== 'running') {
          this.parts.clear();
          this.show();
        }
      }),
      store.onDidChange(() => this.show()),
    ];
  }

  /** Selects the whole recording of the active run, of its lowest rank. */
  async clear(): Promise<void> {
    try {
      await this.server.request('kinetoscope/part/select', { run: null, part: {} });
    } catch (error) {
      void vscode.window.showErrorMessage(asProblem(error, '').what);
    }
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  private show(): void {
    const part = this.store.active ? this.parts.get(this.store.active.path) : undefined;
    const rank = part?.rank ?? null;
    const words = [rank === null ? null : `Rank ${rank}`, partText(part?.step ?? null, part?.range_us ?? null)];
    const text = words.filter((word) => word !== null).join(', ');
    if (text === '') {
      this.item.hide();
      return;
    }
    this.item.text = `$(filter) ${text}`;
    this.item.tooltip = `The numbers on lines are of this part of the run: ${text}.\nClick to show those of the whole recording.`;
    this.item.show();
  }
}
