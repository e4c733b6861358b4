/**
 * What part of an axis is seen: a span within bounds, moved and stretched without leaving them. The unit is the axis's own (µs, ns, bytes).
 */

export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface Limits extends Span {
  /** The narrowest span that may be seen. */
  readonly least: number;
}

export function lengthOf({ start, end }: Span): number {
  return end - start;
}

/** The nearest span of an allowed length that lies within the limits. */
export function within(span: Span, limits: Limits): Span {
  const whole = lengthOf(limits);
  const length = Math.min(whole, Math.max(Math.min(limits.least, whole), lengthOf(span)));
  // A span that is too narrow or too wide is changed about its middle.
  const start = lengthOf(span) === length ? span.start : (span.start + span.end - length) / 2;
  const first = Math.min(limits.end - length, Math.max(limits.start, start));
  return { start: first, end: first + length };
}

/** `factor` above 1 shows less, larger; the point at `part` (0 is the start, 1 the end) stays where it is. */
export function zoomed(span: Span, factor: number, part: number, limits: Limits): Span {
  const whole = lengthOf(limits);
  const length = Math.min(whole, Math.max(Math.min(limits.least, whole), lengthOf(span) / factor));
  const fixed = span.start + lengthOf(span) * part;
  return within({ start: fixed - length * part, end: fixed + length * (1 - part) }, limits);
}

/** Moved by a part of its length: 1 is a whole window to the end. */
export function panned(span: Span, part: number, limits: Limits): Span {
  const by = lengthOf(span) * part;
  return within({ start: span.start + by, end: span.end + by }, limits);
}

/** The span moved as little as brings `target` into it; one that is too long for that comes with its start. */
export function revealing(span: Span, target: Span, limits: Limits): Span {
  const length = lengthOf(span);
  const margin = Math.min(length * 0.05, Math.max(0, (length - lengthOf(target)) / 2));
  if (lengthOf(target) > length || target.start - margin < span.start) {
    return within({ start: target.start - margin, end: target.start - margin + length }, limits);
  }
  return target.end + margin > span.end ? within({ start: target.end + margin - length, end: target.end + margin }, limits) : span;
}

/** Part way from one span to another, for a gentle move: `done` from 0 to 1. Lengths change by equal factors, as zooming does. */
export function between(from: Span, to: Span, done: number): Span {
  const eased = 1 - (1 - done) ** 3;
  const length = lengthOf(from) * (lengthOf(to) / lengthOf(from)) ** eased;
  const middle = (from.start + from.end) / 2 + ((to.start + to.end - from.start - from.end) / 2) * eased;
  return done >= 1 ? to : { start: middle - length / 2, end: middle + length / 2 };
}

/** Of a span drawn `widthPx` wide. */
export function toPx(span: Span, widthPx: number, value: number): number {
  return ((value - span.start) / lengthOf(span)) * widthPx;
}

export function fromPx(span: Span, widthPx: number, px: number): number {
  return span.start + (px / widthPx) * lengthOf(span);
}
