/**
 * The Lines page: what each line of a run cost, over all files, ranked, with the call stacks and kernels behind it.
 */
import type { ComponentChildren, VNode } from 'preact';
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { sizeBytes } from '../../format';
import type { LineCost, LinesView, Metric, ReadProgress } from '../../server/wire';
import type { SourceLine } from '../../views/messages';
import { Message } from '../shared/Message';
import type { Transport } from '../shared/transport';
import { wholeOf } from './columns';
import type { Spread } from './columns';
import { toCsv, toMarkdown } from './copy';
import { Header } from './Header';
import { LinesTable } from './LinesTable';
import { fileLabels, nextSort, rowKey, selectRows } from './rows';
import { restoreChoices } from './state';
import type { Choices } from './state';
import { Toolbar } from './Toolbar';
import { useLinesView } from './useLinesView';
import type { Data } from './useLinesView';

interface Props {
  readonly transport: Transport;
  /** The run that the page is bound to; null follows the active one. */
  readonly run: string | null;
}

export function LinesPage({ transport, run }: Props) {
  const { data, reload } = useLinesView(transport);
  const [active, setActive] = useState<boolean | null>(null);
  const [choices, setChoices] = useState<Choices>(() => restoreChoices(transport.restore()));
  const change = useCallback((patch: Partial<Choices>) => setChoices((now) => ({ ...now, ...patch })), []);

  useEffect(() => transport.save({ run, view: choices }), [transport, run, choices]);
  useEffect(
    () =>
      transport.on('show-line', (line) => {
        const key = rowKey(line);
        setChoices((now) => ({ ...now, filter: '', selected: key, open: key }));
      }),
    [transport],
  );

  useEffect(() => transport.on('active-changed', (now) => setActive(now.active)), [transport]);

  if (data.state !== 'ready') {
    return <Waiting data={data} reload={reload} transport={transport} />;
  }
  const { view } = data;
  if (view.run !== null && view.run.problem !== null) {
    return <Unread view={view} transport={transport} reload={reload} />;
  }
  const header = (spread: Spread) => (
    <Header
      view={view}
      spread={spread}
      // A page that follows the active run always shows what the editor shows, and without lines there is nothing to show there.
      inEditor={run === null || view.rows.length === 0 ? null : (active ?? view.active)}
      onShowInEditor={() => void transport.ask('host/run', { command: 'show-in-editor' })}
    />
  );
  if (view.run === null || view.rows.length === 0) {
    return <Empty view={view} header={header({ steps: Math.max(1, view.steps) })} transport={transport} reload={reload} />;
  }
  return <Report view={view} header={header} choices={choices} change={change} transport={transport} />;
}

interface ReportProps {
  readonly view: LinesView;
  readonly header: (spread: Spread) => VNode;
  readonly choices: Choices;
  readonly change: (patch: Partial<Choices>) => void;
  readonly transport: Transport;
}

function Report({ view, header, choices, change, transport }: ReportProps) {
  const hasDevice = view.device_us.total > 0;
  const metric: Metric = choices.metric === null || (choices.metric === 'gpu_time' && !hasDevice) ? view.metric : choices.metric;
  const spread = { steps: choices.per === 'step' && view.steps > 0 ? view.steps : 1 };
  const { filter, sort } = choices;
  const rows = useMemo(() => selectRows(view.rows, { metric, filter, sort }), [view, metric, filter, sort]);
  const labels = useMemo(() => fileLabels(view.rows.map(({ file }) => file)), [view]);
  const whole = useMemo(() => wholeOf(view, metric), [view, metric]);
  const search = useRef<HTMLInputElement>(null);
  const grid = useRef<HTMLDivElement>(null);

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key === '/' && !(event.target instanceof HTMLInputElement) && !event.ctrlKey && !event.metaKey && !event.altKey) {
        event.preventDefault();
        search.current?.select();
      }
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);

  const open = useCallback((place: SourceLine) => void transport.ask('host/open', { file: place.file, line: place.line }), [transport]);
  const detail = useCallback(
    async (row: LineCost) => await transport.ask('kinetoscope/lines/detail', { file: row.file, line: row.line }),
    [transport],
  );
  const copy = (format: 'csv' | 'markdown') => {
    const text = format === 'csv' ? toCsv(rows, spread) : toMarkdown(rows, metric, whole, spread, labels);
    const what = `${rows.length} ${rows.length === 1 ? 'line' : 'lines'} as ${format === 'csv' ? 'CSV' : 'Markdown'}`;
    void transport.ask('host/copy', { text, what });
  };

  return (
    <div class="lines">
      {header(spread)}
      <Toolbar
        search={search}
        metric={metric}
        hasDevice={hasDevice}
        steps={view.steps}
        per={choices.per}
        filter={filter}
        shown={rows.length}
        all={view.rows.length}
        onMetric={(chosen) => change({ metric: chosen, sort: { column: 'share', descending: true } })}
        onPer={(per) => change({ per })}
        onFilter={(text) => change({ filter: text })}
        onLeave={() => grid.current?.focus()}
        onCopy={copy}
      />
      {rows.length === 0 ? (
        <Message icon="search" title="No line matches the filter">
          <p>The filter looks in the source text, the file with its line, and the function.</p>
          <button type="button" class="button" onClick={() => change({ filter: '' })}>
            Clear filter
          </button>
        </Message>
      ) : (
        <LinesTable
          grid={grid}
          view={view}
          rows={rows}
          labels={labels}
          metric={metric}
          whole={whole}
          spread={spread}
          sort={sort}
          selected={choices.selected}
          open={choices.open}
          onSort={(column) => change({ sort: nextSort(sort, column) })}
          onSelect={(selected) => change({ selected })}
          onToggle={(key) => change({ open: choices.open === key ? null : key, selected: key })}
          onOpenSource={open}
          detail={detail}
        />
      )}
    </div>
  );
}

