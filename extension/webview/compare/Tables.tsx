/**
 * The tables of what changed: lines, operators, kernels.
 */
import { useCallback, useMemo } from 'preact/hooks';
import type { Change, Comparison, KernelChange, LineChange, OperatorChange } from '../../server/wire';
import { Message } from '../shared/Message';
import { Segments } from '../shared/Segments';
import { useSession } from '../shared/session';
import { DataTable } from '../shared/table';
import type { Column, TableState } from '../shared/table';
import { happens } from './changes';
import { changeColumns, KERNEL, LINE, lineText, OPERATOR } from './columns';
import type { Metric } from './state';

const LINE_PX = 42;

export interface TableProps {
  readonly comparison: Comparison;
  readonly metric: Metric | null;
  readonly onMetric: (metric: Metric) => void;
  readonly state: TableState;
  readonly onState: (state: TableState) => void;
}

const LABELS: Readonly<Record<Metric, string>> = { gpu: 'GPU', cpu: 'CPU', memory: 'Memory' };

export function Lines(props: TableProps) {
  const { open } = useSession();
  return (
    <Changes<LineChange>
      {...props}
      rows={props.comparison.lines}
      main={LINE}
      metrics={LINE_METRICS}
      noun={['line', 'lines']}
      rowKey={lineKey}
      searchText={lineText}
      rowPx={LINE_PX}
      onOpen={(row) => {
        // Of a line that is gone there is no place in the present source.
        if (row.match !== 'gone') {
          open(row);
        }
      }}
    />
  );
}

export function Operators(props: TableProps) {
  const { go, has } = useSession();
  return (
    <Changes<OperatorChange>
      {...props}
      rows={props.comparison.operators}
      main={OPERATOR}
      metrics={OPERATOR_METRICS}
      noun={['operator', 'operators']}
      rowKey={nameKey}
      onOpen={(row) => {
        // One that is gone is not among those of this run.
        if (row.calls.after > 0 && has('operators')) {
          go('operators', { operator: row.name });
        }
      }}
    />
  );
}

export function Kernels(props: TableProps) {
  const { go, has } = useSession();
  return (
    <Changes<KernelChange>
      {...props}
      rows={props.comparison.kernels}
      main={KERNEL}
      metrics={KERNEL_METRICS}
      noun={['kernel', 'kernels']}
      rowKey={nameKey}
      onOpen={(row) => {
        if (row.calls.after > 0 && has('kernels')) {
          go('kernels', { kernel: row.name });
        }
      }}
    />
  );
}

type Metrics<Row> = Readonly<Partial<Record<Metric, (row: Row) => Change>>>;

const LINE_METRICS: Metrics<LineChange> = {
  gpu: ({ gpu_us }) => gpu_us,
  cpu: ({ cpu_self_us }) => cpu_self_us,
  memory: ({ alloc_bytes }) => alloc_bytes,
};
const OPERATOR_METRICS: Metrics<OperatorChange> = {
  gpu: ({ device_self_us }) => device_self_us,
  cpu: ({ host_self_us }) => host_self_us,
};
const KERNEL_METRICS: Metrics<KernelChange> = { gpu: ({ total_us }) => total_us };

const lineKey = ({ file, line, match, line_before }: LineChange) => `${file}:${line} ${match} ${line_before ?? ''}`;
const nameKey = ({ name }: { readonly name: string }) => name;

interface ChangesProps<Row> extends TableProps {
  readonly rows: readonly Row[];
  readonly main: Column<Row>;
  readonly metrics: Metrics<Row>;
  readonly noun: readonly [one: string, many: string];
  readonly rowKey: (row: Row) => string;
  readonly searchText?: (row: Row) => string;
  readonly rowPx?: number;
  readonly onOpen?: (row: Row) => void;
}

function Changes<Row extends { readonly calls: Change }>(props: ChangesProps<Row>) {
  const { comparison, rows, main, metrics, noun, state, onState } = props;
  const device = comparison.steps.gpu_us.before > 0 || comparison.steps.gpu_us.after > 0;
  const offered = (['gpu', 'cpu', 'memory'] as const).filter((metric) => metrics[metric] !== undefined && (device || metric !== 'gpu'));
  const metric = offered.find((one) => one === props.metric) ?? offered[0] ?? 'gpu';
  const of = metrics[metric];
  const shown = useMemo(() => (of === undefined ? [] : rows.filter((row) => happens(of(row)))), [rows, of]);
  const columns = useMemo(() => {
    const most = of === undefined ? 0 : shown.reduce((greatest, row) => Math.max(greatest, Math.abs(of(row).difference)), 0);
    return of === undefined
      ? [main]
      : [main, ...changeColumns<Row>({ of, amount: metric === 'memory' ? 'bytes' : 'us', most, calls: ({ calls }) => calls })];
  }, [shown, of, metric, main]);
  const patch = useCallback((change: Partial<TableState>) => onState({ ...state, ...change }), [state, onState]);

  const tools =
    offered.length < 2 ? null : (
      <Segments
        label="Metric"
        name={`compare-${noun[1]}-metric`}
        choices={offered.map((value) => ({ value, label: LABELS[value] }))}
        chosen={metric}
        onChoose={props.onMetric}
      />
    );
  return shown.length === 0 ? (
    <>
      <div class="toolbar">{tools}</div>
      <Message icon="diff" title={`No ${noun[1]} to compare`}>
        <p>
          {metric === 'memory'
            ? `Neither recording has allocations of ${noun[1]}.`
            : `No ${noun[0]} with ${LABELS[metric]} time is known in either recording.`}
        </p>
      </Message>
    </>
  ) : (
    <DataTable
      class={`changes-of-${noun[1]}`}
      label={`${noun[1]} by change of ${metric === 'memory' ? 'allocated bytes' : `${LABELS[metric]} time`}`}
      noun={noun}
      rows={shown}
      columns={columns}
      rowKey={props.rowKey}
      state={state}
      onState={patch}
      tools={tools}
      {...(props.searchText === undefined ? {} : { searchText: props.searchText })}
      {...(props.rowPx === undefined ? {} : { rowPx: props.rowPx })}
      {...(props.onOpen === undefined ? {} : { onOpen: props.onOpen })}
    />
  );
}
