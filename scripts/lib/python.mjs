// The Python environment of the checkout, `.venv`: found, made, and known to be whole by a stamp that is written last.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { must, read, root, ScriptError, step } from './process.mjs';

const venv = path.join(root, '.venv');
const stamp = path.join(venv, 'kinetoscope-setup.json');
const bin = (name) => (process.platform === 'win32' ? path.join(venv, 'Scripts', `${name}.exe`) : path.join(venv, 'bin', name));

/** The checkout's interpreter. */
export const venvPython = bin('python');
/** The command line program, as the checkout has it. */
export const venvKinetoscope = bin('kinetoscope');

const OLDEST = [3, 10];
const CANDIDATES = ['python3', 'python3.13', 'python3.12', 'python3.11', 'python3.10', 'python3.14', 'python'];
const PINS = ['pyserver/requirements.txt', 'pyserver/requirements-dev.txt'];

function versionOf(python) {
  const text = read(python, ['-c', 'import sys; print(*sys.version_info[:3], sep=".")']);
  return text ? text.split('.').map(Number) : null;
}

const isEnough = (version) => version[0] > OLDEST[0] || (version[0] === OLDEST[0] && version[1] >= OLDEST[1]);

/** An interpreter that can make the environment: KINETOSCOPE_PYTHON, else the first on PATH that is new enough. */
export function findPython(env = process.env) {
  const wanted = env.KINETOSCOPE_PYTHON;
  const seen = [];
  for (const candidate of wanted ? [wanted] : CANDIDATES) {
    const version = versionOf(candidate);
    if (version && isEnough(version)) {
      return { python: candidate, version };
    }
    if (version) {
      seen.push(`${candidate} is Python ${version.join('.')}`);
    } else if (wanted) {
      seen.push(`${candidate} could not be run`);
    }
  }
  throw new ScriptError(
    `Kinetoscope's setup needs Python ${OLDEST.join('.')} or newer${seen.length > 0 ? `: ${seen.join(', ')}` : ', and found none on PATH'}.\n` +
      'Install one (Debian and Ubuntu: apt install python3 python3-venv), or name it: KINETOSCOPE_PYTHON=/path/to/python3.11 npm run setup',
  );
}

/** What decides whether the environment is as it should be: its packages' sources and pins. */
function wantedStamp() {
  const hash = createHash('sha256');
  for (const file of ['pyserver/pyproject.toml', ...PINS]) {
    hash.update(readFileSync(path.join(root, file)));
  }
  return { packages: hash.digest('hex').slice(0, 16) };
}

function readStamp() {
  try {
    return JSON.parse(readFileSync(stamp, 'utf8'));
  } catch {
    return null;
  }
}

/** Makes `.venv` or brings it up to date; a second call costs nothing. A torch that is already in it is kept. */
export async function ensureVenv() {
  const wanted = wantedStamp();
  if (existsSync(venvPython) && readStamp()?.packages === wanted.packages && existsSync(venvKinetoscope)) {
    checkWantedVersion();
    return;
  }
  rmSync(stamp, { force: true });
  if (!existsSync(venvPython) || read(venvPython, ['-m', 'pip', '--version']) === null) {
    const { python, version } = findPython();
    await step(`Python environment .venv (Python ${version.join('.')})`, () =>
      must(python, ['-m', 'venv', '--clear', venv], {
        remedy: 'On Debian and Ubuntu the venv module is a package of its own: apt install python3-venv',
      }),
    );
  } else {
    checkWantedVersion();
  }
  const pip = ['-m', 'pip', 'install', '--no-input', '--disable-pip-version-check', '--progress-bar', process.stdout.isTTY ? 'on' : 'off'];
  const pins = PINS.flatMap((file) => ['--constraint', path.join(root, file)]);
  const remedy = 'The package index must be reachable once. What was installed so far is kept: run the same command again.';
  await step('Python packages', () =>
    must(venvPython, [...pip, '--quiet', ...pins, '--editable', `${path.join(root, 'pyserver')}[dev]`], { remedy }),
  );
  if (read(venvPython, ['-c', 'import importlib.metadata as m; m.version("torch")']) === null) {
    await step('PyTorch', () => must(venvPython, [...pip, ...pins, 'torch'], { remedy }));
  }
  const temporary = `${stamp}.${process.pid}`;
  writeFileSync(temporary, `${JSON.stringify(wanted)}\n`);
  renameSync(temporary, stamp);
}

/** KINETOSCOPE_PYTHON that differs from what `.venv` was made with would be ignored in silence. */
function checkWantedVersion() {
  if (!process.env.KINETOSCOPE_PYTHON) {
    return;
  }
  const { version } = findPython();
  const made = versionOf(venvPython);
  if (made && made.slice(0, 2).join('.') !== version.slice(0, 2).join('.')) {
    throw new ScriptError(
      `.venv was made with Python ${made.join('.')}, KINETOSCOPE_PYTHON is Python ${version.join('.')}. Delete .venv and run this again.`,
    );
  }
}
