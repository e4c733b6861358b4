/**
 * A weighted call tree in columns, laid out on one axis: each frame spans its weight, its callees begin where it begins, dearest first, and
 * what is left at its end is its own. Node 0 is the whole.
 */

/** A frame of a `stacks` view. */
export interface Frame {
  readonly name: string;
  /** Index of the caller, -1 for none. Frames stand below their callers, dearest first. */
  readonly parent: number;
  readonly weight_self: number;
  readonly weight_total: number;
  readonly file: string;
  readonly line: number;
  readonly precision: string | null;
}

/** The content of a `stacks` view. */
export interface StackContent {
  readonly by: 'python' | 'line' | 'module' | 'operator';
  readonly metric: 'gpu' | 'cpu' | 'memory';
  readonly unit: 'ns' | 'bytes';
  readonly total: number;
  readonly nodes: readonly Frame[];
}

/** The content with all weights times `factor`. */
export function scaled(content: StackContent, factor: number): StackContent {
  const nodes = content.nodes.map((node) => ({
    ...node,
    weight_self: node.weight_self * factor,
    weight_total: node.weight_total * factor,
  }));
  return factor === 1 ? content : { ...content, total: content.total * factor, nodes };
}

export type Widths = 'before' | 'after';

export interface FlameTree {
  readonly names: readonly string[];
  readonly files: readonly string[];
  readonly lines: readonly number[];
  readonly precisions: readonly (string | null)[];
  /** -1 for node 0. */
  readonly parents: Int32Array;
  readonly depths: Int32Array;
  /** In the tree's unit. */
  readonly own: Float64Array;
  readonly total: Float64Array;
  /** Where each begins on the axis, which goes from 0 to `ends[0]`. */
  readonly starts: Float64Array;
  readonly ends: Float64Array;
  /** One past the last node below each: nodes stand in preorder. */
  readonly after: Int32Array;
  /** Nodes by depth, from left to right. */
  readonly rows: readonly Int32Array[];
  /** Which weights the frames' widths are. */
  readonly widths: Widths;
  /** The weights in what it is compared with, where it is. */
  readonly before: { readonly own: Float64Array; readonly total: Float64Array } | null;
}

/** What a node is, with its caller in the same list; callers stand first. */
export interface Drawn {
  readonly name: string;
  readonly file: string;
  readonly line: number;
  readonly precision: string | null;
  readonly parent: number;
  readonly own: number;
  readonly before?: number;
}

export const WHOLE = 0;

export function flameTree(frames: readonly Frame[], whole: string): FlameTree {
  return layOut(
    frames.map((frame) => ({ ...frame, own: frame.weight_self })),
    { name: whole, file: '', line: 0, precision: null, own: 0 },
    false,
  );
}

/** The tree of nodes below `root` (parent -1), in any order in which callers stand before callees. */
export function layOut(nodes: readonly Drawn[], root: Omit<Drawn, 'parent'>, compared: boolean, widths: Widths = 'after'): FlameTree {
  const count = nodes.length + 1;
  const parent = Int32Array.from([-1, ...nodes.map((node) => node.parent + 1)]);
  const own = Float64Array.from([root.own, ...nodes.map((node) => node.own)]);
  const ownBefore = Float64Array.from([root.before ?? 0, ...nodes.map((node) => node.before ?? 0)]);
  const total = withBelow(parent, own);
  const totalBefore = withBelow(parent, ownBefore);

  const [wide, other] = widths === 'after' ? [total, totalBefore] : [totalBefore, total];

  const callees: number[][] = Array.from({ length: count }, () => []);
  for (let node = 1; node < count; node++) {
    callees[parent[node] ?? 0]?.push(node);
  }
  const order: number[] = [];
  const waiting = [0];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    order.push(node);
    const below = callees[node] ?? [];
    below.sort((a, b) => (wide[b] ?? 0) - (wide[a] ?? 0) || (other[b] ?? 0) - (other[a] ?? 0) || a - b);
    for (let at = below.length - 1; at >= 0; at--) {
      waiting.push(below[at] ?? 0);
    }
  }
  const position = new Int32Array(count);
  order.forEach((node, at) => (position[node] = at));

  const take = (values: Float64Array) => Float64Array.from(order, (node) => values[node] ?? 0);
  const parents = Int32Array.from(order, (node) => (node === 0 ? -1 : (position[parent[node] ?? 0] ?? 0)));
  const lengths = take(wide);
  const depths = new Int32Array(count);
  const starts = new Float64Array(count);
  const ends = new Float64Array(count);
  const after = new Int32Array(count).fill(count);
  // Where the next callee of each begins.
  const next = new Float64Array(count);
  const rows: number[][] = [];
  for (let at = 0; at < count; at++) {
    const caller = parents[at] ?? -1;
    const depth = caller < 0 ? 0 : (depths[caller] ?? 0) + 1;
    const start = caller < 0 ? 0 : (next[caller] ?? 0);
    depths[at] = depth;
    starts[at] = next[at] = start;
    ends[at] = start + (lengths[at] ?? 0);
    if (caller >= 0) {
      next[caller] = ends[at] ?? 0;
    }
    (rows[depth] ??= []).push(at);
  }
  for (let at = count - 1; at > 0; at--) {
    // The last node at this depth or above ends the nodes below it.
    const following = at + 1 < count ? at + 1 : count;
    let end = following;
    while (end < count && (depths[end] ?? 0) > (depths[at] ?? 0)) {
      end = after[end] ?? count;
    }
    after[at] = end;
  }
  const shown = order.map((node) => (node === 0 ? root : (nodes[node - 1] ?? root)));
  return {
    names: shown.map(({ name }) => name),
    files: shown.map(({ file }) => file),
    lines: shown.map(({ line }) => line),
    precisions: shown.map(({ precision }) => precision),
    parents,
    depths,
    own: take(own),
    total: take(total),
    starts,
    ends,
    after,
    rows: rows.map((row) => Int32Array.from(row)),
    widths,
    before: compared ? { own: take(ownBefore), total: take(totalBefore) } : null,
  };
}

/** Values with those of all below; callers stand first. */
function withBelow(parent: Int32Array, own: Float64Array): Float64Array {
  const total = Float64Array.from(own);
  for (let node = parent.length - 1; node > 0; node--) {
    const caller = parent[node] ?? 0;
    total[caller] = (total[caller] ?? 0) + (total[node] ?? 0);
  }
  return total;
}

/** The callers of a node from the whole to itself. */
export function pathTo({ parents }: FlameTree, node: number): readonly number[] {
  const path: number[] = [];
  for (let at = node; at >= 0; at = parents[at] ?? -1) {
    path.unshift(at);
  }
  return path;
}

/** The callees of a node, dearest first. */
export function calleesOf({ after }: FlameTree, node: number): readonly number[] {
  const found: number[] = [];
  for (let at = node + 1; at < (after[node] ?? 0); at = after[at] ?? Infinity) {
    found.push(at);
  }
  return found;
}

/** The same function in all its places: a frame's name says the function, its file tells namesakes apart. */
export function functionKey({ names, files }: FlameTree, node: number): string {
  return `${names[node] ?? ''}\n${files[node] ?? ''}`;
}

/** Nodes that have no caller among the marked ones: their weights can be added without counting anything twice. */
export function outermost({ after }: FlameTree, marked: (node: number) => boolean): readonly number[] {
  const found: number[] = [];
  const count = after.length;
  for (let node = 0; node < count;) {
    if (marked(node)) {
      found.push(node);
      node = after[node] ?? count;
    } else {
      node += 1;
    }
  }
  return found;
}
