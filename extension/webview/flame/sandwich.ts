/**
 * One function seen from both sides: who calls it, and what it calls, over all the places where it stands. A function that calls itself counts
 * once, at its outermost call.
 */
import { functionKey, layOut, outermost } from './tree';
import type { Drawn, FlameTree } from './tree';

export interface Sandwich {
  /** Node 0 is the function, its callers are above each other as if they were callees. */
  readonly callers: FlameTree;
  readonly callees: FlameTree;
  /** How many places of the tree the function stands in, recursion not counted. */
  readonly places: number;
}

export function sandwich(tree: FlameTree, key: string): Sandwich {
  const nodes = outermost(tree, (node) => functionKey(tree, node) === key);
  return { callers: callersOf(tree, nodes), callees: calleesOf(tree, nodes), places: nodes.length };
}

type Sum = Drawn & { own: number; before: number };

/** Nodes put together by their path of functions, below one function. */
class Merged {
  private readonly nodes: Sum[] = [];
  private readonly known = new Map<string, number>();
  private readonly root: Sum;

  constructor(
    private readonly tree: FlameTree,
    top: number,
  ) {
    this.root = this.made(top, -1);
  }

  /** The merged node of a function below a merged one; -1 is the root. */
  at(parent: number, node: number): number {
    const key = `${parent}\n${functionKey(this.tree, node)}`;
    let found = this.known.get(key);
    if (found === undefined) {
      found = this.nodes.push(this.made(node, parent)) - 1;
      this.known.set(key, found);
    }
    return found;
  }

  add(node: number, own: number, before: number): void {
    const found = this.nodes[node] ?? this.root;
    found.own += own;
    found.before += before;
  }

  laidOut(): FlameTree {
    return layOut(this.nodes, this.root, this.tree.before !== null, this.tree.widths);
  }

  private made(node: number, parent: number): Sum {
    const { names, files, lines, precisions } = this.tree;
    const place = { file: files[node] ?? '', line: lines[node] ?? 0, precision: precisions[node] ?? null };
    return { name: names[node] ?? '', ...place, parent, own: 0, before: 0 };
  }
}

function callersOf(tree: FlameTree, nodes: readonly number[]): FlameTree {
  const merged = new Merged(tree, nodes[0] ?? 0);
  for (const node of nodes) {
    let at = -1;
    for (let caller = tree.parents[node] ?? -1; caller > 0; caller = tree.parents[caller] ?? -1) {
      at = merged.at(at, caller);
    }
    merged.add(at, tree.total[node] ?? 0, tree.before?.total[node] ?? 0);
  }
  return merged.laidOut();
}

function calleesOf(tree: FlameTree, nodes: readonly number[]): FlameTree {
  const merged = new Merged(tree, nodes[0] ?? 0);
  for (const top of nodes) {
    const to = new Map<number, number>([[top, -1]]);
    for (let node = top; node < (tree.after[top] ?? 0); node++) {
      const at = node === top ? -1 : merged.at(to.get(tree.parents[node] ?? -1) ?? -1, node);
      to.set(node, at);
      merged.add(at, tree.own[node] ?? 0, tree.before?.own[node] ?? 0);
    }
  }
  return merged.laidOut();
}
