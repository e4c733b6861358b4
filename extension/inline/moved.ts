/**
 * Where VS Code itself has moved the bars of a text after an edit. When the server's answer for the new text says the same, nothing is drawn anew:
 * drawing while the user types could put bars where the lines were a keystroke ago, since the editor takes decorations without a version.
 */
import type { HeatLine } from '../server/wire';

/** The part of `vscode.TextDocumentContentChangeEvent` that is needed; lines from 0. */
export interface Change {
  readonly range: { readonly start: Point; readonly end: Point };
  readonly text: string;
}

interface Point {
  readonly line: number;
  readonly character: number;
}

/** Looks by line, from 1. */
export type Bars = ReadonlyMap<number, string>;

export function barsOf(lines: readonly HeatLine[]): Bars {
  return new Map(lines.map(({ line, level, freshness }) => [line, `${level} ${freshness === 'stale' ? 'stale' : ''}`]));
}

/** The bars after an edit; undefined where it touches the start of a line with a bar, so that where its bar went is the editor's secret. */
export function movedBars(bars: Bars, changes: readonly Change[]): Bars | undefined {
  let now = bars;
  // The editor gives the changes of one edit from the last to the first: none moves another.
  for (const { range, text } of [...changes].sort((a, b) => b.range.start.line - a.range.start.line)) {
    const { start, end } = range;
    const added = text.split(/\r\n|\r|\n/).length - 1 - (end.line - start.line);
    const moved = new Map<number, string>();
    for (const [line, look] of now) {
      const at = line - 1;
      const before = at < start.line || (at === start.line && start.character > 0);
      const after = at > end.line || (at === end.line && at > start.line && end.character === 0);
      if (!before && !after) {
        return undefined;
      }
      moved.set(before ? line : line + added, look);
    }
    now = moved;
  }
  return now;
}

export function sameBars(a: Bars, b: Bars): boolean {
  return a.size === b.size && [...a].every(([line, look]) => b.get(line) === look);
}
