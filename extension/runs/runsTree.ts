/**
 * The view "Runs": newest first, the active one marked.
 */
import * as vscode from 'vscode';
import { sizeBytes } from '../format';
import type { RunSummary } from '../server/wire';
import { runDescription, runFacts } from './describe';
import type { RunStore } from './store';

export class RunsTree implements vscode.TreeDataProvider<RunSummary>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly subscription: vscode.Disposable;

  constructor(private readonly store: RunStore) {
    this.subscription = store.onDidChange(() => this.changed.fire());
  }

  getChildren(parent?: RunSummary): RunSummary[] {
    return parent === undefined ? [...this.store.runs] : [];
  }

  getTreeItem(run: RunSummary): vscode.TreeItem {
    const active = run.path === this.store.active?.path;
    const baseline = run.path === this.store.baseline?.path;
    const item = new vscode.TreeItem(run.name);
    item.id = run.path;
    item.description = `${runDescription(run, new Date())}${baseline ? ' · baseline' : ''}`;
    item.tooltip = tooltip(run, active);
    item.contextValue =
      run.problem !== null ? `${run.kind}.unreadable` : active ? `${run.kind}.active` : baseline ? `${run.kind}.baseline` : run.kind;
    item.iconPath =
      run.problem !== null
        ? new vscode.ThemeIcon('warning', new vscode.ThemeColor('list.warningForeground'))
        : active
          ? new vscode.ThemeIcon('pass-filled', new vscode.ThemeColor('charts.green'))
          : new vscode.ThemeIcon(run.kind === 'trace' ? 'file' : 'circle-large-outline');
    item.accessibilityInformation = { label: `${run.name}, ${item.description}${active ? ', active' : ''}` };
    if (run.problem === null) {
      item.command = { command: 'kinetoscope.setActiveRun', title: 'Show This Run in the Editor', arguments: [run] };
    }
    return item;
  }

  dispose(): void {
    this.subscription.dispose();
    this.changed.dispose();
  }
}

function tooltip(run: RunSummary, active: boolean): vscode.MarkdownString {
  // Names come from a run's files: appendText escapes them.
  const text = new vscode.MarkdownString();
  text
    .appendMarkdown('**')
    .appendText(run.name)
    .appendMarkdown(active ? '** (active)\n\n' : '**\n\n');
  if (run.problem !== null) {
    text.appendText(run.problem).appendMarkdown('\n\n');
  }
  for (const notice of run.notices) {
    text.appendMarkdown('_').appendText(notice).appendMarkdown('_\n\n');
  }
  for (const [name, value] of [...runFacts(run), ['Size', sizeBytes(run.size_bytes)] as const]) {
    text.appendMarkdown(`${name}: `).appendText(value).appendMarkdown('  \n');
  }
  return text;
}
