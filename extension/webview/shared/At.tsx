/**
 * A line in a table: how precise it is, where it is, and a way there.
 */
import type { StackFrame } from '../../server/wire';
import './at.css';
import { PlaceLink } from './PlaceLink';
import { PrecisionMark } from './Precision';

interface Props {
  /** Null: none is known. */
  readonly frame: StackFrame | null;
  /** Shortest names that tell files apart. */
  readonly labels: ReadonlyMap<string, string>;
  /** Whether the function's name stands beside it. */
  readonly named?: boolean;
  /** Inside a cell the table's keys open it, so it is no tab stop of its own. */
  readonly tabIndex?: number;
}

export function At({ frame, labels, named = false, tabIndex = -1 }: Props) {
  return frame === null ? (
    <span class="at-line quiet">no line known</span>
  ) : (
    <span class="at-line">
      <PrecisionMark precision={frame.precision} />
      <PlaceLink place={frame} tabIndex={tabIndex}>
        {atText(frame, labels)}
      </PlaceLink>
      {named ? <span class="function quiet">{frame.function}</span> : null}
    </span>
  );
}

/** `model.py:40`; empty where no line is known. */
export function atText(frame: StackFrame | null, labels: ReadonlyMap<string, string>): string {
  return frame === null ? '' : `${labels.get(frame.file) ?? frame.file}:${frame.line}`;
}
