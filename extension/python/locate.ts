/**
 * Finds interpreters on this machine: on PATH and in the environments of a folder.
 */
import * as fs from 'node:fs';
import * as path from 'node:path';
import { venvPython } from '../bundle';

/** Files named `names` on PATH that exist, in the order of `names`, each once. Relative PATH entries are skipped: they'd mean the workspace. */
export function onPath(names: readonly string[], env: NodeJS.ProcessEnv = process.env): string[] {
  const folders = (env.PATH ?? env.Path ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  const suffix = process.platform === 'win32' ? '.exe' : '';
  const found = names.flatMap((name) => folders.map((folder) => path.join(folder, name + suffix)).filter(isFile));
  return [...new Set(found)];
}

/** Interpreters of `.venv` and `venv` in a folder. */
export function inFolder(folder: string | undefined): string[] {
  return folder === undefined ? [] : ['.venv', 'venv'].map((name) => path.join(folder, name, ...venvPython())).filter(isFile);
}

function isFile(file: string): boolean {
  try {
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}
