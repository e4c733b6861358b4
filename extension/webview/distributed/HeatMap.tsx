/**
 * Rank × step, coloured and labelled by a metric. One tab stop: arrows move, Enter or a click selects rank and step for all pages.
 */
import { useRef, useState } from 'preact/hooks';
import { timeUs } from '../../format';
import { useSession } from '../shared/session';
import { heatPart, METRICS } from './ranks';
import type { Cell, Heat, Metric } from './ranks';

interface Props {
  readonly heat: Heat;
  readonly metric: Metric;
}

export function HeatMap({ heat, metric }: Props) {
  const { part, setPart, ranks: all } = useSession();
  const grid = useRef<HTMLTableElement>(null);
  const [focused, setFocused] = useState<readonly [number, number]>([0, 0]);
  const label = METRICS.find(({ value }) => value === metric)?.label ?? '';
  const [row, column] = [Math.min(focused[0], heat.ranks.length - 1), Math.min(focused[1], heat.steps.length - 1)];
  const rank = part.rank ?? all[0];
  const isSelected = (cell: Cell) => cell.step === part.step && cell.rank === rank;
  const choose = (cell: Cell) => {
    if (isSelected(cell)) {
      setPart({ step: null, range_us: null });
    } else if (all.includes(cell.rank)) {
      setPart({ rank: cell.rank, step: cell.step, range_us: null });
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const [last, end] = [heat.ranks.length - 1, heat.steps.length - 1];
    const moves: Readonly<Record<string, readonly [number, number]>> = {
      ArrowDown: [Math.min(last, row + 1), column],
      ArrowUp: [Math.max(0, row - 1), column],
      ArrowRight: [row, Math.min(end, column + 1)],
      ArrowLeft: [row, Math.max(0, column - 1)],
      Home: [row, 0],
      End: [row, end],
      PageUp: [0, column],
      PageDown: [last, column],
    };
    const to = moves[event.key];
    const cell = heat.cells[row]?.[column];
    if (to !== undefined) {
      event.preventDefault();
      setFocused(to);
      grid.current?.querySelector<HTMLElement>(`[data-cell="${to[0]} ${to[1]}"]`)?.focus();
    } else if ((event.key === 'Enter' || event.key === ' ') && cell !== undefined) {
      event.preventDefault();
      choose(cell);
    }
  };
  return (
    <>
      <div class="heat-scroll">
        <table ref={grid} class="heat" role="grid" aria-label={`${label} by rank and step`} onKeyDown={onKeyDown}>
          <thead>
            <tr>
              <th scope="col" class="corner">
                <span class="hidden">Rank</span>
              </th>
              {heat.steps.map((step) => (
                <th key={step} scope="col">
                  Step {step}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {heat.cells.map((cells, i) => (
              <tr key={heat.ranks[i]}>
                <th scope="row">Rank {heat.ranks[i]}</th>
                {cells.map((cell, j) => (
                  <td
                    key={cell.step}
                    role="gridcell"
                    data-cell={`${i} ${j}`}
                    tabIndex={i === row && j === column ? 0 : -1}
                    aria-selected={isSelected(cell)}
                    title={`Rank ${cell.rank}, step ${cell.step}: ${label.toLowerCase()} ${cell.us === null ? 'not known' : timeUs(cell.us)}`}
                    class={cell.us === null ? 'unknown' : undefined}
                    style={cell.us === null ? undefined : { '--heat': `${Math.round(100 * heatPart(cell.us, heat))}%` }}
                    onClick={() => {
                      setFocused([i, j]);
                      choose(cell);
                    }}
                  >
                    {cell.us === null ? '–' : timeUs(cell.us)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {heat.most > heat.least ? (
        <p class="heat-scale quiet">
          {timeUs(heat.least)} <span class="ramp" aria-hidden="true" /> {timeUs(heat.most)}
        </p>
      ) : null}
    </>
  );
}
