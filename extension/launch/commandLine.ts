/**
 * The command that profiles a script: the user's interpreter, the recorder as a bare folder, its options, the script and its arguments. An
 * argument vector, never a shell's text, so no name needs quoting.
 */
import type { ProfileSettings } from '../settings';

/** What is profiled, and how: a task's properties. What is not given comes from the settings. */
export interface ProfileRequest {
  readonly program: string;
  readonly args?: readonly string[] | undefined;
  readonly skip?: number | undefined;
  readonly record?: number | undefined;
  readonly stacks?: boolean | undefined;
  readonly after?: 'stop' | 'continue' | undefined;
}

export interface RecorderPlaces {
  readonly recorder: string;
  /** Folder that gets the run. */
  readonly out: string;
  /** The status file. */
  readonly status: string;
}

export function recorderArgs(request: ProfileRequest, settings: ProfileSettings, places: RecorderPlaces): string[] {
  return [
    places.recorder,
    '--out',
    places.out,
    '--status',
    places.status,
    '--skip',
    String(request.skip ?? settings.skipSteps),
    '--record',
    String(request.record ?? settings.recordSteps),
    '--after',
    request.after ?? settings.after,
    ...((request.stacks ?? settings.stacks) ? ['--stacks'] : []),
    ...(settings.shapes ? [] : ['--no-shapes']),
    ...(settings.memory ? [] : ['--no-memory']),
    ...settings.include.flatMap((place) => ['--include', place]),
    ...settings.exclude.flatMap((pattern) => ['--exclude', pattern]),
    request.program,
    ...(request.args ?? []),
  ];
}

/** The status file that a command line names, undefined where it is no recorder's. */
export function statusOf(args: readonly string[]): string | undefined {
  const at = args.indexOf('--status');
  return at < 0 ? undefined : args[at + 1];
}

/**
 * Splits what a user types as arguments: quotes group, a backslash keeps a quote, a blank or a backslash that follows it (any other backslash
 * stands for itself, as in Windows paths). Expands nothing.
 */
export function splitArguments(text: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (let i = 0; i < text.length; i++) {
    const char = text[i] ?? '';
    const next = text[i + 1] ?? '';
    if (char === '\\' && quote !== "'" && /[\s"'\\]/.test(next)) {
      word = (word ?? '') + next;
      i++;
    } else if (quote !== '') {
      if (char === quote) {
        quote = '';
      } else {
        word = (word ?? '') + char;
      }
    } else if (char === '"' || char === "'") {
      quote = char;
      word ??= '';
    } else if (/\s/.test(char)) {
      if (word !== undefined) {
        words.push(word);
      }
      word = undefined;
    } else {
      word = (word ?? '') + char;
    }
  }
  return word === undefined ? words : [...words, word];
}

/** The inverse of `splitArguments`, for showing what was typed before. */
export function joinArguments(words: readonly string[]): string {
  return words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(' ');
}
