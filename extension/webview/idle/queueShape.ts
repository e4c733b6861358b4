/**
 * A launch queue as a drawing and as a short table.
 */
import type { StreamQueue } from '../../server/views';

/** Steps from left to right, one unit wide each; 0 lies at `height`, `top` at 0. */
function steps(values: readonly number[], top: number, height: number): string {
  const y = (value: number) => round(height - (top > 0 ? (height * value) / top : 0));
  return values.map((value, index) => `${index === 0 ? `M0 ${y(value)}` : `V${y(value)}`}H${index + 1}`).join('');
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

export function linePath(values: readonly number[], top: number, height: number): string {
  return steps(values, top, height);
}

export function areaPath(values: readonly number[], top: number, height: number): string {
  return values.length === 0 ? '' : `${steps(values, top, height)}V${height}H0Z`;
}

export interface QueuePart {
  readonly from_us: number;
  readonly to_us: number;
  readonly mean: number;
  readonly most: number;
}

/** At most `count` parts of equal numbers of the queue's own parts, but for the last. */
export function partsOf({ mean, most, start_us: start, end_us: end }: StreamQueue, count: number): QueuePart[] {
  const each = Math.max(1, Math.ceil(mean.length / count));
  const time = (index: number) => start + ((end - start) * Math.min(index, mean.length)) / mean.length;
  const parts: QueuePart[] = [];
  for (let index = 0; index < mean.length; index += each) {
    const means = mean.slice(index, index + each);
    parts.push({
      from_us: time(index),
      to_us: time(index + each),
      mean: means.reduce((sum, value) => sum + value, 0) / means.length,
      most: Math.max(...most.slice(index, index + each)),
    });
  }
  return parts;
}
