/**
 * The headers of a table: each says what its column is and sorts by it.
 */
import { Icon } from '../Icon';
import { isNumber } from './columns';
import type { Column, Sort } from './columns';

interface Props<R> {
  readonly columns: readonly Column<R>[];
  readonly template: string;
  /** Width of the rows: the body's scrollbar takes room beside them. */
  readonly widthPx: number;
  /** The column whose cells begin with a twistie. */
  readonly indented: Column<R> | undefined;
  readonly sort: Sort;
  readonly onSort: (column: Column<R>) => void;
}

export function HeaderRow<R>({ columns, template, widthPx, indented, sort, onSort }: Props<R>) {
  return (
    <div class="head" role="row" aria-rowindex={1} style={{ gridTemplateColumns: template, width: `${widthPx}px` }}>
      {columns.map((column) => {
        const active = sort.column === column.id;
        const direction = sort.descending ? 'descending' : 'ascending';
        const classes = `${isRight(column) ? 'number' : ''}${column === indented ? ' indented' : ''}`;
        return (
          <div
            key={column.id}
            role="columnheader"
            class={classes}
            aria-sort={column.sortable === false ? undefined : active ? direction : 'none'}
          >
            {column.sortable === false ? (
              <span title={column.help}>{column.title}</span>
            ) : (
              <button type="button" title={column.help} onClick={() => onSort(column)}>
                <span>{column.title}</span>
                {active ? <Icon name={sort.descending ? 'arrow-down' : 'arrow-up'} /> : null}
              </button>
            )}
          </div>
        );
      })}
    </div>
  );
}

/** Whether the column's text stands right. */
export function isRight<R>(column: Column<R>): boolean {
  return (column.align ?? (isNumber(column) ? 'right' : 'left')) === 'right';
}
