/**
 * The stack of a device's memory as layers of a chart, and the arithmetic of its axes: no canvas.
 */
import type { DeviceMemoryReport, MemoryCurve, MemoryStack } from '../../server/views';
import type { SourceLine } from '../../views/messages';
import { roundStep } from '../shared/canvas/ticks';
import type { Span } from '../shared/canvas/viewport';
import { ownerKey, ownerName, placeOf, seriesOf } from './owners';
import type { Kind } from './owners';

/** Series of the palette, and how strong. */
export interface Tone {
  readonly series: number;
  readonly shade: number;
}

export interface Layer {
  readonly key: string;
  readonly name: string;
  readonly place: SourceLine | null;
  readonly tone: Tone;
  /** What it has at each moment, and where it begins there: from the bottom of the stack. */
  readonly bytes: readonly number[];
  readonly from: readonly number[];
}

export const BEFORE = ' before';
export const REST = ' rest';

/** From the bottom: from before the recording where that is known and wanted, the owners, the rest of them. `grey`: the palette's last series. */
export function layersOf(stack: MemoryStack, kind: Kind, before: boolean, labels: ReadonlyMap<string, string>, grey: number): Layer[] {
  const from = new Array<number>(stack.at_us.length).fill(0);
  const put = (layer: Omit<Layer, 'from'>): Layer => {
    const start = [...from];
    layer.bytes.forEach((bytes, at) => (from[at] = (from[at] ?? 0) + bytes));
    return { ...layer, from: start };
  };
  const layers: Layer[] = [];
  if (before && stack.before_bytes.some((bytes) => bytes > 0)) {
    const name = 'From before the recording';
    layers.push(put({ key: BEFORE, name, place: null, tone: { series: grey, shade: 1 }, bytes: stack.before_bytes }));
  }
  stack[kind].forEach((curve, rank) => {
    const rest = curve.owners > 1;
    const series = rest ? grey : seriesOf(kind, curve.name, rank, grey);
    layers.push(
      put({
        key: rest ? REST : ownerKey(curve),
        name: rest ? `${curve.owners} more` : ownerName(kind, curve, labels),
        place: rest ? null : placeOf(curve),
        tone: { series, shade: series === grey ? 2 : 0 },
        bytes: curve.bytes,
      }),
    );
  });
  return layers;
}

/** The last of ascending times that is not after `at`; -1 before the first. */
export function lastAt(times: readonly number[], at: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? 0) <= at) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low - 1;
}

/** The layer at a moment in which so many bytes lie. */
export function layerAt(layers: readonly Layer[], moment: number, bytes: number): Layer | null {
  return (
    layers.find((layer) => (layer.from[moment] ?? 0) <= bytes && bytes < (layer.from[moment] ?? 0) + (layer.bytes[moment] ?? 0)) ?? null
  );
}

/** What the chart spans in time: the chosen part, else from the first event to the last; nothing changes outside of these. */
export function spanOf({ at_us }: MemoryCurve, chosen: Span | null): Span {
  const [start, end] = chosen === null ? [at_us[0] ?? 0, at_us[at_us.length - 1] ?? 0] : [chosen.start, chosen.end];
  const margin = chosen === null ? (end - start) * 0.01 : 0;
  return end > start ? { start: Math.max(0, start - margin), end: end + margin } : { start, end: start + 1 };
}

export interface Shown {
  readonly before: boolean;
  readonly reserved: boolean;
}

/** The greatest that is drawn. */
export function greatestOf({ curve, stack }: DeviceMemoryReport, layers: readonly Layer[], shown: Shown): number {
  const top = layers[layers.length - 1];
  const stacked = top === undefined ? 0 : top.from.reduce((most, from, at) => Math.max(most, from + (top.bytes[at] ?? 0)), 0);
  const allocated = shown.before || stack === null ? curve.peak_allocated_bytes : 0;
  const reserved = shown.before && shown.reserved ? (curve.peak_reserved_bytes ?? 0) : 0;
  return Math.max(stacked, allocated, reserved, 1);
}

/** Round sizes from 0 to at least `most`, in at most `steps` steps of 1, 2 or 5 times a power of ten of B, KiB, MiB or GiB. */
export function byteTicks(most: number, steps = 5): number[] {
  const unit = 1024 ** Math.max(0, Math.min(4, Math.floor(Math.log2(Math.max(1, most)) / 10)));
  const step = Math.max(1, roundStep(most / unit / steps) * unit);
  return Array.from({ length: Math.ceil(most / step - 1e-9) + 1 }, (_, at) => at * step);
}

/** Moments for a table that can be heard: not more than `most` of them, evenly chosen, and the fullest. */
export function toldMoments(count: number, fullest: number, most = 20): number[] {
  const every = Math.max(1, Math.ceil(count / (most - 1)));
  const chosen = Array.from({ length: Math.ceil(count / every) }, (_, at) => at * every);
  return [...new Set([...chosen, ...(fullest >= 0 && fullest < count ? [fullest] : [])])].sort((a, b) => a - b);
}

/** What of a time axis a drag or keys have marked, within it. */
export function rangeOf(a: number, b: number, within: Span): readonly [number, number] | null {
  const clamp = (value: number) => Math.min(within.end, Math.max(within.start, value));
  const [from, to] = [clamp(Math.min(a, b)), clamp(Math.max(a, b))];
  return to > from ? [from, to] : null;
}

export interface Held {
  readonly value: number;
  readonly from: number;
  /** Null: to the end. */
  readonly to: number | null;
}

/**
 * Values that each hold until the next, as a line is drawn: where several lie in one pixel the greatest of them, and after them the last if that holds for
 * longer. `xs`: ascending, in pixels.
 */
export function greatestInPixels(xs: readonly number[], values: readonly number[]): Held[] {
  const held: Held[] = [];
  for (let i = 0; i < values.length;) {
    const from = xs[i] ?? 0;
    let [end, most] = [i, values[i] ?? 0];
    while (end + 1 < values.length && (xs[end + 1] ?? 0) < from + 1) {
      end++;
      most = Math.max(most, values[end] ?? 0);
    }
    const next = xs[end + 1] ?? null;
    const last = values[end] ?? 0;
    if (most === last || (next !== null && next < from + 2)) {
      held.push({ value: most, from, to: next });
    } else {
      held.push({ value: most, from, to: xs[end] ?? from }, { value: last, from: xs[end] ?? from, to: next });
    }
    i = end + 1;
  }
  return held;
}
