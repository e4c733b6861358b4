/**
 * All that is known of the chosen event: times, launch, inputs, its stack, and the events that belong to it.
 */
import type { ComponentChildren } from 'preact';
import { count, share, sizeBytes, timeUs } from '../../format';
import type { EventDetails, EventLink, EventRef } from '../../server/wire';
import { timeLabel } from '../shared/canvas/ticks';
import { PlaceLink } from '../shared/PlaceLink';
import { AnswerOf } from '../shared/view';
import type { Answer } from '../shared/view';

interface Props {
  readonly answer: Answer<EventDetails>;
  readonly onEvent: (event: EventRef) => void;
}

const KINDS: Readonly<Record<EventRef['kind'], string>> = {
  step: 'Step',
  line: 'Line',
  frame: 'Python frame',
  module: 'Module',
  operator: 'Operator',
  annotation: 'Annotation',
  runtime: 'Runtime call',
  kernel: 'Kernel',
  memcpy: 'Copy',
  memset: 'Fill',
  device_annotation: 'Annotation on the device',
};

export function EventPanel({ answer, onEvent }: Props) {
  return <AnswerOf answer={answer}>{(details) => <Details details={details} onEvent={onEvent} />}</AnswerOf>;
}

function Details({ details, onEvent }: { readonly details: EventDetails; readonly onEvent: Props['onEvent'] }) {
  const { event, kernel, collective, inputs, stack, python, links } = details;
  return (
    <div class="event-details">
      <section aria-label="Event">
        <h3 title={event.name}>{event.name}</h3>
        <dl class="facts">
          <Fact title="Kind">
            {KINDS[event.kind]}
            {details.backward ? ', backward' : ''}
            {details.recomputed ? ', recomputed' : ''}
          </Fact>
          <Fact title="Start">{exactly(event.start_us)}</Fact>
          <Fact title="Duration">{details.ended ? exactly(event.dur_us) : 'its end was not recorded'}</Fact>
          {details.self_us < event.dur_us && details.ended ? <Fact title="Self">{exactly(details.self_us)}</Fact> : null}
          {details.device_us === null ? null : <Fact title="Device work started in it">{timeUs(details.device_us)}</Fact>}
          {details.thread === '' ? null : <Fact title={details.device === '' ? 'Thread' : 'Launched by'}>{details.thread}</Fact>}
          {details.device === '' ? null : (
            <Fact title="Device">
              {details.device}
              {details.stream === null ? '' : `, stream ${details.stream}`}
            </Fact>
          )}
          {details.sequence === null ? null : <Fact title="Sequence number">{details.sequence}</Fact>}
          {kernel === null ? null : (
            <>
              {kernel.family === '' ? null : (
                <Fact title="Family">
                  {kernel.family}
                  {kernel.tensor_cores ? ', on Tensor Cores' : ''}
                </Fact>
              )}
              {kernel.delay_us === null ? null : <Fact title="After its launch">{timeUs(kernel.delay_us)}</Fact>}
              {kernel.grid === '' ? null : <Fact title="Grid">{kernel.grid}</Fact>}
              {kernel.block === '' ? null : <Fact title="Block">{kernel.block}</Fact>}
              {kernel.registers === null ? null : <Fact title="Registers a thread">{kernel.registers}</Fact>}
              {kernel.shared_memory_bytes === null ? null : (
                <Fact title="Shared memory a block">{sizeBytes(kernel.shared_memory_bytes)}</Fact>
              )}
              {kernel.blocks_per_sm === null ? null : <Fact title="Blocks per SM">{kernel.blocks_per_sm.toFixed(2)}</Fact>}
              {kernel.occupancy === null ? null : <Fact title="Occupancy (estimated)">{share(kernel.occupancy / 100)}</Fact>}
              {kernel.bytes === null ? null : <Fact title="Bytes">{sizeBytes(kernel.bytes)}</Fact>}
            </>
          )}
          {collective === null ? null : (
            <>
              <Fact title="Collective">
                {collective.collective} {collective.dtype}
              </Fact>
              {collective.in_elements === null ? null : <Fact title="Elements in">{count(collective.in_elements)}</Fact>}
              {collective.out_elements === null ? null : <Fact title="Elements out">{count(collective.out_elements)}</Fact>}
              {collective.group === '' && collective.group_description === '' ? null : (
                <Fact title="Group">
                  {collective.group} {collective.group_description} {collective.group_ranks}
                </Fact>
              )}
            </>
          )}
        </dl>
      </section>
      {stack.length === 0 && python.length === 0 ? null : (
        <section aria-label="Stack">
          <h3>Stack</h3>
          {stack.length === 0 ? null : (
            <ol class="frames">
              {[...stack].reverse().map((frame, at) => (
                <li key={at}>
                  <PlaceLink place={frame} />
                  <span class="quiet"> {frame.function}</span>
                </li>
              ))}
            </ol>
          )}
          {python.length === 0 ? null : (
            <details open={stack.length === 0}>
              <summary>All Python frames ({python.length})</summary>
              <ol class="frames">
                {[...python].reverse().map((frame) => (
                  <li key={frame.event} class={frame.user ? '' : 'quiet'}>
                    {frame.file === '' ? frame.name : <PlaceLink place={frame} />}
                    {frame.file === '' ? null : <span class="quiet"> {frame.function}</span>}
                  </li>
                ))}
              </ol>
            </details>
          )}
        </section>
      )}
      {links.length === 0 ? null : (
        <section aria-label="Events that belong to it">
          <h3>Belongs to it</h3>
          <ul class="links">
            {links.map((link, at) => (
              <li key={at}>
                <LinkTo link={link} onEvent={onEvent} />
              </li>
            ))}
            {Object.entries(details.links_left_out).map(([relation, more]) => (
              <li key={relation} class="quiet">
                and {count(more)} more: {relation.replaceAll('_', ' ')}
              </li>
            ))}
          </ul>
        </section>
      )}
      {inputs.length === 0 ? null : (
        <section aria-label="Inputs">
          <h3>Inputs</h3>
          <ol class="inputs">
            {inputs.map(({ shape, type }, at) => (
              <li key={at}>
                {shape === '' && type === '' ? <span class="quiet">not a tensor</span> : <code>{`${shape} ${type}`.trim()}</code>}
              </li>
            ))}
          </ol>
        </section>
      )}
    </div>
  );
}

/** To the nanosecond, as the trace has it. */
function exactly(us: number): string {
  return timeLabel(us, 0.001, Math.abs(us));
}

const RELATIONS: Readonly<Record<EventLink['relation'], string>> = {
  launch: 'launched by',
  kernel: 'started',
  operator: 'of operator',
  forward: 'forward',
  backward: 'backward',
  parent: 'inside',
  device_annotation: 'on the device',
  annotation: 'on the host',
};

function LinkTo({ link: { relation, to }, onEvent }: { readonly link: EventLink; readonly onEvent: Props['onEvent'] }) {
  return (
    <>
      <span class="quiet">{RELATIONS[relation]} </span>
      <button type="button" class="link" title={to.name} onClick={() => onEvent(to)}>
        {to.name}
      </button>
      <span class="quiet"> {timeUs(to.dur_us)}</span>
    </>
  );
}

function Fact({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>{children}</dd>
    </div>
  );
}
