/**
 * The rows with the greatest amounts as bars, beside their table where there is room, else above it. It is one tab stop: arrows go through the bars, and
 * what is picked is selected in the table.
 */
import type { ComponentChildren } from 'preact';
import { useId, useMemo } from 'preact/hooks';
import { share } from '../../../format';
import { Icon } from '../Icon';
import { Segments } from '../Segments';
import { amountText } from '../table';
import type { Unit } from '../table';
import './top.css';
import { SIZES, topOf } from './top';
import type { TopSize, TopState } from './top';

export interface TopAmount<R> {
  readonly id: string;
  readonly label: string;
  readonly help: string;
  readonly unit: Unit;
  readonly value: (row: R) => number;
  /** What belongs to no row, in words: shown as a part of the whole. */
  readonly apart?: { readonly label: string; readonly help: string; readonly value: number };
}

interface Props<R> {
  /** What rows are called: `operators`. */
  readonly noun: string;
  readonly rows: readonly R[];
  readonly amounts: readonly TopAmount<R>[];
  readonly rowKey: (row: R) => string;
  readonly label: (row: R) => string;
  readonly state: TopState;
  readonly onState: (patch: Partial<TopState>) => void;
  readonly selected: string | null;
  readonly onSelect: (key: string) => void;
}

/** A table with its chart. */
export function WithTop({ chart, children }: { readonly chart: ComponentChildren; readonly children: ComponentChildren }) {
  return (
    <div class="with-top">
      <div class="with-top-parts">
        {children}
        {chart}
      </div>
    </div>
  );
}

/** For the tools of the table. */
export function TopToggle({ state, onState }: Pick<Props<never>, 'state' | 'onState'>) {
  const title = state.shown ? 'Hide the chart' : 'Show the chart';
  return (
    <button
      type="button"
      class="tool top-toggle"
      aria-pressed={state.shown}
      title={title}
      aria-label={title}
      onClick={() => onState({ shown: !state.shown })}
    >
      <Icon name="graph" />
    </button>
  );
}

export function TopChart<R>({ noun, rows, amounts, rowKey, label, state, onState, selected, onSelect }: Props<R>) {
  const id = useId();
  const amount = amounts.find((one) => one.id === state.by) ?? amounts[0];
  const top = useMemo(() => (amount === undefined ? null : topOf(rows, amount.value, state.size)), [rows, amount, state.size]);
  if (!state.shown || amount === undefined || top === null) {
    return null;
  }
  const { value, unit, apart } = amount;
  const inRows = rows.reduce((sum, row) => sum + value(row), 0);
  const whole = inRows + (apart?.value ?? 0);
  const greatest = Math.max(0, ...top.rows.map(value));
  const width = (of: number) => ({ width: `${greatest > 0 ? Math.min(100, (100 * of) / greatest) : 0}%` });
  const at = top.rows.findIndex((row) => rowKey(row) === selected);
  const move = (to: number) => {
    const row = top.rows[Math.min(top.rows.length - 1, Math.max(0, to))];
    if (row !== undefined) {
      onSelect(rowKey(row));
    }
  };
  const steps: Readonly<Record<string, () => void>> = {
    ArrowDown: () => move(at + 1),
    ArrowUp: () => move(at - 1),
    Home: () => move(0),
    End: () => move(top.rows.length - 1),
  };
  const numbers = (of: number) => (
    <span class="numbers">
      <strong>{whole > 0 ? share(of / whole) : ''}</strong> {amountText(of, unit)}
    </span>
  );

  return (
    <section class={`top by-${amount.id}`} aria-label={`Top ${noun}`}>
      <div class="top-head">
        <label>
          Top{' '}
          <select
            class="choice"
            aria-label="How many"
            value={state.size}
            onChange={(event) => onState({ size: Number(event.currentTarget.value) as TopSize })}
          >
            {SIZES.map((size) => (
              <option key={size} value={size}>
                {size}
              </option>
            ))}
          </select>
        </label>
        {amounts.length > 1 ? (
          <Segments
            label="Amount"
            name={`${id}-by`}
            chosen={amount.id}
            choices={amounts.map((one) => ({ value: one.id, label: one.label, help: one.help }))}
            onChoose={(by) => onState({ by })}
          />
        ) : (
          <span title={amount.help}>{amount.label}</span>
        )}
      </div>
      {top.rows.length === 0 ? (
        <p class="quiet top-none">None of the {noun} has any.</p>
      ) : (
        <ol
          role="listbox"
          tabIndex={0}
          aria-label={`${noun} by ${amount.label}, greatest first`}
          aria-activedescendant={at >= 0 ? `${id}-${at}` : undefined}
          onKeyDown={(event) => {
            const step = event.ctrlKey || event.metaKey || event.altKey ? undefined : steps[event.key];
            if (step) {
              event.preventDefault();
              step();
            }
          }}
        >
          {top.rows.map((row, i) => (
            <li
              key={rowKey(row)}
              id={`${id}-${i}`}
              role="option"
              aria-selected={i === at}
              title={label(row)}
              onClick={() => onSelect(rowKey(row))}
            >
              <span class="name">{label(row)}</span>
              {numbers(value(row))}
              <span class="bar" aria-hidden="true">
                <span style={width(value(row))} />
              </span>
            </li>
          ))}
        </ol>
      )}
      <dl class="top-rest">
        {top.others.count > 0 ? (
          <div>
            <dt>
              {top.others.count} {top.others.count === 1 ? 'other' : 'others'}
            </dt>
            <dd>{numbers(top.others.amount)}</dd>
          </div>
        ) : null}
        {apart !== undefined && apart.value > 0 ? (
          <div title={apart.help}>
            <dt>{apart.label}</dt>
            <dd>{numbers(apart.value)}</dd>
          </div>
        ) : null}
      </dl>
    </section>
  );
}
