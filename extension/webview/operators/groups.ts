/**
 * By what operators are put together: each way is a view of its own.
 */
import type { Operator, ViewContents } from '../../server/views';
import type { StackFrame } from '../../server/wire';
import type { SourceLine } from '../../views/messages';

export type Group = 'name' | 'shape' | 'line' | 'stack';

export const GROUPS: readonly { readonly value: Group; readonly label: string; readonly help: string }[] = [
  { value: 'name', label: 'Name', help: 'One row for each name' },
  { value: 'shape', label: 'Shape', help: 'One row for each name and shapes of its inputs' },
  {
    value: 'line',
    label: 'Line',
    help: 'One row for each name and line of your code that it ran on; backward operators on the line of their forward operator',
  },
  {
    value: 'stack',
    label: 'Stack',
    help: 'One row for each name and call stack; backward operators on the stack of their forward operator',
  },
];

export const VIEW_OF = {
  name: 'operators',
  shape: 'operators-by-shape',
  line: 'operators-by-line',
  stack: 'operators-by-stack',
} as const satisfies Readonly<Record<Group, keyof ViewContents>>;

const keys = new WeakMap<Operator, string>();

/** Identity of a row across sorting and reloading, within its grouping. */
export function operatorKey(row: Operator): string {
  const known = keys.get(row);
  if (known !== undefined) {
    return known;
  }
  // Grouped by name the key is the name: what links and searches know.
  const parts = [row.name, row.input_shape, row.backward ? 'backward' : '', ...row.stack.map(frameKey)].join('\n').trimEnd();
  keys.set(row, parts);
  return parts;
}

function frameKey({ file, line, function: name, precision }: StackFrame): string {
  return `${file}:${line} ${name} ${precision}`;
}

/** The frame that a row is on: that of the line, or the innermost of the stack. */
export function frameOf({ stack }: Operator): StackFrame | null {
  return stack[stack.length - 1] ?? null;
}

/** The call stacks of the operators that a row puts together; of a row by shape those of all shapes, since stacks are not told by shape. */
export function stacksOf(row: Operator, group: Group, byStack: readonly Operator[]): Operator[] {
  const frame = frameOf(row);
  return byStack.filter(
    (one) => one.name === row.name && (group !== 'line' || (one.backward === row.backward && sameLine(frameOf(one), frame))),
  );
}

export function sameLine(a: SourceLine | null, b: SourceLine | null): boolean {
  return a?.file === b?.file && a?.line === b?.line;
}

/** `8×16×32, 16×32` of `[[8, 16, 32], [16, 32], []]`: inputs without a shape, like numbers, are left out. As it is where it is no such list. */
export function shapesText(inputShape: string): string {
  let shapes: unknown;
  try {
    shapes = JSON.parse(inputShape);
  } catch {
    return inputShape;
  }
  if (!Array.isArray(shapes)) {
    return inputShape;
  }
  return shapes.map(shapeText).filter((text) => text !== '').join(', '); // prettier-ignore
}

/** A shape, or a list of shapes as that of `aten::cat`. */
function shapeText(shape: unknown): string {
  if (!Array.isArray(shape)) {
    return '';
  }
  if (shape.some(Array.isArray)) {
    return `(${shape.map(shapeText).filter((text) => text !== '').join(', ')})`; // prettier-ignore
  }
  return shape.every((size) => typeof size === 'number') ? shape.join('×') : '';
}
