/**
 * Asks an interpreter where it finds modules.
 */
import * as path from 'node:path';

/** With `-I` the working directory and the environment's variables stay out, and so do the user's packages, which are added. */
export const SYS_PATH = 'import json, site, sys; print(json.dumps([*sys.path, site.getusersitepackages()]))';

/** The absolute paths of the answer; none where it is not one. */
export function parseSysPath(stdout: string): string[] {
  try {
    const raw: unknown = JSON.parse(stdout.trim().split(/\r?\n/).at(-1) ?? '');
    return Array.isArray(raw) ? raw.filter((entry): entry is string => typeof entry === 'string' && path.isAbsolute(entry)) : [];
  } catch {
    return [];
  }
}
