/**
 * The Operators page's rules: what a row is, what stands behind it, its columns, and its chart.
 */
import { describe, expect, test } from 'vitest';
import { leavesTensorCores, operatorColumns, tensorCoresText } from '../../extension/webview/operators/columns';
import { kernelsOf } from '../../extension/webview/operators/Detail';
import { frameOf, operatorKey, shapesText, stacksOf } from '../../extension/webview/operators/groups';
import { figuresOf } from '../../extension/webview/operators/OperatorsPage';
import { DEFAULT_CHOICES, restoreChoices } from '../../extension/webview/operators/state';
import { restoreTop, topOf } from '../../extension/webview/shared/top/top';
import { frame, kernel, operator, operators, shown } from './playground/tables';

const RUN = { steps: 1, suffix: '' };
const columns = (group: 'name' | 'shape' | 'line' | 'stack', hasDevice = true, steps = 1) =>
  operatorColumns({ group, hasDevice, spread: { steps, suffix: '' }, labels: new Map([['/p/net.py', 'net.py']]) });
const ids = (...of: Parameters<typeof columns>) => columns(...of).map(({ id }) => id);

describe('a row', () => {
  test('by name has its name as key, which links and searches know', () => {
    expect(operatorKey(operator('aten::mm'))).toBe('aten::mm');
  });

  test('differs by shapes, by stack, and by whether it is a backward one', () => {
    const rows = [
      operator('aten::mm', { input_shape: '[[2, 2]]' }),
      operator('aten::mm', { input_shape: '[[4, 4]]' }),
      operator('aten::mm', { stack: [frame('/p/net.py:1')] }),
      operator('aten::mm', { stack: [frame('/p/net.py:1'), frame('/p/net.py:2')] }),
      operator('aten::mm', { stack: [frame('/p/net.py:1')], backward: true }),
    ];
    expect(new Set(rows.map(operatorKey)).size).toBe(rows.length);
  });

  test('is on the innermost frame of its stack', () => {
    expect(frameOf(operator('aten::mm', { stack: [frame('/p/main.py:9'), frame('/p/net.py:2')] }))?.line).toBe(2);
    expect(frameOf(operator('aten::mm'))).toBeNull();
  });
});

describe('shapes', () => {
  test.each([
    ['[[8, 16], [16, 4], []]', '8×16, 16×4'],
    ['[[64], [], []]', '64'],
    ['[[[1, 2], [3, 4]], []]', '(1×2, 3×4)'],
    ['[]', ''],
    ['', ''],
    ['[[2, "x"]]', ''],
    ['not JSON', 'not JSON'],
  ])('%s', (json, text) => {
    expect(shapesText(json)).toBe(text);
  });
});

describe('behind a row', () => {
  const a = operator('aten::mm', { stack: [frame('/p/main.py:9'), frame('/p/net.py:2')] });
  const b = operator('aten::mm', { stack: [frame('/p/test.py:1'), frame('/p/net.py:2')] });
  const backward = operator('aten::mm', { stack: [frame('/p/main.py:9'), frame('/p/net.py:2')], backward: true });
  const other = operator('aten::add', { stack: [frame('/p/net.py:2')] });
  const all = [a, b, backward, other];

  test('by name are all stacks of the name', () => {
    expect(stacksOf(operator('aten::mm'), 'name', all)).toEqual([a, b, backward]);
  });

  test('by line are those that end at the line, forward and backward apart', () => {
    expect(stacksOf(operator('aten::mm', { stack: [frame('/p/net.py:2')] }), 'line', all)).toEqual([a, b]);
    expect(stacksOf(operator('aten::mm', { stack: [frame('/p/net.py:2')], backward: true }), 'line', all)).toEqual([backward]);
  });

  test('are its kernels, each once, dearest first', () => {
    const launches = [
      kernel('small', { operator: 'aten::mm', total_us: 1 }),
      kernel('gemm', { operator: 'aten::mm', grid: '[1]', total_us: 5, calls: 2 }),
      kernel('gemm', { operator: 'aten::mm', grid: '[2]', total_us: 7, calls: 3 }),
      kernel('add', { operator: 'aten::add', total_us: 100 }),
    ];
    expect(kernelsOf('aten::mm', launches)).toEqual([
      { name: 'gemm', calls: 5, total_us: 12 },
      { name: 'small', calls: 1, total_us: 1 },
    ]);
  });
});

