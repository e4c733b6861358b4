/**
 * The Compare page: this run beside an earlier one, and what became faster, slower, smaller or larger.
 */
import { useId } from 'preact/hooks';
import type { Comparison, RunSummary } from '../../server/wire';
import { Icon } from '../shared/Icon';
import { Message } from '../shared/Message';
import { Segments } from '../shared/Segments';
import type { Segment } from '../shared/Segments';
import { useSession, useTarget } from '../shared/session';
import { usePageState } from '../shared/state';
import type { Change } from '../shared/state';
import { AnswerOf, useAnswer } from '../shared/view';
import { baselineOf, candidates, runLabel } from './baseline';
import './compare.css';
import { INITIAL, restoreChoices } from './state';
import type { Choices, Shown } from './state';
import { Summary } from './Summary';
import { Kernels, Lines, Operators } from './Tables';

const SHOWN: readonly Segment<Shown>[] = [
  { value: 'summary', label: 'Summary' },
  { value: 'lines', label: 'Lines' },
  { value: 'operators', label: 'Operators' },
  { value: 'kernels', label: 'Kernels' },
];

export function ComparePage() {
  const { runs, summary, part, baseline: shown } = useSession();
  const [choices, change] = usePageState('compare', INITIAL, restoreChoices);
  useTarget(({ baseline }) => {
    if (baseline !== undefined) {
      change({ baseline });
    }
  });
  if (summary === null) {
    return null;
  }
  // By its name of the list, which tells it from others.
  const listed = runs.find(({ path }) => path === summary.path) ?? summary;
  const others = candidates(runs, summary);
  if (others.length === 0) {
    return <OnlyOne />;
  }
  const baseline = baselineOf(runs, summary, choices.baseline ?? shown);
  return (
    <div class="compare">
      <Head others={others} baseline={baseline} after={listed} choices={choices} change={change} />
      {part.step === null && part.range_us === null ? null : (
        <p class="whole-note">
          <Icon name="info" /> Whole recordings are compared, not the selected part.
        </p>
      )}
      {baseline !== null && baseline.created > summary.created ? (
        <p class="whole-note">
          <Icon name="info" /> The baseline was recorded after this run: what is “before” here came later.
        </p>
      ) : null}
      {baseline === null ? (
        <Message icon="diff" title="Choose a run to compare with">
          <p>No other run of the same script is in the list. Choose the baseline above: what was before.</p>
        </Message>
      ) : (
        // Of another baseline nothing of the one before is shown.
        <Compared key={`${baseline.path} ${summary.path}`} baseline={baseline} choices={choices} change={change} />
      )}
    </div>
  );
}

interface Chosen {
  readonly choices: Choices;
  readonly change: Change<Choices>;
}

function Compared({ baseline, choices, change }: Chosen & { readonly baseline: RunSummary }) {
  const { run, part } = useSession();
  const answer = useAnswer('kinetoscope/compare', { before: baseline.path, after: run, rank: part.rank });
  return <AnswerOf answer={answer}>{(comparison) => <Content comparison={comparison} choices={choices} change={change} />}</AnswerOf>;
}

function Content({ comparison, choices, change }: Chosen & { readonly comparison: Comparison }) {
  const { shown, metric } = choices;
  if (shown === 'summary') {
    return <Summary comparison={comparison} onLines={() => change({ shown: 'lines' })} />;
  }
  const Table = { lines: Lines, operators: Operators, kernels: Kernels }[shown];
  return (
    <Table
      comparison={comparison}
      metric={metric}
      onMetric={(next) => change({ metric: next })}
      state={choices[shown]}
      onState={(state) => change({ [shown]: state })}
    />
  );
}

interface HeadProps extends Chosen {
  readonly others: readonly RunSummary[];
  readonly baseline: RunSummary | null;
  readonly after: RunSummary;
}

function Head({ others, baseline, after, choices, change }: HeadProps) {
  const id = useId();
  const { transport, active, baseline: inEditor } = useSession();
  const shown = baseline !== null && baseline.path === inEditor;
  return (
    <header class="compare-head">
      <span class="pair">
        <label for={id}>Before</label>
        <select
          id={id}
          class="choice"
          title="The baseline: the run that this one is compared with"
          value={baseline?.path ?? ''}
          onChange={(event) => change({ baseline: event.currentTarget.value })}
        >
          {baseline === null ? <option value="">Choose a run</option> : null}
          {others.map((run) => (
            <option key={run.path} value={run.path} disabled={run.problem !== null}>
              {runLabel(run)}
            </option>
          ))}
        </select>
      </span>
      <span class="pair" title={after.main ?? after.path}>
        <span class="quiet">After</span> <strong>{runLabel(after)}</strong>
      </span>
      {baseline === null ? null : (
        <Segments label="Show" name="compare-shown" choices={SHOWN} chosen={choices.shown} onChoose={(next) => change({ shown: next })} />
      )}
      {baseline === null || !active || !transport.editor ? null : (
        <button
          type="button"
          class="tool"
          aria-pressed={shown}
          title="Differences to this baseline at the lines in the editor"
          onClick={() => void transport.ask('host/baseline', { run: shown ? null : baseline.path })}
        >
          <Icon name="diff" /> Show in the editor
        </button>
      )}
    </header>
  );
}

function OnlyOne() {
  const { transport, command } = useSession();
  return (
    <Message icon="diff" title="Nothing to compare with yet">
      <p>This is the only run here. Change something, profile again, and see here what became faster or slower, line by line.</p>
      {transport.editor ? (
        <p class="actions">
          <button type="button" class="button" onClick={() => command('profile')}>
            Profile the last script again
          </button>
        </p>
      ) : (
        <p>
          Run <code>kinetoscope profile</code> again in the same folder; or name both recordings: <code>kinetoscope view BEFORE AFTER</code>
          .
        </p>
      )}
    </Message>
  );
}
