/**
 * The table's rules: search, order, trees, columns, virtual rows, and what is copied.
 */
import { describe, expect, test } from 'vitest';
import { restoreTable, tableState } from '../../extension/webview/shared/table';
import type { Column } from '../../extension/webview/shared/table';
import { toCsv, toMarkdown } from '../../extension/webview/shared/table/copy';
import { chosenColumns, fittingColumns, gridTemplate } from '../../extension/webview/shared/table/layout';
import { arrange, nextSort, parentOf } from '../../extension/webview/shared/table/rows';
import { scrollTo, topOf, totalPx, visibleRows } from '../../extension/webview/shared/virtual';

interface Item {
  readonly name: string;
  readonly us: number | null;
  readonly calls: number;
  readonly below?: readonly Item[];
}

const COLUMNS: readonly Column<Item>[] = [
  { id: 'name', title: 'Name', help: 'What it is called', unit: 'text', value: ({ name }) => name },
  { id: 'time', title: 'Time', help: 'How long', unit: 'us', value: ({ us }) => us, bar: 'greatest' },
  { id: 'calls', title: 'Calls', help: 'How often', unit: 'count', value: ({ calls }) => calls },
];

const [NAME, TIME] = COLUMNS as [Column<Item>, Column<Item>];

const item = (name: string, us: number | null, below: readonly Item[] = [], calls = 1): Item => ({ name, us, calls, below });

interface Query {
  readonly sort?: { readonly column: string; readonly descending: boolean };
  readonly filter?: string;
  readonly expanded?: Readonly<Record<string, boolean>>;
}

const BY_TIME = { column: 'time', descending: true };

const arranged = (rows: readonly Item[], { sort = BY_TIME, filter = '', expanded = {} }: Query = {}, tree = false) =>
  arrange(
    {
      rows,
      columns: COLUMNS,
      rowKey: ({ name }) => name,
      children: tree ? ({ below = [] }) => below : undefined,
      searchText: undefined,
      expandedDepth: 1,
    },
    { sort, filter, expanded },
  );
const names = (rows: readonly Item[], query: Query = {}, tree = false) =>
  arranged(rows, query, tree).map(({ row, depth }) => '. '.repeat(depth) + row.name);

describe('rows', () => {
  const rows = [item('mm', 5), item('copy', 0), item('add', 9), item('unknown', null), item('Add_', 5)];

  test('are sorted by any column; those that sort alike stay as they came', () => {
    expect(names(rows)).toEqual(['add', 'mm', 'Add_', 'copy', 'unknown']);
    expect(names(rows, { sort: { column: 'name', descending: false } })).toEqual(['Add_', 'add', 'copy', 'mm', 'unknown']);
  });

  test('that have none of it come last, whatever the direction', () => {
    expect(names(rows, { sort: { column: 'time', descending: false } })).toEqual(['mm', 'Add_', 'add', 'copy', 'unknown']);
  });

  test('stay as they came where the column that they were sorted by is there no more', () => {
    expect(names(rows, { sort: { column: 'gone', descending: true } })).toEqual(['mm', 'copy', 'add', 'unknown', 'Add_']);
  });

  test.each([
    ['ADD', ['add', 'Add_']],
    ['d _', ['Add_']],
    ['nothing', []],
  ])('are kept by every word of the filter, capital or not: %s', (filter, kept) => {
    expect(names(rows, { filter })).toEqual(kept);
  });

  test('a header sorts numbers from the greatest, text from the first, and turns round when clicked again', () => {
    expect(nextSort(BY_TIME, NAME)).toEqual({ column: 'name', descending: false });
    expect(nextSort({ column: 'name', descending: false }, TIME)).toEqual(BY_TIME);
    expect(nextSort(BY_TIME, TIME)).toEqual({ column: 'time', descending: false });
  });

  test('a hundred thousand are arranged without their columns being asked more often than needed', () => {
    let asked = 0;
    const many = Array.from({ length: 100_000 }, (_, i) => item(`row ${i}`, (i * 7919) % 100_003));
    const counting = [{ ...TIME, value: ({ us }: Item) => (asked++, us) }];
    const tree = {
      rows: many,
      columns: counting,
      rowKey: ({ name }: Item) => name,
      children: undefined,
      searchText: undefined,
      expandedDepth: 0,
    };
    expect(arrange(tree, { sort: BY_TIME, filter: '', expanded: {} })).toHaveLength(100_000);
    expect(asked).toBe(100_000);
  });
});

describe('a tree', () => {
  const tree = [item('model', 10, [item('encoder', 4, [item('layer.0', 1), item('layer.1', 3)]), item('head', 6)]), item('loss', 2)];

  test('is expanded at the top, sorted among siblings, and further where the reader expands', () => {
    expect(names(tree, {}, true)).toEqual(['model', '. head', '. encoder', 'loss']);
    expect(names(tree, { expanded: { encoder: true } }, true)).toEqual([
      'model',
      '. head',
      '. encoder',
      '. . layer.1',
      '. . layer.0',
      'loss',
    ]);
    expect(names(tree, { expanded: { model: false } }, true)).toEqual(['model', 'loss']);
  });

  test('shows what matches the filter and the way down to it', () => {
    expect(names(tree, { filter: 'layer.1' }, true)).toEqual(['model', '. encoder', '. . layer.1']);
    expect(names(tree, { filter: 'layer.1', expanded: { model: false } }, true)).toEqual(['model', '. encoder', '. . layer.1']);
  });

  test('leads from a row to the one that it is below', () => {
    const rows = arranged(tree, { expanded: { encoder: true } }, true);
    const at = (name: string) => rows.findIndex(({ row }) => row.name === name);
    expect(parentOf(rows, at('layer.0'))).toBe(at('encoder'));
    expect(parentOf(rows, at('encoder'))).toBe(at('model'));
    expect(parentOf(rows, at('loss'))).toBe(-1);
  });

  test('is copied with its depth', () => {
    const rows = arranged(tree, {}, true);
    expect(toCsv(rows, COLUMNS).split('\r\n').slice(0, 3)).toEqual(['depth,name,time_us,calls', '0,model,10,1', '1,head,6,1']);
    expect(toMarkdown(rows, [NAME]).split('\n')[3]).toBe('| &nbsp;&nbsp;head |');
  });
});

