/**
 * The pages of the app as tests look at them, the same in the workbench and in a plain browser: what is to be read on each, and where it leads.
 */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { root } from './host';
import { python } from './project';

/** What a test needs of the document of the app: a page, or the frame of a webview. */
export interface Document {
  getByRole: Locator['getByRole'];
  getByText: Locator['getByText'];
  locator: (selector: string, options?: { hasText?: string | RegExp }) => Locator;
}

export interface PageSpec {
  readonly id: string;
  readonly title: string;
  /** To be read on it for the run of `writeGpuRun`. */
  readonly shows: string | RegExp;
  /** Brings a link to the source onto the screen, where there is none at first. */
  readonly reveal?: (page: Locator) => Promise<void>;
}

/** A run of a GPU whose costs are known by construction (tests/python/support/runs.py), as `.kinetoscope/gpu` of the project, with its sources in `net/`. */
export function writeGpuRun(folder: string): void {
  const program = [
    'import sys; from pathlib import Path',
    'from support.runs import rich_trace, write_project, write_run',
    'folder = Path(sys.argv[1]); project = write_project(folder / "net")',
    'write_run(folder / ".kinetoscope", "gpu", project, maker=rich_trace(project), name="gpu")',
  ].join('\n');
  const env = { ...process.env, PYTHONPATH: path.join(root, 'tests/python') };
  const done = spawnSync(python, ['-c', program, folder], { env, encoding: 'utf8' });
  if (done.status !== 0) {
    throw new Error(`no run was written:\n${done.stderr}`);
  }
}
