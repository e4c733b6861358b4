/**
 * How heat looks: five levels, each a bar of one width and colour at the start of the line, so that a set of lines reads as a histogram.
 */
import type { HeatLine } from '../server/wire';

export const LEVELS = [1, 2, 3, 4, 5] as const;

export type Level = (typeof LEVELS)[number];

/** Width of a level's bar in character widths: the widest fits into one indentation, and so hides no code. */
export const BAR_WIDTH_CH: Readonly<Record<Level, number>> = { 1: 0.4, 2: 0.9, 3: 1.6, 4: 2.5, 5: 3.6 };

/** Whether a bar would lie behind code, which is then hard to read: that of a line which is indented by less than its bar is wide. */
export function liesBehindCode(text: string, level: Level): boolean {
  const [indentation = ''] = /^[ \t]*/.exec(text) ?? [];
  return indentation.replaceAll('\t', '    ').length < BAR_WIDTH_CH[level];
}

export interface HeatGroup {
  readonly level: Level;
  readonly stale: boolean;
  /** Lines counted from 1. */
  readonly lines: readonly HeatLine[];
}

/** The lines by look: one group for each level, fresh and stale; empty groups too, since they clear what was drawn before. */
export function groupHeat(lines: readonly HeatLine[]): HeatGroup[] {
  return LEVELS.flatMap((level) =>
    [false, true].map((stale) => ({
      level,
      stale,
      lines: lines.filter((line) => clampLevel(line.level) === level && (line.freshness === 'stale') === stale),
    })),
  );
}

function clampLevel(level: number): Level {
  return level <= 1 ? 1 : level === 2 ? 2 : level === 3 ? 3 : level === 4 ? 4 : 5;
}
