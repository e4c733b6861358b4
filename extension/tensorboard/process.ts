/**
 * TensorBoard as a process: started with the user's interpreter on a free port of this machine's own address, ended when nobody looks any more.
 */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import path from 'node:path';
import { ProblemError } from '../problem';
import { run, shown } from '../python/process';
import type { CancellationToken } from '../python/process';

export const PACKAGES: Readonly<Record<string, string>> = { tensorboard: 'tensorboard', torch_tb_profiler: 'torch-tb-profiler' };

const START_MS = 60_000;
const KEEP_LINES = 20;

const FIND = `
import importlib.util, json, sys
print(json.dumps([name for name in sys.argv[1:] if importlib.util.find_spec(name) is None]))
`;

/**
 * Throws a ProblemError that names what the interpreter lacks and the command that installs it. Asked as TensorBoard is started: where it finds its
 * packages, and beside the interpreter, where no module lies that would be taken for one of theirs.
 */
export async function checkInstalled(python: string, token?: CancellationToken): Promise<void> {
  const found = await run(python, ['-c', FIND, ...Object.keys(PACKAGES)], { timeoutMs: 20_000, token, cwd: path.dirname(python) });
  const missing = missingPackages(found.code === 0 ? found.stdout : '');
  if (missing === undefined) {
    throw new ProblemError({
      what: `The interpreter can't be asked for TensorBoard: ${found.error ?? `it ended with exit code ${found.code ?? 'none'}`}.`,
      command: python,
      remedy: 'Select another interpreter.',
      detail: found.stderr,
    });
  }
  if (missing.length > 0) {
    throw new ProblemError({
      what: `TensorBoard can't be opened: the interpreter has no ${missing.join(' and no ')}.`,
      command: python,
      remedy: `Install with: ${installCommand(python, missing)}`,
    });
  }
}

/** What to type to install packages. */
export function installCommand(python: string, packages: readonly string[]): string {
  return shown(python, ['-m', 'pip', 'install', ...packages]);
}

/** The packages that are not there, from the answer of the interpreter; undefined where it is none. */
export function missingPackages(stdout: string): string[] | undefined {
  try {
    const modules = JSON.parse(stdout.trim().split(/\r?\n/).at(-1) ?? '') as readonly string[];
    return modules.map((module) => PACKAGES[module] ?? module);
  } catch {
    return undefined;
  }
}

/** The address in a line that TensorBoard writes when it is ready. */
export function addressIn(line: string): string | undefined {
  return /\bTensorBoard \S+ at (http:\/\/[^\s]+)/.exec(line)?.[1];
}

export class TensorBoard {
  private constructor(
    private readonly child: ChildProcess,
    /** On this machine, e.g. `http://127.0.0.1:6006/`. */
    readonly address: string,
  ) {}

  /** Throws a ProblemError where it does not start. */
  static async start(python: string, folder: string, log: (line: string) => void, token: CancellationToken): Promise<TensorBoard> {
    const args = ['-m', 'tensorboard.main', '--logdir', folder, '--host', '127.0.0.1', '--port', '0', '--reload_multifile', 'true'];
    const child = spawn(python, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
      cwd: path.dirname(python),
      env: { ...process.env, PYTHONUNBUFFERED: '1' },
    });
    const last: string[] = [];
    const problem = (what: string) =>
      new ProblemError({ what, command: shown(python, args), remedy: 'See the log.', detail: last.join('\n') });
    try {
      const address = await new Promise<string>((resolve, reject) => {
        const timer = setTimeout(() => reject(problem(`TensorBoard did not start within ${START_MS / 1000} s.`)), START_MS);
        const end = (error: Error) => {
          clearTimeout(timer);
          reject(error);
        };
        token.onCancellationRequested(() => end(problem('Starting TensorBoard was cancelled.')));
        child.once('error', (error) => end(problem(`TensorBoard can't be started: ${error.message}.`)));
        child.once('exit', (code) =>
          end(problem(`TensorBoard ended with exit code ${code ?? 'none'}: ${last.at(-1) ?? 'it said nothing'}`)),
        );
        eachLine(child, (line) => {
          log(line);
          last.push(line);
          last.splice(0, last.length - KEEP_LINES);
          const found = addressIn(line);
          if (found !== undefined) {
            clearTimeout(timer);
            resolve(found);
          }
        });
      });
      return new TensorBoard(child, address);
    } catch (error) {
      child.kill();
      throw error;
    }
  }

  onDidEnd(listener: () => void): void {
    if (this.child.exitCode !== null || this.child.signalCode !== null) {
      listener();
    } else {
      this.child.once('exit', listener);
    }
  }

  stop(): void {
    this.child.kill();
  }
}

function eachLine(child: ChildProcess, onLine: (line: string) => void): void {
  for (const stream of [child.stdout, child.stderr]) {
    let rest = '';
    stream?.setEncoding('utf8').on('data', (text: string) => {
      const parts = (rest + text).split(/\r?\n/);
      rest = parts.pop() ?? '';
      for (const line of parts.filter((part) => part.trim() !== '')) {
        onLine(line);
      }
    });
  }
}
