// The npm packages of the checkout. npm keeps a record of what it installed, written last; comparing it with the lock file tells whether
// anything is to be done.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { must, root, ScriptError, step } from './process.mjs';

const OLDEST_NODE = 20;

function packagesOf(file) {
  try {
    return JSON.parse(readFileSync(path.join(root, file), 'utf8')).packages;
  } catch {
    return null;
  }
}

/** True where `node_modules` holds what `package-lock.json` names. Packages for other platforms may be missing. */
export function isInstalled(lock, installed) {
  if (!lock || !installed) {
    return false;
  }
  const wanted = Object.entries(lock).filter(([name]) => name !== '');
  return (
    wanted.every(([name, entry]) =>
      installed[name] ? installed[name].version === entry.version : entry.optional === true || entry.peer === true,
    ) && Object.keys(installed).every((name) => name in lock)
  );
}

/** Runs `npm ci` where `node_modules` is missing or does not fit the lock file. */
export async function ensurePackages() {
  const major = Number(process.versions.node.split('.')[0]);
  if (major < OLDEST_NODE) {
    throw new ScriptError(
      `Kinetoscope's setup needs Node ${OLDEST_NODE} or newer; this is Node ${process.versions.node}. Install a newer one.`,
    );
  }
  if (isInstalled(packagesOf('package-lock.json'), packagesOf('node_modules/.package-lock.json'))) {
    return;
  }
  await step('npm packages', () =>
    must('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
      remedy: 'The npm registry must be reachable once. Run the same command again when it is.',
    }),
  );
}
