/**
 * Changes from one recording to another, in words and signs, so that no colour has to tell them.
 */
import { count, share, sizeBytes, timeUs } from '../../format';
import type { Change, LineChange, StepChange } from '../../server/wire';

export type Amount = 'us' | 'bytes' | 'count';

/** Less time and less memory is better; of a number of calls neither is. */
export type Verdict = 'better' | 'worse' | 'neutral';

const WORDS: Readonly<Record<Amount, { readonly less: string; readonly more: string }>> = {
  us: { less: 'faster', more: 'slower' },
  bytes: { less: 'less', more: 'more' },
  count: { less: 'fewer', more: 'more' },
};

/** What happened: `faster`, `slower`, `new`, `gone`, `same`; empty where it was nothing and is nothing. */
export function wordOf({ before, after, difference }: Change, amount: Amount): string {
  if (before === 0 && after === 0) {
    return '';
  }
  if (difference === 0) {
    return 'same';
  }
  return before === 0 ? 'new' : after === 0 ? 'gone' : difference < 0 ? WORDS[amount].less : WORDS[amount].more;
}

export function verdictOf({ difference }: Change, amount: Amount): Verdict {
  return amount === 'count' || difference === 0 ? 'neutral' : difference < 0 ? 'better' : 'worse';
}

export function amountOf(value: number, amount: Amount, plus = false): string {
  switch (amount) {
    case 'us':
      return timeUs(value, plus);
    case 'bytes':
      return sizeBytes(value, plus);
    case 'count':
      return plus && value > 0 ? `+${count(value)}` : count(value);
  }
}

/** `−5.1 ms`, `+3.0 MiB`; empty where nothing changed. */
export function differenceText({ difference }: Change, amount: Amount): string {
  return difference === 0 ? '' : amountOf(difference, amount, true);
}

/** `−21 %`, `+4.2 %`; empty where nothing changed, or it was nothing before. */
export function percentText({ percent }: Change): string {
  return percent === null || percent === 0 ? '' : `${percent > 0 ? '+' : ''}${share(percent / 100)}`;
}

/** Whether a step's mean changed by no more than the steps of one recording differ among themselves: one mean is a time that steps of the other took. */
export function mayBeChance({ count: steps, mean_us, least_us, most_us }: StepChange): boolean {
  const within = (mean: number, side: 'before' | 'after') => steps[side] > 1 && least_us[side] <= mean && mean <= most_us[side];
  return mean_us.difference !== 0 && (within(mean_us.after, 'before') || within(mean_us.before, 'after'));
}

export function happens({ before, after }: Change): boolean {
  return before !== 0 || after !== 0;
}

/** How lines were found in the other recording. */
export const MATCHES: Readonly<Record<LineChange['match'], { readonly word: string; readonly help: string }>> = {
  same: { word: '', help: 'The same text in the same place' },
  moved: { word: 'moved', help: 'The same text in another place' },
  changed: { word: 'changed', help: 'Another text in its place' },
  unverified: { word: 'by number', help: 'The same line number: the profiled text is not known in both recordings' },
  new: { word: 'new line', help: 'The line was not there before, or cost nothing' },
  gone: { word: 'gone', help: 'The line is not there any more' },
};

/** `moved, was 12`; empty for the same line in the same place. */
export function matchText({ match, line, line_before }: Pick<LineChange, 'match' | 'line' | 'line_before'>): string {
  const { word } = MATCHES[match];
  return word !== '' && line_before !== null && line_before !== line ? `${word}, was ${line_before}` : word;
}
