/**
 * The flame graph without a canvas: layout, search, both sides of a function, two trees as one, colours, words.
 */
import { describe, expect, test } from 'vitest';
import { DEFAULT_CHOICES, restoreChoices, viewName } from '../../extension/webview/flame/choices';
import { compareTrees, scaleStep } from '../../extension/webview/flame/compare';
import { folded } from '../../extension/webview/flame/folded';
import { groupOf, groupsOf } from '../../extension/webview/flame/groups';
import { labelOf } from '../../extension/webview/shared/frameLabel';
import { depthAt, depthsSeen, greatestScroll, ROW_PX, scrollTo, topOf } from '../../extension/webview/flame/rows';
import type { Stage } from '../../extension/webview/flame/rows';
import { sandwich } from '../../extension/webview/flame/sandwich';
import { search } from '../../extension/webview/flame/search';
import { calleesOf, flameTree, functionKey, pathTo } from '../../extension/webview/flame/tree';
import type { FlameTree, Frame } from '../../extension/webview/flame/tree';
import { difference, spoken } from '../../extension/webview/flame/values';
import { step, stepOf } from '../../extension/webview/flame/walk';
import { namesTo, nodeOf } from '../../extension/webview/flame/zoomPath';

/** Frames from `outer;inner weight` lines, callers before callees. */
function frames(...stacks: readonly string[]): Frame[] {
  const found: (Frame & { weight_self: number; weight_total: number })[] = [];
  const known = new Map<string, number>();
  for (const stack of stacks) {
    const [, path = '', weight = '0'] = /^(.*) (\d+)$/.exec(stack) ?? [];
    let parent = -1;
    let key = '';
    for (const name of path.split(';')) {
      key += `;${name}`;
      let at = known.get(key);
      if (at === undefined) {
        at = found.push({ name, parent, weight_self: 0, weight_total: 0, file: '', line: 0, precision: null }) - 1;
        known.set(key, at);
      }
      const frame = found[at];
      if (frame) {
        frame.weight_total += Number(weight);
      }
      parent = at;
    }
    const last = found[parent];
    if (last) {
      last.weight_self += Number(weight);
    }
  }
  return found;
}

const tree = (...stacks: readonly string[]) => flameTree(frames(...stacks), 'everything');
const at = (of: FlameTree, path: string) => of.names.findIndex((_, node) => namesTo(of, node).join(';') === path);
const spans = (of: FlameTree) => of.names.map((name, node) => [name, of.starts[node], of.ends[node]]);

const MODEL = tree('main;forward;linear 30', 'main;forward 10', 'main;backward;linear 50', 'main 5', 'other 5');

describe('a weighted tree', () => {
  test('lays callees where their caller begins, dearest first, and leaves its own weight at the end', () => {
    expect(spans(MODEL)).toEqual([
      ['everything', 0, 100],
      ['main', 0, 95],
      ['backward', 0, 50],
      ['linear', 0, 50],
      ['forward', 50, 90],
      ['linear', 50, 80],
      ['other', 95, 100],
    ]);
  });

  test('has its nodes in rows by depth, from left to right', () => {
    const names = MODEL.rows.map((row) => [...row].map((node) => MODEL.names[node]));
    expect(names).toEqual([['everything'], ['main', 'other'], ['backward', 'forward'], ['linear', 'linear']]);
  });

  test('knows callers and callees of each', () => {
    const forward = at(MODEL, 'main;forward');
    expect(pathTo(MODEL, forward).map((node) => MODEL.names[node])).toEqual(['everything', 'main', 'forward']);
    expect(calleesOf(MODEL, at(MODEL, 'main')).map((node) => MODEL.names[node])).toEqual(['backward', 'forward']);
    expect(MODEL.after[at(MODEL, 'main')]).toBe(at(MODEL, 'other'));
  });

  test('of nothing is the whole alone', () => expect(spans(tree())).toEqual([['everything', 0, 0]]));

  test('is written as the folded stacks that the server writes', () => {
    expect(folded(tree('a;b c;d;e 2', 'a 1'))).toBe('a 1\na;b c;d;e 2\n');
    expect(folded(flameTree([{ ...frames('x 3')[0], name: 'two\nlines; one' } as Frame], ''))).toBe('two lines: one 3\n');
  });

  test('from a frame on has the stacks with their callers', () => {
    expect(folded(MODEL, at(MODEL, 'main;forward'))).toBe('main;forward 10\nmain;forward;linear 30\n');
  });

  test('finds a zoomed frame again by names, or the last one on the way', () => {
    expect(nodeOf(MODEL, ['main', 'forward', 'linear'])).toBe(at(MODEL, 'main;forward;linear'));
    expect(nodeOf(MODEL, ['main', 'gone', 'linear'])).toBe(at(MODEL, 'main'));
  });
});

