/**
 * What went wrong, said once and the same way everywhere: what happened, the command or place it happened at, and what to do about it.
 */

export interface Problem {
  /** One sentence: what can't be done and why. */
  readonly what: string;
  /** The interpreter, command or file that was used, as it would be typed. */
  readonly command?: string | undefined;
  /** What the user can do now: one sentence. */
  readonly remedy: string;
  /** Output of the command, for the log. */
  readonly detail?: string | undefined;
}

export class ProblemError extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problemText(problem));
    this.name = 'ProblemError';
    this.problem = problem;
  }
}

/** The problem as one line of text, for a notification. */
export function problemText({ what, command, remedy }: Problem): string {
  return `${what}${command === undefined ? '' : ` (${command})`} ${remedy}`;
}

/** Any thrown value as a problem. */
export function asProblem(error: unknown, remedy = 'See the log for details.'): Problem {
  if (error instanceof ProblemError) {
    return error.problem;
  }
  return error instanceof Error
    ? { what: sentence(error.message), remedy, detail: error.stack }
    : { what: sentence(String(error)), remedy };
}

function sentence(text: string): string {
  const trimmed = text.trim();
  return /[.!?]$/.test(trimmed) ? trimmed : `${trimmed}.`;
}
