/**
 * The columns of the Operators table.
 */
import type { Operator } from '../../server/views';
import { At, atText } from '../shared/At';
import { Icon } from '../shared/Icon';
import type { Spread } from '../shared/perStep';
import { amountText, markdownText } from '../shared/table';
import type { Column, CsvColumn } from '../shared/table';
import { frameOf, shapesText } from './groups';
import type { Group } from './groups';

export interface OperatorsOf {
  readonly group: Group;
  readonly hasDevice: boolean;
  readonly spread: Spread;
  /** Shortest names that tell files apart. */
  readonly labels: ReadonlyMap<string, string>;
}

/** The help of the page names these columns too; those of the device are not there where none worked. */
export function operatorColumns({ group, hasDevice, spread: { steps }, labels }: OperatorsOf): Column<Operator>[] {
  return [
    {
      id: 'name',
      title: 'Operator',
      help: 'Name of the operator',
      unit: 'text',
      value: (row) => row.name,
      render: (row) => <Name row={row} group={group} labels={labels} />,
      csv: [{ title: 'name', value: (row) => row.name }, ...groupedBy(group)],
      markdown: (row) =>
        [row.name, whereText(row, labels)]
          .filter((part) => part !== '')
          .map(markdownText)
          .join(' '),
    },
    ...(group === 'shape' ? [SHAPES] : group === 'name' ? [] : [lineColumn(group, labels)]),
    ...(hasDevice ? deviceColumns(steps) : []),
    {
      id: 'host_self',
      title: 'CPU self',
      help: 'Host time inside the operator, without operators inside it and calls of the device’s runtime',
      unit: 'us',
      bar: 'greatest',
      leaves: 2,
      value: (row) => row.host_self_us / steps,
    },
    {
      id: 'host_total',
      title: 'CPU total',
      help: 'Host time inside the operator, with operators inside it',
      unit: 'us',
      leaves: 6,
      value: (row) => row.host_total_us / steps,
    },
    { id: 'calls', title: 'Calls', help: 'How often it ran', unit: 'count', leaves: 3, value: (row) => row.calls / steps },
    ...(hasDevice ? TENSOR_CORES : []),
    ...(hasDevice ? [DEVICE_MEAN] : []),
    {
      id: 'host_mean',
      title: 'CPU / call',
      help: 'Host time inside the operator without operators inside it, mean of a call',
      unit: 'us',
      shown: false,
      value: (row) => (row.calls > 0 ? row.host_self_us / row.calls : null),
    },
  ];
}

function deviceColumns(steps: number): Column<Operator>[] {
  return [
    {
      id: 'device_self',
      title: 'GPU self',
      help: 'Device time of the kernels, copies and fills that the operator itself launched; what ran at the same time adds up',
      unit: 'us',
      bar: 'greatest',
      leaves: 1,
      value: (row) => row.device_self_us / steps,
    },
    {
      id: 'device_total',
      title: 'GPU total',
      help: 'Device time of the kernels, copies and fills that the operator and those inside it launched',
      unit: 'us',
      leaves: 5,
      value: (row) => row.device_total_us / steps,
    },
  ];
}

const DEVICE_MEAN: Column<Operator> = {
  id: 'device_mean',
  title: 'GPU / call',
  help: 'Device time of the kernels that the operator itself launched, mean of a call',
  unit: 'us',
  shown: false,
  value: (row) => (row.calls > 0 ? row.device_self_us / row.calls : null),
};

/** Beside its name, where it already stands, only to sort by. */
const SHAPES: Column<Operator> = {
  id: 'shapes',
  title: 'Input shapes',
  help: 'Shapes of its inputs that have one; empty where they were not recorded',
  unit: 'text',
  widthPx: 180,
  shown: false,
  value: (row) => shapesText(row.input_shape),
  csv: [],
  markdown: null,
};

function lineColumn(group: Group, labels: ReadonlyMap<string, string>): Column<Operator> {
  return {
    id: 'line',
    title: group === 'line' ? 'Line' : 'Innermost line',
    help: 'The line of your code that ran it, and how precise that is; of a backward operator that of its forward operator. Not known where no line was recorded',
    unit: 'text',
    widthPx: 160,
    shown: false,
    value: (row) => atText(frameOf(row), labels),
    render: (row) => <At frame={frameOf(row)} labels={labels} />,
    csv: [],
    markdown: null,
  };
}

