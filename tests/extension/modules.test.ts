/**
 * The Modules page's rules: the tree, its numbers and its columns.
 */
import { describe, expect, test } from 'vitest';
import { moduleColumns } from '../../extension/webview/modules/columns';
import { figuresOf } from '../../extension/webview/modules/ModulesPage';
import { DEFAULT_CHOICES, restoreChoices } from '../../extension/webview/modules/state';
import { bytesOf, deviceSelf, deviceTotal, keysAbove, namedNodes, treeOf } from '../../extension/webview/modules/tree';
import { tableState } from '../../extension/webview/shared/table';
import { arrange } from '../../extension/webview/shared/table/rows';
import { module, modules, shown } from './playground/tables';

/** Net calls two blocks, which both call one Linear; a loss stands beside it. */
const ROWS = [
  module('Net_0', -1, 0, { device_total_us: 80, device_backward_total_us: 100, host_total_us: 500 }),
  module('Block_0', 0, 1, { device_total_us: 50 }),
  module('Linear_0', 1, 2, { device_total_us: 40, device_self_us: 40, device_backward_self_us: 2 }),
  module('Block_1', 0, 1, { device_total_us: 30 }),
  module('Linear_0', 3, 2, { device_total_us: 20 }),
  module('Loss_0', -1, 0, { host_total_us: 100 }),
];

describe('the tree', () => {
  const roots = treeOf(ROWS);

  test('has rows below the module that called them, each with its own identity', () => {
    expect(roots.map(({ key, children }) => [key, children.map((child) => child.key)])).toEqual([
      ['Net_0', ['Net_0/Block_0', 'Net_0/Block_1']],
      ['Loss_0', []],
    ]);
    expect(namedNodes(roots, 'Linear_0').map(({ key }) => key)).toEqual(['Net_0/Block_0/Linear_0', 'Net_0/Block_1/Linear_0']);
    expect(namedNodes(roots, 'Conv_0')).toEqual([]);
  });

  test('knows what is to be expanded to show a module', () => {
    expect(keysAbove('Net_0/Block_0/Linear_0')).toEqual(['Net_0', 'Net_0/Block_0']);
    expect(keysAbove('Net_0')).toEqual([]);
  });

  test('is shown as far as it is expanded, dearest first among siblings', () => {
    const columns = moduleColumns({ metric: 'gpu', hasDevice: true, device_us: 200, spread: { steps: 1, suffix: '' }, labels: new Map() });
    const shown = (expandedDepth: number, expanded = {}) =>
      arrange(
        { rows: roots, columns, rowKey: ({ key }) => key, children: ({ children }) => children, searchText: undefined, expandedDepth },
        { ...tableState({ column: 'device_total', descending: false }), expanded },
      ).map(({ row }) => row.row.name);
    expect(shown(0)).toEqual(['Net_0', 'Loss_0']);
    expect(shown(1)).toEqual(['Net_0', 'Block_1', 'Block_0', 'Loss_0']);
    expect(shown(0, { Net_0: true, 'Net_0/Block_1': true })).toEqual(['Net_0', 'Block_1', 'Linear_0', 'Block_0', 'Loss_0']);
  });
});

describe('numbers', () => {
  test('of a device are forward and backward together, bytes those of all devices', () => {
    const [net, , linear] = ROWS;
    expect([net, linear].map((row) => row && [deviceTotal(row), deviceSelf(row)])).toEqual([
      [180, 0],
      [40, 42],
    ]);
    expect(bytesOf({ cpu: 3, 'cuda:0': 4 })).toBe(7);
    expect(bytesOf({})).toBe(0);
  });

  test('of the page say what is of no module', () => {
    const figures = figuresOf(modules(ROWS, 200, 20), { steps: 2, suffix: ' / step' });
    expect(Object.fromEntries(figures.map(({ name, value }) => [name, value]))).toEqual({
      GPU: '100 µs / step',
      'In modules': '90 %',
      'Outside of modules': '10 %',
      'CPU in modules': '300 µs / step',
    });
    expect(figuresOf(modules(ROWS), { steps: 1, suffix: '' }).map(({ name }) => name)).toEqual(['CPU in modules']);
  });

  test('are spread over steps, but what is alive at the peak is not', () => {
    const row = module('Net_0', -1, 0, { alloc_total_bytes: { cpu: 2048 }, peak_total_bytes: { cpu: 2048 }, calls: 4 });
    const columns = moduleColumns({
      metric: 'memory',
      hasDevice: false,
      device_us: 0,
      spread: { steps: 2, suffix: '' },
      labels: new Map(),
    });
    const text = (id: string) => shown(columns, id, treeOf([row])[0]);
    expect([text('alloc_total'), text('peak_total'), text('calls')]).toEqual(['1.0 KiB', '2.0 KiB', '2']);
  });
});

describe('columns', () => {
  const ids = (metric: 'gpu' | 'cpu' | 'memory', hasDevice = true) =>
    moduleColumns({ metric, hasDevice, device_us: 1, spread: { steps: 1, suffix: '' }, labels: new Map() }).map(({ id }) => id);

  test('of the metric come first', () => {
    expect(ids('gpu').slice(0, 3)).toEqual(['name', 'device_total', 'share']);
    expect(ids('cpu').slice(0, 3)).toEqual(['name', 'host_total', 'host_self']);
    expect(ids('memory').slice(0, 3)).toEqual(['name', 'alloc_total', 'alloc_self']);
  });

  test('have nothing of a device where none worked', () => {
    expect(ids('cpu', false).some((id) => id.startsWith('device'))).toBe(false);
  });
});

test('choices are kept, and what is not of the present shape is left out', () => {
  expect(restoreChoices({ metric: 'memory', levels: 0 })).toMatchObject({ metric: 'memory', levels: 0 });
  expect(restoreChoices({ metric: 'colour', levels: 'all', per: 'week' })).toEqual(DEFAULT_CHOICES);
});
