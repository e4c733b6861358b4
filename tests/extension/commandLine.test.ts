/**
 * The command that profiles a script.
 */
import { describe, expect, test } from 'vitest';
import { joinArguments, recorderArgs, splitArguments, statusOf } from '../../extension/launch/commandLine';
import { profileSettings } from '../../extension/settings';

const DEFAULTS = profileSettings({ get: (_, fallback) => fallback });
const PLACES = { recorder: '/ext/bundled/kinetoscope/recorder', out: '/w/.kinetoscope', status: '/tmp/s.jsonl' };

describe('the recorder’s arguments', () => {
  test('come before the script, which is followed by its own, untouched', () => {
    const args = recorderArgs({ program: '/w/train.py', args: ['--status', 'a b', '$HOME', ''] }, DEFAULTS, PLACES);
    expect(args).toEqual([
      '/ext/bundled/kinetoscope/recorder', '--out', '/w/.kinetoscope', '--status', '/tmp/s.jsonl', '--skip', '3', '--record', '5',
      '--after', 'continue', '/w/train.py', '--status', 'a b', '$HOME', '',
    ]); // prettier-ignore
    expect(statusOf(args)).toBe('/tmp/s.jsonl');
  });

  test('take what the request says over what the settings say', () => {
    const settings = { ...DEFAULTS, stacks: true, shapes: false, memory: false, include: ['/lib/mine'], exclude: ['*_test.py', 'gen/*'] };
    const args = recorderArgs({ program: 't.py', skip: 0, record: 1, stacks: false, after: 'stop' }, settings, PLACES);
    expect(args.slice(5, -1)).toEqual([
      '--skip', '0', '--record', '1', '--after', 'stop', '--no-shapes', '--no-memory', '--include', '/lib/mine', '--exclude', '*_test.py',
      '--exclude', 'gen/*',
    ]); // prettier-ignore
  });

  test('name no status file where they are no recorder’s', () => {
    expect(statusOf(['-m', 'pytest'])).toBeUndefined();
  });
});

describe('typed arguments', () => {
  test.each([
    ['--epochs 1  --lr 3e-4', ['--epochs', '1', '--lr', '3e-4']],
    [`--data 'my folder' --name "it's"`, ['--data', 'my folder', '--name', "it's"]],
    [`--empty '' x`, ['--empty', '', 'x']],
    [String.raw`a\ b \"c\" C:\data\new`, ['a b', '"c"', String.raw`C:\data\new`]],
    ['', []],
    ['  ', []],
  ])('%s', (text, words) => {
    expect(splitArguments(text)).toEqual(words);
  });

  test.each([[['--a', 'b c', "it's", '', '$x', 'plain-1.0']], [[]]])('are shown so that they read back as they were: %j', (words) => {
    expect(splitArguments(joinArguments(words))).toEqual(words);
  });
});
