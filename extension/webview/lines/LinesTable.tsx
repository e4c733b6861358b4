/**
 * The ranked lines: a grid that draws only the rows on the screen. It has one tab stop; arrows move, Enter opens the source, Space the row.
 */
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { LineCost, LineDetail, LinesView, Metric } from '../../server/wire';
import type { SourceLine } from '../../views/messages';
import { Icon } from '../shared/Icon';
import { useSize } from '../shared/useSize';
import { scrollTo, topOf, totalPx, visibleRows } from '../shared/virtual';
import { ownCost, PRECISION_PX, SHARE_PX, visibleColumns } from './columns';
import type { Column, ColumnId, Spread } from './columns';
import { Detail } from './Detail';
import { Row } from './Row';
import { rowKey } from './rows';
import type { Sort } from './rows';

const ROW_PX = 42;

interface Props {
  readonly grid: RefObject<HTMLDivElement | null>;
  readonly view: LinesView;
  readonly rows: readonly LineCost[];
  readonly labels: ReadonlyMap<string, string>;
  readonly metric: Metric;
  readonly whole: number;
  readonly spread: Spread;
  readonly sort: Sort;
  readonly selected: string | null;
  readonly open: string | null;
  readonly onSort: (column: ColumnId) => void;
  readonly onSelect: (key: string) => void;
  readonly onToggle: (key: string) => void;
  readonly onOpenSource: (place: SourceLine) => void;
  readonly detail: (row: LineCost) => Promise<LineDetail>;
}

export function LinesTable(props: Props) {
  const { grid, view, rows, metric, whole, spread, sort, selected, open } = props;
  const { widthPx, heightPx } = useSize(grid);
  const [scrollPx, setScrollPx] = useState(0);
  const [openPx, setOpenPx] = useState(0);
  const columns = visibleColumns(widthPx, metric, view.device_us.total > 0);
  const openIndex = open === null ? -1 : rows.findIndex((row) => rowKey(row) === open);
  const selectedIndex = selected === null ? -1 : rows.findIndex((row) => rowKey(row) === selected);
  const layout = { count: rows.length, rowPx: ROW_PX, open: openIndex, openPx };
  const seen = visibleRows(layout, scrollPx, heightPx);
  const most = rows.reduce((max, row) => Math.max(max, ownCost(row, metric)), 0);
  const template = `minmax(0, 1fr) ${SHARE_PX}px ${columns.map((column) => `${column.widthPx}px`).join(' ')} ${PRECISION_PX}px`;

  const reveal = (index: number) => {
    const body = grid.current;
    if (body && index >= 0) {
      const to = scrollTo(layout, index, body.scrollTop, body.clientHeight);
      if (to !== body.scrollTop) {
        body.scrollTop = to;
        setScrollPx(to);
      }
    }
  };
  // The selected row, and what opens below it, is brought into view when either changes: not when the reader scrolls away from it.
  const wanted = selectedIndex >= 0 && heightPx > 0 ? selected : null;
  const wantedPx = openIndex === selectedIndex ? openPx : 0;
  useLayoutEffect(() => reveal(selectedIndex), [wanted, wantedPx]);

  const move = (index: number) => {
    const row = rows[Math.min(rows.length - 1, Math.max(0, index))];
    if (row) {
      props.onSelect(rowKey(row));
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    const row = rows[selectedIndex];
    const page = Math.max(1, Math.floor(heightPx / ROW_PX) - 1);
    const actions: Readonly<Record<string, () => void>> = {
      ArrowDown: () => move(selectedIndex + 1),
      ArrowUp: () => move(selectedIndex - 1),
      PageDown: () => move(selectedIndex + page),
      PageUp: () => move(selectedIndex - page),
      Home: () => move(0),
      End: () => move(rows.length - 1),
      Enter: () => row && props.onOpenSource(row),
      ' ': () => row && props.onToggle(rowKey(row)),
      ArrowRight: () => row && openIndex !== selectedIndex && props.onToggle(rowKey(row)),
      ArrowLeft: () => row && openIndex === selectedIndex && props.onToggle(rowKey(row)),
    };
    const action = actions[event.key];
    if (action) {
      event.preventDefault();
      action();
    }
  };

  return (
    <div class={`table metric-${metric}`} role="presentation">
      <HeaderRow columns={columns} template={template} widthPx={widthPx} sort={sort} onSort={props.onSort} />
      <div
        ref={grid}
        class="body"
        role="grid"
        tabIndex={0}
        aria-label="Lines by cost"
        aria-rowcount={rows.length}
        aria-activedescendant={selectedIndex >= seen.first && selectedIndex < seen.end ? `row-${selectedIndex}` : undefined}
        onScroll={(event) => setScrollPx(event.currentTarget.scrollTop)}
        onKeyDown={onKeyDown}
        onFocus={() => {
          if (selectedIndex < 0) {
            move(0);
          }
        }}
      >
        <div class="space" style={{ height: `${totalPx(layout)}px` }} role="presentation">
          {rows.slice(seen.first, seen.end).map((row, i) => {
            const index = seen.first + i;
            const key = rowKey(row);
            return (
              <div key={key} class="slot" style={{ top: `${topOf(layout, index)}px` }} role="presentation">
                <Row
                  row={row}
                  index={index}
                  template={template}
                  columns={columns}
                  label={props.labels.get(row.file) ?? row.file}
                  metric={metric}
                  most={most}
                  whole={whole}
                  spread={spread}
                  selected={index === selectedIndex}
                  open={index === openIndex}
                  onSelect={() => props.onSelect(key)}
                  onToggle={() => props.onToggle(key)}
                  onOpenSource={() => props.onOpenSource(row)}
                />
                {index === openIndex ? (
                  <Measured onHeight={setOpenPx}>
                    <Detail
                      key={`${view.run?.path ?? ''} ${key}`}
                      row={row}
                      spread={spread}
                      detail={props.detail}
                      onOpenSource={props.onOpenSource}
                    />
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

interface HeaderRowProps {
  readonly columns: readonly Column[];
  readonly template: string;
  /** Width of the rows: the body's scrollbar takes room beside them. */
  readonly widthPx: number;
  readonly sort: Sort;
  readonly onSort: (column: ColumnId) => void;
}

function HeaderRow({ columns, template, widthPx, sort, onSort }: HeaderRowProps) {
  const head = (id: ColumnId, title: string, help: string, number: boolean) => {
    const active = sort.column === id;
    const direction = sort.descending ? 'descending' : 'ascending';
    return (
      <div key={id} role="columnheader" class={number ? 'number' : ''} aria-sort={active ? direction : 'none'}>
        <button type="button" title={help} onClick={() => onSort(id)}>
          <span>{title}</span>
          {active ? <Icon name={sort.descending ? 'arrow-down' : 'arrow-up'} /> : null}
        </button>
      </div>
    );
  };
  return (
    <div class="head" role="row" style={{ gridTemplateColumns: template, width: `${widthPx}px` }}>
      {head('source', 'Line', 'Sort by file and line', false)}
      {head('share', 'Share', 'Own cost of the line in the metric, forward and backward, as a share of the run', false)}
      {columns.map(({ id, title, help }) => head(id, title, help, true))}
      {head('precision', '', 'Precision: how the cost was tied to its line', false)}
    </div>
  );
}

/** Reports the height of its content, as it changes. */
function Measured({ children, onHeight }: { readonly children: preact.ComponentChildren; readonly onHeight: (px: number) => void }) {
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
  return <div ref={box}>{children}</div>;
}
