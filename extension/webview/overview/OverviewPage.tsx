/**
 * The Overview page: what bounds the run, where a step's time goes, how well the devices were used, and what to change.
 */
import { useState } from 'preact/hooks';
import { count, outcomeText, share, timeUs } from '../../format';
import type { Bound as BoundContent, Overview } from '../../server/views';
import { baselineOf } from '../compare/baseline';
import { Legend, StackedBar, StackedColumns } from '../shared/chart';
import { Icon } from '../shared/Icon';
import { useSession } from '../shared/session';
import type { ChosenPart } from '../shared/part';
import { AnswerOf, Notices, useAnswer } from '../shared/view';
import type { Answer } from '../shared/view';
import { Advice } from './Advice';
import { categoryHelp, categorySlices, stepStacks } from './categories';
import { Devices } from './Devices';
import { BOUNDS } from './evidence';
import './overview.css';
import { PageLink } from './PageLink';

const NONE: readonly string[] = [];

export function OverviewPage() {
  const whole = useOverview(true);
  const selected = useOverview(false);
  const { part, summary } = useSession();
  // While that of the selected part is on its way the whole stays, so that who chooses steps by keyboard keeps their place.
  const shown = !isPart(part) ? whole : selected.state === 'waiting' && whole.state === 'ready' ? { ...whole, stale: true } : selected;
  return (
    <AnswerOf answer={shown}>
      {(content) => (
        <div class="overview">
          <Head content={content} />
          <Notices notices={summary?.notices ?? NONE} />
          <Bound bound={content.bound} />
          <Steps content={content} all={whole.state === 'ready' ? whole.content.steps : content.steps} />
          <Devices devices={content.devices} />
          <Advice />
        </div>
      )}
    </AnswerOf>
  );
}

/** Of the rank as a whole; or of the selected part, where there is one. */
function useOverview(whole: boolean): Answer<Overview> {
  const { run, part } = useSession();
  const of = whole ? { ...part, step: null, range_us: null } : part;
  const answer = useAnswer('kinetoscope/view', whole || isPart(part) ? { run, name: 'overview', part: of } : null);
  // SAFETY: the content of the view is of this type.
  return answer.state === 'ready' ? { ...answer, content: answer.content.content as Overview } : answer;
}

function isPart({ step, range_us }: ChosenPart): boolean {
  return step !== null || range_us !== null;
}

