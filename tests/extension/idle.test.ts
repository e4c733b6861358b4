/**
 * The Idle & sync page's rules: causes, queues, launches and waits.
 */
import { describe, expect, test } from 'vitest';
import { causeHelp, CAUSES, slicesOf } from '../../extension/webview/idle/causes';
import { lineKey } from '../../extension/webview/idle/IdleTopic';
import { launchFigures } from '../../extension/webview/idle/LaunchesTopic';
import { areaPath, linePath, partsOf } from '../../extension/webview/idle/queueShape';
import { DEFAULT_CHOICES, restoreChoices } from '../../extension/webview/idle/state';
import { waitColumns, waitsOf } from '../../extension/webview/idle/waits';
import { totalOf } from '../../extension/webview/shared/chart';
import { deviceIdle, frame, launches, shown, sync, syncCall, syncGroup } from './playground/tables';

describe('a device', () => {
  const device = deviceIdle('cuda:0', 60, { host: 25, synchronisation: 10, launch_latency: 5 });

  test('is busy or idle by a cause: the parts are all of its time', () => {
    const slices = slicesOf(device);
    expect(totalOf(slices)).toBe(device.total_us);
    expect(slices.filter(({ value }) => value > 0).map(({ name, value }) => [name, value])).toEqual([
      ['Busy', 60],
      ['Synchronisation', 10],
      ['Host', 25],
      ['Launch latency', 5],
    ]);
  });

  test('has causes that no version of the page knew shown by the server’s name', () => {
    const slices = slicesOf(deviceIdle('cuda:0', 1, { solar_flare: 2 }));
    expect(slices.at(-1)).toMatchObject({ id: 'solar_flare', name: 'solar_flare', value: 2 });
  });

  test('has each cause in a look of its own, and in words', () => {
    const looks = slicesOf(device).map(({ tone }) => `${tone.colour} ${tone.pattern}`);
    expect(new Set(looks).size).toBe(looks.length);
    expect(['busy', ...Object.keys(CAUSES)].every((id) => causeHelp(id) !== '')).toBe(true);
  });

  test('was left idle by lines, or by what no line is known of', () => {
    expect(lineKey({ frame: frame('/p/train.py:7') })).toBe('/p/train.py:7');
    expect(lineKey({ frame: null })).toBe('');
  });
});

describe('a queue', () => {
  const queue = {
    device: 'cuda:0',
    stream: 7,
    start_us: 100,
    end_us: 200,
    mean_length: 2,
    max_length: 4,
    empty_us: 25,
    full_us: 0,
    mean: [0, 1, 3, 4],
    most: [0, 2, 4, 4],
  };

  test('is drawn in steps, its greatest length at the top', () => {
    expect(linePath(queue.mean, 4, 100)).toBe('M0 100H1V75H2V25H3V0H4');
    expect(areaPath(queue.most, 4, 100)).toBe('M0 100H1V50H2V0H3V0H4V100H0Z');
    expect([linePath([], 0, 100), areaPath([], 0, 100), linePath([0], 0, 100)]).toEqual(['', '', 'M0 100H1']);
  });

  test('is told in few parts: means and the greatest of each', () => {
    expect(partsOf(queue, 2)).toEqual([
      { from_us: 100, to_us: 150, mean: 0.5, most: 2 },
      { from_us: 150, to_us: 200, mean: 3.5, most: 4 },
    ]);
    expect(partsOf(queue, 20)).toHaveLength(4);
    expect(partsOf({ ...queue, mean: [1, 2, 3], most: [1, 2, 3] }, 2).at(-1)).toEqual({
      from_us: 100 + 200 / 3,
      to_us: 200,
      mean: 3,
      most: 3,
    });
  });
});

test('launches are counted, with their share', () => {
  const figures = launchFigures(launches({ launches: 200, short: 50, long_calls: 1 }));
  expect(figures.map(({ value }) => value)).toEqual(['200', '50 (25 %)', '1 (0.5 %)', '0 (0 %)']);
});

describe('waits', () => {
  const at = frame('/p/train.py:7', 'train', 'call');
  const content = sync(
    [
      syncCall('.item()', 30, { start_us: 5, frame: at, operator: 'aten::item' }),
      syncCall('.item()', 10, { start_us: 50, frame: at }),
      syncCall('.cpu()', 2),
    ],
    [syncGroup('.item()', 40, { frame: at, calls: 2, max_us: 30, call: '' }), syncGroup('.cpu()', 2)],
    [syncGroup('.item()', 40, { frame: at, calls: 2, max_us: 30 }), syncGroup('.cpu()', 2)],
  );
  const groups = ['line', 'kind', 'call'] as const;
  const columns = (group: (typeof groups)[number], steps = 1) =>
    waitColumns({ group, wait_us: content.wait_us, spread: { steps, suffix: '' }, labels: new Map([['/p/train.py', 'train.py']]) });

  test('add up to all waiting, however they are put together', () => {
    for (const group of groups) {
      const rows = waitsOf(content, group);
      expect(rows.reduce((sum, row) => sum + row.wait_us, 0)).toBe(content.wait_us);
      expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length);
    }
  });

  test('are the same calls among others', () => {
    const keys = waitsOf(content, 'call').map(({ key }) => key);
    expect(waitsOf({ ...content, calls: content.calls.slice(1) }, 'call').map(({ key }) => key)).toEqual(keys.slice(1));
  });

  test('have their line', () => {
    for (const group of groups) {
      expect(shown(columns(group), 'line', waitsOf(content, group)[0])).toBe('train.py:7');
    }
  });

  test('are spread over steps, a single call is not', () => {
    const text = (group: (typeof groups)[number], id: string) => shown(columns(group, 2), id, waitsOf(content, group)[0]);
    expect([text('line', 'wait'), text('line', 'calls'), text('line', 'max'), text('line', 'share')]).toEqual([
      '20.0 µs',
      '1',
      '30.0 µs',
      '95 %',
    ]);
    expect([text('call', 'wait'), text('call', 'start')]).toEqual(['30.0 µs', '5.0 µs']);
  });
});

test('choices are kept, and what is not of the present shape is left out', () => {
  expect(restoreChoices({ topic: 'waits', waits: 'call' })).toMatchObject({ topic: 'waits', waits: 'call' });
  expect(restoreChoices({ topic: 'weather', waits: 1, per: {}, idle: null })).toEqual(DEFAULT_CHOICES);
});
