/**
 * Traces of others: what a folder offers to pick from, and which files the editor takes.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { FoundTrace } from '../../extension/server/wire';
import { editorFor } from '../../extension/traces/names';
import { pickGroups } from '../../extension/traces/pick';
import { TRACE, VIEW } from './playground/sample';

const NOW = new Date(2026, 10, 30, 18, 0);

function trace(file: string, recording: number, rank: number, ranks: number): FoundTrace {
  const folder = path.posix.dirname(file).replace(/^\/logs\/?/, '');
  return { path: file, folder, recording, rank, ranks, worker: `worker${rank}`, changed: '2026-11-30T14:03:12+01:00', size_bytes: 1 << 20 };
}

describe('a folder offers', () => {
  test('its traces by recording, with rank, time and size', () => {
    const traces = [
      trace('/logs/new/worker0.17.pt.trace.json', 0, 0, 2),
      trace('/logs/new/worker1.17.pt.trace.json', 0, 1, 2),
      trace('/logs/old.json', 1, 0, 1),
    ];
    const groups = pickGroups({ runs: [], traces, note: null }, NOW);
    expect(groups.map(({ title, rows }) => [title, rows.map(({ label, description }) => `${label}: ${description}`)])).toEqual([
      ['new · 2 ranks', ['worker0.17.pt.trace.json: rank 0 · 14:03 · 1.0 MiB', 'worker1.17.pt.trace.json: rank 1 · 14:03 · 1.0 MiB']],
      ['', ['old.json: 14:03 · 1.0 MiB']],
    ]);
    expect(groups[0]?.rows[1]?.trace).toBe(traces[1]);
  });

  test('its runs first', () => {
    const run = VIEW.run ?? TRACE;
    const [runs, rest] = pickGroups({ runs: [run], traces: [trace('C:\\logs\\a.json', 0, 0, 1)], note: null }, NOW);
    expect(runs).toEqual({ title: 'runs', rows: [{ label: 'train.py', description: '14:03 · 5 steps', run }] });
    expect(rest?.rows[0]?.label).toBe('a.json');
  });

  test('nothing, where nothing was found', () => {
    expect(pickGroups({ runs: [], traces: [], note: 'Looked for traces.' }, NOW)).toEqual([]);
  });
});

describe('the manifest', () => {
  interface Manifest {
    readonly contributes: {
      readonly customEditors: { viewType: string; priority: string; selector: { filenamePattern: string }[] }[];
      readonly menus: { 'explorer/context': { command: string; when: string }[] };
    };
  }
  // SAFETY: it is ours.
  const { contributes } = JSON.parse(readFileSync(path.resolve(import.meta.dirname, '../../package.json'), 'utf8')) as Manifest;

  test('opens what Kineto names, and is offered for any other JSON file', () => {
    const patterns = Object.fromEntries(
      contributes.customEditors.map(({ priority, selector }) => [priority, selector.map(({ filenamePattern }) => filenamePattern)]),
    );
    const packed = (name: string) => [name, `${name}.gz`, `${name}.zst`];
    expect(patterns).toEqual({ default: packed('*.pt.trace.json'), option: [...packed('*.trace.json'), ...packed('*.json')] });
  });

  test.each([
    ['worker0.pt.trace.json', 'kinetoscope.trace'],
    ['worker0.pt.trace.json.gz', 'kinetoscope.trace'],
    ['model.trace.json.zst', 'kinetoscope.otherTrace'],
    ['bert.json', 'kinetoscope.otherTrace'],
    ['bert.trace', 'kinetoscope.trace'],
  ])('has a name for the editor of %s', (name, viewType) => {
    expect(editorFor(name)).toBe(viewType);
    expect(contributes.customEditors.map((editor) => editor.viewType)).toContain(viewType);
  });

  test.each([
    ['worker0.1623143089861.pt.trace.json', true],
    ['model.trace.json', true],
    ['bert.json.gz', true],
    ['step5.json.zst', true],
    ['rank-0.json', true],
    ['package.json', false],
    ['tsconfig.json', false],
    ['train.py', false],
  ])('has an entry in the explorer’s menu for %s: %s', (name, offered) => {
    const patterns = contributes.menus['explorer/context']
      .filter(({ command }) => command === 'kinetoscope.openWithKinetoscope')
      .flatMap(({ when }) => /=~ \/(.*)\/(\w*)$/.exec(when) ?? []);
    expect(new RegExp(patterns[1] ?? '', patterns[2]).test(name)).toBe(offered);
  });
});
