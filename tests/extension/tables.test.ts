/**
 * The pages of tables in a real browser, as a person uses them: Operators, Kernels, Modules, Idle & sync.
 */
import { existsSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { PageId } from '../../extension/views/messages';
import { chromiumPath, openBrowser, Playground } from './playground/playground';
import type { PlaygroundOptions } from './playground/playground';
import { DESCRIPTION } from './playground/sample';
import {
  deviceIdle,
  frame,
  idle,
  kernel,
  kernels,
  launches,
  module,
  modules,
  operator,
  operators,
  sync,
  syncCall,
  syncGroup,
} from './playground/tables';

vi.setConfig({ testTimeout: 60_000 });

const STACK = [frame('/home/ada/train.py:40', 'train'), frame('/home/ada/net.py:12', 'forward', 'call')];
const SCRIPT = '<img src=x onerror=alert(1)>';
const MM = { tensor_cores_eligible: true, tensor_cores_self_percent: 0 };

const VIEWS = {
  operators: operators(
    [
      operator('aten::mm', { device_self_us: 3000, host_self_us: 500, ...MM }),
      operator('aten::add', { device_self_us: 1000, host_self_us: 900 }),
      operator(SCRIPT),
    ],
    { unlinked_device_us: 1000 },
  ),
  'operators-by-shape': operators([operator('aten::mm', { input_shape: '[[8, 16], [16, 4]]', device_self_us: 3000 })], {
    group_by: 'shape',
  }),
  'operators-by-stack': operators(
    [operator('aten::mm', { stack: STACK, device_self_us: 3000 }), operator('aten::mm', { stack: STACK, backward: true })],
    { group_by: 'stack' },
  ),
  kernels: kernels([
    kernel('void at::native::add<float>(float*)', { family: 'elementwise', total_us: 1000, calls: 10, occupancy: 90 }),
    kernel('nvjet_tst', {
      family: 'gemm',
      total_us: 3000,
      calls: 5,
      tensor_cores: true,
      blocks_per_sm: 0.5,
      lines: [
        { frame: frame('/home/ada/net.py:12', 'forward'), backward: false, calls: 3, total_us: 1500 },
        { frame: frame('/home/ada/net.py:12', 'forward'), backward: true, calls: 1, total_us: 900 },
      ],
      more_lines: 1,
    }),
  ]),
  'kernels-by-launch': kernels(
    [
      kernel('nvjet_tst', { family: 'gemm', operator: 'aten::mm', grid: '[8, 1, 1]', block: '[128, 1, 1]', total_us: 3000, calls: 5 }),
      kernel('void at::native::add<float>(float*)', { family: 'elementwise', operator: 'aten::add', total_us: 1000, calls: 10 }),
    ],
    'launch',
  ),
  modules: modules(
    [
      module('Net_0', -1, 0, { device_total_us: 3000, device_backward_total_us: 500, file: '/home/ada/net.py', line: 10 }),
      module('Block_0', 0, 1, { device_total_us: 2000, file: '/home/ada/net.py', line: 30 }),
      module('Linear_0', 1, 2, {
        device_total_us: 1500,
        called_on: frame('/home/ada/net.py:34', 'forward'),
        alloc_total_bytes: { 'cuda:0': 4096 },
      }),
      module('Linear_1', 2, 3, { device_total_us: 100 }),
      module('Linear_2', 3, 4, { device_total_us: 50 }),
    ],
    4000,
    500,
  ),
  idle: idle({
    devices: [deviceIdle('cuda:0', 6000, { host: 3000, data_loading: 1000 })],
    lines: [
      { frame: frame('/home/ada/train.py:41', 'train'), idle_us: 3500, data_loading_us: 1000, synchronisation_us: 0, host_us: 2500 },
      { frame: null, idle_us: 500, data_loading_us: 0, synchronisation_us: 0, host_us: 500 },
    ],
    queues: [
      {
        device: 'cuda:0',
        stream: 7,
        start_us: 0,
        end_us: 100,
        mean_length: 2,
        max_length: 4,
        empty_us: 50,
        full_us: 0,
        mean: [0, 4],
        most: [0, 4],
      },
    ],
    launches: launches({
      launches: 10,
      short: 4,
      kernels: [{ name: 'nvjet_tst', launches: 10, short: 4, call_mean_us: 5, device_mean_us: 4, delay_mean_us: 1 }],
    }),
    notices: ['Of one device alone.'],
  }),
  sync: sync(
    [syncCall('.item()', 30, { frame: frame('/home/ada/train.py:44', 'train') })],
    [syncGroup('.item()', 30, { frame: frame('/home/ada/train.py:44', 'train') })],
    [syncGroup('.item()', 30)],
  ),
};

describe.skipIf(!existsSync(chromiumPath))('the pages of tables', () => {
  let browser: Browser;
  const opened: Playground[] = [];
  beforeAll(async () => {
    browser = await openBrowser();
  }, 60_000);
  afterAll(async () => await browser.close());
  afterEach(async () => {
    for (const { page } of opened.splice(0)) {
      await page.close();
    }
  });

  const open = async (id: PageId, options: PlaygroundOptions = {}) => {
    const playground = await Playground.open(browser, {
      views: VIEWS,
      description: { ...DESCRIPTION, steps: [] },
      state: { run: null, page: id, pages: {} },
      ...options,
    });
    opened.push(playground);
    const page = playground.page.locator('.page:not([hidden])');
    return {
      playground,
      page,
      row: (text: string) => page.locator('.row', { hasText: text }),
      names: async () => await page.locator('.row .cell.main').allInnerTexts(),
      choose: async (label: string) => await page.locator('.segment', { hasText: label }).click(),
    };
  };

  describe('Operators', () => {
    test('show device time that is of no operator, in numbers and in the chart', async () => {
      const { page } = await open('operators');
      await page.locator('.row').first().waitFor();
      expect(await page.locator('.figures').innerText()).toMatch(/Operator not known\s+20 %/);
      expect(await page.locator('.top-rest').innerText()).toMatch(/Operator not known\s+20 % 1\.0 ms/);
    });

    test('are asked for again by what they are put together by', async () => {
      const { playground, page, choose } = await open('operators');
      await page.locator('.row').first().waitFor();
      await choose('Shape');
      await page.locator('.row', { hasText: '8×16, 16×4' }).waitFor();
      expect(playground.requests('kinetoscope/view').map(({ name }) => name)).toEqual(['operators', 'operators-by-shape']);
    });

    test('have their call stacks, each frame a jump, and their kernels behind them', async () => {
      const { playground, page, row } = await open('operators');
      await row('aten::mm').click();
      await page.locator('.frames').first().waitFor();
      expect(await page.locator('.stack').count()).toBe(2);
      await page.locator('.frames button', { hasText: 'net.py:12' }).first().click();
      expect(playground.requests('host/open')).toEqual([{ file: '/home/ada/net.py', line: 12 }]);
      await page.locator('.work button', { hasText: 'nvjet_tst' }).click();
      const kernelsPage = playground.page.locator('.page-kernels');
      await kernelsPage.locator('.row.selected', { hasText: 'nvjet_tst' }).waitFor();
    });

    test('that could use Tensor Cores and do not are marked', async () => {
      const { row } = await open('operators');
      expect(await row('aten::mm').locator('.missed').innerText()).toContain('0 %');
      expect(await row('aten::add').locator('.missed').count()).toBe(0);
    });

    test('are picked in the chart by keyboard, and stand selected in the table', async () => {
      const { page, row } = await open('operators');
      await row('aten::add').waitFor();
      await page.locator('.top [role=listbox]').focus();
      await page.locator('.top [role=listbox]').press('ArrowDown');
      await page.locator('.top [role=listbox]').press('ArrowDown');
      expect(await row('aten::add').getAttribute('aria-selected')).toBe('true');
      expect(await page.locator('.top li[aria-selected=true]').innerText()).toContain('aten::add');
    });

    test('are shown by other pages’ links, without what was chosen before', async () => {
      const { playground, row, page } = await open('operators');
      await page.locator('.filter input').fill('mm');
      await playground.event('show', { page: 'operators', target: { operator: 'aten::add' } });
      await row('aten::add').waitFor();
      expect(await row('aten::add').getAttribute('aria-selected')).toBe('true');
    });

    test('of the line under the cursor stand alone, the dearest selected; a line without any says so', async () => {
      const at = (line: number) => [frame(`/home/ada/net.py:${line}`, 'forward')];
      const byLine = operators(
        [
          operator('aten::add', { stack: at(12), device_self_us: 1000 }),
          operator('aten::mm', { stack: at(1), device_self_us: 3000 }),
          operator('aten::t', { stack: at(1) }),
        ],
        { group_by: 'line' },
      );
      const { playground, page, names } = await open('lines', { views: { ...VIEWS, 'operators-by-line': byLine } });
      await page.locator('.row').first().waitFor();
      await playground.event('show', { page: 'operators', target: { line: { file: '/home/ada/net.py', line: 1 } } });
      await playground.page.locator('.page-operators .row.selected', { hasText: 'aten::mm' }).waitFor();
      expect((await names()).map((text) => text.split('\n')[0])).toEqual(['aten::mm', 'aten::t']);
      await playground.event('show', { page: 'operators', target: { line: { file: '/home/ada/net.py', line: 2 } } });
      await page.getByText('No operator ran on net.py:2.').waitFor();
      expect(await names()).toHaveLength(3);
    });

    test('have names that are text, whatever they say', async () => {
      const { row } = await open('operators');
      expect(await row(SCRIPT).locator('.text').first().innerText()).toBe(SCRIPT);
    });

    test('are copied with what they are put together by', async () => {
      const { playground, page, row } = await open('operators');
      await row('aten::mm').waitFor();
      await page.getByRole('button', { name: 'CSV' }).click();
      const [copied] = playground.requests('host/copy');
      expect(copied?.text.split('\r\n')[0]).toBe(
        'name,device_self_us,device_total_us,host_self_us,host_total_us,calls,tensor_cores_eligible,tensor_cores_self_percent',
      );
    });

    test('say amounts of a step only of the whole', async () => {
      const { playground, page } = await open('operators', { description: DESCRIPTION });
      await page.locator('.figures', { hasText: '1.0 ms / step' }).waitFor();
      await page.locator('.segment', { hasText: 'per run' }).click();
      await page.locator('.figures', { hasText: '5.0 ms' }).waitFor();
      await playground.event('kinetoscope/part/changed', { run: DESCRIPTION.run.path, part: { step: 3 } });
      await page.locator('.segment', { hasText: 'per run' }).waitFor({ state: 'detached' });
    });
  });

  describe('Kernels', () => {
    test('are ranked, with their share and whether they use Tensor Cores', async () => {
      const { names, row } = await open('kernels', { widthPx: 1600 });
      await row('nvjet_tst').waitFor();
      expect(await names()).toEqual(['nvjet_tst', 'add<float>']);
      expect(await row('nvjet_tst').innerText()).toMatch(/75 %[^]*yes/);
      expect(await row('nvjet_tst').locator('.missed').innerText()).toContain('0.5');
    });

    test('are chosen by family; the chart says what is left out', async () => {
      const { page, names, row } = await open('kernels');
      await row('nvjet_tst').waitFor();
      await page.locator('.chip', { hasText: 'Elementwise 25 %' }).click();
      expect(await names()).toEqual(['add<float>']);
      expect(await page.locator('.top-rest').innerText()).toMatch(/Not chosen\s+75 % 3\.0 ms/);
      await page.getByRole('button', { name: 'All families' }).click();
      expect(await names()).toHaveLength(2);
    });

    test('have their whole name and their launches behind them, and a way to the operator', async () => {
      const { playground, page, row } = await open('kernels');
      await row('add<float>').click();
      await page.locator('.whole-name', { hasText: 'void at::native::add<float>(float*)' }).waitFor();
      await page.locator('.kernel-detail button', { hasText: 'aten::add' }).click();
      await playground.page.locator('.page-operators .row.selected', { hasText: 'aten::add' }).waitFor();
    });

    test('lead to the lines that launched them, from the row and from what is behind it', async () => {
      const { playground, page, row } = await open('kernels');
      await row('nvjet_tst').locator('.place-link').click();
      await row('nvjet_tst').locator('.cell.main').click();
      const lines = page.getByRole('region', { name: 'Lines that launched it' });
      await lines.waitFor();
      expect((await lines.locator('.work').allInnerTexts()).map((text) => text.replace(/\s+/g, ' '))).toEqual([
        expect.stringMatching(/net\.py:12 forward 1\.5 ms · 3× · 50 %/),
        expect.stringMatching(/net\.py:12 forward backward 900 µs · 1× · 30 %/),
        expect.stringMatching(/1 more line 600 µs · 1× · 20 %/),
      ]);
      await lines.locator('.place-link').first().click();
      expect(playground.requests('host/open')).toEqual(Array(2).fill({ file: '/home/ada/net.py', line: 12 }));
      await row('add<float>').click();
      expect(await page.getByRole('region', { name: 'Lines that launched it' }).innerText()).toMatch(
        /no line known\s+1\.0 ms · 10× · 100 %/,
      );
    });

    test('by launch say how they were launched', async () => {
      const { choose, row } = await open('kernels');
      await row('nvjet_tst').waitFor();
      await choose('Launch');
      await expect.poll(async () => await row('nvjet_tst').innerText()).toContain('aten::mm');
    });

    test('are none where no device worked, and why', async () => {
      const { page } = await open('kernels', { views: { kernels: kernels([]) } });
      await page.locator('.message', { hasText: 'ProfilerActivity.CUDA' }).waitFor();
    });
  });

  describe('Modules', () => {
    test('are a tree that is expanded and collapsed by keyboard', async () => {
      const { page, names } = await open('modules');
      await page.locator('.row').first().waitFor();
      expect(await names()).toEqual(['Net_0', 'Block_0', 'Linear_0', 'Linear_1']);
      const tree = page.locator('[role=treegrid]');
      await tree.focus();
      await tree.press('ArrowLeft');
      expect(await names()).toEqual(['Net_0']);
      await tree.press('ArrowRight');
      expect(await names()).toHaveLength(4);
      await page.getByRole('button', { name: 'Expand all modules' }).click();
      expect(await names()).toHaveLength(5);
      await page.getByRole('button', { name: 'Collapse all modules' }).click();
      expect(await names()).toEqual(['Net_0']);
    });

    test('lead to where their forward is and to the line that calls them, and have all their numbers behind them', async () => {
      const { playground, page, row } = await open('modules');
      await row('Net_0').locator('.place-link').click();
      expect(playground.requests('host/open')).toEqual([{ file: '/home/ada/net.py', line: 10 }]);
      await row('Linear_0').click();
      expect(await page.locator('.module-detail').innerText()).toMatch(/forward\s+0 ms\s+1\.5 ms[^]*cuda:0/);
      await row('Linear_0').locator('.place-link').click();
      await page.locator('.module-detail .place-link', { hasText: 'net.py:34' }).click();
      expect(playground.requests('host/open').slice(1)).toEqual(Array(2).fill({ file: '/home/ada/net.py', line: 34 }));
    });

    test('say what is outside of them', async () => {
      const { page } = await open('modules');
      await page.locator('.figures', { hasText: 'Outside of modules' }).waitFor();
      expect(await page.locator('.figures').innerText()).toMatch(/Outside of modules\s+13 %/);
    });

    test('are shown by the search’s hits, however deep they are', async () => {
      const { playground, page } = await open('lines');
      await page.locator('.row').first().waitFor();
      await playground.event('show', { page: 'modules', target: { module: 'Linear_2' } });
      await playground.page.locator('.page-modules .row.selected', { hasText: 'Linear_2' }).waitFor();
    });

    test('are none where they were not recorded, and how to record them', async () => {
      const { page } = await open('modules', { views: { modules: modules([]) } });
      await page.locator('.message', { hasText: 'kinetoscope profile --stacks' }).waitFor();
    });
  });

  describe('Idle & sync', () => {
    test('says why a device was idle, and which lines left it so', async () => {
      const { playground, page, row, names } = await open('idle');
      await page.locator('.idle-device').waitFor();
      expect(await page.locator('.idle-device').innerText()).toMatch(/idle 40 % of 10\.0 ms[^]*Host\s+3\.0 ms\s+30 %\s+75 %/);
      expect((await names()).map((name) => name.trim())).toEqual([expect.stringContaining('train.py:41'), 'no line known']);
      await row('train.py:41').click();
      expect(playground.requests('host/open')).toEqual([{ file: '/home/ada/train.py', line: 41 }]);
      await page.locator('.notices', { hasText: 'Of one device alone.' }).waitFor();
    });

    test('selects the line under the cursor, or says that it left no device idle and leads to its waits', async () => {
      const { playground, page } = await open('lines');
      await page.locator('.row').first().waitFor();
      const target = (line: number) => ({ page: 'idle', target: { line: { file: '/home/ada/train.py', line } } }) as const;
      await playground.event('show', target(41));
      await page.locator('.row.selected', { hasText: 'train.py:41' }).waitFor();
      await playground.event('show', target(44));
      await page.getByText('train.py:44 left no device idle.').waitFor();
      await page.getByRole('button', { name: 'Its waits' }).click();
      await page.locator('.row', { hasText: 'train.py:44' }).waitFor();
      expect(await page.getByLabel('Filter lines').inputValue()).toBe('/train.py:44:');
    });

    test('tells the queue of a stream by keyboard and as a table', async () => {
      const { page, choose } = await open('idle');
      await choose('Launches');
      await page.locator('.queue .plot').press('ArrowRight');
      await page.locator('.queue .plot').press('ArrowRight');
      expect(await page.locator('.queue [role=status]').innerText()).toBe('50.0 µs – 100 µs: mean 4, most 4');
      expect(await page.locator('.queue table tbody tr').count()).toBe(2);
    });

    test('leads from a launched kernel to its page', async () => {
      const { playground, choose, row } = await open('idle');
      await choose('Launches');
      await row('nvjet_tst').click();
      await playground.page.locator('.page-kernels .row.selected', { hasText: 'nvjet_tst' }).waitFor();
    });

    test('has the lines that waited', async () => {
      const { playground, choose, row } = await open('idle');
      await choose('Waits');
      await row('train.py:44').click();
      expect(playground.requests('host/open')).toEqual([{ file: '/home/ada/train.py', line: 44 }]);
      await choose('Each call');
      await row('.item()').waitFor();
      await choose('Idle');
      await row('train.py:41').waitFor();
      expect(playground.requests('kinetoscope/view').map(({ name }) => name)).toEqual(['idle', 'sync']);
    });

    test('says why there is nothing where no device worked', async () => {
      const { page, choose } = await open('idle', { views: { idle: idle(), sync: sync([], [], []) } });
      await page.locator('.message', { hasText: 'Idle time is that of GPUs' }).waitFor();
      await choose('Waits');
      await page.locator('.message', { hasText: 'No call in which the host waits' }).waitFor();
    });
  });

  test.each(['operators', 'kernels', 'modules', 'idle'] as const)('%s fits into a narrow pane', async (id) => {
    const { playground, page } = await open(id, { widthPx: 320 });
    await page.locator('.row').first().waitFor();
    expect(await playground.page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
    // What rows are ranked by is there.
    expect(await page.locator('[aria-sort=descending]').count()).toBe(1);
    const parts = await page.locator('.figures, .toolbar, .top, .stacked-bar, .idle-device').all();
    const boxes = await Promise.all(parts.map(async (part) => await part.boundingBox()));
    expect(boxes.filter((box) => box !== null && box.x + box.width > 320.5)).toEqual([]);
    // No table sticks out of its frame.
    const stuck = await page
      .locator('.chart-legend')
      .evaluateAll(
        (all) => all.filter((one) => one.getBoundingClientRect().right > (one.parentElement?.getBoundingClientRect().right ?? 0)).length,
      );
    expect(stuck).toBe(0);
  });
});
