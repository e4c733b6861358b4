/**
 * The view "Hot Spots": the dearest lines of the active run by their own cost; a click opens the line.
 */
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { Freshness, HotSpot } from '../server/wire';
import type { HotSpotList } from './hotSpots';

export class HotSpotsTree implements vscode.TreeDataProvider<HotSpot>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly subscription: vscode.Disposable;

  constructor(private readonly list: HotSpotList) {
    this.subscription = list.onDidChange(() => this.changed.fire());
  }

  getChildren(parent?: HotSpot): HotSpot[] {
    return parent === undefined ? [...this.list.spots] : [];
  }

  getTreeItem(spot: HotSpot): vscode.TreeItem {
    const place = `${path.basename(spot.path ?? spot.file)}:${spot.line}`;
    const item = new vscode.TreeItem(spot.source === '' ? spot.function : spot.source);
    item.description = `${MARKS[spot.freshness] ?? ''}${spot.text} · ${place}`;
    item.iconPath = new vscode.ThemeIcon('flame', new vscode.ThemeColor(`kinetoscope.heat${spot.level}`));
    item.tooltip = tooltip(spot);
    item.contextValue = 'hotSpot';
    item.accessibilityInformation = { label: `${spot.text}, ${place}, ${spot.source}` };
    item.command = { command: 'kinetoscope.openPlace', title: 'Open Line', arguments: [{ file: spot.file, line: spot.profiled_line }] };
    return item;
  }

  dispose(): void {
    this.subscription.dispose();
    this.changed.dispose();
  }
}

/** The same marks as at the ends of lines. */
const MARKS: Readonly<Partial<Record<Freshness, string>>> = { stale: '≈ ', unverified: '? ' };

function tooltip(spot: HotSpot): vscode.MarkdownString {
  const text = new vscode.MarkdownString();
  text.appendCodeblock(spot.source, 'python');
  text.appendText(`${spot.text}: its own cost, ${(spot.share * 100).toFixed(1)} % of the run`).appendMarkdown('\n\n');
  text.appendText(`${spot.function} · ${spot.path ?? spot.file}:${spot.line}`);
  if (spot.freshness === 'stale') {
    text.appendMarkdown('\n\n').appendText('≈ The line was changed since it was profiled.');
  }
  if (spot.freshness === 'unverified') {
    text.appendMarkdown('\n\n').appendText('? The text that was profiled is not known: the line is the one that was recorded.');
  }
  if (spot.path === null) {
    text.appendMarkdown('\n\n').appendText('The file was not found on this machine.');
  }
  return text;
}
