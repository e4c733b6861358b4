/**
 * The Lines page's rules: how lines are ranked, found, named and copied, and which numbers there is room for.
 */
import { describe, expect, test } from 'vitest';
import type { LineCost, Metric } from '../../extension/server/wire';
import { allocated, ownCost, wholeOf } from '../../extension/webview/lines/columns';
import { byPlace, fileLabels, placeFilter, placeText, rowKey } from '../../extension/webview/lines/rows';
import { DEFAULT_CHOICES, restoreChoices } from '../../extension/webview/lines/state';
import { lineColumns, lineText } from '../../extension/webview/lines/table';
import type { LinesOf } from '../../extension/webview/lines/table';
import type { Sort } from '../../extension/webview/shared/table';
import { toCsv, toMarkdown } from '../../extension/webview/shared/table/copy';
import { fittingColumns } from '../../extension/webview/shared/table/layout';
import { arrange } from '../../extension/webview/shared/table/rows';
import { lineCost, ROWS, VIEW } from './playground/sample';

const SHARE = { column: 'share', descending: true } as const;
const sources = (rows: readonly { source: string }[]) => rows.map(({ source }) => source);

const columnsOf = (of: Partial<LinesOf> = {}) =>
  lineColumns({ metric: 'gpu_time', hasDevice: true, whole: 100, most: 100, spread: { steps: 1, suffix: '' }, labels: new Map(), ...of });

const placed = (rows: readonly LineCost[], metric: Metric, filter: string, sort: Sort) =>
  arrange(
    {
      rows: byPlace(rows),
      columns: columnsOf({ metric, labels: fileLabels(rows.map(({ file }) => file)) }),
      rowKey,
      children: undefined,
      searchText: lineText,
      expandedDepth: 0,
    },
    { filter, sort, expanded: {} },
  );

const selectRows = (rows: readonly LineCost[], query: { metric: Metric; filter: string; sort: Sort }) =>
  placed(rows, query.metric, query.filter, query.sort).map(({ row }) => row);

describe('rows', () => {
  const a = lineCost('a.py', 2, 'f', 'a()', { gpu_us: 10, cpu_self_us: 1, alloc_bytes: { cpu: 1, 'cuda:0': 5 } });
  const b = lineCost('b.py', 1, 'g', 'b(x)', { gpu_us: 5, gpu_backward_us: 20, cpu_self_us: 3, cpu_backward_us: 100 });
  const c = lineCost('a.py', 1, 'F', 'c = 0', { cpu_self_us: 2 });
  const rows = [a, b, c];

  test('are ranked by their own cost: GPU time forward and backward, CPU time without backward, bytes of all devices', () => {
    const ranked = (metric: 'gpu_time' | 'cpu_time' | 'memory') => sources(selectRows(rows, { metric, filter: '', sort: SHARE }));
    expect(ranked('gpu_time')).toEqual(['b(x)', 'a()', 'c = 0']);
    expect(ranked('cpu_time')).toEqual(['b(x)', 'c = 0', 'a()']);
    expect(ranked('memory')).toEqual(['a()', 'c = 0', 'b(x)']);
  });

  test('that cost nothing come last in either direction', () => {
    const sort = { column: 'gpu_self', descending: false } as const;
    expect(sources(selectRows(rows, { metric: 'gpu_time', filter: '', sort }))).toEqual(['b(x)', 'a()', 'c = 0']);
  });

  test('can be put in the order of their places', () => {
    const sort = { column: 'source', descending: false } as const;
    expect(sources(selectRows(rows, { metric: 'gpu_time', filter: '', sort }))).toEqual(['c = 0', 'a()', 'b(x)']);
  });

  test.each([
    ['a.py:2', ['a()']],
    ['F', ['a()', 'c = 0']],
    ['b.py x', ['b(x)']],
    ['nothing', []],
    ['  ', ['b(x)', 'a()', 'c = 0']],
  ])('are kept by every word of the filter in source, place or function: %s', (filter, kept) => {
    expect(sources(selectRows(rows, { metric: 'gpu_time', filter, sort: SHARE }))).toEqual(kept);
  });

  test('are not all kept by a part of the folder that they lie in', () => {
    const [one, other] = [lineCost('/home/commons/a.py', 1, 'f', 'x'), lineCost('/home/commons/sum.py', 2, 'g', 'y')];
    expect(sources(selectRows([one, other], { metric: 'gpu_time', filter: 'mm', sort: SHARE }))).toEqual([]);
    expect(sources(selectRows([one, other], { metric: 'gpu_time', filter: 'sum', sort: SHARE }))).toEqual(['y']);
  });

  test('their shares add up to what the run spent on lines', () => {
    const sum = ROWS.reduce((total, row) => total + ownCost(row, 'memory'), 0);
    expect(wholeOf(VIEW, 'memory')).toBe(sum);
    expect(wholeOf(VIEW, 'gpu_time')).toBe(VIEW.device_us.total);
    expect(wholeOf(VIEW, 'cpu_time')).toBe(VIEW.recording_us);
    expect(allocated(a)).toBe(6);
  });
});

