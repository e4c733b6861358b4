/**
 * The Timeline page: what ran when, on threads and devices.
 */
import '../shared/canvas/canvas.css';
import { Message } from '../shared/Message';
import { useSession } from '../shared/session';
import { usePageState } from '../shared/state';
import { AnswerOf, useAnswer } from '../shared/view';
import { DEFAULT_CHOICES, restoreChoices } from './choices';
import './timeline.css';
import { TimelineView } from './TimelineView';

export function TimelinePage() {
  const { run, part, summary } = useSession();
  const [choices, change] = usePageState('timeline', DEFAULT_CHOICES, restoreChoices);
  const answer = useAnswer('kinetoscope/timeline/tracks', { run, part: { rank: part.rank, step: null, range_us: null } });
  return (
    <AnswerOf answer={answer}>
      {(tracks) =>
        tracks.tracks.length === 0 ? (
          <Message icon="clock" title="Nothing to show">
            <p>{tracks.notices.join(' ') || 'The recording has no events.'}</p>
          </Message>
        ) : (
          <TimelineView key={`${summary?.path ?? ''} ${part.rank ?? ''}`} tracks={tracks} choices={choices} change={change} />
        )
      }
    </AnswerOf>
  );
}
