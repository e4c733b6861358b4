/**
 * The Flame graph page: where the time or the memory went, by call stack.
 */
import { Message } from '../shared/Message';
import { shortFile } from '../shared/PlaceLink';
import { Segments } from '../shared/Segments';
import { useSession, useTarget } from '../shared/session';
import { usePageState } from '../shared/state';
import { AnswerOf, useAnswer } from '../shared/view';
import { DEFAULT_CHOICES, restoreChoices, viewName } from './choices';
import type { By, Metric } from './choices';
import { FlameView } from './FlameView';
import './flame.css';
import '../shared/canvas/canvas.css';
import { scaled } from './tree';
import type { StackContent } from './tree';

const BYS: readonly { readonly value: By; readonly label: string }[] = [
  { value: 'python', label: 'Python stack' },
  { value: 'line', label: 'Lines' },
  { value: 'module', label: 'Modules' },
  { value: 'operator', label: 'Operators' },
];

const METRICS: readonly { readonly value: Metric; readonly label: string; readonly help: string }[] = [
  { value: 'gpu', label: 'GPU time', help: 'Time on the devices, by the stack that launched the work' },
  { value: 'cpu', label: 'CPU time', help: 'Wall time on the host' },
  { value: 'memory', label: 'Memory', help: 'Bytes allocated' },
];

export function FlamePage() {
  const { run, part, summary, runs, open, copy } = useSession();
  const [choices, change] = usePageState('flame', DEFAULT_CHOICES, restoreChoices);
  const by = choices.by ?? (summary?.kind === 'trace' ? 'python' : 'line');
  const name = viewName(by, choices.metric);
  const answer = useAnswer('kinetoscope/view', { run, name, part });
  const baseline = choices.baseline === summary?.path ? null : choices.baseline;
  // Of the other run the same step; a range in time means nothing there.
  const comparable = baseline !== null && part.range_us === null;
  const other = useAnswer('kinetoscope/view', comparable ? { run: baseline, name, part } : null);
  const stepsOf = (path: string | null) => runs.find((each) => each.path === path)?.steps ?? 0;
  // Whole recordings are compared as if they had as many steps.
  const factor =
    part.step === null && stepsOf(baseline) > 0 && summary !== null && summary.steps > 0 ? summary.steps / stepsOf(baseline) : 1;

  useTarget(({ line, operator, module }) => {
    if (line !== undefined) {
      change({ by: 'line', search: `${shortFile(line.file)}:${line.line})`, zoom: [], sandwich: null });
    } else if (module !== undefined) {
      change({ by: 'module', search: module, zoom: [], sandwich: null });
    } else if (operator !== undefined) {
      change({ by: 'operator', search: operator, zoom: [], sandwich: null });
    }
  });

  const tools = (metric: Metric) => (
    <>
      <Segments label="Weight" name="flame-metric" choices={METRICS} chosen={metric} onChoose={(to) => change({ metric: to })} />
      <select
        class="choice"
        aria-label="Stacks of"
        value={by}
        // A place in one tree is none in another.
        // SAFETY: the options are these.
        onChange={(event) => change({ by: event.currentTarget.value as By, zoom: [], sandwich: null })}
      >
        {BYS.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      <Baseline chosen={baseline} onChoose={(path) => change({ baseline: path })} />
    </>
  );

  return (
    <AnswerOf answer={answer}>
      {({ content }) => {
        // SAFETY: the server makes each stacks view from the struct that StackContent describes.
        const stacks = content as StackContent;
        if (stacks.nodes.length === 0) {
          return <NoStacks by={by} metric={stacks.metric} tools={tools(stacks.metric)} />;
        }
        const compared = comparable && other.state === 'ready' && !other.stale ? (other.content.content as StackContent) : null;
        const same = compared !== null && compared.metric === stacks.metric && compared.by === stacks.by;
        return (
          <>
            {baseline !== null && !same ? (
              <p class="flame-note" role="status">
                {!comparable
                  ? 'A range of time is not compared: the other run has none that is the same. Choose a step, or the whole recording.'
                  : other.state === 'failed'
                    ? `The other run can’t be compared: ${other.message}`
                    : compared === null
                      ? 'The other run is being read…'
                      : 'The other run has stacks of another kind or another metric: choose one that both have.'}
              </p>
            ) : null}
            {same && factor !== 1 ? (
              <p class="flame-note" role="status">
                The other run has {stepsOf(baseline)} steps: its numbers are shown as if it had {summary?.steps ?? 0}.
              </p>
            ) : null}
            <FlameView
              content={stacks}
              baseline={same ? scaled(compared, factor) : null}
              choices={choices}
              change={change}
              onOpenSource={(file, line) => open({ file, line })}
              onCopy={copy}
            >
              {tools(stacks.metric)}
            </FlameView>
          </>
        );
      }}
    </AnswerOf>
  );
}

const WHY: Readonly<Record<Metric, string>> = {
  gpu: 'No kernel, copy or fill ran in the selected part, or the trace was recorded without the device. CPU time may be there.',
  cpu: 'No operator and no Python frame was recorded in the selected part.',
  memory: 'No allocation was recorded in the selected part. Record with profile_memory=True to have them.',
};

function NoStacks({ by, metric, tools }: { readonly by: By; readonly metric: Metric; readonly tools: preact.ComponentChildren }) {
  return (
    <div class="flame">
      <div class="flame-tools">{tools}</div>
      <Message icon="flame" title={by === 'module' && metric !== 'gpu' ? 'No modules to show' : 'Nothing to show'}>
        <p>
          {by === 'module' ? 'Modules are known from Python stacks: record with with_stack=True or with_modules=True. ' : ''}
          {WHY[metric]}
        </p>
      </Message>
    </div>
  );
}

/** The run that this one is compared with. */
function Baseline({ chosen, onChoose }: { readonly chosen: string | null; readonly onChoose: (path: string | null) => void }) {
  const { runs, summary } = useSession();
  const others = runs.filter((run) => run.path !== summary?.path && run.problem === null);
  if (others.length === 0) {
    return null;
  }
  return (
    <select
      class="choice"
      aria-label="Compare with"
      title="Compare with another run: colours tell differences"
      value={chosen ?? ''}
      onChange={(event) => onChoose(event.currentTarget.value === '' ? null : event.currentTarget.value)}
    >
      <option value="">Compare with…</option>
      {others.map((run) => (
        <option key={run.path} value={run.path}>
          vs {run.name} · {run.created.slice(0, 16).replace('T', ' ')}
        </option>
      ))}
    </select>
  );
}
