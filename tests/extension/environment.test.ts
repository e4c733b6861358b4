/**
 * Where the server runs, and what is said when it can't.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { problemText } from '../../extension/problem';
import type { CancellationToken, RunResult } from '../../extension/python/process';
import type { ProbeResult } from '../../extension/python/probe';
import { serverCommand, startProblem } from '../../extension/server/environment';
import type { EnvironmentSources } from '../../extension/server/environment';
import { ensureManaged } from '../../extension/server/managed';
import type { ManagedSources } from '../../extension/server/managed';

const NEVER: CancellationToken = { isCancellationRequested: false, onCancellationRequested: () => ({ dispose: () => undefined }) };
const python = (...version: [number, number, number]): ProbeResult => ({
  ok: true,
  facts: { executable: `/usr/bin/python${version[0]}.${version[1]}`, version, torch: null, canMakeVenv: true },
});
const OK: RunResult = { error: null, code: 0, stdout: '', stderr: '' };

describe('the server is started', () => {
  const sources: EnvironmentSources = {
    setting: { kind: 'managed', path: '' },
    trusted: true,
    bundle: { recorder: '', install: { wheel: '', requirements: '', wheels: '' }, checkoutPython: null },
    selected: async () => await Promise.resolve('/selected/python'),
    managed: async () => await Promise.resolve('/storage/server-1/bin/python'),
    probe: async () => await Promise.resolve(python(3, 12, 1)),
  };
  const commandOf = async (changes: Partial<EnvironmentSources>) => (await serverCommand({ ...sources, ...changes }, NEVER)).command;

  test('isolated from the user’s variables, packages and working directory', async () => {
    expect((await serverCommand(sources, NEVER)).args[0]).toBe('-I');
  });

  test('in its own environment, the selected interpreter, or the one that is named', async () => {
    expect(await commandOf({})).toBe('/storage/server-1/bin/python');
    expect(await commandOf({ setting: { kind: 'selected', path: '' } })).toBe('/selected/python');
    expect(await commandOf({ setting: { kind: 'custom', path: '/mine/python' } })).toBe('/mine/python');
  });

  test('in its own environment only, while the workspace is not trusted', async () => {
    const die = () => {
      throw new Error('nothing of the workspace may run');
    };
    expect(await commandOf({ trusted: false, setting: { kind: 'custom', path: '/w/evil' }, selected: die, probe: die })).toBe(
      '/storage/server-1/bin/python',
    );
  });

  test('in the checkout’s environment, in a checkout', async () => {
    expect(await commandOf({ bundle: { recorder: '', install: null, checkoutPython: '/repo/.venv/bin/python' } })).toBe(
      '/repo/.venv/bin/python',
    );
  });

  test.each([
    [{ setting: { kind: 'custom', path: '' } as const }, /kinetoscope\.server\.path is empty/],
    [
      { setting: { kind: 'selected', path: '' } as const, probe: async () => await Promise.resolve(python(3, 9, 2)) },
      /needs Python 3\.10 or newer, this is 3\.9\.2\. \(\/selected\/python\)/,
    ],
  ])('never in one that will not do: %#', async (changes, message) => {
    await expect(commandOf(changes)).rejects.toThrow(message);
  });

  test('and when it ends at once, the message names the missing module and how to install it, or the command', () => {
    const command = { command: '/x/python', args: ['-I', '-m', 'kinetoscope.lsp'] };
    const missing = problemText(startProblem(command, 'it ended with exit code 1', "ModuleNotFoundError: No module named 'pygls'"));
    expect(missing).toContain('has no module pygls');
    expect(missing).toContain('/x/python -m pip install kinetoscope');
    expect(problemText(startProblem(command, 'it was ended by SIGKILL', ''))).toContain(
      'it was ended by SIGKILL. (/x/python -I -m kinetoscope.lsp)',
    );
  });
});

describe('the managed environment', () => {
  let folder: string;
  let ran: string[];
  let sources: ManagedSources;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'kinetoscope-managed-'));
    mkdirSync(path.join(folder, 'wheels'));
    writeFileSync(path.join(folder, 'wheels/kinetoscope-0.1.0-py3-none-any.whl'), 'wheel');
    writeFileSync(path.join(folder, 'requirements.txt'), 'numpy==2.4.6\n');
    ran = [];
    sources = {
      storage: path.join(folder, 'storage'),
      install: {
        wheel: path.join(folder, 'wheels/kinetoscope-0.1.0-py3-none-any.whl'),
        requirements: path.join(folder, 'requirements.txt'),
        wheels: path.join(folder, 'wheels'),
      },
      pythons: ['/usr/bin/python3.9', '/usr/bin/python3.12'],
      uv: undefined,
      probe: async (name) => await Promise.resolve(name.endsWith('3.9') ? python(3, 9, 1) : python(3, 12, 1)),
      run: async (command, args) => {
        ran.push([path.basename(command), ...args].join(' '));
        const made = args.includes('venv') ? args.at(-1) : undefined;
        if (made !== undefined) {
          mkdirSync(path.join(made, 'bin'), { recursive: true });
          writeFileSync(path.join(made, 'bin/python'), '');
        }
        return await Promise.resolve(OK);
      },
      report: () => undefined,
      onLine: () => undefined,
    };
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  test('is made once, from the first Python that is new enough, with wheels only', async () => {
    const made = await ensureManaged(sources, NEVER);
    expect(await ensureManaged(sources, NEVER)).toBe(made);
    expect(ran).toHaveLength(2);
    expect(ran[0]).toMatch(/^python3\.12 -I -m venv /);
    expect(ran[1]).toContain('--only-binary :all:');
    expect(ran[1]).toContain(sources.install.wheel);
  });

  test('is made by uv where that is found, which may fetch a Python too', async () => {
    await ensureManaged({ ...sources, uv: '/usr/bin/uv', pythons: [] }, NEVER);
    expect(ran[0]).toMatch(/^uv venv --no-project --python >=3\.10 /);
    expect(ran[1]).toMatch(/^uv pip install --python /);
  });

  test('is another one when what goes into it changes', async () => {
    const before = await ensureManaged(sources, NEVER);
    writeFileSync(sources.install.requirements, 'numpy==2.5.0\n');
    expect(await ensureManaged(sources, NEVER)).not.toBe(before);
  });

  test('leaves nothing behind when it fails, and names the command', async () => {
    const failing = {
      ...sources,
      run: async () => await Promise.resolve({ ...OK, code: 1, stderr: 'No matching distribution found for numpy' }),
    };
    await expect(ensureManaged(failing, NEVER)).rejects.toThrow(/while making the environment: exit code 1\. \(.*-m venv /);
    const made = await ensureManaged(sources, NEVER);
    expect(existsSync(made)).toBe(true);
  });

  test('says so when the network is missing', async () => {
    const offline = {
      ...sources,
      run: async (command: string, args: readonly string[]) =>
        args.includes('pip') ? { ...OK, code: 1, stderr: 'Temporary failure in name resolution' } : await sources.run(command, args, {}),
    };
    await expect(ensureManaged(offline, NEVER)).rejects.toThrow(/the package index was not reached.*Connect once/s);
  });

  test('needs a Python, and says which were found wanting', async () => {
    await expect(ensureManaged({ ...sources, pythons: ['/usr/bin/python3.9'] }, NEVER)).rejects.toThrow(
      /\/usr\/bin\/python3\.9: Python 3\.9\.1 is too old/,
    );
  });

  test('is made by one of two windows that start at the same time; the other waits for it', async () => {
    const [one, two] = await Promise.all([ensureManaged(sources, NEVER), ensureManaged(sources, NEVER)]);
    expect(one).toBe(two);
    expect(ran).toHaveLength(2);
  });

  test('is made although a window that ended left its lock', async () => {
    const made = await ensureManaged(sources, NEVER);
    const environment = path.dirname(path.dirname(made));
    rmSync(environment, { recursive: true });
    const pid = spawnedAndEnded();
    writeFileSync(`${environment}.lock`, String(pid));
    expect(await ensureManaged(sources, NEVER)).toBe(made);
    expect(JSON.parse(readFileSync(path.join(environment, 'ready.json'), 'utf8'))).toHaveProperty('base');
  });
});

/** A process id that no process has: the greatest that Linux gives out is never reached in a test. */
function spawnedAndEnded(): number {
  return 4_194_303;
}
