/**
 * The few numbers that a page's table is a part of: each with its name above it, and what it is as tooltip.
 */
import './figures.css';

export interface Figure {
  readonly name: string;
  readonly value: string;
  readonly help: string;
}

/** `label`: what they are of, for screen readers. */
export function Figures({ label, figures }: { readonly label: string; readonly figures: readonly Figure[] }) {
  return (
    <dl class="figures" aria-label={label}>
      {figures.map(({ name, value, help }) => (
        <div key={name} title={help}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
