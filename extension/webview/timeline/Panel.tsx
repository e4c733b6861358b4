/**
 * What is below the tracks: the chosen event or the sums of a range, or, where there are both, the one of the reader's choice.
 */
import type { ComponentChildren } from 'preact';
import { timeUs } from '../../format';
import { timeLabel } from '../shared/canvas/ticks';
import { lengthOf } from '../shared/canvas/viewport';
import type { Span } from '../shared/canvas/viewport';
import { Icon } from '../shared/Icon';
import { Segments } from '../shared/Segments';

export type Which = 'event' | 'range';

interface Props {
  readonly which: Which;
  readonly both: boolean;
  readonly range: Span | null;
  readonly onWhich: (which: Which) => void;
  /** The range becomes that of all pages. */
  readonly onUse: (range: Span) => void;
  readonly onZoom: (range: Span) => void;
  readonly onClose: (which: Which) => void;
  readonly children: ComponentChildren;
}

export function Panel({ which, both, range, onWhich, onUse, onZoom, onClose, children }: Props) {
  return (
    <section class="timeline-panel" aria-label={which === 'event' ? 'Chosen event' : 'Sums of the range'}>
      <div class="panel-head">
        {both ? (
          <Segments
            label="Panel"
            name="timeline-panel"
            choices={[
              { value: 'event', label: 'Event' },
              { value: 'range', label: 'Range' },
            ]}
            chosen={which}
            onChoose={onWhich}
          />
        ) : null}
        {which === 'range' && range ? (
          <>
            <span>
              {rangeText(range)} <strong>{timeUs(lengthOf(range))}</strong>
            </span>
            <button
              type="button"
              class="tool"
              title="All pages, and the numbers in the editor, are then of this range"
              onClick={() => onUse(range)}
            >
              <Icon name="filter" /> Use as selection
            </button>
            <button type="button" class="tool" onClick={() => onZoom(range)}>
              <Icon name="zoom-in" /> Zoom
            </button>
          </>
        ) : null}
        <span class="spring" />
        <button type="button" class="tool" aria-label="Close" onClick={() => onClose(which)}>
          <Icon name="close" />
        </button>
      </div>
      <div class="panel-body">{children}</div>
    </section>
  );
}

/** Both ends with as many digits as tell them apart. */
function rangeText({ start, end }: Span): string {
  const [one, other] = [start, end].map((us) =>
    timeLabel(us, Math.max((end - start) / 100, 0.001), Math.max(Math.abs(start), Math.abs(end))),
  );
  return `${one ?? ''} – ${other ?? ''}`;
}