describe('columns', () => {
  const ids = (columns: readonly Column<Item>[]) => columns.map(({ id }) => id);

  test('are chosen by the reader, but the main one is always there', () => {
    expect(ids(chosenColumns(COLUMNS, {}))).toEqual(['name', 'time', 'calls']);
    expect(ids(chosenColumns(COLUMNS, { name: false, time: false }))).toEqual(['name', 'calls']);
    const hidden = COLUMNS.map((column) => (column.id === 'calls' ? { ...column, shown: false } : column));
    expect(ids(chosenColumns(hidden, {}))).toEqual(['name', 'time']);
    expect(ids(chosenColumns(hidden, { calls: true }))).toEqual(['name', 'time', 'calls']);
  });

  test('leave from the right as room goes, the one that is sorted by last', () => {
    expect(ids(fittingColumns(COLUMNS, 1000, 'time'))).toEqual(['name', 'time', 'calls']);
    expect(ids(fittingColumns(COLUMNS, 330, 'time'))).toEqual(['name', 'time']);
    expect(ids(fittingColumns(COLUMNS, 330, 'calls'))).toEqual(['name', 'calls']);
    expect(ids(fittingColumns(COLUMNS, 200, 'time'))).toEqual(['name']);
  });

  test('that never leave take their room first', () => {
    const fixed = COLUMNS.map((column) => (column.id === 'calls' ? { ...column, leaves: 0 } : column));
    expect(ids(fittingColumns(fixed, 330, 'time'))).toEqual(['name', 'calls']);
  });

  test('share the width: the main one takes what is left', () => {
    expect(gridTemplate(COLUMNS)).toBe('minmax(0, 1fr) 124px 66px');
  });
});

describe('copied', () => {
  test('as CSV, numbers are plain in the unit of the title, text is quoted where it must be, and nothing is a formula', () => {
    const rows = arranged([item('a, "b"', 2.00049, [], 3), item('=HYPERLINK()', null)]);
    expect(toCsv(rows, COLUMNS)).toBe(`name,time_us,calls\r\n"a, ""b""",2,3\r\n'=HYPERLINK(),,1\r\n`);
  });

  test('as Markdown, names are text whatever is in them, and empty columns are left out', () => {
    const rows = arranged([item('kernel<4, *>|`x`', 0), item('[a](b)', null)]);
    expect(toMarkdown(rows, COLUMNS)).toBe(
      ['| Name | Calls |', '| :-- | --: |', '| kernel\\<4, \\*\\>\\|\\`x\\` | 1 |', '| \\[a\\](b) | 1 |', ''].join('\n'),
    );
  });
});

describe('a list of rows of one height, one of them open', () => {
  const layout = { count: 1000, rowPx: 40, open: 10, openPx: 200 };

  test('is as tall as all of it', () => {
    expect(totalPx(layout)).toBe(40_200);
    expect(totalPx({ ...layout, open: -1 })).toBe(40_000);
    expect(topOf(layout, 10)).toBe(400);
    expect(topOf(layout, 11)).toBe(640);
  });

  test('draws what is seen and a few rows more', () => {
    for (const scroll of [0, 399, 450, 620, 641, 20_000, 39_800]) {
      const { first, end } = visibleRows(layout, scroll, 400);
      const seen = Array.from({ length: layout.count }, (_, i) => i).filter((i) => {
        const top = topOf(layout, i);
        const bottom = top + layout.rowPx + (i === layout.open ? layout.openPx : 0);
        return bottom > scroll && top < scroll + 400;
      });
      expect(first).toBeLessThanOrEqual(seen[0] ?? 0);
      expect(end).toBeGreaterThan(seen.at(-1) ?? 0);
      expect(end - first).toBeLessThan(30);
    }
  });

  test('scrolls no more than is needed to show a row with its open part', () => {
    expect(scrollTo(layout, 3, 0, 400)).toBe(0);
    expect(scrollTo(layout, 3, 200, 400)).toBe(120);
    expect(scrollTo(layout, 20, 0, 400)).toBe(topOf(layout, 20) + 40 - 400);
    expect(scrollTo(layout, 10, 0, 400)).toBe(240);
    expect(scrollTo({ ...layout, openPx: 900 }, 10, 0, 400)).toBe(400);
  });
});

describe('what the reader chose', () => {
  const initial = tableState(BY_TIME);

  test('is taken up again', () => {
    const state = {
      sort: { column: 'name', descending: false },
      filter: 'mm',
      columns: { calls: false },
      selected: 'a',
      open: 'a',
      expanded: { a: true },
    };
    expect(restoreTable(JSON.parse(JSON.stringify(state)), initial)).toEqual(state);
  });

  test.each([undefined, null, 7, { sort: { column: 3 }, filter: [], columns: { a: 'yes' }, selected: 1, open: {}, expanded: 'all' }])(
    'is forgotten where it is of another shape: %j',
    (saved) => {
      expect(restoreTable(saved, initial)).toEqual(initial);
    },
  );
});
