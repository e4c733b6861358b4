/**
 * The Distributed page: what ranks spend their steps on, how they communicate, who makes the others wait.
 */
import { useMemo, useState } from 'preact/hooks';
import { share, sizeBytes, timeUs } from '../../format';
import type { DistributedView, RankDevice, RankStep } from '../../server/views';
import { Figures } from '../shared/Figures';
import type { Figure } from '../shared/Figures';
import { Icon } from '../shared/Icon';
import { Message } from '../shared/Message';
import { useSession } from '../shared/session';
import { usePageState } from '../shared/state';
import type { Change } from '../shared/state';
import { useAnswer, ViewOf } from '../shared/view';
import { Collectives } from './Collectives';
import './distributed.css';
import { HeatMap } from './HeatMap';
import { RankBars } from './RankBars';
import { COMMUNICATION_PARTS, heatOf, METRICS, STEP_PARTS, synchronisingKnown } from './ranks';
import type { RankTimes } from './ranks';
import { DEFAULT_CHOICES, restoreChoices } from './state';
import type { Choices } from './state';
import { Stragglers } from './Stragglers';

export function DistributedPage() {
  const [choices, change] = usePageState('distributed', DEFAULT_CHOICES, restoreChoices);
  return (
    <ViewOf name="distributed">
      {(content) =>
        content.ranks.length <= 1 && content.collectives.length === 0 ? (
          <Alone />
        ) : (
          <Report content={content} choices={choices} change={change} />
        )
      }
    </ViewOf>
  );
}

/** One rank, and it did not communicate. */
function Alone() {
  const { part, setPart } = useSession();
  const isPart = part.step !== null || part.range_us !== null;
  return (
    <Message icon="broadcast" title={isPart ? 'No communication here' : 'No communication between ranks'}>
      <p>
        {isPart
          ? 'No process exchanged data with others in the selected part of this recording.'
          : 'This recording is of one process that exchanged data with no other: a run on one device, or with DataParallel, which copies within its process.'}
      </p>
      {isPart ? (
        <button type="button" class="button" onClick={() => setPart({ step: null, range_us: null })}>
          Whole recording
        </button>
      ) : (
        <p>
          Of a distributed run, open the folder that holds the traces of all its ranks: its context menu in VS Code, or{' '}
          <code>kinetoscope view FOLDER</code>.
        </p>
      )}
    </Message>
  );
}

interface Props {
  readonly content: DistributedView;
  readonly choices: Choices;
  readonly change: Change<Choices>;
}

function Report({ content, choices, change }: Props) {
  const { part } = useSession();
  const [lit, setLit] = useState<string | null>(null);
  const { ranks } = content;
  const several = ranks.length > 1;
  const of = part.step !== null ? `step ${part.step}` : part.range_us !== null ? 'the steps in the selected range' : 'the mean step';
  return (
    <div class="distributed-page">
      <Figures label="The run" figures={figuresOf(content)} />
      <div class="halves">
        <section aria-labelledby="ranks-step">
          <h2 id="ranks-step">Where {of} goes</h2>
          <RankBars label={`Time of ${of} by rank`} ranks={ranks} parts={STEP_PARTS} lit={lit} onLit={setLit} />
        </section>
        <section aria-labelledby="ranks-communication">
          <h2 id="ranks-communication">Moving data and waiting for others</h2>
          <Communication ranks={ranks} several={several} lit={lit} onLit={setLit} />
        </section>
      </div>
      <section aria-labelledby="ranks-late">
        <h2 id="ranks-late">Who makes the others wait</h2>
        {several ? (
          <Stragglers stragglers={content.stragglers} />
        ) : (
          <p class="quiet">{ALONE} Open the folder with the traces of all ranks to see which comes late, and the line that makes it so.</p>
        )}
      </section>
      <Steps content={content} choices={choices} change={change} />
      <section aria-labelledby="ranks-collectives">
        <h2 id="ranks-collectives">Collectives</h2>
        {content.collectives.length === 0 ? (
          <p class="quiet">No communication between the ranks was recorded in the selected part.</p>
        ) : (
          <Collectives content={content} choices={choices} change={change} />
        )}
      </section>
      <Devices devices={content.devices} />
    </div>
  );
}

const ALONE = 'Only one rank is at hand.';

interface CommunicationProps {
  readonly ranks: readonly RankTimes[];
  readonly several: boolean;
  readonly lit: string | null;
  readonly onLit: (id: string | null) => void;
}

function Communication({ ranks, several, lit, onLit }: CommunicationProps) {
  if (synchronisingKnown(ranks)) {
    return <RankBars label="Communication by rank" ranks={ranks} parts={COMMUNICATION_PARTS} lit={lit} onLit={onLit} />;
  }
  const known = ranks.filter((times) => synchronisingKnown([times]));
  return (
    <>
      {known.length > 0 ? (
        <RankBars label="Communication by rank" ranks={known} parts={COMMUNICATION_PARTS} lit={lit} onLit={onLit} />
      ) : null}
      <p class="quiet why">
        <Icon name="info" />{' '}
        {several
          ? `The calls of ${known.length > 0 ? 'the other' : 'the'} ranks could not be matched to each other, so it is not known how long they waited in them.`
          : `${ALONE} How long it waited in collectives for others is not known: that takes the traces of all ranks.`}
      </p>
    </>
  );
}

