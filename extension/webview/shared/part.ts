/**
 * Which part of a recording is looked at.
 */
import type { Part } from '../../server/wire';

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
