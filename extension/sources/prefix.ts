/**
 * What one answer to "where is this file?" says of all files beside it: the end that the recorded and the chosen path share is cut off both, and
 * what is left is mapped: the whole prefix.
 */
import type { PathMapping } from '../server/wire';

/** A path in parts. `anchor` is `/`, `C:\` or `\\host\share\`, empty for a relative name; `windows` by its own look, whatever runs here. */
interface Parts {
  readonly anchor: string;
  readonly parts: readonly string[];
  readonly windows: boolean;
}

function split(path: string): Parts {
  const windows = /^[A-Za-z]:[\\/]|^\\\\/.test(path) || (path.includes('\\') && !path.startsWith('/'));
  const anchor = (windows ? /^(?:[A-Za-z]:[\\/]|\\\\[^\\/]+[\\/][^\\/]+[\\/]?|[\\/])/ : /^\/+/).exec(path)?.[0] ?? '';
  const parts: string[] = [];
  for (const part of path.slice(anchor.length).split(windows ? /[\\/]+/ : /\/+/)) {
    if (part === '..' && parts.length > 0) {
      parts.pop();
    } else if (part !== '' && part !== '.') {
      parts.push(part);
    }
  }
  return { anchor, parts, windows };
}

function join({ anchor, windows }: Parts, parts: readonly string[]): string {
  return anchor + parts.join(windows ? '\\' : '/');
}

/** The last part of a recorded path, whatever system it is from. */
export function fileName(path: string): string {
  return split(path).parts.at(-1) ?? '';
}

/** True where two names are of the same file: letters' case counts unless either is of Windows. */
export function sameName(recorded: string, chosen: string): boolean {
  return same(fileName(recorded), fileName(chosen), split(recorded).windows || split(chosen).windows);
}

function same(one: string, other: string, anyCase: boolean): boolean {
  return one === other || (anyCase && one.toLowerCase() === other.toLowerCase());
}

/**
 * The mapping that an answer means. Where the names differ it is of this file alone, whole to whole. The remote root of a relative name is empty
 * where all of it was found again.
 */
export function wholePrefix(recorded: string, chosen: string): PathMapping {
  const there = split(recorded);
  const here = split(chosen);
  // What is cut off must lead to the chosen file again: where case counts here, it counts for recorded names of Windows too.
  const anyCase = here.windows;
  let shared = 0;
  const most = Math.min(there.parts.length, here.parts.length);
  while (shared < most && same(there.parts.at(-1 - shared) ?? '', here.parts.at(-1 - shared) ?? '', anyCase)) {
    shared++;
  }
  return {
    remote_root: shared === 0 ? recorded : join(there, there.parts.slice(0, there.parts.length - shared)),
    local_root: shared === 0 ? chosen : join(here, here.parts.slice(0, here.parts.length - shared)),
  };
}

/** All answers with a new one, newest first; an older one about the same prefix is gone. */
export function withAnswer(answers: readonly PathMapping[], answer: PathMapping): PathMapping[] {
  return [answer, ...answers.filter(({ remote_root }) => remote_root !== answer.remote_root)];
}
