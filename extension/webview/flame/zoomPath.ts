/**
 * A frame by the names on the way to it, which another answer of the same run has too.
 */
import { calleesOf, pathTo, WHOLE } from './tree';
import type { FlameTree } from './tree';

export function namesTo(tree: FlameTree, node: number): readonly string[] {
  return pathTo(tree, node)
    .slice(1)
    .map((at) => tree.names[at] ?? '');
}

/** The frame at the end of the names, or the last one on the way that is there. */
export function nodeOf(tree: FlameTree, names: readonly string[]): number {
  let node = WHOLE;
  for (const name of names) {
    const next = calleesOf(tree, node).find((callee) => tree.names[callee] === name);
    if (next === undefined) {
      break;
    }
    node = next;
  }
  return node;
}
