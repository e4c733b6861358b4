/**
 * A folder to open: a copy of the programs beside, so that a test can edit, profile and delete as it likes.
 */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { root } from './host';

/** The interpreter that has torch, and our server too. */
export const python = path.join(root, '.venv', 'bin', 'python');
/** The command line program. */
export const kinetoscope = path.join(root, '.venv', 'bin', 'kinetoscope');

export class Project {
  readonly folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'kinetoscope-project-')));

  constructor() {
    cpSync(path.join(import.meta.dirname, '..', 'programs'), this.folder, { recursive: true });
  }

  path(name: string): string {
    return path.join(this.folder, name);
  }

  write(name: string, text: string): void {
    mkdirSync(path.dirname(this.path(name)), { recursive: true });
    writeFileSync(this.path(name), text);
  }

  read(name: string): string {
    return readFileSync(this.path(name), 'utf8');
  }

  /** Number of the one line that has `text`, counting from 1. */
  lineOf(name: string, text: string): number {
    const found = this.read(name)
      .split('\n')
      .flatMap((line, index) => (line.includes(text) ? [index + 1] : []));
    if (found.length !== 1 || found[0] === undefined) {
      throw new Error(`${name} has ${found.length} lines with ${text}`);
    }
    return found[0];
  }

  /** Names of the runs that are whole. */
  runs(): string[] {
    try {
      return readdirSync(this.path('.kinetoscope'), { withFileTypes: true })
        .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
        .map((entry) => entry.name)
        .sort();
    } catch {
      return [];
    }
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