describe('columns', () => {
  test('say what rows are put together by', () => {
    expect(ids('name').slice(0, 2)).toEqual(['name', 'device_self']);
    expect(ids('shape')).toContain('shapes');
    expect(ids('line')).toContain('line');
    expect(ids('stack')).toContain('line');
  });

  test('have nothing of a device where none worked', () => {
    expect(ids('name', false)).toEqual(['name', 'host_self', 'host_total', 'calls', 'host_mean']);
  });

  test('are spread over steps, but what is the mean of a call is not', () => {
    const row = operator('aten::mm', { device_self_us: 1000, calls: 10 });
    const text = (id: string) => shown(columns('name', true, 5), id, row);
    expect([text('device_self'), text('calls'), text('device_mean')]).toEqual(['200 µs', '2', '100 µs']);
  });

  test('mark operators that could use Tensor Cores and mostly do not', () => {
    const mm = (percent: number | null) => operator('aten::mm', { tensor_cores_eligible: true, tensor_cores_self_percent: percent });
    expect([0, 30, 100, null].map((percent) => leavesTensorCores(mm(percent)))).toEqual([true, true, false, false]);
    expect(tensorCoresText(mm(0))).toBe('0 %');
    // Of others there is nothing to say.
    const add = operator('aten::add', { tensor_cores_self_percent: 0 });
    expect([leavesTensorCores(add), tensorCoresText(add)]).toEqual([false, '']);
  });
});

describe('the numbers of the page', () => {
  test('are all device time, with what is of no known operator', () => {
    const content = operators(
      [operator('aten::mm', { device_self_us: 600, host_self_us: 50 }), operator('aten::add', { device_self_us: 200 })],
      {
        unlinked_device_us: 200,
      },
    );
    const figures = Object.fromEntries(figuresOf(content, { steps: 2, suffix: ' / step' }).map(({ name, value }) => [name, value]));
    expect(figures).toEqual({
      GPU: '500 µs / step',
      'In operators': '80 %',
      'Operator not known': '20 %',
      'CPU in operators': '25.0 µs / step',
    });
  });

  test('are those of the host alone where no device worked', () => {
    expect(figuresOf(operators([operator('aten::mm', { host_self_us: 5 })]), RUN).map(({ name }) => name)).toEqual(['CPU in operators']);
  });
});

describe('the chart', () => {
  const amount = (row: { readonly us: number }) => row.us;
  const rows = [3, 0, 7, 1, 5].map((us) => ({ us }));

  test('shows the greatest, and what is left over together: nothing is hidden', () => {
    const top = topOf(rows, amount, 2);
    expect(top.rows.map(amount)).toEqual([7, 5]);
    expect(top.others).toEqual({ count: 2, amount: 4 });
  });

  test('leaves out rows that have none', () => {
    expect(topOf(rows, amount, 20)).toEqual({ rows: [7, 5, 3, 1].map((us) => ({ us })), others: { count: 0, amount: 0 } });
  });

  test('takes of a saved state only what it knows', () => {
    const initial = { shown: true, size: 10, by: 'a' } as const;
    expect(restoreTop({ shown: false, size: 20, by: 'b' }, initial, ['a', 'b'])).toEqual({ shown: false, size: 20, by: 'b' });
    expect(restoreTop({ shown: 1, size: 7, by: 'c' }, initial, ['a', 'b'])).toEqual(initial);
    expect(restoreTop(null, initial, [])).toEqual(initial);
  });
});

describe('choices', () => {
  test('are kept, and what is not of the present shape is left out', () => {
    expect(restoreChoices({ group: 'stack', per: 'run' })).toMatchObject({ group: 'stack', per: 'run' });
    expect(restoreChoices({ group: 'colour', per: 3, top: 'x', table: [] })).toEqual(DEFAULT_CHOICES);
  });
});
