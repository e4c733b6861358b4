/**
 * What a frame's colour stands for: the package of a Python frame, the namespace of an operator, the class of a module. The dearest groups have
 * colours of their own.
 */
import { REST, SERIES, SHADES } from '../shared/canvas/palette';
import type { FlameTree } from './tree';

export type By = 'python' | 'line' | 'module' | 'operator';

/** What is not known and what has no package of its own. */
export const NO_GROUP = 'other';
/** Files of no installed package: where one can change something. It always has a colour. */
export const PROJECT = 'project';

/** Null for a built-in: it is of the group of its caller, whose work it does. */
export function groupOf(name: string, file: string, by: By): string | null {
  if (name.startsWith('[')) {
    return name === '[backward]' ? 'backward' : NO_GROUP;
  }
  if (by === 'module') {
    return name.replace(/_\d+$/, '');
  }
  if (by === 'operator') {
    const namespace = /^([\w.]+?)::/.exec(name)?.[1];
    return namespace ?? (/^[\w.]+Backward\d*$/.test(name) ? 'autograd' : NO_GROUP);
  }
  if (name.startsWith('<built-in')) {
    return null;
  }
  if (name.startsWith('nn.Module: ')) {
    return 'torch';
  }
  return packageOf((/^(.*)\(\d+\): /.exec(name)?.[1] ?? file).replaceAll('\\', '/'));
}

/** The package that a file of Python belongs to. Traces write files of packages from the package's folder on. */
function packageOf(path: string): string {
  if (path === '' || path.startsWith('<')) {
    return 'python';
  }
  if (path.includes('torchinductor')) {
    return 'compiled';
  }
  const installed = /(?:site|dist)-packages\/([^/]+)/.exec(path)?.[1];
  if (installed !== undefined) {
    return installed.replace(/\.py$/, '');
  }
  if (/(?:^|\/)lib\/python3/.test(path)) {
    return 'python';
  }
  const [first = '', ...others] = path.split('/');
  const isPackage = first !== '' && first !== '.' && first !== '..' && !/^[A-Za-z]:$/.test(first) && others.length > 0;
  return isPackage ? first : PROJECT;
}

export interface Group {
  readonly name: string;
  /** Index into the palette's series. */
  readonly series: number;
  /** Own weight of its frames. */
  readonly own: number;
}

export interface Groups {
  readonly by: By;
  /** Series of the groups that have a colour. */
  readonly series: ReadonlyMap<string, number>;
  /** Those, dearest first, and all others as one. */
  readonly legend: readonly Group[];
}

export function groupsOf(tree: FlameTree, by: By): Groups {
  const names = groupNames(tree, by);
  const own = new Map<string, number>();
  // What is seen: a group that only calls others is wide too.
  const wide = new Map<string, number>();
  for (let node = 1; node < names.length; node++) {
    const name = names[node] ?? NO_GROUP;
    own.set(name, (own.get(name) ?? 0) + (tree.own[node] ?? 0));
    wide.set(name, (wide.get(name) ?? 0) + (tree.total[node] ?? 0));
  }
  const rank = (a: string, b: string) =>
    Number(b === PROJECT) - Number(a === PROJECT) ||
    (own.get(b) ?? 0) - (own.get(a) ?? 0) ||
    (wide.get(b) ?? 0) - (wide.get(a) ?? 0) ||
    (a < b ? -1 : 1);
  const ranked = [...own.keys()].filter((name) => name !== NO_GROUP).sort(rank);
  const series = new Map(ranked.slice(0, SERIES).map((name, at) => [name, at]));
  const rest = [...own].filter(([name]) => !series.has(name));
  return {
    by,
    series,
    legend: [
      ...[...series].map(([name, at]) => ({ name, series: at, own: own.get(name) ?? 0 })),
      ...(rest.length > 0 ? [{ name: NO_GROUP, series: REST, own: rest.reduce((sum, [, weight]) => sum + weight, 0) }] : []),
    ],
  };
}

/** The group of each node; callers stand first. */
function groupNames(tree: FlameTree, by: By): readonly string[] {
  const names: string[] = [];
  tree.names.forEach((name, node) => {
    names.push(groupOf(name, tree.files[node] ?? '', by) ?? names[tree.parents[node] ?? -1] ?? 'python');
  });
  return names;
}

export interface Colours {
  /** Series and shade of each node. */
  readonly series: Uint8Array;
  readonly shades: Uint8Array;
}

export function coloursOf(tree: FlameTree, { by, series }: Groups): Colours {
  return {
    series: Uint8Array.from(groupNames(tree, by), (name, node) =>
      tree.depths[node] === 0 && tree.files[node] === '' ? REST : (series.get(name) ?? REST),
    ),
    shades: Uint8Array.from(tree.names, (name) => hash(name) % SHADES),
  };
}

function hash(text: string): number {
  let value = 0;
  for (let at = 0; at < text.length; at++) {
    value = (value * 31 + text.charCodeAt(at)) >>> 0;
  }
  return value;
}