/** All steps of all ranks, whichever of them is selected. */
function Steps({ content, choices, change }: Props) {
  const { run, part } = useSession();
  const isPart = part.step !== null || part.range_us !== null;
  const all = useAnswer(
    'kinetoscope/view',
    isPart ? { run, name: 'distributed', part: { rank: part.rank, step: null, range_us: null } } : null,
  );
  // SAFETY: the content of the view is of this type.
  const steps = !isPart ? content.steps : all.state === 'ready' ? (all.content.content as DistributedView).steps : null;
  return (
    <section aria-labelledby="ranks-steps">
      <div class="section-head">
        <h2 id="ranks-steps">Ranks and steps</h2>
        {steps !== null && steps.length > 0 ? (
          <select
            class="choice"
            aria-label="Metric of the map"
            value={choices.metric}
            onChange={(event) => change({ metric: METRICS.find(({ value }) => value === event.currentTarget.value)?.value ?? 'step_us' })}
          >
            {METRICS.map(({ value, label }) => (
              <option key={value} value={value} disabled={steps.every((step) => step[value] === null)}>
                {label}
              </option>
            ))}
          </select>
        ) : null}
      </div>
      {steps === null ? (
        <p class="quiet">{all.state === 'failed' ? all.message : 'Looking up the steps…'}</p>
      ) : steps.length === 0 ? (
        <p class="quiet">No steps are marked in this recording.</p>
      ) : (
        <Map steps={steps} metric={choices.metric} />
      )}
    </section>
  );
}

function Map({ steps, metric }: { readonly steps: readonly RankStep[]; readonly metric: Choices['metric'] }) {
  const heat = useMemo(() => heatOf(steps, metric), [steps, metric]);
  return (
    <>
      <p class="quiet hint">
        {METRICS.find(({ value }) => value === metric)?.help}. Choose a field to look at that rank and step on all pages; choose it again
        for the whole.
      </p>
      <HeatMap heat={heat} metric={metric} />
    </>
  );
}

function Devices({ devices }: { readonly devices: readonly RankDevice[] }) {
  return (
    <section aria-labelledby="ranks-devices">
      <h2 id="ranks-devices">Devices</h2>
      {devices.length === 0 ? (
        <p class="quiet">The traces name no devices: the ranks work on CPUs, or the traces do not say.</p>
      ) : (
        <div class="heat-scroll">
          <table class="plain">
            <thead>
              <tr>
                <th scope="col">Rank</th>
                <th scope="col">Device</th>
                <th scope="col">Name</th>
                <th scope="col" class="number">
                  Memory
                </th>
                <th scope="col" class="number">
                  Compute capability
                </th>
              </tr>
            </thead>
            <tbody>
              {devices.map(({ rank, device, name, memory_bytes, compute_capability }) => (
                <tr key={`${rank} ${device}`}>
                  <th scope="row">Rank {rank}</th>
                  <td>{device}</td>
                  <td>{name ?? ''}</td>
                  <td class="number">{memory_bytes === null ? '' : sizeBytes(memory_bytes)}</td>
                  <td class="number">{compute_capability ?? ''}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

export function figuresOf({ backend, world_size, ranks }: DistributedView): Figure[] {
  const times = ranks.map(({ step_us }) => step_us);
  const [quickest, slowest] = [Math.min(...times), Math.max(...times)];
  const [overlap, all] = ranks.reduce(
    ([hidden, sum], { overlap_us, communication_us }) => [hidden + overlap_us, sum + overlap_us + communication_us],
    [0, 0],
  );
  const figures: (Figure | null)[] = [
    { name: 'Ranks', value: ranksText(ranks.length, world_size), help: 'Ranks whose traces are at hand, of all of the run' },
    backend === '' ? null : { name: 'Backend', value: backend, help: 'What carries the communication' },
    ranks.length === 0
      ? null
      : {
          name: 'Step',
          value: timeUs(quickest) === timeUs(slowest) ? timeUs(slowest) : `${timeUs(quickest)} – ${timeUs(slowest)}`,
          help: 'Mean step of the quickest and of the slowest rank',
        },
    all > 0
      ? {
          name: 'Hidden',
          value: share(overlap / all),
          help: 'Share of all communication that kernels hide by computing meanwhile, over all ranks',
        }
      : null,
  ];
  return figures.filter((figure): figure is Figure => figure !== null);
}

export function ranksText(here: number, world: number | null): string {
  return world === null || world === here ? String(here) : `${here} of ${world}`;
}
