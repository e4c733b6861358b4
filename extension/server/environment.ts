/**
 * Where the server runs: in a private environment that is made on first use (`managed`), in the selected interpreter (`selected`), or in one
 * that the user names (`custom`). Yields the command that starts it.
 */
import type { Bundle } from '../bundle';
import type { Problem } from '../problem';
import { ProblemError } from '../problem';
import type { CancellationToken } from '../python/process';
import { shown } from '../python/process';
import type { Probe } from '../python/probe';
import { isAtLeast } from '../python/probe';
import type { ServerEnvironment } from '../settings';

export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
}

export interface EnvironmentSources {
  readonly setting: { readonly kind: ServerEnvironment; readonly path: string };
  readonly trusted: boolean;
  readonly bundle: Bundle;
  readonly selected: () => Promise<string>;
  /** Makes the managed environment where it is missing; returns its interpreter. */
  readonly managed: (token: CancellationToken) => Promise<string>;
  readonly probe: Probe;
}

/** `-I`: no PYTHONPATH, no user site-packages, no working directory in the server's `sys.path`. */
const START = ['-I', '-X', 'utf8', '-m', 'kinetoscope.lsp'] as const;

export async function serverCommand(sources: EnvironmentSources, token: CancellationToken): Promise<ServerCommand> {
  return { command: await serverPython(sources, token), args: START };
}

async function serverPython(sources: EnvironmentSources, token: CancellationToken): Promise<string> {
  const { kind, path } = sources.setting;
  // In an untrusted workspace nothing that the workspace could name may run: only our own environment does.
  if (kind === 'managed' || !sources.trusted) {
    if (sources.bundle.checkoutPython !== null) {
      return sources.bundle.checkoutPython;
    }
    return await sources.managed(token);
  }
  if (kind === 'custom' && path === '') {
    throw new ProblemError({
      what: 'The setting kinetoscope.server.environment is "custom", but kinetoscope.server.path is empty.',
      remedy: 'Set it to the Python (3.10 or newer) that has kinetoscope installed.',
    });
  }
  const python = kind === 'custom' ? path : await sources.selected();
  const problem = tooOld(python, await sources.probe(python, token));
  if (problem !== null) {
    throw new ProblemError(problem);
  }
  return python;
}

function tooOld(python: string, result: Awaited<ReturnType<Probe>>): Problem | null {
  const remedy = 'Set kinetoscope.server.environment to "managed", or name a Python 3.10 or newer that has kinetoscope installed.';
  if (!result.ok) {
    return { what: `The server's interpreter can't be run: ${result.reason}.`, command: python, remedy };
  }
  return isAtLeast(result.facts.version, 3, 10)
    ? null
    : { what: `The server needs Python 3.10 or newer, this is ${result.facts.version.join('.')}.`, command: python, remedy };
}

/** Why a started server ended before it answered. `output` is what it wrote to stderr. */
export function startProblem(command: ServerCommand, ended: string, output: string): Problem {
  const line = shown(command.command, command.args);
  const missing = /No module named '?([\w.]+)'?/.exec(output)?.[1];
  if (missing !== undefined) {
    return {
      what: `Kinetoscope's server can't start: this Python has no module ${missing}.`,
      command: line,
      remedy: `Install it (${shown(command.command, ['-m', 'pip', 'install', 'kinetoscope'])}), or set kinetoscope.server.environment to "managed".`,
      detail: output,
    };
  }
  return {
    what: `Kinetoscope's server can't start: ${ended}.`,
    command: line,
    remedy: 'The log has what it said.',
    detail: output,
  };
}
