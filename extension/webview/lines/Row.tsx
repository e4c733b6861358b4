/**
 * One line: its text and place, its share as a bar with the number, and what there is room for.
 */
import type { LineCost, Metric, Precision } from '../../server/wire';
import { Icon } from '../shared/Icon';
import { amountText, ownCost, shareText } from './columns';
import type { Column, Spread } from './columns';

interface Props {
  readonly row: LineCost;
  readonly index: number;
  readonly template: string;
  readonly columns: readonly Column[];
  readonly label: string;
  readonly metric: Metric;
  /** Own cost of the dearest row: its bar is full. */
  readonly most: number;
  readonly whole: number;
  readonly spread: Spread;
  readonly selected: boolean;
  readonly open: boolean;
  readonly onSelect: () => void;
  readonly onToggle: () => void;
  readonly onOpenSource: () => void;
}

const PRECISION: Readonly<Record<Precision, { readonly icon: string; readonly text: string }>> = {
  line: { icon: 'pass', text: 'exact line, from the line log' },
  call: { icon: 'call-outgoing', text: 'exact calling line, from the call stacks' },
  inferred: { icon: 'question', text: 'line inferred from the source and its calls' },
  function: { icon: 'symbol-method', text: 'whole function: its lines are not known' },
};

export function Row(props: Props) {
  const { row, index, columns, metric, spread, selected, open } = props;
  const precision = PRECISION[row.precision];
  return (
    <div
      id={`row-${index}`}
      class={`row${selected ? ' selected' : ''}${open ? ' open' : ''}`}
      role="row"
      aria-rowindex={index + 1}
      aria-selected={selected}
      aria-expanded={open}
      style={{ gridTemplateColumns: props.template }}
      onClick={() => {
        props.onSelect();
        props.onOpenSource();
      }}
    >
      <div class="line" role="gridcell">
        <button
          type="button"
          class="twistie"
          tabIndex={-1}
          aria-label={open ? 'Close' : 'Open call stacks and operators'}
          onClick={stopped(props.onToggle)}
        >
          <Icon name={open ? 'chevron-down' : 'chevron-right'} />
        </button>
        <div class="text">
          <code title={row.source}>{row.source === '' ? `${row.function}()` : row.source}</code>
          <div class="place">
            <span class="link" title={`Open ${row.file}:${row.line}`}>
              {props.label}:{row.line}
            </span>
            <span class="function">{row.function}</span>
          </div>
        </div>
      </div>
      <div class="share" role="gridcell">
        <Bar row={row} metric={metric} most={props.most} />
        <span class="amount">
          <strong>{shareText(ownCost(row, metric), props.whole)}</strong> {amountText(ownCost(row, metric), metric, spread)}
        </span>
      </div>
      {columns.map(({ id, value, text }) => (
        <div key={id} class="number" role="gridcell">
          {text(value(row), spread)}
        </div>
      ))}
      <div class={`precision ${row.precision}`} role="gridcell" title={`Precision: ${precision.text}`}>
        <Icon name={precision.icon} />
        <span class="hidden">{precision.text}</span>
      </div>
    </div>
  );
}

/** Forward solid, backward lighter. */
function Bar({ row, metric, most }: { readonly row: LineCost; readonly metric: Metric; readonly most: number }) {
  const backward = metric === 'gpu_time' ? row.gpu_backward_us : 0;
  const part = (value: number) => ({ width: most > 0 ? `${(100 * value) / most}%` : '0' });
  return (
    <span class="bar" aria-hidden="true">
      <span class="forward" style={part(ownCost(row, metric) - backward)} />
      {backward > 0 ? <span class="backward" style={part(backward)} title="backward" /> : null}
    </span>
  );
}

function stopped(action: () => void): (event: Event) => void {
  return (event) => {
    event.stopPropagation();
    action();
  };
}