describe('search', () => {
  test('counts frames within found frames once', () => {
    const found = search(tree('f;g;f 10', 'f 5', 'h 20', 'h;f 1'), 'F');
    expect(found?.nodes).toHaveLength(3);
    expect(found?.weight).toBe(16);
  });
  test('wants all words', () => expect(search(MODEL, 'lin  ear')?.weight).toBe(80));
  test('without a text is none', () => expect(search(MODEL, '  ')).toBeNull());
});

describe('a function from both sides', () => {
  const both = sandwich(MODEL, 'linear\n');

  test('has its weight in all its places', () => {
    expect(both.places).toBe(2);
    expect([both.callers.total[0], both.callees.total[0]]).toEqual([80, 80]);
  });
  test('has its callers put together', () => {
    expect(spans(both.callers)).toEqual([
      ['linear', 0, 80],
      ['backward', 0, 50],
      ['main', 0, 50],
      ['forward', 50, 80],
      ['main', 50, 80],
    ]);
  });
  test('has what it calls put together, with its own weight left', () => {
    const { callees } = sandwich(tree('a;f;x 1', 'b;f;x 2', 'b;f;y 4', 'b;f 8'), 'f\n');
    expect(spans(callees)).toEqual([
      ['f', 0, 15],
      ['y', 0, 4],
      ['x', 4, 7],
    ]);
  });
  test('that calls itself counts once', () => {
    const { callers, callees, places } = sandwich(tree('f;f;f 3', 'f 1'), 'f\n');
    expect([places, callers.total[0], callees.total[0]]).toEqual([1, 4, 4]);
    expect(callers.names).toEqual(['f']);
  });
  test('that nobody calls has no callers', () => expect(sandwich(MODEL, 'main\n').callers.names).toEqual(['main']));
});

describe('two trees as one', () => {
  const weights = (of: FlameTree) =>
    of.names.map((name, node) => [namesTo(of, node).join(';') || name, of.before?.total[node], of.total[node]]);

  test('has each frame with its weight before and after, the new and the gone too', () => {
    const merged = compareTrees(frames('main;a 10', 'main;gone 4'), frames('main;a 6', 'main;new 3'), 'everything');
    expect(weights(merged)).toEqual([
      ['everything', 14, 9],
      ['main', 14, 9],
      ['main;a', 10, 6],
      ['main;new', 0, 3],
      ['main;gone', 4, 0],
    ]);
  });

  test('meets a function whose line has moved', () => {
    const merged = compareTrees(frames('net.py(10): forward 5'), frames('net.py(12): forward 7'), 'everything');
    expect(weights(merged).slice(1)).toEqual([['net.py(12): forward', 5, 7]]);
  });

  test('does not guess where two could be meant', () => {
    const merged = compareTrees(frames('net.py(10): forward 5'), frames('net.py(12): forward 7', 'net.py(40): forward 1'), 'everything');
    expect(merged.names).toHaveLength(4);
  });

  test('totals are those of both', () => {
    const [old, now] = [frames('a;b 3', 'a;c 4'), frames('a;c 1', 'd 2')];
    const merged = compareTrees(old, now, '');
    expect([merged.before?.total[0], merged.total[0]]).toEqual([7, 3]);
  });

  test.each([
    [10, 10, 4],
    [10, 20, 8],
    [10, 5, 0],
    [10, 10.5, 4],
    [10, 14.2, 6],
    [0, 1, 8],
    [1, 0, 0],
  ])('from %s to %s is step %s of nine', (before, after, expected) => expect(scaleStep(before, after, 9)).toBe(expected));
});

describe('colours', () => {
  test.each([
    ['torch/nn/modules/module.py(1779): _call_impl', '', 'python', 'torch'],
    ['/opt/lib/python3.12/site-packages/diffusers/utils/x.py(3): f', '', 'python', 'diffusers'],
    ['/usr/lib/python3.12/threading.py(9): run', '', 'python', 'python'],
    ['<frozen runpy>(88): _run_code', '', 'python', 'python'],
    ['/home/ada/net.py(3): forward', '', 'python', 'project'],
    ['train.py(3): main', '', 'python', 'project'],
    ['nn.Module: Linear_0', '', 'python', 'torch'],
    ['<built-in function linear>', '', 'python', null],
    ['forward (net.py:7)', '/home/ada/net.py', 'line', 'project'],
    ['Linear_12', '', 'module', 'Linear'],
    ['aten::mm', '', 'operator', 'aten'],
    ['AddmmBackward0', '', 'operator', 'autograd'],
    ['my operator', '', 'operator', 'other'],
    ['[backward]', '', 'python', 'backward'],
    ['[not known]', '', 'module', 'other'],
  ] as const)('%s %s by %s is of %s', (name, file, by, group) => expect(groupOf(name, file, by)).toBe(group));

  test('go to the dearest groups; built-ins are of their callers, and the shares add up to all', () => {
    const of = tree('torch/a.py(1): f;<built-in function linear> 70', 'train.py(1): main 10', 'numpy/b.py(1): g 20');
    const { legend } = groupsOf(of, 'python');
    expect(legend.map(({ name, own }) => [name, own])).toEqual([
      ['project', 10],
      ['torch', 70],
      ['numpy', 20],
    ]);
  });
  test('beyond the sixth group there is one for the rest', () => {
    const of = tree(...Array.from({ length: 9 }, (_, index) => `p${index}/a.py(1): f ${index + 1}`));
    const { legend } = groupsOf(of, 'python');
    expect(legend).toHaveLength(7);
    expect(legend.at(-1)).toMatchObject({ name: 'other', own: 1 + 2 + 3 });
  });
});

