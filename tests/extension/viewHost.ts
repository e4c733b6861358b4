/**
 * The real `kinetoscope view` for tests in a plain browser, and lines of Python that write what it is to show.
 */
import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');

/** The interpreter of the checkout, which has our server. */
export const python = path.join(root, '.venv/bin/python');

/** Runs lines of Python that may use what the Python tests share (tests/python/support). */
export function runPython(lines: readonly string[], ...args: readonly string[]): void {
  const env = { ...process.env, PYTHONPATH: path.join(root, 'tests/python') };
  const done = spawnSync(python, ['-c', lines.join('\n'), ...args], { env, encoding: 'utf8' });
  if (done.status !== 0) {
    throw new Error(`what is to be shown was not written:\n${done.stderr}`);
  }
}

export class ViewHost {
  private constructor(
    /** Of the app, with its token. */
    readonly address: string,
    private readonly process: ChildProcess,
  ) {}

  /** Serves the runs of `folder`, or what else is named. */
  static async start(folder: string, ...what: readonly string[]): Promise<ViewHost> {
    const host = spawn(python, ['-I', '-m', 'kinetoscope', 'view', '--no-browser', ...what], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const address = await new Promise<string>((resolve, reject) => {
      host.stdout.on('data', (data: Buffer) => {
        const found = /http:\S+/.exec(data.toString());
        if (found) {
          resolve(found[0]);
        }
      });
      host.once('exit', (code) => reject(new Error(`kinetoscope view ended with ${code}`)));
    });
    return new ViewHost(address, host);
  }

  /** As by Ctrl+C; its exit status. */
  async stop(): Promise<number | null> {
    const ended = new Promise<number | null>((resolve) => this.process.once('exit', resolve));
    this.process.kill('SIGINT');
    return await ended;
  }
}