const STAGES: Readonly<Record<ReadProgress['stage'], string>> = {
  reading: 'Reading the trace',
  linking: 'Linking operators to lines',
  lines: 'Summing up lines',
  done: 'Waiting for the server',
  failed: 'Waiting for the server',
  cancelled: 'Waiting for the server',
};

function Waiting({
  data,
  reload,
  transport,
}: {
  readonly data: Exclude<Data, { state: 'ready' }>;
  readonly reload: () => void;
  readonly transport: Transport;
}) {
  if (data.state === 'failed') {
    return (
      <Message icon="warning" title="This can’t be shown">
        <p>{data.message}</p>
        <TryAgain reload={reload} transport={transport} />
      </Message>
    );
  }
  const { progress } = data;
  const title = progress === null ? 'Waiting for the server' : STAGES[progress.stage];
  return (
    <Message icon="loading" spin title={`${title}…`}>
      {progress?.stage === 'reading' && progress.total > 0 ? (
        <>
          <progress max={progress.total} value={progress.done} aria-label={title} />
          <p class="bytes">
            {sizeBytes(progress.done)} of {sizeBytes(progress.total)}
          </p>
        </>
      ) : null}
      <p>Only the first look takes time: what was read is remembered.</p>
      {progress === null ? null : (
        <p class="actions">
          <button type="button" class="button secondary" onClick={() => void transport.ask('host/run', { command: 'cancel-reading' })}>
            Cancel
          </button>
        </p>
      )}
    </Message>
  );
}

/** A run that can't be read, or whose reading was cancelled. */
function Unread({ view, transport, reload }: { readonly view: LinesView; readonly transport: Transport; readonly reload: () => void }) {
  return (
    <Message icon="warning" title={view.run?.kind === 'trace' ? 'The trace was not read' : 'The run was not read'}>
      <p>{view.run?.problem}</p>
      <TryAgain reload={reload} transport={transport} />
    </Message>
  );
}

function TryAgain({ reload, transport }: { readonly reload: () => void; readonly transport: Transport }) {
  return (
    <p class="actions">
      <button type="button" class="button" onClick={reload}>
        Try again
      </button>
      <button type="button" class="button secondary" onClick={() => void transport.ask('host/run', { command: 'show-log' })}>
        Show log
      </button>
    </p>
  );
}

interface EmptyProps {
  readonly view: LinesView;
  readonly header: ComponentChildren;
  readonly transport: Transport;
  readonly reload: () => void;
}

function Empty({ view, header, transport, reload }: EmptyProps) {
  const isTrace = view.run?.kind === 'trace';
  const title = view.run === null ? 'No run to show' : `This ${isTrace ? 'trace' : 'run'} has no lines`;
  return (
    <div class="lines">
      {header}
      <Message icon="flame" title={title}>
        <p>{view.reason ?? 'Nothing was recorded on a line of your code.'}</p>
        <p class="actions">
          {isTrace ? null : (
            <button type="button" class="button" onClick={() => void transport.ask('host/run', { command: 'profile' })}>
              Profile the last script again
            </button>
          )}
          <button type="button" class="button secondary" onClick={reload}>
            Look again
          </button>
        </p>
      </Message>
    </div>
  );
}
