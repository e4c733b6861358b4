/**
 * What an interpreter needs to run the user's script under the recorder, and what to say when it lacks it.
 */
import type { Problem } from '../problem';
import type { Interpreter } from './order';
import { describeInterpreter } from './order';
import type { ProbeResult } from './probe';
import { isAtLeast } from './probe';
import { shown } from './process';

/** The problem with profiling in this interpreter, or null when it will do. */
export function profilingProblem(interpreter: Interpreter, result: ProbeResult): Problem | null {
  const where = describeInterpreter(interpreter);
  if (!result.ok) {
    return { what: `The interpreter can't be run: ${result.reason}.`, command: where, remedy: 'Select another interpreter.' };
  }
  const { version, torch } = result.facts;
  if (!isAtLeast(version, 3, 9)) {
    return {
      what: `Python ${version.join('.')} is too old to profile with: 3.9 or newer is needed.`,
      command: where,
      remedy: 'Select another interpreter.',
    };
  }
  if (torch === null) {
    return {
      what: 'PyTorch is not installed in this interpreter.',
      command: where,
      remedy: `Select the interpreter that has it, or install it: ${shown(interpreter.path, ['-m', 'pip', 'install', 'torch'])}`,
    };
  }
  if (torch !== 'unknown' && !isAtLeast(torch.split('.').map(Number), 2, 0)) {
    return {
      what: `PyTorch ${torch} is too old to profile with: 2.0 or newer is needed.`,
      command: where,
      remedy: `Select another interpreter, or update it: ${shown(interpreter.path, ['-m', 'pip', 'install', '--upgrade', 'torch'])}`,
    };
  }
  return null;
}
