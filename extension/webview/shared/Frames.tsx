/**
 * A call stack, outermost frame first; each frame is a jump to its line. Of a deep one the outer frames are one click away.
 */
import { useState } from 'preact/hooks';
import type { StackFrame } from '../../server/wire';
import { PlaceLink } from './PlaceLink';
import { PRECISION } from './Precision';

/** More outer frames than this are folded. */
const INNERMOST = 10;

export function Frames({ frames }: { readonly frames: readonly StackFrame[] }) {
  const [all, setAll] = useState(false);
  // One frame is no longer than the words that would stand for it.
  const folded = all || frames.length <= INNERMOST + 1 ? 0 : frames.length - INNERMOST;
  return (
    <ol class="frames">
      {folded > 0 ? (
        <li>
          <button type="button" class="link" onClick={() => setAll(true)}>
            {folded} outer frames…
          </button>
        </li>
      ) : null}
      {frames.slice(folded).map((frame, i) => (
        <li key={i}>
          <PlaceLink place={frame} /> <span class="function">{frame.function}</span>
          {frame.precision === 'function' || frame.precision === 'inferred' ? (
            <span class="quiet" title={`Precision: ${PRECISION[frame.precision].text}`}>
              {' '}
              ({frame.precision})
            </span>
          ) : null}
        </li>
      ))}
    </ol>
  );
}
