/**
 * The Lines page: what each line of a run cost, over all files, ranked, with the call stacks and kernels behind it.
 */
import type { ComponentChildren } from 'preact';
import { useCallback, useMemo } from 'preact/hooks';
import type { LineCost, LinesView, Metric } from '../../server/wire';
import { Message } from '../shared/Message';
import { PerStep, usePerStep } from '../shared/perStep';
import { Segments } from '../shared/Segments';
import { samePart } from '../shared/part';
import { useSession, useTarget } from '../shared/session';
import { usePageState } from '../shared/state';
import type { Change } from '../shared/state';
import { DataTable } from '../shared/table';
import type { TableState } from '../shared/table';
import { AnswerOf, Failed, useAnswer } from '../shared/view';
import { METRICS, ownCost, wholeOf } from './columns';
import { Detail } from './Detail';
import { Header } from './Header';
import './lines.css';
import { byPlace, fileLabels, rowKey } from './rows';
import { DEFAULT_CHOICES, restoreChoices } from './state';
import type { Choices } from './state';
import { lineColumns, lineText } from './table';

const LINE_PX = 42;

export function LinesPage() {
  const { run, part, selected } = useSession();
  // The lines are of the part that the server has selected: asked only when it has this one.
  const answer = useAnswer('kinetoscope/lines/view', samePart(part, selected) ? { run } : null, selected);
  const [choices, change] = usePageState('lines', DEFAULT_CHOICES, restoreChoices);
  useTarget(({ line }) => {
    if (line !== undefined) {
      const key = rowKey(line);
      change(({ table }) => ({ table: { ...table, filter: '', selected: key, open: key } }));
    }
  });
  const again = () => {
    if (answer.state !== 'waiting') {
      answer.again();
    }
  };
  return <AnswerOf answer={answer}>{(view) => <Lines view={view} choices={choices} change={change} again={again} />}</AnswerOf>;
}

interface Props {
  readonly view: LinesView;
  readonly choices: Choices;
  readonly change: Change<Choices>;
}

function Lines({ again, ...props }: Props & { readonly again: () => void }) {
  const { view } = props;
  if (view.run !== null && view.run.problem !== null) {
    // It can't be read, or its reading was cancelled.
    return <Failed title={`The ${view.run.kind} was not read`} message={view.run.problem} again={again} />;
  }
  return view.run === null || view.rows.length === 0 ? <Empty view={view} again={again} /> : <Report {...props} />;
}

function Report({ view, choices, change }: Props) {
  const { run, transport, open } = useSession();
  const hasDevice = view.device_us.total > 0;
  const metric: Metric = choices.metric === null || (choices.metric === 'gpu_time' && !hasDevice) ? view.metric : choices.metric;
  const { spread, offered } = usePerStep(choices.per, view.steps);
  const rows = useMemo(() => byPlace(view.rows), [view]);
  const columns = useMemo(() => {
    const most = view.rows.reduce((max, row) => Math.max(max, ownCost(row, metric)), 0);
    const labels = fileLabels(view.rows.map(({ file }) => file));
    return lineColumns({ metric, hasDevice, whole: wholeOf(view, metric), most, spread, labels });
  }, [view, metric, hasDevice, spread]);
  const onState = useCallback((patch: Partial<TableState>) => change(({ table }) => ({ table: { ...table, ...patch } })), [change]);
  const detail = useCallback(
    async ({ file, line }: LineCost) => await transport.ask('kinetoscope/lines/detail', { run, file, line }),
    [transport, run],
  );

  return (
    <div class={`lines metric-${metric}`}>
      <Header view={view} spread={spread} />
      <DataTable
        label="Lines by cost"
        noun={['line', 'lines']}
        rows={rows}
        columns={columns}
        rowKey={rowKey}
        state={choices.table}
        onState={onState}
        searchText={lineText}
        searchHint="Filter by source, file:line or function"
        rowPx={LINE_PX}
        onOpen={open}
        detail={(row) => <Detail key={`${view.run?.path ?? ''} ${rowKey(row)}`} row={row} spread={spread} detail={detail} />}
        tools={
          <>
            <Segments
              label="Metric"
              name="lines-metric"
              chosen={metric}
              choices={METRICS.map(({ metric: value, label }) => ({
                value,
                label,
                ...(value === 'gpu_time' && !hasDevice ? { disabled: true, help: 'The run used no device' } : {}),
              }))}
              onChoose={(value) =>
                change(({ table }) => ({ metric: value, table: { ...table, sort: { column: 'share', descending: true } } }))
              }
            />
            <PerStep name="lines-per" per={choices.per} offered={offered} onPer={(per) => change({ per })} />
          </>
        }
      />
    </div>
  );
}

function Empty({ view, again }: { readonly view: LinesView; readonly again: () => void }): ComponentChildren {
  const { transport, command } = useSession();
  const { spread } = usePerStep('step', view.steps);
  const isTrace = view.run?.kind === 'trace';
  const title = view.run === null ? 'No run to show' : `This ${isTrace ? 'trace' : 'run'} has no lines`;
  return (
    <div class="lines">
      <Header view={view} spread={spread} />
      <Message icon="flame" title={title}>
        <p>{view.reason ?? 'Nothing was recorded on a line of your code.'}</p>
        <p class="actions">
          {isTrace || !transport.editor ? null : (
            <button type="button" class="button" onClick={() => command('profile')}>
              Profile the last script again
            </button>
          )}
          <button type="button" class="button secondary" onClick={again}>
            Look again
          </button>
        </p>
      </Message>
    </div>
  );
}
