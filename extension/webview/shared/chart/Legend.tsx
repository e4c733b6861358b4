/**
 * The slices of a chart with their names and numbers: a table, for everybody.
 */
import type { ComponentChildren } from 'preact';
import { toneClass } from './slices';
import type { Slice } from './slices';

export interface LegendColumn {
  readonly title: string;
  readonly text: (slice: Slice) => ComponentChildren;
}

interface Props {
  readonly label: string;
  /** Title of the names. */
  readonly of: string;
  readonly slices: readonly Slice[];
  readonly columns: readonly LegendColumn[];
  /** What a slice is, as its tooltip. */
  readonly help?: (slice: Slice) => string;
  readonly lit?: string | null;
  readonly onLit?: (id: string | null) => void;
}

export function Legend({ label, of, slices, columns, help, lit = null, onLit }: Props) {
  return (
    <table class="chart-legend" aria-label={label}>
      <thead>
        <tr>
          <th scope="col">{of}</th>
          {columns.map(({ title }) => (
            <th key={title} scope="col" class="number">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {slices.map((slice) => (
          <tr
            key={slice.id}
            class={`${slice.value > 0 ? '' : 'none'}${lit === slice.id ? ' lit' : ''}`}
            title={help?.(slice)}
            onPointerEnter={() => onLit?.(slice.id)}
            onPointerLeave={() => onLit?.(null)}
          >
            <th scope="row">
              <span class={`chart-swatch ${toneClass(slice.tone)}`} aria-hidden="true" />
              {slice.name}
            </th>
            {columns.map(({ title, text }) => (
              <td key={title} class="number">
                {text(slice)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