describe('files are named', () => {
  test('as shortly as tells them apart', () => {
    const labels = fileLabels(['/p/train.py', '/p/net/model.py', '/q/net/model.py', '/p/tools/model.py', '/p/train.py']);
    expect([...labels.values()]).toEqual(['train.py', 'p/net/model.py', 'q/net/model.py', 'tools/model.py']);
  });

  test('by their last parts on Windows too', () => {
    expect(fileLabels(['C:\\p\\train.py']).get('C:\\p\\train.py')).toBe('train.py');
  });
});

describe('numbers', () => {
  const always = new Set(['source', 'share', 'precision']);
  const ids = (widthPx: number, metric: Metric, hasDevice: boolean) =>
    fittingColumns(columnsOf({ metric, hasDevice }), widthPx, 'share')
      .map(({ id }) => id)
      .filter((id) => !always.has(id));

  test('are all there when there is room', () => {
    expect(ids(1200, 'gpu_time', true)).toHaveLength(8);
  });

  test('leave as room goes, those of the metric last', () => {
    expect(ids(600, 'gpu_time', true)).toEqual(['gpu_self', 'gpu_total', 'gpu_backward']);
    expect(ids(600, 'cpu_time', true)).toEqual(['cpu_self', 'cpu_total', 'cpu_backward']);
    expect(ids(400, 'gpu_time', true)).toEqual([]);
  });

  test('of the device are not there when the run used none', () => {
    expect(ids(1200, 'cpu_time', false).some((id) => id.startsWith('gpu'))).toBe(false);
  });
});

describe('copied', () => {
  const rows = [
    lineCost('a.py', 1, 'f', 'x = "a, b"', { cpu_self_us: 10, calls: 4 }),
    lineCost('a.py', 2, 'f', '@decorated', { cpu_self_us: 2.0004, calls: 1 }),
  ];

  test('as CSV, numbers are plain, text is quoted where it must be, and nothing is a formula', () => {
    const byShare = placed(rows, 'cpu_time', '', SHARE);
    const [header, first, second, end] = toCsv(byShare, columnsOf({ metric: 'cpu_time', spread: { steps: 2, suffix: '' } })).split('\r\n');
    expect(header).toBe(
      'file,line,function,source,gpu_self_us,gpu_total_us,gpu_backward_us,cpu_self_us,cpu_total_us,cpu_backward_us,alloc_bytes,calls,precision',
    );
    expect(first).toBe('/home/ada/minigpt/a.py,1,f,"x = ""a, b""",0,0,0,5,5,0,0,2,line');
    expect(second).toContain(`,'@decorated,`);
    expect(second).toContain(',1,1,0,');
    expect(end).toBe('');
  });

  test('as Markdown, source is code whatever is in it, and empty columns are left out', () => {
    const strange = [lineCost('a.py', 1, 'f', 'x = a | `b`', { cpu_self_us: 1000 }), lineCost('a.py', 2, 'f', '', { cpu_self_us: 3000 })];
    const rowsByCost = placed(strange, 'cpu_time', '', { column: 'source', descending: false });
    const labels = new Map([['/home/ada/minigpt/a.py', 'a.py']]);
    expect(toMarkdown(rowsByCost, columnsOf({ metric: 'cpu_time', whole: 10_000, labels }))).toBe(
      [
        '| Line | Share | CPU self | CPU total | Calls |',
        '| :-- | --: | --: | --: | --: |',
        '| a.py:1 `` x = a \\| `b` `` | 10 % | 1.0 ms | 1.0 ms | 5 |',
        '| a.py:2 | 30 % | 3.0 ms | 3.0 ms | 5 |',
        '',
      ].join('\n'),
    );
  });
});

describe('what the reader chose', () => {
  test('is taken up again', () => {
    const table = { ...DEFAULT_CHOICES.table, filter: 'net', selected: 'a.py:1', columns: { calls: false } };
    const choices = { metric: 'memory', per: 'run', table } as const;
    expect(restoreChoices(JSON.parse(JSON.stringify(choices)) as object)).toEqual(choices);
  });

  test.each([{}, { metric: 7, table: [] }, { metric: 'of another version', table: { sort: 'share', filter: 3, columns: { calls: 1 } } }])(
    'is forgotten where it is of another shape: %j',
    (saved) => {
      expect(restoreChoices(saved)).toEqual(DEFAULT_CHOICES);
    },
  );
});

describe('the filter for a line', () => {
  const files = ['/home/ada/net.py', '/home/ada/subnet.py', '/home/ada/old/net.py'];
  const at = (file: string, line: number) => placeText({ file, line, function: 'forward', precision: 'line' });

  test('leaves its rows and no others', () => {
    const filter = placeFilter({ file: '/home/ada/net.py', line: 2 }, fileLabels(files));
    expect(filter).toBe('/ada/net.py:2:');
    const texts = files.flatMap((file) => [2, 20, 12].map((line) => at(file, line)));
    expect(texts.filter((text) => text.includes(filter))).toEqual([at('/home/ada/net.py', 2)]);
  });

  test('is as long as it must be of a file that is in no row', () => {
    expect(placeFilter({ file: 'net.py', line: 2 }, new Map())).toBe('net.py:2:');
  });
});
