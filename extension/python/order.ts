/**
 * Which interpreter runs the user's script: the first of these that names one.
 *
 * 1. the setting `kinetoscope.interpreter`
 * 2. the Python extension's selected interpreter, where that extension is installed
 * 3. the setting `python.defaultInterpreterPath`
 * 4. `.venv` or `venv` in the workspace folder
 * 5. `python3` or `python` on PATH
 */

export type InterpreterOrigin = 'setting' | 'python-extension' | 'default-path' | 'workspace' | 'path';

export interface Interpreter {
  readonly path: string;
  readonly origin: InterpreterOrigin;
}

export interface InterpreterSources {
  readonly setting: string;
  /** Undefined where there is no Python extension, or it has nothing selected. */
  readonly pythonExtension: () => Promise<string | undefined>;
  readonly defaultPath: string;
  /** Interpreters of environments in the workspace folder, that exist. */
  readonly workspace: readonly string[];
  /** Interpreters on PATH, that exist. */
  readonly onPath: readonly string[];
}

export async function chooseInterpreter(sources: InterpreterSources): Promise<Interpreter | undefined> {
  if (sources.setting !== '') {
    return { path: sources.setting, origin: 'setting' };
  }
  const selected = await sources.pythonExtension();
  if (selected !== undefined) {
    return { path: selected, origin: 'python-extension' };
  }
  // `python` is the default of that setting: it says nothing.
  if (sources.defaultPath !== '' && sources.defaultPath !== 'python') {
    return { path: sources.defaultPath, origin: 'default-path' };
  }
  const [workspace] = sources.workspace;
  if (workspace !== undefined) {
    return { path: workspace, origin: 'workspace' };
  }
  const [onPath] = sources.onPath;
  return onPath === undefined ? undefined : { path: onPath, origin: 'path' };
}

const ORIGIN_TEXT: Readonly<Record<InterpreterOrigin, string>> = {
  setting: 'from the setting kinetoscope.interpreter',
  'python-extension': 'selected in the Python extension',
  'default-path': 'from the setting python.defaultInterpreterPath',
  workspace: 'of the workspace',
  path: 'on PATH',
};

/** e.g. `/w/.venv/bin/python, of the workspace`. */
export function describeInterpreter({ path, origin }: Interpreter): string {
  return `${path}, ${ORIGIN_TEXT[origin]}`;
}
