/**
 * The ranks that came last to collectives, and what they spent more time on than the others.
 */
import { count, timeUs } from '../../format';
import type { LateReason, Straggler } from '../../server/views';
import { PlaceLink } from '../shared/PlaceLink';
import { PrecisionMark } from '../shared/Precision';
import { useSession } from '../shared/session';
import { Some } from '../shared/Some';
import { WorkLink } from '../shared/WorkLink';

export function Stragglers({ stragglers }: { readonly stragglers: readonly Straggler[] }) {
  const late = stragglers.filter(({ late: times }) => times > 0);
  return late.length === 0 ? (
    <p class="quiet">No rank came so late to a collective that another waited for it for more than 10 µs.</p>
  ) : (
    <ol class="stragglers">
      <Some items={late} of="ranks" draw={(one) => <Late key={one.rank} straggler={one} />} />
    </ol>
  );
}

function Late({ straggler: { rank, late, caused_wait_us, waited_us, reasons } }: { readonly straggler: Straggler }) {
  const { part, setPart, ranks } = useSession();
  const selected = (part.rank ?? ranks[0]) === rank;
  return (
    <li>
      <header>
        <h3>Rank {rank}</h3>
        <span>
          came last to <strong>{count(late)}</strong> {late === 1 ? 'collective' : 'collectives'}; the others waited{' '}
          <strong>{timeUs(caused_wait_us)}</strong>, it waited {timeUs(waited_us)} itself
        </span>
        {selected || !ranks.includes(rank) ? null : (
          <button type="button" class="link" onClick={() => setPart({ rank })}>
            Select rank {rank}
          </button>
        )}
      </header>
      {reasons.length === 0 ? (
        <p class="quiet">What it spent the time on is not known, or no single line or operator stands out.</p>
      ) : (
        <ul class="reasons" aria-label={`What rank ${rank} spent more on than the others`}>
          <Some items={reasons} of="reasons" draw={(reason, i) => <Reason key={i} reason={reason} />} />
        </ul>
      )}
    </li>
  );
}

function Reason({ reason: { frame, operator, on, collectives, excess_us } }: { readonly reason: LateReason }) {
  return (
    <li>
      <span class="where">
        {frame !== null ? (
          <>
            <PrecisionMark precision={frame.precision} /> <PlaceLink place={frame} /> <span class="quiet">{frame.function}</span>
          </>
        ) : operator !== '' ? (
          <WorkLink kind="operator" name={operator} />
        ) : (
          <span>Line not known</span>
        )}
      </span>
      <span class="badge" title={on === 'device' ? 'Its device worked longer' : 'Its host took longer'}>
        {on === 'device' ? 'GPU' : 'CPU'}
      </span>
      <span class="amount">
        {timeUs(excess_us)} more than the others, before {count(collectives)} {collectives === 1 ? 'collective' : 'collectives'}
      </span>
    </li>
  );
}
