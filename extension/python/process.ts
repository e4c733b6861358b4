/**
 * Runs a program to its end and keeps what it said. Never through a shell, never throwing: a failure is part of the result.
 */
import { spawn } from 'node:child_process';

/** The part of `vscode.CancellationToken` that is needed here. */
export interface CancellationToken {
  readonly isCancellationRequested: boolean;
  onCancellationRequested(listener: () => void): { dispose(): void };
}

export interface RunOptions {
  readonly cwd?: string | undefined;
  readonly env?: NodeJS.ProcessEnv | undefined;
  readonly timeoutMs?: number | undefined;
  readonly token?: CancellationToken | undefined;
  /** Called with each whole line of either stream. */
  readonly onLine?: ((line: string) => void) | undefined;
}

export interface RunResult {
  /** Why it could not be run or was ended by us, else null. */
  readonly error: string | null;
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Output beyond this many characters is dropped from its start: the end of a log says why it failed. */
const KEEP_CHARS = 200_000;

export async function run(command: string, args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  return await new Promise((resolve) => {
    let stdout = '';
    let stderr = '';
    let error: string | null = null;
    const child = spawn(command, args, { cwd: options.cwd, env: options.env, stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true });
    const timer =
      options.timeoutMs === undefined
        ? undefined
        : setTimeout(() => {
            error = `it did not end within ${(options.timeoutMs ?? 0) / 1000} s`;
            child.kill();
          }, options.timeoutMs);
    const cancel = options.token?.onCancellationRequested(() => {
      error = 'cancelled';
      child.kill();
    });
    const done = (code: number | null) => {
      clearTimeout(timer);
      cancel?.dispose();
      resolve({ error, code, stdout, stderr });
    };
    const lines = lineSplitter(options.onLine);
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout = (stdout + text).slice(-KEEP_CHARS);
      lines(text);
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-KEEP_CHARS);
      lines(text);
    });
    child.once('error', (reason: NodeJS.ErrnoException) => {
      error ??= reason.code === 'ENOENT' ? 'it was not found' : reason.code === 'EACCES' ? 'it may not be executed' : reason.message;
      done(null);
    });
    child.once('close', done);
  });
}

function lineSplitter(onLine: ((line: string) => void) | undefined): (text: string) => void {
  let rest = '';
  return (text) => {
    const parts = (rest + text).split(/\r?\n/);
    rest = parts.pop() ?? '';
    for (const line of parts) {
      onLine?.(line);
    }
  };
}

/** A command as one would type it, for messages: arguments with blanks or quotes in double quotes. */
export function shown(command: string, args: readonly string[]): string {
  return [command, ...args].map((part) => (/^[\w@%+=:,./\\~-]+$/.test(part) ? part : `"${part.replaceAll('"', '\\"')}"`)).join(' ');
}
