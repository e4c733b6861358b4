/**
 * What the colours stand for.
 */
import type { Groups } from './groups';
import type { StackContent } from './tree';
import { shareOf } from './values';

interface Props {
  /** Null: colours tell differences. */
  readonly groups: Groups | null;
  readonly unit: StackContent['unit'];
  readonly whole: number;
}

const WHAT: Readonly<Record<Groups['by'], string>> = {
  python: 'Packages, by own weight',
  line: 'Folders and packages, by own weight',
  module: 'Classes, by own weight',
  operator: 'Namespaces, by own weight',
};

export function Legend({ groups, unit, whole }: Props) {
  if (groups === null) {
    return (
      <ul class="frame-colours" aria-label="Colours">
        <li>
          <span class="swatch less" /> {unit === 'ns' ? 'half the time' : 'half as much'} or less
        </li>
        <li>
          <span class="swatch same" /> as before
        </li>
        <li>
          <span class="swatch more" /> twice {unit === 'ns' ? 'the time' : 'as much'} or more, or new
        </li>
      </ul>
    );
  }
  return (
    <ul class="frame-colours" aria-label={WHAT[groups.by]} title={WHAT[groups.by]}>
      {groups.legend.map(({ name, series, own }) => (
        <li key={name}>
          <span class={`swatch series-${series + 1}`} /> {name} {own > 0 ? <span class="quiet">{shareOf(own, whole)}</span> : null}
        </li>
      ))}
    </ul>
  );
}
