/**
 * Says in the status bar that the numbers on lines are compared with another run; a click ends that.
 */
import * as vscode from 'vscode';
import { when } from '../runs/describe';
import type { RunStore } from '../runs/store';

export const CLEAR_BASELINE = 'kinetoscope.clearBaseline';

export class BaselineItem implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem('kinetoscope.baseline', vscode.StatusBarAlignment.Left, 47);
  private readonly subscription: vscode.Disposable;

  constructor(private readonly store: RunStore) {
    this.item.name = 'Kinetoscope: baseline';
    this.item.command = CLEAR_BASELINE;
    this.subscription = vscode.Disposable.from(
      this.item,
      store.onDidChange(() => this.show()),
    );
  }

  dispose(): void {
    this.subscription.dispose();
  }

  private show(): void {
    const { baseline, active } = this.store;
    if (baseline === undefined || active === undefined || baseline.path === active.path) {
      this.item.hide();
      return;
    }
    const name = [baseline.name, when(baseline.created, new Date())].filter((word) => word !== '').join(', ');
    this.item.text = `$(diff) ${name}`;
    this.item.tooltip = `The numbers on lines are compared with this run: ${name}.\nClick to show no differences.`;
    this.item.show();
  }
}
