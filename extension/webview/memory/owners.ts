/**
 * By what memory is told apart, who owns it in words, and the colours of owners.
 */
import type { Owner, OwnerCurve, Peak } from '../../server/views';
import type { SourceLine } from '../../views/messages';

export type Kind = 'lines' | 'operators' | 'modules' | 'phases' | 'categories';

export const KINDS: readonly { readonly value: Kind; readonly label: string; readonly help: string }[] = [
  {
    value: 'categories',
    label: 'Category',
    help: 'What it is for: parameter, gradient, optimizer state, activation or temporary, where that can be told',
  },
  { value: 'lines', label: 'Line', help: 'The line of your code that allocated it; backward work is on the line of its forward operator' },
  { value: 'operators', label: 'Operator', help: 'The innermost operator that allocated it' },
  { value: 'modules', label: 'Module', help: 'The innermost nn.Module that allocated it; for backward work that of its forward operator' },
  { value: 'phases', label: 'Phase', help: 'Whether it was allocated in forward, in backward or in the optimizer’s step' },
];

const UNKNOWN: Readonly<Record<Kind, string>> = {
  lines: 'Line not known',
  operators: 'In no operator',
  modules: 'In no module',
  phases: 'Not known',
  categories: 'Not known',
};

const WORDS: Readonly<Record<string, string>> = {
  parameter: 'Parameter',
  gradient: 'Gradient',
  'optimizer state': 'Optimizer state',
  activation: 'Activation',
  temporary: 'Temporary',
  unknown: 'Not known',
  forward: 'Forward',
  backward: 'Backward',
  optimizer: 'Optimizer step',
  other: 'Elsewhere',
};

export const CATEGORY_HELP: Readonly<Record<string, string>> = {
  parameter: 'Allocated while a module was made or moved to the device, and kept: parameters and buffers',
  gradient: 'Allocated in backward, and alive after it',
  'optimizer state': 'Allocated in the optimizer’s step, and never released',
  activation: 'Allocated in forward, and alive when the backward operator that needs it began',
  temporary: 'Released before the operator, module call or pass that allocated it ended',
  unknown: 'Not told by what was recorded: inputs, caches, and what was alive when the recording ended',
};

/** What there is to say of an owner: all that `Owner` and `OwnerCurve` have in common. */
type Named = Pick<Owner, 'name' | 'file' | 'line'>;

/** Identity of an owner of a kind, the same in the stack and at the peak. */
export function ownerKey(owner: Named): string {
  return owner.file === '' ? owner.name : `${owner.file}:${owner.line}`;
}

/** `labels`: shortest names that tell files apart. */
export function ownerName(kind: Kind, owner: Named, labels: ReadonlyMap<string, string>): string {
  if (kind === 'lines' && owner.file !== '') {
    return `${labels.get(owner.file) ?? owner.file}:${owner.line}`;
  }
  return owner.name === '' ? UNKNOWN[kind] : kind === 'categories' || kind === 'phases' ? (WORDS[owner.name] ?? owner.name) : owner.name;
}

export function categoryName(category: string): string {
  return category === 'unknown' ? '' : (WORDS[category] ?? category);
}

export function placeOf(owner: Named): SourceLine | null {
  return owner.file === '' ? null : { file: owner.file, line: owner.line };
}

/** All files that owners are in. */
export function filesOf(peak: Peak | null, curves: readonly OwnerCurve[]): string[] {
  return [...(peak?.lines ?? []), ...curves].map(({ file }) => file).filter((file) => file !== '');
}

/** Categories and phases keep their colours whatever part is looked at; other owners have them by rank. */
const FIXED: Readonly<Record<string, number>> = {
  parameter: 0,
  activation: 1,
  gradient: 2,
  'optimizer state': 3,
  temporary: 4,
  forward: 0,
  backward: 1,
  optimizer: 2,
};

/** Which of the palette's series, the last of which is grey, an owner has that is the `rank`-th. */
export function seriesOf(kind: Kind, name: string, rank: number, rest: number): number {
  return kind === 'categories' || kind === 'phases' ? (FIXED[name] ?? rest) : Math.min(rank, rest);
}
