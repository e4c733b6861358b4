/**
 * Names of lines and files.
 */
import type { LineCost, StackFrame } from '../../server/wire';
import type { SourceLine } from '../../views/messages';
import { shortFile } from '../shared/PlaceLink';

/** In the order of their places: that of lines that cost alike. */
export function byPlace(rows: readonly LineCost[]): LineCost[] {
  return [...rows].sort((a, b) => (a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1));
}

/** Identity of a row across sorting and reloading. */
export function rowKey({ file, line }: { readonly file: string; readonly line: number }): string {
  return `${file}:${line}`;
}

/** Label of each file: as many last parts of its path, at most six, as are needed so that no two files of the table look alike. */
export function fileLabels(files: Iterable<string>): Map<string, string> {
  const labels = new Map<string, string>();
  let open = [...new Set(files)];
  for (let parts = 1; open.length > 0; parts++) {
    const counts = new Map<string, number>();
    for (const file of open) {
      const label = shortFile(file, parts);
      counts.set(label, (counts.get(label) ?? 0) + 1);
    }
    const alike = open.filter((file) => parts < MOST_PARTS && (counts.get(shortFile(file, parts)) ?? 0) > 1);
    for (const file of open) {
      labels.set(file, shortFile(file, parts));
    }
    open = alike;
  }
  return labels;
}

const MOST_PARTS = 6;

/** What the search of a table looks in of a frame. The line is followed by a colon: `net.py:2:` is line 2 alone, not 20 to 29. */
export function placeText({ file, line, function: name }: StackFrame): string {
  return `${file}:${line}: ${name}`;
}

/** The filter that leaves the rows of a line, as short as the files allow it: `/net.py:2:`. */
export function placeFilter({ file, line }: SourceLine, labels: ReadonlyMap<string, string>): string {
  const label = labels.get(file) ?? file;
  return `${file.charAt(file.length - label.length - 1)}${label}:${line}:`;
}

/** `net.py:2`, as tables name it. */
export function placeLabel({ file, line }: SourceLine, labels: ReadonlyMap<string, string>): string {
  return `${labels.get(file) ?? shortFile(file)}:${line}`;
}
