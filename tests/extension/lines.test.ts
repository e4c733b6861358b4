/**
 * The Lines page's rules: ranking, filter, columns, virtual rows, and what is copied.
 */
import { describe, expect, test } from 'vitest';
import { allocated, ownCost, visibleColumns, wholeOf } from '../../extension/webview/lines/columns';
import { toCsv, toMarkdown } from '../../extension/webview/lines/copy';
import { fileLabels, nextSort, selectRows } from '../../extension/webview/lines/rows';
import { DEFAULT_CHOICES, restoreChoices } from '../../extension/webview/lines/state';
import { scrollTo, topOf, totalPx, visibleRows } from '../../extension/webview/shared/virtual';
import { lineCost, ROWS, VIEW } from './playground/sample';

const SHARE = { column: 'share', descending: true } as const;
const sources = (rows: readonly { source: string }[]) => rows.map(({ source }) => source);

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

  test('a header sorts numbers from the greatest, text from the first, and turns round when clicked again', () => {
    expect(nextSort(SHARE, 'calls')).toEqual({ column: 'calls', descending: true });
    expect(nextSort(SHARE, 'source')).toEqual({ column: 'source', descending: false });
    expect(nextSort(SHARE, 'share')).toEqual({ column: 'share', descending: false });
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

describe('columns', () => {
  const ids = (widthPx: number, metric: 'gpu_time' | 'cpu_time' | 'memory', device: boolean) =>
    visibleColumns(widthPx, metric, device).map(({ id }) => id);

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

describe('copied', () => {
  const rows = [
    lineCost('a.py', 1, 'f', 'x = "a, b"', { cpu_self_us: 10, calls: 4 }),
    lineCost('a.py', 2, 'f', '@decorated', { cpu_self_us: 2.0004, calls: 1 }),
  ];

  test('as CSV, numbers are plain, text is quoted where it must be, and nothing is a formula', () => {
    const [header, first, second, end] = toCsv(rows, { steps: 2 }).split('\r\n');
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
    expect(toMarkdown(strange, 'cpu_time', 10_000, { steps: 1 }, new Map([['/home/ada/minigpt/a.py', 'a.py']]))).toBe(
      [
        '| Line | Source | Share | CPU self | CPU total | Calls |',
        '| :-- | :-- | --: | --: | --: | --: |',
        '| a.py:1 | `` x = a \\| `b` `` | 10 % | 1.0 ms | 1.0 ms | 5 |',
        '| a.py:2 |  | 30 % | 3.0 ms | 3.0 ms | 5 |',
        '',
      ].join('\n'),
    );
  });
});

describe('what the reader chose', () => {
  test('is taken up again', () => {
    const choices = { ...DEFAULT_CHOICES, metric: 'memory', per: 'run', filter: 'net', selected: 'a.py:1' } as const;
    expect(restoreChoices({ run: null, view: choices })).toEqual(choices);
  });

  test.each([undefined, null, {}, { view: 7 }, { view: { metric: 'of another version', filter: 3 } }])(
    'is forgotten where it is of another shape: %j',
    (saved) => {
      expect(restoreChoices(saved)).toEqual(DEFAULT_CHOICES);
    },
  );
});
