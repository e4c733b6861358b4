/**
 * From a frame to its neighbours by the arrow keys, as they are seen: along its row to the next frame of any caller, up and down to caller and
 * dearest callee.
 */
import { calleesOf } from './tree';
import type { FlameTree } from './tree';

export type Step = 'caller' | 'callee' | 'left' | 'right';

export function step(tree: FlameTree, node: number, to: Step): number {
  const row = tree.rows[tree.depths[node] ?? 0] ?? new Int32Array();
  const at = row.indexOf(node);
  switch (to) {
    case 'caller':
      return Math.max(0, tree.parents[node] ?? 0);
    case 'callee':
      return calleesOf(tree, node)[0] ?? node;
    case 'left':
      return row[at - 1] ?? node;
    case 'right':
      return row[at + 1] ?? node;
  }
}

/** What an arrow means where callees stand below their callers (`icicle`) or above them (`flame`). */
export function stepOf(key: string, direction: 'icicle' | 'flame'): Step | null {
  switch (key) {
    case 'ArrowUp':
      return direction === 'icicle' ? 'caller' : 'callee';
    case 'ArrowDown':
      return direction === 'icicle' ? 'callee' : 'caller';
    case 'ArrowLeft':
      return 'left';
    case 'ArrowRight':
      return 'right';
    default:
      return null;
  }
}
