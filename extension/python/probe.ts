/**
 * Asks an interpreter what it is, without importing torch (which takes seconds): its version, and whether torch is installed.
 */
import { run } from './process';
import type { CancellationToken } from './process';

export interface PythonFacts {
  readonly executable: string;
  /** e.g. `[3, 12, 1]` */
  readonly version: readonly [number, number, number];
  /** Version of the installed torch with its local part, else null. */
  readonly torch: string | null;
  /** Whether `python -m venv` can make environments with pip (Debian splits that off). */
  readonly canMakeVenv: boolean;
}

// Runs on any Python, also one that is too old: then only the version counts.
const PROBE = `
import json, sys
facts = {"executable": sys.executable, "version": list(sys.version_info[:3]), "torch": None, "venv": False}
if sys.version_info >= (3, 8):
    import importlib.metadata, importlib.util
    facts["venv"] = bool(importlib.util.find_spec("venv") and importlib.util.find_spec("ensurepip"))
    try:
        facts["torch"] = importlib.metadata.version("torch")
    except importlib.metadata.PackageNotFoundError:
        if importlib.util.find_spec("torch"):
            facts["torch"] = "unknown"
print(json.dumps(facts))
`;

export type ProbeResult = { readonly ok: true; readonly facts: PythonFacts } | { readonly ok: false; readonly reason: string };

export type Probe = (python: string, token?: CancellationToken) => Promise<ProbeResult>;

/** Runs the probe. `-I` keeps the environment's variables and the working directory out; nothing of the user's code runs. */
export const probe: Probe = async (python, token) => {
  const result = await run(python, ['-I', '-c', PROBE], { timeoutMs: 20_000, token });
  if (result.error !== null) {
    return { ok: false, reason: result.error };
  }
  if (result.code !== 0) {
    return { ok: false, reason: lastLine(result.stderr) || `it ended with exit code ${result.code ?? 'none'}` };
  }
  return parseFacts(result.stdout);
};

export function parseFacts(stdout: string): ProbeResult {
  try {
    const raw = JSON.parse(lastLine(stdout)) as {
      executable: string;
      version: [number, number, number];
      torch: string | null;
      venv: boolean;
    };
    return { ok: true, facts: { executable: raw.executable, version: raw.version, torch: raw.torch, canMakeVenv: raw.venv } };
  } catch {
    return { ok: false, reason: `it did not answer like a Python interpreter: ${JSON.stringify(stdout.slice(0, 80))}` };
  }
}

/** Remembers good answers: an interpreter that was found wanting is asked again, since the user may just have mended it. */
export function cachedProbe(ask: Probe): Probe {
  const known = new Map<string, ProbeResult>();
  return async (python, token) => {
    const hit = known.get(python);
    if (hit) {
      return hit;
    }
    const result = await ask(python, token);
    if (result.ok && result.facts.torch !== null) {
      known.set(python, result);
    }
    return result;
  };
}

export function isAtLeast(version: readonly number[], ...floor: readonly number[]): boolean {
  for (const [i, least] of floor.entries()) {
    const part = version[i] ?? 0;
    if (part !== least) {
      return part > least;
    }
  }
  return true;
}

function lastLine(text: string): string {
  return text.trim().split(/\r?\n/).at(-1) ?? '';
}