function Head({ content: { configuration, steps } }: { readonly content: Overview }) {
  const { summary } = useSession();
  const { rank, world_size, backend, devices, torch, python } = configuration;
  const facts: readonly (readonly [string, string])[] = [
    ['Recorded', (summary?.created ?? '').slice(0, 16).replace('T', ' ')],
    ['Device type', configuration.device_type],
    ['Devices', devices.join(', ')],
    ['Steps', stepsText(steps)],
    ['Rank', rank === null || world_size === 1 ? '' : world_size === null ? String(rank) : `${rank} of ${world_size}`],
    ['Backend', backend],
    ['PyTorch', torch === '' ? (summary?.torch ?? '') : torch],
    ['Python', python === '' ? (summary?.python ?? '') : python],
    ['Outcome', outcomeText(summary?.outcome ?? '')],
  ];
  return (
    <header class="head-of-run">
      <h1 title={summary?.main ?? summary?.name}>{summary?.name ?? ''}</h1>
      <dl class="facts">
        {facts
          .filter(([, value]) => value !== '')
          .map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
      </dl>
      <Gain />
    </header>
  );
}

/** The way to what changed since the same script was profiled before: what was gained. */
function Gain() {
  const { runs, summary, go, has } = useSession();
  const before = summary === null ? null : baselineOf(runs, summary, null);
  return before === null || summary === null || before.created >= summary.created || !has('compare') ? null : (
    <p class="gain">
      <button type="button" class="link" onClick={() => go('compare', { baseline: before.path })}>
        <Icon name="arrow-right" /> See what changed since {before.created.slice(0, 16).replace('T', ' ')}
      </button>
    </p>
  );
}

function Bound({ bound: { kind, evidence } }: { readonly bound: BoundContent }) {
  const { has } = useSession();
  const bound = kind === null ? null : BOUNDS[kind];
  const page = bound?.pages.find(has);
  return (
    <section class="bound" aria-labelledby="bound-title">
      <Icon name={bound?.icon ?? 'question'} />
      <div>
        <h2 id="bound-title">{bound?.title ?? 'What bounds the step can’t be told'}</h2>
        <p>
          {evidence} {page === undefined ? null : <PageLink page={page} />}
        </p>
      </div>
    </section>
  );
}

/** `all`: the steps of the rank, whichever of them is selected. */
function Steps({ content, all: steps }: { readonly content: Overview; readonly all: Overview['steps'] }) {
  const { part, setPart, summary } = useSession();
  const [lit, setLit] = useState<string | null>(null);
  const slices = categorySlices(content.categories);
  const whole = content.steps.mean_us;
  const percentages = new Map(content.categories.map(({ name, percent }) => [name, percent]));
  const of = wholeName(content);
  const choose = (id: string) => setPart({ step: part.step === Number(id) ? null : Number(id), range_us: null });
  return (
    <section aria-labelledby="steps-title">
      <h2 id="steps-title">{content.steps.marked ? 'Where a step’s time goes' : 'Where the time goes'}</h2>
      <div class="breakdown">
        <div class="whole">
          <p class="of">
            <strong>{timeUs(whole)}</strong> {of}
          </p>
          <StackedBar label={`${of}: ${timeUs(whole)}, by category`} slices={slices} whole={whole} lit={lit} onLit={setLit} />
          <Legend
            label="Time by category"
            of="Category"
            slices={slices}
            columns={[
              { title: 'Time', text: ({ value }) => timeUs(value) },
              { title: 'Share', text: ({ id }) => share((percentages.get(id) ?? 0) / 100) },
            ]}
            help={({ id }) => categoryHelp(id)}
            lit={lit}
            onLit={setLit}
          />
          {content.steps.left_out.length === 0 ? null : (
            <p class="quiet">Without {content.steps.left_out.join(', ')}, whose work on the device was perhaps not all recorded.</p>
          )}
        </div>
        <div class="by-step">
          {!steps.marked ? (
            <NoSteps lookedFor={summary?.kind === 'run'} />
          ) : (
            <>
              <p class="of">{steps.each.length > 1 ? 'Step by step; the dashed line is their mean' : 'The one step'}</p>
              <StackedColumns
                label="Time of each step by category"
                of="Step"
                stacks={stepStacks(steps.each)}
                text={timeUs}
                chosen={part.step === null ? null : String(part.step)}
                onChoose={choose}
                mark={steps.mean_us}
                hint="Point at a step for its numbers. Choose it, by a click or Enter, to see all pages of it alone."
                lit={lit}
              />
            </>
          )}
        </div>
      </div>
    </section>
  );
}

/** `lookedFor`: by our recorder. */
function NoSteps({ lookedFor }: { readonly lookedFor: boolean }) {
  return lookedFor ? (
    <p class="quiet">
      No steps were found, so the recording is shown as one: they are told by calls of an optimizer’s step(), of the outermost nn.Module, or
      of a profiler’s step().
    </p>
  ) : (
    <p class="quiet">
      No steps are marked in this recording, so it is shown as one. Profile with Kinetoscope, which finds them, or call the profiler’s
      step() after each iteration.
    </p>
  );
}

function stepsText({ marked, count: steps, mean_us }: Overview['steps']): string {
  return !marked ? 'not marked' : `${count(steps)}, ${timeUs(mean_us)}${steps === 1 ? '' : ' on average'}`;
}

/** What the numbers are of. */
function wholeName({ steps: { marked, each } }: Overview): string {
  const [first] = each;
  return !marked || first === undefined ? 'in all' : each.length === 1 ? `step ${first.number}` : `mean of ${count(each.length)} steps`;
}
