/**
 * One row of a table: its cells, numbers with their bars, and the twistie that expands it or shows what is behind it.
 */
import { Icon } from '../Icon';
import { barPercent, cellText } from './columns';
import type { Column } from './columns';
import { isRight } from './HeaderRow';
import type { Placed } from './rows';

interface Props<R> {
  readonly id: string;
  readonly placed: Placed<R>;
  /** Among all rows of the table, the header the first. */
  readonly number: number;
  /** Whether rows are below others. */
  readonly tree: boolean;
  /** For a screen reader; undefined where no row opens. */
  readonly level: number | undefined;
  readonly columns: readonly Column<R>[];
  readonly main: Column<R> | undefined;
  /** What the bars of each column are of. */
  readonly wholes: ReadonlyMap<string, number>;
  readonly template: string;
  readonly rowPx: number;
  readonly selected: boolean;
  /** Whether its detail is shown; null where there is none. */
  readonly open: boolean | null;
  readonly onClick: () => void;
  readonly onToggle: () => void;
  readonly onDetail: () => void;
}

export function Row<R>(props: Props<R>) {
  const { placed, tree, columns, main, selected, open } = props;
  const expanded = placed.parent ? placed.expanded : (open ?? undefined);
  return (
    <div
      id={props.id}
      class={`row${selected ? ' selected' : ''}${open === true ? ' open' : ''}`}
      role="row"
      aria-rowindex={props.number}
      aria-level={props.level}
      aria-selected={selected}
      aria-expanded={expanded}
      style={{ gridTemplateColumns: props.template, height: `${props.rowPx}px` }}
      onClick={props.onClick}
    >
      {columns.map((column) =>
        column === main ? (
          <div key={column.id} class="cell main" role="rowheader">
            {tree ? <span class="indent" style={{ width: `${placed.depth * 14}px` }} /> : null}
            {tree || open !== null ? <Twistie {...props} /> : null}
            <Content column={column} row={placed.row} />
            {tree && placed.parent && open !== null ? (
              <button type="button" class="more" tabIndex={-1} aria-label="Details" aria-pressed={open} onClick={stopped(props.onDetail)}>
                <Icon name="info" />
              </button>
            ) : null}
          </div>
        ) : (
          <div key={column.id} class={`cell col-${column.id}${isRight(column) ? ' number' : ''}`} role="gridcell">
            {column.bar === undefined ? null : <Bar value={column.value(placed.row)} whole={props.wholes.get(column.id) ?? 0} />}
            <Content column={column} row={placed.row} />
          </div>
        ),
      )}
    </div>
  );
}

function Content<R>({ column, row }: { readonly column: Column<R>; readonly row: R }) {
  if (column.render) {
    return <>{column.render(row)}</>;
  }
  const text = cellText(column, row);
  return (
    <span class="text" title={column.unit === 'text' ? text : undefined}>
      {text}
    </span>
  );
}

/** None of what is not known. */
function Bar({ value, whole }: { readonly value: number | string | null; readonly whole: number }) {
  return value === null ? null : (
    <span class="bar" aria-hidden="true">
      <span style={{ width: `${barPercent(value, whole)}%` }} />
    </span>
  );
}

function Twistie<R>({ placed, open, onToggle, onDetail }: Props<R>) {
  const isOpen = placed.parent ? placed.expanded : open === true;
  if (!placed.parent && open === null) {
    return <span class="twistie" />;
  }
  return (
    <button
      type="button"
      class="twistie"
      tabIndex={-1}
      aria-label={isOpen ? 'Close' : placed.parent ? 'Expand' : 'Show what is behind it'}
      onClick={stopped(placed.parent ? onToggle : onDetail)}
    >
      <Icon name={isOpen ? 'chevron-down' : 'chevron-right'} />
    </button>
  );
}

function stopped(action: () => void): (event: Event) => void {
  return (event) => {
    event.stopPropagation();
    action();
  };
}
