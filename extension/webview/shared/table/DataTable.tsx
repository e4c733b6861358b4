/**
 * A table of any length: draws only the rows on the screen. It has one tab stop; arrows move, Enter opens, Space shows what is behind a row, left and right
 * collapse and expand. With its tools: search, choice of columns, copy.
 */
import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Message } from '../Message';
import { usePagePlace, useSession } from '../session';
import { useSize } from '../useSize';
import { scrollTo, topOf, totalPx, visibleRows } from '../virtual';
import type { Column } from './columns';
import { toCsv, toMarkdown } from './copy';
import { HeaderRow } from './HeaderRow';
import { chosenColumns, fittingColumns, gridTemplate, mainColumn } from './layout';
import { Row } from './Row';
import { arrange, nextSort, parentOf } from './rows';
import type { Placed } from './rows';
import type { TableState } from './state';
import { Tools } from './Tools';

export interface DataTableProps<R> {
  /** What the table is of, for screen readers: `Operators by cost`. */
  readonly label: string;
  /** What rows are called: `['operator', 'operators']`. */
  readonly noun: readonly [one: string, many: string];
  /** In the order of rows that sort alike. Rows, columns and functions are to be the same objects from one drawing to the next. */
  readonly rows: readonly R[];
  readonly columns: readonly Column<R>[];
  /** Identity of a row across sorting and reloading. */
  readonly rowKey: (row: R) => string;
  readonly state: TableState;
  readonly onState: (patch: Partial<TableState>) => void;
  /** Makes the table a tree: the rows below a row. */
  readonly childRows?: (row: R) => readonly R[];
  /** Rows of a tree above this depth are expanded at first. */
  readonly expandedDepth?: number;
  /** What is behind a row, shown below it. */
  readonly detail?: (row: R) => ComponentChildren;
  /** Enter, or a click on the row. Without it they show the detail, or expand. */
  readonly onOpen?: (row: R) => void;
  /** What the search looks in besides the text of columns. */
  readonly searchText?: (row: R) => string;
  readonly searchHint?: string;
  /** Before the search: what the page chooses the rows by. */
  readonly tools?: ComponentChildren;
  readonly rowPx?: number;
  readonly class?: string;
}

export const ROW_PX = 26;

export function DataTable<R>(props: DataTableProps<R>) {
  const { rows, columns, rowKey, state, onState, childRows, searchText, expandedDepth = 1, noun } = props;
  const { sort, filter, expanded } = state;
  const { copy } = useSession();
  const grid = useRef<HTMLDivElement>(null);
  const search = useRef<HTMLInputElement>(null);
  const placed = useMemo(
    () => arrange({ rows, columns, rowKey, children: childRows, searchText, expandedDepth }, { sort, filter, expanded }),
    [rows, columns, rowKey, childRows, searchText, expandedDepth, sort, filter, expanded],
  );
  const chosen = useMemo(() => chosenColumns(columns, state.columns), [columns, state.columns]);
  const shown = `${placed.length} ${placed.length === 1 ? noun[0] : noun[1]}`;

  return (
    <div class={`data-table ${props.class ?? ''}`}>
      <Tools
        search={search}
        columns={columns}
        chosen={chosen}
        state={state}
        onState={onState}
        noun={noun}
        hint={props.searchHint ?? `Filter ${noun[1]}`}
        shown={placed.length}
        all={childRows === undefined ? rows.length : null}
        onLeave={() => grid.current?.focus()}
        onCopy={(format) =>
          copy(
            format === 'csv' ? toCsv(placed, chosen) : toMarkdown(placed, chosen),
            `${shown} as ${format === 'csv' ? 'CSV' : 'Markdown'}`,
          )
        }
      >
        {props.tools}
      </Tools>
      {placed.length === 0 && filter !== '' ? (
        <Message icon="search" title={`No ${noun[0]} matches the filter`}>
          <p>Each word of the filter must be in a row’s text.</p>
          <button
            type="button"
            class="button"
            onClick={() => {
              onState({ filter: '' });
              search.current?.focus();
            }}
          >
            Clear filter
          </button>
        </Message>
      ) : (
        <Grid {...props} grid={grid} placed={placed} chosen={chosen} />
      )}
    </div>
  );
}