/** For spreadsheets: what rows of one name differ by. */
function groupedBy(group: Group): CsvColumn<Operator>[] {
  switch (group) {
    case 'name':
      return [];
    case 'shape':
      return [{ title: 'input_shape', value: (row) => row.input_shape }];
    case 'line':
    case 'stack':
      return [
        { title: 'backward', value: (row) => String(row.backward) },
        { title: 'file', value: (row) => frameOf(row)?.file ?? '' },
        { title: 'line', value: (row) => frameOf(row)?.line ?? null },
        { title: 'precision', value: (row) => frameOf(row)?.precision ?? '' },
      ];
  }
}

/** In words what rows of one name differ by: `(backward) net.py:12`, `8×16, 16×4`. */
export function whereText(row: Operator, labels: ReadonlyMap<string, string>): string {
  const parts = [row.backward ? '(backward)' : '', shapesText(row.input_shape), atText(frameOf(row), labels)];
  return parts.filter((part) => part !== '').join(' ');
}

const TENSOR_CORES: readonly Column<Operator>[] = [
  {
    id: 'tensor_cores',
    title: 'Tensor Cores',
    help: 'Share of the time of its own kernels that ran on Tensor Cores. The mark is at operators that can use them and do so in less than half of it',
    unit: 'percent',
    widthPx: 96,
    leaves: 4,
    value: (row) => row.tensor_cores_self_percent,
    // Operators that can't use them come after those that could and don't.
    order: (row) =>
      row.tensor_cores_self_percent === null
        ? null
        : row.tensor_cores_eligible
          ? row.tensor_cores_self_percent + 1
          : row.tensor_cores_self_percent || null,
    render: (row) => <TensorCores row={row} />,
    csv: [
      { title: 'tensor_cores_eligible', value: (row) => String(row.tensor_cores_eligible) },
      { title: 'tensor_cores_self_percent', value: (row) => row.tensor_cores_self_percent },
    ],
    markdown: (row) => tensorCoresText(row),
  },
  {
    id: 'tensor_cores_total',
    title: 'TC total',
    help: 'Share of the time of the kernels of the operator and those inside it that ran on Tensor Cores',
    unit: 'percent',
    shown: false,
    value: (row) => row.tensor_cores_total_percent,
  },
];

/** Empty where it can't use them and does not. */
export function tensorCoresText(row: Operator): string {
  const percent = row.tensor_cores_self_percent;
  return percent === null || (!row.tensor_cores_eligible && percent === 0) ? '' : amountText(percent, 'percent');
}

/** Whether it could use Tensor Cores and mostly does not. */
export function leavesTensorCores(row: Operator): boolean {
  return row.tensor_cores_eligible && row.tensor_cores_self_percent !== null && row.tensor_cores_self_percent < 50;
}

function TensorCores({ row }: { readonly row: Operator }) {
  const missed = leavesTensorCores(row);
  return (
    <span
      class={missed ? 'missed' : undefined}
      title={missed ? 'It can use Tensor Cores: try AMP, TF32, or sizes that are multiples of 8' : undefined}
    >
      {missed ? (
        <>
          <Icon name="warning" /> <span class="hidden">could use them: </span>
        </>
      ) : null}
      {tensorCoresText(row)}
    </span>
  );
}

/** The name, and below it what rows of one name differ by. */
function Name({ row, group, labels }: Pick<OperatorsOf, 'group' | 'labels'> & { readonly row: Operator }) {
  const name = (
    <span class="text" title={row.name}>
      {row.name}
      {row.backward ? <span class="badge">backward</span> : null}
    </span>
  );
  const shapes = shapesText(row.input_shape);
  return group === 'name' ? (
    name
  ) : (
    <div class="named">
      {name}
      {group === 'shape' ? (
        <span class="text where" title={row.input_shape}>
          {shapes === '' ? 'no shapes' : shapes}
        </span>
      ) : (
        <span class="where">
          <At frame={frameOf(row)} labels={labels} named />
        </span>
      )}
    </div>
  );
}
