/**
 * Shows in the status bar that a run is being read; a click cancels it.
 */
import * as vscode from 'vscode';
import type { Server } from '../server/server';
import type { ReadProgress } from '../server/wire';

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
