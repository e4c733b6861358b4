/**
 * What is said above the tracks: that a part could not be had, and how far one is in the places that were asked for.
 */
import { Icon } from '../shared/Icon';
import type { Tour } from './useTour';

/** `problem`: why a part can't be shown; null where all can. */
export function Notes({ problem, onAgain, tour }: { readonly problem: string | null; readonly onAgain: () => void; readonly tour: Tour }) {
  return (
    <>
      {problem === null ? null : (
        <div class="timeline-note" role="alert">
          <Icon name="warning" /> Part of this can’t be shown: {problem}
          <button type="button" class="link" onClick={onAgain}>
            Try again
          </button>
        </div>
      )}
      {tour.note === null ? null : (
        <div class="timeline-note" role="status">
          {tour.note}
          {tour.several ? (
            <>
              <button type="button" class="tool" aria-label="Previous place" onClick={() => tour.go(-1)}>
                <Icon name="arrow-left" />
              </button>
              <button type="button" class="tool" aria-label="Next place" onClick={() => tour.go(1)}>
                <Icon name="arrow-right" />
              </button>
            </>
          ) : null}
          <button type="button" class="tool" aria-label="Close" onClick={tour.end}>
            <Icon name="close" />
          </button>
        </div>
      )}
    </>
  );
}
