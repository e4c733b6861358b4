/**
 * The first few of a list, the rest one click away.
 */
import type { ComponentChild } from 'preact';
import { useState } from 'preact/hooks';

/** More than this many are rarely read. */
const FEW = 8;

interface Props<T> {
  readonly items: readonly T[];
  /** What they are: `call stacks`. */
  readonly of: string;
  readonly draw: (item: T, i: number) => ComponentChild;
}

export function Some<T>({ items, of, draw }: Props<T>) {
  const [all, setAll] = useState(false);
  const shown = all ? items : items.slice(0, FEW);
  return (
    <>
      {shown.map(draw)}
      {items.length > shown.length ? (
        <button type="button" class="link" onClick={() => setAll(true)}>
          Show all {items.length} {of}
        </button>
      ) : null}
    </>
  );
}
