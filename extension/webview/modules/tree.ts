/**
 * The tree of modules: rows below the module that called them.
 */
import type { ModuleCost } from '../../server/views';

export interface ModuleNode {
  readonly row: ModuleCost;
  /** The names from the outermost module on: identity across reloading. */
  readonly key: string;
  readonly children: readonly ModuleNode[];
}

/** The rows, which stand below their parents, as a tree. */
export function treeOf(rows: readonly ModuleCost[]): ModuleNode[] {
  const roots: ModuleNode[] = [];
  const nodes: { readonly node: ModuleNode; readonly children: ModuleNode[] }[] = [];
  for (const row of rows) {
    const parent = nodes[row.parent];
    const children: ModuleNode[] = [];
    const node = { row, key: parent === undefined ? row.name : `${parent.node.key}/${row.name}`, children };
    nodes.push({ node, children });
    (parent?.children ?? roots).push(node);
  }
  return roots;
}

/** All nodes of that name, in the order of the tree: one for each way in which the module is called. */
export function namedNodes(roots: readonly ModuleNode[], name: string): ModuleNode[] {
  return roots.flatMap((node) => [...(node.row.name === name ? [node] : []), ...namedNodes(node.children, name)]);
}

/** Keys of the modules around a node, outermost first. */
export function keysAbove(key: string): string[] {
  const names = key.split('/');
  return names.slice(1).map((_, index) => names.slice(0, index + 1).join('/'));
}

export function deviceTotal({ device_total_us: forward, device_backward_total_us: backward }: ModuleCost): number {
  return forward + backward;
}

export function deviceSelf({ device_self_us: forward, device_backward_self_us: backward }: ModuleCost): number {
  return forward + backward;
}

/** Over all devices. */
export function bytesOf(byDevice: Readonly<Record<string, number>>): number {
  return Object.values(byDevice).reduce((sum, bytes) => sum + bytes, 0);
}
