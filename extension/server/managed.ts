/**
 * The server's private environment: a virtual environment in the extension's storage, keyed by what goes into it, so that an update of the
 * extension or of Python makes a new one and an old one is never changed. It counts only when its marker file is there, which is written last.
 */
import { createHash } from 'node:crypto';
import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import type { Bundle } from '../bundle';
import { venvPython } from '../bundle';
import { ProblemError } from '../problem';
import type { CancellationToken, RunOptions, RunResult } from '../python/process';
import { shown } from '../python/process';
import type { Probe, PythonFacts } from '../python/probe';
import { isAtLeast } from '../python/probe';

export interface ManagedSources {
  /** The extension's global storage folder. */
  readonly storage: string;
  readonly install: NonNullable<Bundle['install']>;
  /** Interpreters to make it from, best first. */
  readonly pythons: readonly string[];
  /** Path of `uv`, which is faster and can fetch a Python by itself. */
  readonly uv: string | undefined;
  readonly probe: Probe;
  readonly run: (command: string, args: readonly string[], options: RunOptions) => Promise<RunResult>;
  readonly report: (step: string) => void;
  readonly onLine: (line: string) => void;
}

const MARKER = 'ready.json';

/** The environment's interpreter; makes the environment when it is missing. Throws a ProblemError, or one that says `cancelled`. */
export async function ensureManaged(sources: ManagedSources, token: CancellationToken): Promise<string> {
  const base = await basePython(sources, token);
  const key = await environmentKey(sources.install, base === undefined ? 'uv' : base.version.join('.'));
  const folder = path.join(sources.storage, `server-${key}`);
  const python = path.join(folder, ...venvPython());
  if (!(await isReady(folder, python))) {
    await withLock(`${folder}.lock`, token, async () => {
      // Another window may have made it while this one waited for the lock.
      if (!(await isReady(folder, python))) {
        await make(sources, base?.executable, folder, python, token);
      }
    });
  }
  return python;
}

/** The first interpreter that is new enough and, without uv, can make environments. Undefined: uv shall fetch one. */
async function basePython(sources: ManagedSources, token: CancellationToken): Promise<PythonFacts | undefined> {
  const seen: string[] = [];
  for (const python of sources.pythons) {
    const result = await sources.probe(python, token);
    if (!result.ok) {
      seen.push(`${python}: ${result.reason}`);
    } else if (!isAtLeast(result.facts.version, 3, 10)) {
      seen.push(`${python}: Python ${result.facts.version.join('.')} is too old`);
    } else if (sources.uv === undefined && !result.facts.canMakeVenv) {
      seen.push(`${python}: has no venv module with pip (on Debian and Ubuntu: apt install python3-venv)`);
    } else {
      return result.facts;
    }
  }
  if (sources.uv !== undefined) {
    return undefined;
  }
  throw new ProblemError({
    what: 'Kinetoscope needs a Python 3.10 or newer for its own environment, and none was found.',
    command: seen.length === 0 ? 'no python3 on PATH' : seen.join('; '),
    remedy:
      'Install Python 3.10 or newer (or uv), or name one in kinetoscope.server.path with kinetoscope.server.environment set to "custom".',
  });
}

async function environmentKey(install: ManagedSources['install'], python: string): Promise<string> {
  const hash = createHash('sha256');
  hash.update(await fs.readFile(install.requirements));
  hash.update(await fs.readFile(install.wheel));
  hash.update(`${python} ${process.platform} ${process.arch}`);
  return hash.digest('hex').slice(0, 12);
}

async function isReady(folder: string, python: string): Promise<boolean> {
  const exists = async (file: string) => await fs.access(file).then(() => true, () => false); // prettier-ignore
  return (await exists(path.join(folder, MARKER))) && (await exists(python));
}

async function make(
  sources: ManagedSources,
  base: string | undefined,
  folder: string,
  python: string,
  token: CancellationToken,
): Promise<void> {
  await fs.rm(folder, { recursive: true, force: true });
  await fs.mkdir(sources.storage, { recursive: true });
  const { uv, install } = sources;
  const packages = ['--find-links', install.wheels, '--only-binary', ':all:', '-r', install.requirements, install.wheel];
  const steps: [string, string, readonly string[]][] =
    uv === undefined
      ? [
          ['making the environment', base ?? 'python3', ['-I', '-m', 'venv', folder]],
          ['installing packages', python, ['-I', '-m', 'pip', 'install', '--no-input', '--disable-pip-version-check', ...packages]],
        ]
      : [
          ['making the environment', uv, ['venv', '--no-project', '--python', base ?? '>=3.10', folder]],
          ['installing packages', uv, ['pip', 'install', '--python', python, ...packages]],
        ];
  for (const [step, command, args] of steps) {
    sources.report(step);
    const result = await sources.run(command, args, { token, onLine: sources.onLine });
    if (result.error !== null || result.code !== 0) {
      await fs.rm(folder, { recursive: true, force: true });
      throw new ProblemError(makeProblem(step, shown(command, args), result));
    }
  }
  await fs.writeFile(path.join(folder, MARKER), JSON.stringify({ created: new Date().toISOString(), base: base ?? uv }));
}

function makeProblem(step: string, command: string, result: RunResult) {
  const output = `${result.stdout}\n${result.stderr}`.trim();
  if (result.error === 'cancelled') {
    return { what: 'Setting up the server’s environment was cancelled.', remedy: 'Retry when you want to see numbers.' };
  }
  const offline =
    /(Temporary failure in name resolution|Name or service not known|Failed to establish a new connection|dns error|ProxyError)/i;
  const why = result.error ?? `exit code ${result.code ?? 'none'}`;
  return {
    what: `Setting up the server's environment failed while ${step}: ${offline.test(output) ? 'the package index was not reached' : why}.`,
    command,
    remedy: offline.test(output)
      ? 'Connect once (or configure pip’s index), then retry; after that everything works offline.'
      : 'The log has the output; retry, or set kinetoscope.server.environment to "custom".',
    detail: output,
  };
}

/** Runs `work` while holding a lock folder, which names its owner: a lock whose owner has ended is taken over. */
async function withLock(lock: string, token: CancellationToken, work: () => Promise<void>): Promise<void> {
  await fs.mkdir(path.dirname(lock), { recursive: true });
  while (!(await takeLock(lock))) {
    if (token.isCancellationRequested) {
      throw new ProblemError({ what: 'Setting up the server’s environment was cancelled.', remedy: 'Retry when you want to see numbers.' });
    }
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  try {
    await work();
  } finally {
    await fs.rm(lock, { force: true });
  }
}

async function takeLock(lock: string): Promise<boolean> {
  try {
    await fs.writeFile(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch {
    const owner = Number(await fs.readFile(lock, 'utf8').catch(() => ''));
    if (owner > 0 && !isAlive(owner)) {
      await fs.rm(lock, { force: true });
    }
    return false;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
