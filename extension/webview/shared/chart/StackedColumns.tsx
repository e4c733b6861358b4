/**
 * Stacks side by side on one scale. What is pointed at, or has the focus, is told in numbers below; one tab stop, arrows move, Enter or a click chooses.
 * Behind it stands a table for screen readers.
 */
import { useRef, useState } from 'preact/hooks';
import { useSize } from '../useSize';
import { labelEvery, percentOf, ticks, toneClass, totalOf } from './slices';
import type { Stack } from './slices';

interface Props {
  /** What it shows: `Time of each step`. */
  readonly label: string;
  /** What a stack is: `Step`. */
  readonly of: string;
  readonly stacks: readonly Stack[];
  /** A value in words: `4.1 ms`. */
  readonly text: (value: number) => string;
  readonly chosen: string | null;
  readonly onChoose: (id: string) => void;
  /** A dashed line across all stacks, such as their mean. */
  readonly mark?: number;
  /** What there is to do, below while nothing is pointed at. */
  readonly hint: string;
  readonly lit?: string | null;
}

const LABEL_PX = 34;
const COLUMN_LEAST_PX = 12;

export function StackedColumns({ label, of, stacks, text, chosen, onChoose, mark, hint, lit = null }: Props) {
  const plot = useRef<HTMLDivElement>(null);
  const row = useRef<HTMLDivElement>(null);
  const { widthPx } = useSize(plot);
  const [pointed, setPointed] = useState<string | null>(null);
  const [focused, setFocused] = useState<string | null>(null);
  const scale = ticks(stacks.reduce((most, { slices }) => Math.max(most, totalOf(slices)), mark ?? 0));
  const top = scale.at(-1) ?? 0;
  const every = labelEvery(Math.max(COLUMN_LEAST_PX, widthPx / Math.max(1, stacks.length)), LABEL_PX);
  const told = stacks.find(({ id }) => id === (pointed ?? focused ?? chosen));
  // Where nothing is chosen the first is the tab stop.
  const stop = stacks.find(({ id }) => id === (focused ?? chosen))?.id ?? stacks[0]?.id;
  const slicesOfAll = [...new Map(stacks.flatMap(({ slices }) => slices.map(({ id, name }) => [id, name] as const)))];

  return (
    <div class="stacked-columns">
      <div class="chart">
        <div class="scale" aria-hidden="true">
          {scale.map((value) => (
            <span key={value} style={{ bottom: percentOf(value, top) }}>
              {tickText(text(value))}
            </span>
          ))}
        </div>
        <div ref={plot} class="plot">
          <div class="rules" aria-hidden="true">
            {scale.map((value) => (
              <span key={value} style={{ bottom: percentOf(value, top) }} />
            ))}
          </div>
          <div
            ref={row}
            class="columns"
            role="group"
            aria-label={label}
            onKeyDown={(event) => moveFocus(event, row.current)}
            onPointerLeave={() => setPointed(null)}
          >
            {stacks.map((stack, index) => (
              <button
                key={stack.id}
                type="button"
                class="column"
                tabIndex={stack.id === stop ? 0 : -1}
                aria-label={`${stack.name}: ${text(totalOf(stack.slices))}`}
                aria-pressed={stack.id === chosen}
                onClick={() => onChoose(stack.id)}
                onPointerEnter={() => setPointed(stack.id)}
                onFocus={() => setFocused(stack.id)}
                onBlur={() => setFocused(null)}
              >
                <span class="stack-of">
                  {stack.slices.map(({ id, value, tone }) =>
                    value > 0 ? (
                      <span
                        key={id}
                        class={`${toneClass(tone)}${lit !== null && lit !== id ? ' dim' : ''}`}
                        style={{ height: percentOf(value, top) }}
                      />
                    ) : null,
                  )}
                </span>
                <span class="label">{index % every === 0 ? stack.label : ''}</span>
              </button>
            ))}
          </div>
          {mark === undefined || stacks.length < 2 ? null : (
            <div class="rules" aria-hidden="true">
              <span class="mark" style={{ bottom: percentOf(mark, top) }} />
            </div>
          )}
        </div>
      </div>
      <p class="told">{told === undefined ? hint : <Told stack={told} text={text} />}</p>
      <table class="hidden">
        <caption>{label}</caption>
        <thead>
          <tr>
            <th scope="col">{of}</th>
            <th scope="col">All</th>
            {slicesOfAll.map(([id, name]) => (
              <th key={id} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {stacks.map(({ id, name, slices }) => (
            <tr key={id}>
              <th scope="row">{name}</th>
              <td>{text(totalOf(slices))}</td>
              {slicesOfAll.map(([slice]) => (
                <td key={slice}>{text(slices.find((one) => one.id === slice)?.value ?? 0)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Told({ stack, text }: { readonly stack: Stack; readonly text: (value: number) => string }) {
  return (
    <>
      <strong>
        {stack.name}: {text(totalOf(stack.slices))}
      </strong>
      {stack.slices
        .filter(({ value }) => value > 0)
        .map(({ id, name, value, tone }) => (
          <span key={id} class="of">
            <span class={`chart-swatch ${toneClass(tone)}`} aria-hidden="true" />
            {name} {text(value)}
          </span>
        ))}
    </>
  );
}

/** Values of a scale are round: their zeros after the point say nothing. */
function tickText(text: string): string {
  return text.replace(/\.0(?= )/, '');
}

function moveFocus(event: KeyboardEvent, row: HTMLElement | null): void {
  const buttons = [...(row?.querySelectorAll('button') ?? [])];
  const now = buttons.indexOf(document.activeElement as HTMLButtonElement);
  const moves: Readonly<Record<string, number>> = { ArrowRight: now + 1, ArrowLeft: now - 1, Home: 0, End: buttons.length - 1 };
  const to = moves[event.key];
  if (to !== undefined && now >= 0) {
    event.preventDefault();
    buttons[Math.min(buttons.length - 1, Math.max(0, to))]?.focus();
  }
}
