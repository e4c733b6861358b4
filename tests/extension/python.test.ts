/**
 * Which interpreter is taken, what it must have, and what is said when it has not.
 */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { problemText } from '../../extension/problem';
import { inFolder, onPath } from '../../extension/python/locate';
import { chooseInterpreter } from '../../extension/python/order';
import type { InterpreterSources } from '../../extension/python/order';
import { cachedProbe, isAtLeast, parseFacts, probe } from '../../extension/python/probe';
import type { ProbeResult } from '../../extension/python/probe';
import { run, shown } from '../../extension/python/process';
import { profilingProblem } from '../../extension/python/requirements';

const NONE: InterpreterSources = {
  setting: '',
  pythonExtension: async () => await Promise.resolve(undefined),
  defaultPath: 'python',
  workspace: [],
  onPath: [],
};

describe('the interpreter is the first that is named by', () => {
  const all: InterpreterSources = {
    setting: '/set/python',
    pythonExtension: async () => await Promise.resolve('/selected/python'),
    defaultPath: '/default/python',
    workspace: ['/w/.venv/bin/python', '/w/venv/bin/python'],
    onPath: ['/usr/bin/python3'],
  };
  test.each([
    ['the setting', all, '/set/python', 'setting'],
    ['the Python extension', { ...all, setting: '' }, '/selected/python', 'python-extension'],
    ['python.defaultInterpreterPath', { ...all, setting: '', pythonExtension: NONE.pythonExtension }, '/default/python', 'default-path'],
    ['the workspace', { ...NONE, workspace: all.workspace, onPath: all.onPath }, '/w/.venv/bin/python', 'workspace'],
    ['PATH', { ...NONE, onPath: all.onPath }, '/usr/bin/python3', 'path'],
  ])('%s', async (_, sources, python, origin) => {
    expect(await chooseInterpreter(sources)).toEqual({ path: python, origin });
  });

  test('nothing, and then there is none', async () => {
    expect(await chooseInterpreter(NONE)).toBeUndefined();
  });
});

describe('interpreters on the machine', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'kinetoscope-python-'));
    for (const name of ['a/python3', 'b/python3', 'b/python3.12', '.venv/bin/python']) {
      mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
      writeFileSync(path.join(folder, name), '');
    }
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test('are found on PATH in the order of the names, then of the folders; relative folders are left out', () => {
    const PATH = [path.join(folder, 'a'), 'b', path.join(folder, 'b'), path.join(folder, 'a'), path.join(folder, 'gone')].join(
      path.delimiter,
    );
    expect(onPath(['python3.12', 'python3'], { PATH })).toEqual(
      ['b/python3.12', 'a/python3', 'b/python3'].map((name) => path.join(folder, name)),
    );
  });

  test('are found in the environments of a folder', () => {
    expect(inFolder(folder)).toEqual([path.join(folder, '.venv/bin/python')]);
    expect(inFolder(undefined)).toEqual([]);
  });
});

describe('an interpreter that lacks something is named with the remedy', () => {
  const python = { path: '/x/bin/python', origin: 'workspace' } as const;
  const facts = (version: [number, number, number], torch: string | null): ProbeResult => ({
    ok: true,
    facts: { executable: python.path, version, torch, canMakeVenv: true },
  });
  test.each([
    [
      facts([3, 11, 2], null),
      'PyTorch is not installed in this interpreter. (/x/bin/python, of the workspace)',
      '/x/bin/python -m pip install torch',
    ],
    [facts([3, 8, 10], '2.0.0'), 'Python 3.8.10 is too old to profile with: 3.9 or newer is needed.', 'Select another interpreter.'],
    [facts([3, 10, 1], '1.13.1+cu117'), 'PyTorch 1.13.1+cu117 is too old', '/x/bin/python -m pip install --upgrade torch'],
    [{ ok: false, reason: 'it was not found' } as const, "The interpreter can't be run: it was not found.", 'Select another interpreter.'],
  ])('%#', (result, what, remedy) => {
    const problem = profilingProblem(python, result);
    const text = problem === null ? '' : problemText(problem);
    expect(text).toContain(what);
    expect(text).toContain(remedy);
  });

  test.each([facts([3, 9, 0], '2.0.0'), facts([3, 14, 0], '2.13.0+cpu'), facts([3, 12, 0], 'unknown')])(
    'and one that will do is not: %#',
    (result) => {
      expect(profilingProblem(python, result)).toBeNull();
    },
  );
});

describe('the probe', () => {
  test('asks a real interpreter, which answers without importing torch', async () => {
    const result = await probe('python3');
    expect(result.ok && isAtLeast(result.facts.version, 3, 0)).toBe(true);
  });

  test('says why something is no interpreter', async () => {
    expect(await probe('/nowhere/python')).toEqual({ ok: false, reason: 'it was not found' });
    expect((await probe('/bin/true')).ok).toBe(false);
  });

  test('reads the last line only: a site customization may print before it', () => {
    expect(parseFacts('hello\n{"executable": "/p", "version": [3, 12, 1], "torch": null, "venv": true}\n')).toEqual({
      ok: true,
      facts: { executable: '/p', version: [3, 12, 1], torch: null, canMakeVenv: true },
    });
  });

  test('is asked again as long as torch is missing, and no more once it is there', async () => {
    const answers = [null, '2.13.0', '2.14.0'];
    let asked = 0;
    const cached = cachedProbe(async () => {
      const torch = answers[asked++] ?? null;
      return await Promise.resolve({ ok: true, facts: { executable: '/p', version: [3, 12, 1], torch, canMakeVenv: true } });
    });
    const torches = [];
    for (let i = 0; i < 3; i++) {
      const result = await cached('/p');
      torches.push(result.ok ? result.facts.torch : undefined);
    }
    expect(torches).toEqual([null, '2.13.0', '2.13.0']);
  });
});

describe('a program that is run', () => {
  test('gives its output, its exit code, and its lines as they come', async () => {
    const lines: string[] = [];
    const result = await run('sh', ['-c', 'echo one; echo two >&2; exit 3'], { onLine: (line) => lines.push(line) });
    expect(result).toEqual({ error: null, code: 3, stdout: 'one\n', stderr: 'two\n' });
    expect(lines.sort()).toEqual(['one', 'two']);
  });

  test('and may not be executed, says so', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'kinetoscope-run-'));
    const file = path.join(folder, 'python');
    writeFileSync(file, '');
    chmodSync(file, 0o644);
    expect((await run(file, [])).error).toBe('it may not be executed');
    rmSync(folder, { recursive: true });
  });

  test('is shown as one would type it', () => {
    expect(shown('/my env/bin/python', ['-m', 'pip', 'a"b'])).toBe('"/my env/bin/python" -m pip "a\\"b"');
  });
});
