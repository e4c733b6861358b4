/**
 * Where our Python lies. In an installed extension it is `bundled/` (sources, wheel and requirements, put there by `npm run package`); in a
 * checkout it is `pyserver/`, and the server runs in the checkout's `.venv`.
 */
import * as fs from 'node:fs';
import * as path from 'node:path';

export interface Bundle {
  /** The recorder as a bare folder: `python <recorder> script.py`. */
  readonly recorder: string;
  /** What a managed environment is made from; null in a checkout. */
  readonly install: { readonly wheel: string; readonly requirements: string; readonly wheels: string } | null;
  /** The interpreter of the checkout, null in an installed extension. */
  readonly checkoutPython: string | null;
}

export function findBundle(extensionPath: string, platform: NodeJS.Platform = process.platform): Bundle {
  const bundled = path.join(extensionPath, 'bundled');
  const wheels = path.join(bundled, 'wheels');
  const wheel = fs.existsSync(wheels) ? fs.readdirSync(wheels).find((name) => /^kinetoscope-.*\.whl$/.test(name)) : undefined;
  if (wheel !== undefined) {
    return {
      recorder: path.join(bundled, 'kinetoscope', 'recorder'),
      install: { wheel: path.join(wheels, wheel), requirements: path.join(bundled, 'requirements.txt'), wheels },
      checkoutPython: null,
    };
  }
  return {
    recorder: path.join(extensionPath, 'pyserver', 'kinetoscope', 'recorder'),
    install: null,
    checkoutPython: path.join(extensionPath, '.venv', ...venvPython(platform)),
  };
}

/** The interpreter's path below a virtual environment's folder. */
export function venvPython(platform: NodeJS.Platform = process.platform): readonly string[] {
  return platform === 'win32' ? ['Scripts', 'python.exe'] : ['bin', 'python'];
}
