/**
 * The one formatter of numbers of the TypeScript side, twin of `pyserver/kinetoscope/analysis/format.py`: both are tested against
 * tests/data/format_golden.json. Three figures at most, one decimal at most; what is there but rounds to nothing is `<0.1`, never `0`.
 */

const MINUS = '−';

type Unit = readonly [name: string, perNext: number];

const TIME: readonly Unit[] = [
  ['µs', 1000],
  ['ms', 1000],
  ['s', 60],
  ['min', 60],
  ['h', Infinity],
];
const BYTES: readonly Unit[] = [
  ['B', 1024],
  ['KiB', 1024],
  ['MiB', 1024],
  ['GiB', 1024],
  ['TiB', Infinity],
];
const COUNT: readonly Unit[] = [
  ['M', 1000],
  ['G', 1000],
  ['T', Infinity],
];

/** A value ≥ 0 with one decimal below 100, none above. Rounds half up, like its twin. */
function figures(value: number): string {
  if (value >= 99.95) {
    return String(Math.floor(value + 0.5));
  }
  const tenths = Math.floor(value * 10 + 0.5);
  return tenths === 0 && value > 0 ? '<0.1' : `${Math.floor(tenths / 10)}.${tenths % 10}`;
}

/** The value in the greatest unit in which its rounded figures don't reach the next one. */
function scale(value: number, units: readonly Unit[]): { readonly scaled: number; readonly unit: string; readonly divisor: number } {
  let divisor = 1;
  let [unit, perNext] = units[0] ?? ['', Infinity];
  for (const following of units.slice(1)) {
    // Compared as it will be shown: 999.96 µs is 1.0 ms, not 1000 µs.
    const scaled = value / divisor;
    const shown = scaled >= 99.95 ? Math.floor(scaled + 0.5) : Math.floor(scaled * 10 + 0.5) / 10;
    if (shown < perNext) {
      break;
    }
    divisor *= perNext;
    [unit, perNext] = following;
  }
  return { scaled: value / divisor, unit, divisor };
}

function signed(text: string, value: number, plus: boolean): string {
  return value < 0 ? MINUS + text : plus && value > 0 ? `+${text}` : text;
}

/** A duration given in microseconds: `820 µs`, `4.1 ms`, `1.5 min`. */
export function timeUs(value: number, plus = false): string {
  if (value === 0) {
    return '0 ms';
  }
  const { scaled, unit } = scale(Math.abs(value), TIME);
  return signed(`${figures(scaled)} ${unit}`, value, plus);
}

/** Forward and backward in one unit, that of the larger: `4.1+8.2 ms`. One that is zero is left out. */
export function timePairUs(forward: number, backward: number): string {
  if (forward === 0 || backward === 0) {
    return timeUs(forward + backward);
  }
  const { unit, divisor } = scale(Math.max(forward, backward), TIME);
  return `${figures(forward / divisor)}+${figures(backward / divisor)} ${unit}`;
}

/** A size: `17 B`, `1.5 KiB`, `512 MiB`. */
export function sizeBytes(value: number, plus = false): string {
  const magnitude = Math.abs(value);
  if (magnitude < 1023.5) {
    // A part of a byte exists only as an average over steps.
    const text = magnitude >= 0.5 || magnitude === 0 ? `${Math.floor(magnitude + 0.5)} B` : '<1 B';
    return signed(text, value, plus);
  }
  const { scaled, unit } = scale(magnitude, BYTES);
  return signed(`${figures(scaled)} ${unit}`, value, plus);
}

/** A part of 1 as per cent: `34 %`, `4.1 %`, `<0.1 %`. */
export function share(value: number): string {
  const percent = Math.abs(value) * 100;
  if (percent === 0) {
    return '0 %';
  }
  const text = percent >= 9.95 ? String(Math.floor(percent + 0.5)) : figures(percent);
  return signed(`${text} %`, value, false);
}

/** How often: `7`, `1,234`, `1.2 M`; an average over steps keeps one decimal (`2.5`). */
export function count(value: number): string {
  const magnitude = Math.abs(value);
  if (magnitude < 999_999.5) {
    const whole = Math.floor(magnitude + 0.5);
    const text = magnitude === whole || magnitude >= 99.95 ? whole.toLocaleString('en-US') : figures(magnitude);
    return signed(text, value, false);
  }
  const { scaled, unit } = scale(magnitude / 1_000_000, COUNT);
  return signed(`${figures(scaled)} ${unit}`, value, false);
}

/** A part of a recording's time as words: `Step 3`, `1.2 ms – 3.4 ms`; null for all of it. */
export function partText(step: number | null, range_us: readonly [number, number] | null): string | null {
  return step !== null ? `Step ${step}` : range_us !== null ? `${timeUs(range_us[0])} – ${timeUs(range_us[1])}` : null;
}

const OUTCOMES: Readonly<Record<string, string>> = {
  complete: '',
  short: 'ended early',
  interrupted: 'interrupted',
  script: 'by the script’s own profiler',
};

/** How a recording ended, in words; empty where it is whole. */
export function outcomeText(outcome: string): string {
  return OUTCOMES[outcome] ?? outcome;
}