interface GridProps<R> extends DataTableProps<R> {
  readonly grid: RefObject<HTMLDivElement | null>;
  readonly placed: readonly Placed<R>[];
  readonly chosen: readonly Column<R>[];
}

function Grid<R>(props: GridProps<R>) {
  const { grid, placed, chosen, state, onState, childRows, detail, onOpen, rowPx = ROW_PX } = props;
  const { shown } = usePagePlace();
  const body = useRef<HTMLDivElement>(null);
  const { widthPx, heightPx } = useSize(body);
  const [scrollPx, setScrollPx] = useState(0);
  const [openPx, setOpenPx] = useState(0);
  const id = useId();
  const columns = fittingColumns(chosen, widthPx, state.sort.column);
  const main = mainColumn(columns);
  const wholes = useMemo(() => new Map(chosen.map((column) => [column.id, wholeOf(column, placed)])), [chosen, placed]);
  const indices = useMemo(() => new Map(placed.map(({ key }, index) => [key, index])), [placed]);
  const openIndex = detail === undefined || state.open === null ? -1 : (indices.get(state.open) ?? -1);
  const selectedIndex = state.selected === null ? -1 : (indices.get(state.selected) ?? -1);
  const layout = { count: placed.length, rowPx, open: openIndex, openPx };
  const seen = visibleRows(layout, scrollPx, heightPx);
  const template = gridTemplate(columns);

  // The selected row, and what opens below it, is brought into view when either changes: not when the reader scrolls away from it.
  const wanted = selectedIndex >= 0 && heightPx > 0 && shown ? `${state.selected ?? ''} ${state.sort.column}` : null;
  const wantedPx = openIndex === selectedIndex ? openPx : 0;
  useLayoutEffect(() => {
    const box = body.current;
    if (box && wanted !== null) {
      const to = scrollTo(layout, selectedIndex, box.scrollTop, box.clientHeight);
      if (to !== box.scrollTop) {
        box.scrollTop = to;
        setScrollPx(to);
      }
    }
  }, [wanted, wantedPx]);

  const move = (index: number) => {
    const to = placed[Math.min(placed.length - 1, Math.max(0, index))];
    if (to) {
      onState({ selected: to.key });
    }
  };
  const toggle = ({ key, parent, expanded }: Placed<R>) => {
    if (parent) {
      onState({ expanded: { ...state.expanded, [key]: !expanded }, selected: key });
    } else if (detail !== undefined) {
      onState({ open: state.open === key ? null : key, selected: key });
    }
  };
  const showDetail = (row: Placed<R>) => {
    if (detail === undefined) {
      toggle(row);
    } else {
      onState({ open: state.open === row.key ? null : row.key, selected: row.key });
    }
  };
  const openRow = (row: Placed<R>) => (onOpen === undefined ? showDetail(row) : onOpen(row.row));

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    const row = placed[selectedIndex];
    const page = Math.max(1, Math.floor(heightPx / rowPx) - 1);
    const isOpen = row !== undefined && (row.parent ? row.expanded : openIndex === selectedIndex);
    const actions: Readonly<Record<string, () => void>> = {
      ArrowDown: () => move(selectedIndex + 1),
      ArrowUp: () => move(selectedIndex - 1),
      PageDown: () => move(selectedIndex + page),
      PageUp: () => move(selectedIndex - page),
      Home: () => move(0),
      End: () => move(placed.length - 1),
      Enter: () => row && openRow(row),
      ' ': () => row && showDetail(row),
      ArrowRight: () => {
        if (row && isOpen && row.parent) {
          move(selectedIndex + 1);
        } else if (row && !isOpen) {
          toggle(row);
        }
      },
      ArrowLeft: () => {
        if (row && isOpen) {
          toggle(row);
        } else if (row && row.depth > 0) {
          move(parentOf(placed, selectedIndex));
        }
      },
    };
    const action = actions[event.key];
    if (action) {
      event.preventDefault();
      action();
    }
  };

  // The header is the first row; what is behind the open row is a row of its own.
  const rowNumber = (index: number) => index + 2 + (openIndex >= 0 && index > openIndex ? 1 : 0);
  // Rows that open, be it on rows below them or on what is behind them, are those of a tree.
  const tree = childRows !== undefined || detail !== undefined;

  return (
    <div
      ref={grid}
      class="table"
      role={tree ? 'treegrid' : 'grid'}
      tabIndex={0}
      aria-label={props.label}
      aria-rowcount={1 + placed.length + (openIndex >= 0 ? 1 : 0)}
      aria-activedescendant={selectedIndex >= seen.first && selectedIndex < seen.end ? `${id}-${selectedIndex}` : undefined}
      onKeyDown={onKeyDown}
      onFocus={(event) => {
        if (event.target === event.currentTarget && selectedIndex < 0) {
          move(0);
        }
      }}
    >
      <HeaderRow
        columns={columns}
        template={template}
        widthPx={widthPx}
        indented={tree ? main : undefined}
        sort={state.sort}
        onSort={(column) => onState({ sort: nextSort(state.sort, column) })}
      />
      <div
        ref={body}
        class="body"
        role="rowgroup"
        // A browser would make what scrolls a tab stop of its own.
        tabIndex={-1}
        onFocus={(event) => event.target === event.currentTarget && grid.current?.focus({ preventScroll: true })}
        onScroll={(event) => setScrollPx(event.currentTarget.scrollTop)}
      >
        <div class="space" style={{ height: `${totalPx(layout)}px` }} role="presentation">
          {placed.slice(seen.first, seen.end).map((one, i) => {
            const index = seen.first + i;
            return (
              <div key={one.key} class="slot" style={{ top: `${topOf(layout, index)}px` }} role="presentation">
                <Row
                  id={`${id}-${index}`}
                  placed={one}
                  number={rowNumber(index)}
                  tree={childRows !== undefined}
                  level={tree ? one.depth + 1 : undefined}
                  columns={columns}
                  main={main}
                  wholes={wholes}
                  template={template}
                  rowPx={rowPx}
                  selected={index === selectedIndex}
                  open={detail === undefined ? null : index === openIndex}
                  onClick={() => {
                    onState({ selected: one.key });
                    openRow(one);
                  }}
                  onToggle={() => toggle(one)}
                  onDetail={() => showDetail(one)}
                />
                {index === openIndex && detail !== undefined ? (
                  <Measured onHeight={setOpenPx} number={rowNumber(index) + 1} level={one.depth + 2} columns={columns.length}>
                    {detail(one.row)}
                  </Measured>
                ) : null}
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

/** What a column's bars are of. */
function wholeOf<R>({ bar, value }: Column<R>, placed: readonly Placed<R>[]): number {
  if (bar === undefined) {
    return 0;
  }
  return bar === 'greatest'
    ? placed.reduce((most, { row }) => {
        const of = value(row);
        return typeof of === 'number' ? Math.max(most, Math.abs(of)) : most;
      }, 0)
    : bar.of;
}

interface MeasuredProps {
  readonly children: ComponentChildren;
  readonly onHeight: (px: number) => void;
  readonly number: number;
  readonly level: number;
  /** Over how many it goes. */
  readonly columns: number;
}

/** The row of what is behind another; reports the height of its content, as it changes. */
function Measured({ children, onHeight, number, level, columns }: MeasuredProps) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const target = box.current;
    if (!target) {
      return undefined;
    }
    const measure = () => onHeight(target.offsetHeight);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(target);
    return () => observer.disconnect();
  }, [onHeight]);
  return (
    <div ref={box} role="row" aria-rowindex={number} aria-level={level}>
      <div role="gridcell" aria-colspan={columns}>
        {children}
      </div>
    </div>
  );
}
