/**
 * Which part of a recording is looked at.
 */
import type { Part, StepSpan } from '../../server/wire';
import type { Span } from './canvas/viewport';

/** A part with all its fields. */
export type ChosenPart = Required<Part>;

/** The lowest rank, all of its time. */
export const WHOLE: ChosenPart = { rank: null, step: null, range_us: null };

/** The part after a change: a step and a range exclude each other. */
export function changedPart(part: ChosenPart, patch: Part): ChosenPart {
  const clears = (patch.step ?? null) !== null ? { range_us: null } : (patch.range_us ?? null) !== null ? { step: null } : {};
  return { ...part, ...patch, ...clears };
}

export function samePart(a: ChosenPart, b: ChosenPart): boolean {
  return a.rank === b.rank && a.step === b.step && a.range_us?.[0] === b.range_us?.[0] && a.range_us?.[1] === b.range_us?.[1];
}

/** With what the wire leaves out. */
export function chosenPart(part: Part): ChosenPart {
  return { ...WHOLE, ...part };
}

/** The time of the part, µs since the recording's start; null for all of it, and for a step that the recording doesn't have. */
export function spanOfPart({ range_us, step }: ChosenPart, steps: readonly StepSpan[]): Span | null {
  if (range_us !== null) {
    return { start: range_us[0], end: range_us[1] };
  }
  const found = step === null ? undefined : steps.find(({ number }) => number === step);
  return found === undefined ? null : { start: found.start_us, end: found.start_us + found.dur_us };
}
