/**
 * Heat and hot spots in the editor.
 */
import { describe, expect, test } from 'vitest';
import { BAR_WIDTH_CH, groupHeat, LEVELS, liesBehindCode } from '../../extension/inline/bars';
import { neighbour } from '../../extension/inline/navigation';
import { runDescription, runFacts, when } from '../../extension/runs/describe';
import type { HeatLine, HotSpot } from '../../extension/server/wire';
import { heatShown, infersLines, inlineSettings } from '../../extension/settings';
import type { SettingsSource } from '../../extension/settings';
import { TRACE, VIEW } from './playground/sample';

/** Settings that have these values, and the defaults for the rest. */
function source(values: Readonly<Record<string, unknown>>): SettingsSource {
  // SAFETY: the tests give each setting a value of its type.
  return { get: <T>(key: string, fallback: T) => (key in values ? (values[key] as T) : fallback) };
}

describe('heat', () => {
  const line = (at: number, level: number, freshness: HeatLine['freshness'] = 'fresh'): HeatLine => ({
    line: at,
    share: 0,
    level,
    freshness,
    text: '',
  });

  test('has a look for each level, fresh and stale; a look without lines is there too, to clear what was drawn before', () => {
    const groups = groupHeat([line(3, 5), line(9, 5, 'shifted'), line(4, 1), line(5, 2, 'stale')]);
    expect(groups).toHaveLength(10);
    const lines = (level: number, stale: boolean) =>
      groups.find((group) => group.level === level && group.stale === stale)?.lines.map((each) => each.line);
    expect(lines(5, false)).toEqual([3, 9]);
    expect(lines(1, false)).toEqual([4]);
    expect(lines(2, true)).toEqual([5]);
    expect(lines(3, false)).toEqual([]);
  });

  test('never gets lost for a level that is unknown', () => {
    expect(groupHeat([line(1, 0), line(2, 9)]).flatMap(({ lines }) => lines)).toHaveLength(2);
  });

  test('has thin bars where they would lie behind code', () => {
    expect(liesBehindCode('x = x @ x', 1)).toBe(true);
    expect(liesBehindCode('  x = x @ x', 5)).toBe(true);
    expect(liesBehindCode('  x = x @ x', 3)).toBe(false);
    expect(liesBehindCode('    x = x @ x', 5)).toBe(false);
    expect(liesBehindCode('\tx = x @ x', 5)).toBe(false);
  });

  test('has wider bars where it is hotter, and none is wider than an indentation', () => {
    const widths = LEVELS.map((level) => BAR_WIDTH_CH[level]);
    expect(widths).toEqual([...widths].sort((a, b) => a - b));
    expect(Math.max(...widths)).toBeLessThan(4);
  });

  test('is shown when both it and the inline numbers are', () => {
    const shown = (values: Record<string, boolean>) => heatShown(source(values));
    expect(shown({})).toBe(true);
    expect(shown({ 'inline.enabled': false })).toBe(false);
    expect(shown({ 'inline.heat': false })).toBe(false);
  });
});

test('the inline settings go to the server under its names', () => {
  const values: Record<string, unknown> = { 'inline.codeLens': false, 'inline.threshold': 5, 'inline.metric': 'memory' };
  const settings = inlineSettings(source(values));
  expect(settings).toEqual({
    enabled: true, hints: true, code_lens: false, metric: 'memory', value: 'both', per: 'step', threshold_percent: 5, stale: 'dim',
  }); // prettier-ignore
});

test('lines are inferred unless the setting says no', () => {
  expect(infersLines(source({}))).toBe(true);
  expect(infersLines(source({ inferLines: false }))).toBe(false);
});

describe('the next hot spot', () => {
  const spot = (path: string | null, line: number): HotSpot => ({
    file: path ?? '/gone.py', path, profiled_line: line, line, function: 'f', source: '', share: 0.1, level: 3, text: '', freshness: 'fresh', precision: 'line',
  }); // prettier-ignore
  const spots = [spot('/b.py', 7), spot('/a.py', 30), spot(null, 1), spot('/a.py', 10), spot('/b.py', 2)];
  const place = (found: HotSpot | undefined) => found && `${found.path}:${found.line}`;

  test.each([
    ['/a.py', 1, 1, '/a.py:10'],
    ['/a.py', 10, 1, '/a.py:30'],
    ['/a.py', 30, 1, '/b.py:2'],
    ['/b.py', 7, 1, '/a.py:10'],
    ['/a.py', 30, -1, '/a.py:10'],
    ['/a.py', 10, -1, '/b.py:7'],
    ['/c.py', 5, 1, '/a.py:10'],
  ] as const)('from %s:%d in direction %d is %s', (path, line, direction, expected) => {
    expect(place(neighbour(spots, { path, line }, direction))).toBe(expected);
  });

  test('without an editor is the dearest whose file is here', () => {
    expect(place(neighbour(spots, undefined, 1))).toBe('/b.py:7');
    expect(neighbour([spot(null, 1)], { path: '/a.py', line: 1 }, 1)).toBeUndefined();
  });
});

describe('a run is described', () => {
  const now = new Date(2026, 10, 30, 18, 0);
  const run = VIEW.run;
  test('by when it was, its steps and what became of it', () => {
    expect(run && runDescription(run, now)).toBe('14:03 · 5 steps');
    expect(run && runDescription({ ...run, steps: 1, outcome: 'interrupted' }, now)).toBe('14:03 · 1 step · interrupted');
    expect(run && runDescription({ ...run, steps: 0, outcome: 'short' }, now)).toBe('14:03 · no steps · ended early');
  });

  test('as a file, where it is a trace that lies alone', () => {
    expect(runDescription({ ...TRACE, steps: 0 }, now)).toBe('trace file');
    expect(runDescription(TRACE, now)).toBe('trace file · 5 steps');
    expect(Object.fromEntries(runFacts(TRACE))).toEqual({ Steps: '5', Devices: 'cpu, cuda:0', File: '/logs/bert.json' });
    expect(runFacts({ ...TRACE, steps: 0, devices: [] })).toEqual([['File', '/logs/bert.json']]);
  });

  test('as one that can’t be read, where it has a problem', () => {
    expect(run && runDescription({ ...run, created: '', problem: 'Made by a newer version.' }, now)).toBe("can't be read");
  });

  test.each([
    ['2026-11-30T09:05:00+01:00', '09:05'],
    ['2026-11-02T09:05:00+01:00', '11-02 09:05'],
    ['2025-12-24T23:59:00Z', '2025-12-24 23:59'],
    ['yesterday', ''],
  ])('%s is shown as %s', (created, text) => {
    expect(when(created, now)).toBe(text);
  });
});
