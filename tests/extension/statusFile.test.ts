/**
 * What the recorder reports while it runs, and how the status bar says it.
 */
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { StatusEvent } from '../../extension/launch/statusFile';
import { LineCutter, parseStatus, StatusTail } from '../../extension/launch/statusFile';
import { statusText } from '../../extension/launch/statusText';

describe('a line of the status file', () => {
  test.each<[string, StatusEvent]>([
    ['{"event": "start", "pid": 705, "version": "0.1.0"}', { event: 'start', pid: 705 }],
    ['{"event": "waiting", "step": 1, "of": 3}', { event: 'waiting', step: 1, of: 3 }],
    ['{"event": "recording", "step": 0, "of": 5}', { event: 'recording', step: 0, of: 5 }],
    ['{"event": "saving"}', { event: 'saving' }],
    ['{"event": "saved", "run": "/w/.kinetoscope/x"}', { event: 'saved', run: '/w/.kinetoscope/x' }],
    [
      '{"event": "error", "message": "No torch.", "remedy": "Install it."}',
      { event: 'error', message: 'No torch.', remedy: 'Install it.' },
    ],
    ['{"event": "exit", "code": 3}', { event: 'exit', code: 3 }],
    ['{"event": "exit", "code": null}', { event: 'exit', code: null }],
  ])('%s', (line, event) => {
    expect(parseStatus(line)).toEqual(event);
  });

  test.each(['', 'null', '7', '"start"', '{"event": "of a newer recorder"}', '{"event": "sta'])('that says nothing to us: %s', (line) => {
    expect(parseStatus(line)).toBeUndefined();
  });
});

test('a line that is half written waits for its other half', () => {
  const cutter = new LineCutter();
  expect(cutter.push('{"a":1}\n{"b"')).toEqual(['{"a":1}']);
  expect(cutter.push(':2}')).toEqual([]);
  expect(cutter.push('\n\n')).toEqual(['{"b":2}']);
});

describe('a growing status file', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'kinetoscope-status-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  test('is followed from before it exists; each event comes once and in order, up to the last before it is closed', async () => {
    const file = path.join(folder, 'status.jsonl');
    const events: StatusEvent[] = [];
    const tail = new StatusTail(file, (event) => events.push(event), 5);
    tail.start();
    appendFileSync(file, '{"event":"start","pid":7}\n{"event":"rec');
    await expect.poll(() => events.length).toBe(1);
    appendFileSync(file, 'ording","step":1,"of":2}\n');
    await expect.poll(() => events.length).toBe(2);
    // A letter of two bytes whose halves come apart.
    const letter = new TextEncoder().encode('é');
    appendFileSync(file, '{"event":"saved","run":"/caf');
    appendFileSync(file, letter.subarray(0, 1));
    await new Promise((resolve) => setTimeout(resolve, 20));
    appendFileSync(file, letter.subarray(1));
    appendFileSync(file, '"}\n{"event":"exit","code":0}\n');
    await tail.close();
    expect(events).toEqual([
      { event: 'start', pid: 7 },
      { event: 'recording', step: 1, of: 2 },
      { event: 'saved', run: '/café' },
      { event: 'exit', code: 0 },
    ]);
  });
});

describe('the status bar', () => {
  test('counts steps from 1', () => {
    expect(statusText({ event: 'waiting', step: 0, of: 3 }, false, 1).text).toBe('$(loading~spin) waiting, step 1/3');
    expect(statusText({ event: 'recording', step: 2, of: 5 }, false, 1).text).toBe('$(loading~spin) recording step 3/5');
  });

  test('says that it is stopping once that was asked, until the run is being saved', () => {
    expect(statusText({ event: 'recording', step: 2, of: 5 }, true, 1).text).toContain('stopping');
    expect(statusText({ event: 'saving' }, true, 1).text).toContain('saving');
  });

  test('says that there are others', () => {
    expect(statusText(undefined, false, 3).text).toBe('$(loading~spin) starting (+2)');
  });

  test('tells the remedy of an error', () => {
    const { text, tooltip } = statusText({ event: 'error', message: 'Disk full.', remedy: 'Free some space.' }, false, 1);
    expect(text).toContain('$(error)');
    expect(tooltip).toBe('Disk full. Free some space.');
  });
});
