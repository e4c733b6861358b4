/**
 * Parts of a whole as one bar. The numbers stand in the legend, which is the bar's table.
 */
import { percentOf, toneClass } from './slices';
import type { Slice } from './slices';

interface Props {
  /** What it shows, for screen readers. */
  readonly label: string;
  readonly slices: readonly Slice[];
  /** What its full width is; bars of one whole can be compared. */
  readonly whole: number;
  /** The slice that stands out. */
  readonly lit?: string | null;
  readonly onLit?: (id: string | null) => void;
}

export function StackedBar({ label, slices, whole, lit = null, onLit }: Props) {
  return (
    <div class="stacked-bar" role="img" aria-label={label}>
      {slices.map(({ id, name, value, tone }) =>
        value > 0 ? (
          <span
            key={id}
            class={`${toneClass(tone)}${lit !== null && lit !== id ? ' dim' : ''}`}
            title={name}
            style={{ width: percentOf(value, whole) }}
            onPointerEnter={() => onLit?.(id)}
            onPointerLeave={() => onLit?.(null)}
          />
        ) : null,
      )}
    </div>
  );
}
