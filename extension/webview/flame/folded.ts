/**
 * A tree as folded stacks, `outer;inner weight` a line: the format of flamegraph.pl, speedscope and their like. The server writes the same.
 */
import { pathTo } from './tree';
import type { FlameTree } from './tree';

/** Of a node and all below it. In names a `;` becomes a `:` and a line break a space. */
export function folded(tree: FlameTree, top = 0): string {
  const names = pathTo(tree, top).filter((node) => node > 0);
  const path = names.map((node) => plain(tree.names[node] ?? ''));
  const fromDepth = tree.depths[top] ?? 0;
  let text = '';
  for (let node = top; node < (tree.after[top] ?? 0); node++) {
    const depth = (tree.depths[node] ?? 0) - fromDepth;
    if (node !== top) {
      path.length = names.length + depth - 1;
      path.push(plain(tree.names[node] ?? ''));
    }
    if ((tree.own[node] ?? 0) > 0 && path.length > 0) {
      text += `${path.join(';')} ${tree.own[node] ?? 0}\n`;
    }
  }
  return text;
}

function plain(name: string): string {
  return name.replaceAll(';', ':').split(/\s+/).filter(Boolean).join(' ');
}