describe('rows', () => {
  const stage: Stage = { direction: 'icicle', rows: 50, heightPx: 200, scrollPx: 100 };

  test.each(['icicle', 'flame'] as const)('%s: a row is found where it is drawn', (direction) => {
    const [first, last] = depthsSeen({ ...stage, direction });
    expect(last - first).toBeGreaterThanOrEqual(9);
    for (let depth = first; depth <= last; depth++) {
      expect(depthAt({ ...stage, direction }, topOf({ ...stage, direction }, depth) + 1)).toBe(depth);
    }
  });
  test('few rows of a flame stand at the bottom', () => {
    expect(topOf({ direction: 'flame', rows: 2, heightPx: 200, scrollPx: 0 }, 0)).toBe(200 - ROW_PX);
  });
  test('scrolling to a row brings it into the window, within the content', () => {
    for (const depth of [0, 5, 20, 49]) {
      const scrollPx = scrollTo(stage, depth);
      const top = topOf({ ...stage, scrollPx }, depth);
      expect(top).toBeGreaterThanOrEqual(0);
      expect(top + ROW_PX).toBeLessThanOrEqual(200);
      expect(scrollPx).toBeLessThanOrEqual(greatestScroll(stage));
    }
  });
});

describe('walking', () => {
  const forward = at(MODEL, 'main;forward');
  test('goes to caller, dearest callee and the frames beside', () => {
    const names = (['caller', 'callee', 'left', 'right'] as const).map((to) => namesTo(MODEL, step(MODEL, forward, to)).join(';'));
    expect(names).toEqual(['main', 'main;forward;linear', 'main;backward', 'main;forward']);
  });
  test('ends at the whole', () => expect(step(MODEL, 0, 'caller')).toBe(0));
  test('arrows follow the drawing', () => {
    expect([stepOf('ArrowDown', 'icicle'), stepOf('ArrowDown', 'flame'), stepOf('x', 'flame')]).toEqual(['callee', 'caller', null]);
  });
});

describe('words', () => {
  test.each([
    ['torch/nn/modules/module.py(1779): _call_impl', '_call_impl  module.py:1779'],
    ['nn.Module: Decoder_0', 'Decoder_0  nn.Module'],
    ['<built-in method mm of type object at 0x7faf8498c940>', 'mm  built-in'],
    ['<built-in method run of Engine object at 0x7f>', 'run  built-in of Engine'],
    ['<built-in function linear>', 'linear  built-in'],
    ['forward (models/net.py:17)', 'forward  net.py:17'],
    ['aten::mm', 'aten::mm'],
  ])('%s is labelled %s', (name, label) => expect(labelOf(name)).toBe(label));

  test('a frame is spoken with its weight, share and level', () => {
    const of = flameTree(frames('a;b 3000000', 'a 1000000'), 'everything');
    expect(spoken(of, at(of, 'a;b'), 'ns')).toBe('b: 3.0 ms, 75 % of all, own 3.0 ms, level 2');
  });
  test('a difference says by how much', () => {
    expect(difference(1000, 1500, 'ns')).toBe('+0.5 µs (+50 %)');
    expect(difference(0, 2048, 'bytes')).toBe('+2.0 KiB (new)');
    expect(difference(5, 5, 'ns')).toBe('no difference');
  });
});

describe('choices', () => {
  test('of another shape are left out', () => {
    expect(restoreChoices({ by: 'colour', metric: 'memory', zoom: ['a', 1], direction: 3 })).toEqual({
      ...DEFAULT_CHOICES,
      metric: 'memory',
      zoom: ['a'],
    });
    expect(restoreChoices('x')).toBe(DEFAULT_CHOICES);
  });
  test('say which view is asked for', () => {
    expect(viewName('python', null)).toBe('stacks');
    expect(viewName('operator', 'cpu')).toBe('stacks-by-operator-cpu');
  });
  test('a function’s key tells namesakes in other files apart', () => {
    const [frame] = frames('f 1');
    expect(functionKey(flameTree([{ ...frame, file: 'a.py' } as Frame], ''), 1)).toBe('f\na.py');
  });
});
