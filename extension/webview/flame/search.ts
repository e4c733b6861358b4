/**
 * Frames whose name or file has a text, and what part of the whole they and what they call are; frames within found frames count once.
 */
import { outermost } from './tree';
import type { FlameTree } from './tree';

export interface Found {
  /** 1 for each node that was found. */
  readonly marks: Uint8Array;
  /** From left to right and from callers to callees. */
  readonly nodes: readonly number[];
  /** In the tree's unit. */
  readonly weight: number;
}

/** Null without a text. Case is no matter, and all words must be there. */
export function search(tree: FlameTree, text: string): Found | null {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) {
    return null;
  }
  const marks = new Uint8Array(tree.names.length);
  const nodes: number[] = [];
  const known = new Map<string, boolean>();
  for (let node = 1; node < marks.length; node++) {
    const looked = `${tree.names[node] ?? ''} ${tree.files[node] ?? ''}`;
    let hit = known.get(looked);
    if (hit === undefined) {
      const lower = looked.toLowerCase();
      hit = words.every((word) => lower.includes(word));
      known.set(looked, hit);
    }
    if (hit) {
      marks[node] = 1;
      nodes.push(node);
    }
  }
  const weight = outermost(tree, (node) => marks[node] === 1).reduce((sum, node) => sum + (tree.total[node] ?? 0), 0);
  return { marks, nodes, weight };
}
