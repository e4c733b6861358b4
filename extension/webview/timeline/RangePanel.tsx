/**
 * What a range cost: by operator, by kernel, by line.
 */
import { useState } from 'preact/hooks';
import { timeUs } from '../../format';
import type { KernelSum, LineSum, OperatorSum, Sums } from '../../server/wire';
import { PlaceLink } from '../shared/PlaceLink';
import { Segments } from '../shared/Segments';
import { useSession } from '../shared/session';
import { DataTable, tableState } from '../shared/table';
import type { Column, TableState } from '../shared/table';
import { AnswerOf } from '../shared/view';
import type { Answer } from '../shared/view';

const OPERATORS: readonly Column<OperatorSum>[] = [
  { id: 'name', title: 'Operator', help: 'Operators that begin in the range, whole', unit: 'text', value: (row) => row.name },
  {
    id: 'device_self',
    title: 'GPU self',
    help: 'Device time that the operator itself launched',
    unit: 'us',
    value: (row) => row.device_self_us,
    bar: 'greatest',
  },
  {
    id: 'device_total',
    title: 'GPU total',
    help: 'Device time that it and the operators inside it launched',
    unit: 'us',
    value: (row) => row.device_total_us,
  },
  {
    id: 'host_self',
    title: 'CPU self',
    help: 'Host time without operators inside it',
    unit: 'us',
    value: (row) => row.host_self_us,
    bar: 'greatest',
  },
  { id: 'host_total', title: 'CPU total', help: 'Host time with operators inside it', unit: 'us', value: (row) => row.host_total_us },
  { id: 'calls', title: 'Calls', help: 'How often it ran', unit: 'count', value: (row) => row.calls },
];
const KERNELS: readonly Column<KernelSum>[] = [
  { id: 'name', title: 'Kernel', help: 'Device work that begins in the range, whole', unit: 'text', value: (row) => row.name },
  { id: 'total', title: 'Time', help: 'Time on the device', unit: 'us', value: (row) => row.total_us, bar: 'greatest' },
  { id: 'calls', title: 'Calls', help: 'How often it ran', unit: 'count', value: (row) => row.calls },
  { id: 'family', title: 'Family', help: 'What it computes', unit: 'text', value: (row) => row.family, widthPx: 110 },
];
const LINES: readonly Column<LineSum>[] = [
  {
    id: 'line',
    title: 'Line',
    help: 'What reaches into the range counts with what lies in it',
    unit: 'text',
    value: (row) => `${row.file}:${row.line}`,
    render: (row) => (
      <>
        <PlaceLink place={row} tabIndex={-1} /> <span class="quiet">{row.function}</span>
      </>
    ),
  },
  {
    id: 'gpu',
    title: 'GPU',
    help: 'Device time of the line itself, forward and backward',
    unit: 'us',
    value: (row) => row.gpu_us,
    bar: 'greatest',
  },
  { id: 'gpu_total', title: 'GPU total', help: 'With that of the frames it called', unit: 'us', value: (row) => row.gpu_total_us },
  { id: 'cpu', title: 'CPU self', help: 'Host time of the line itself', unit: 'us', value: (row) => row.cpu_self_us, bar: 'greatest' },
  { id: 'cpu_total', title: 'CPU total', help: 'With that of the frames it called', unit: 'us', value: (row) => row.cpu_total_us },
];
const nameOf = ({ name }: { readonly name: string }) => name;
const lineOf = ({ file, line, function: name }: LineSum) => `${file}:${line}:${name}`;

type By = 'operators' | 'kernels' | 'lines';
const ORDER: readonly By[] = ['operators', 'kernels', 'lines'];
const NONE: Readonly<Record<By, string>> = {
  operators: 'No operator begins in this range.',
  kernels: 'No kernel, copy or fill begins in this range.',
  lines: 'No line of your code is known to have run in this range.',
};

interface Props {
  readonly answer: Answer<Sums>;
}

export function RangePanel({ answer }: Props) {
  const { open } = useSession();
  const [wanted, setBy] = useState<By | null>(null);
  // Until one is chosen: the first that has something.
  const found = answer.state === 'ready' ? ORDER.find((one) => answer.content[one].length > 0) : undefined;
  const by = wanted ?? found ?? 'operators';
  const [states, setStates] = useState<Readonly<Record<By, TableState>>>({
    operators: tableState({ column: 'device_self', descending: true }),
    kernels: tableState({ column: 'total', descending: true }),
    lines: tableState({ column: 'gpu', descending: true }),
  });
  const table = {
    state: states[by],
    onState: (patch: Partial<TableState>) => setStates((now) => ({ ...now, [by]: { ...now[by], ...patch } })),
  };
  const tools = (
    <Segments
      label="Sums by"
      name="timeline-sums"
      choices={[
        { value: 'operators', label: 'Operators' },
        { value: 'kernels', label: 'Kernels' },
        { value: 'lines', label: 'Lines' },
      ]}
      chosen={by}
      onChoose={setBy}
    />
  );
  return (
    <AnswerOf answer={answer}>
      {(sums) => {
        const label = `${by} of ${timeUs(sums.end_us - sums.start_us)}`;
        if (sums[by].length === 0) {
          return (
            <>
              <div class="toolbar">{tools}</div>
              <p class="range-none quiet">{NONE[by]}</p>
            </>
          );
        }
        switch (by) {
          case 'operators':
            return (
              <DataTable
                key={by}
                label={label}
                noun={['operator', 'operators']}
                rows={sums.operators}
                columns={OPERATORS}
                rowKey={nameOf}
                tools={tools}
                {...table}
              />
            );
          case 'kernels':
            return (
              <DataTable
                key={by}
                label={label}
                noun={['kernel', 'kernels']}
                rows={sums.kernels}
                columns={KERNELS}
                rowKey={nameOf}
                tools={tools}
                {...table}
              />
            );
          case 'lines':
            return (
              <DataTable
                key={by}
                label={label}
                noun={['line', 'lines']}
                rows={sums.lines}
                columns={LINES}
                rowKey={lineOf}
                tools={tools}
                onOpen={open}
                {...table}
              />
            );
        }
      }}
    </AnswerOf>
  );
}
