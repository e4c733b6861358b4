/**
 * The Timeline page: what ran when, on threads and devices.
 */
import { useCallback } from 'preact/hooks';
import '../shared/canvas/canvas.css';
import { Message } from '../shared/Message';
import { useSession } from '../shared/session';
import { usePageState } from '../shared/state';
import { AnswerOf, useAnswer } from '../shared/view';
import { choicesOf, DEFAULT_CHOICES, restoreChoices } from './choices';
import './timeline.css';
import { TimelineView } from './TimelineView';

export function TimelinePage() {
  const { run, part, summary } = useSession();
  const [choices, change] = usePageState('timeline', DEFAULT_CHOICES, restoreChoices);
  const of = `${summary?.path ?? ''} ${part.rank ?? ''}`;
  const changeOwn = useCallback<typeof change>(
    (patch) => change((now) => ({ ...choicesOf(of, now), ...(typeof patch === 'function' ? patch(choicesOf(of, now)) : patch) })),
    [change, of],
  );
  const answer = useAnswer('kinetoscope/timeline/tracks', { run, part: { rank: part.rank, step: null, range_us: null } });
  return (
    <AnswerOf answer={answer}>
      {(tracks) =>
        // Tracks of another rank know nothing of this one's tiles.
        answer.state === 'ready' && answer.stale ? (
          <Message icon="loading" spin title="Waiting for the server…" />
        ) : tracks.tracks.length === 0 ? (
          <Message icon="clock" title="Nothing to show">
            <p>{tracks.notices.join(' ') || 'The recording has no events.'}</p>
          </Message>
        ) : (
          <TimelineView key={of} tracks={tracks} choices={choicesOf(of, choices)} change={changeOwn} />
        )
      }
    </AnswerOf>
  );
}
