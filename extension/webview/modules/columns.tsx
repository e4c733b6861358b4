/**
 * The columns of the Modules table. A narrow page shows those of the chosen metric.
 */
import { timeUs } from '../../format';
import type { ModuleCost } from '../../server/views';
import { At, atText } from '../shared/At';
import { PlaceLink } from '../shared/PlaceLink';
import type { Spread } from '../shared/perStep';
import type { Column } from '../shared/table';
import { bytesOf, deviceSelf, deviceTotal } from './tree';
import type { ModuleNode } from './tree';

export type Metric = 'gpu' | 'cpu' | 'memory';

export interface ModulesOf {
  readonly metric: Metric;
  readonly hasDevice: boolean;
  /** All device time of the recording, in modules or not. */
  readonly device_us: number;
  readonly spread: Spread;
  /** Shortest names that tell the files of calling lines apart. */
  readonly labels: ReadonlyMap<string, string>;
}

/** The column that a metric is ranked by. */
export const RANKED: Readonly<Record<Metric, string>> = { gpu: 'device_total', cpu: 'host_total', memory: 'alloc_total' };

export function moduleColumns({ metric, hasDevice, device_us, spread: { steps }, labels }: ModulesOf): Column<ModuleNode>[] {
  const columns = [
    ...(hasDevice ? deviceColumns(device_us, steps) : []),
    ...HOST.map(([id, title, help, value]) => number('cpu', id, title, help, 'us', (row) => value(row) / steps)),
    ...MEMORY.map(([id, title, help, value]) =>
      // What is alive at the peak is no sum over steps.
      number('memory', id, title, help, 'bytes', (row) => bytesOf(value(row)) / (id.startsWith('peak') ? 1 : steps)),
    ),
  ];
  const first = columns.filter((column) => column.metric === metric);
  const rest = columns.filter((column) => column.metric !== metric);
  return [
    {
      id: 'name',
      title: 'Module',
      help: 'The module by its class, numbered as torch does. Sorted by name',
      unit: 'text',
      leastPx: 230,
      value: ({ row }) => row.name,
    },
    ...[...first, ...rest].map((column, index) => ({ ...column, leaves: index })),
    {
      id: 'calls',
      title: 'Calls',
      help: 'How often it was called',
      unit: 'count',
      widthPx: 60,
      leaves: first.length + 0.5,
      value: ({ row }) => row.calls / steps,
    },
    {
      id: 'operators',
      title: 'Operators',
      help: 'Operators that it ran itself, outside the modules that it called',
      unit: 'count',
      leaves: columns.length + 3,
      value: ({ row }) => row.operators / steps,
    },
    {
      id: 'called_on',
      title: 'Called on',
      help: 'The line of your code that called it, of several the first. Empty where none is known',
      unit: 'text',
      widthPx: 150,
      leaves: first.length + 0.1,
      value: ({ row }) => atText(row.called_on, labels),
      render: ({ row }) => (row.called_on === null ? null : <At frame={row.called_on} labels={labels} />),
      csv: [
        { title: 'called_on_file', value: ({ row }) => row.called_on?.file ?? '' },
        { title: 'called_on_line', value: ({ row }) => row.called_on?.line ?? null },
        { title: 'precision', value: ({ row }) => row.called_on?.precision ?? '' },
      ],
    },
    {
      id: 'forward',
      title: 'Forward',
      help: 'Where its forward is defined. Empty where that was not recorded',
      unit: 'text',
      widthPx: 160,
      leaves: first.length + 0.2,
      value: ({ row }) => (row.file === '' ? '' : `${row.file}:${row.line}`),
      render: ({ row }) => (row.file === '' ? null : <PlaceLink place={row} tabIndex={-1} />),
      csv: [
        { title: 'file', value: ({ row }) => row.file },
        { title: 'line', value: ({ row }) => (row.file === '' ? null : row.line) },
      ],
    },
  ];
}

type MetricColumn = Column<ModuleNode> & { readonly metric: Metric };

function number(
  metric: Metric,
  id: string,
  title: string,
  help: string,
  unit: 'us' | 'bytes',
  value: (row: ModuleCost) => number,
): MetricColumn {
  const ranked = RANKED[metric] === id;
  return { metric, id, title, help, unit, ...(ranked ? { bar: 'greatest' as const } : {}), value: ({ row }) => value(row) };
}

function deviceColumns(device_us: number, steps: number): MetricColumn[] {
  return [
    {
      metric: 'gpu',
      id: 'device_total',
      title: 'GPU total',
      help: 'Device time of the work launched while it ran, modules that it called included, and of its backward operators. In the bar forward is solid, backward lighter; its full width is all device time',
      unit: 'us',
      widthPx: 130,
      value: ({ row }) => deviceTotal(row) / steps,
      render: ({ row }) => <Total row={row} whole={device_us} steps={steps} />,
    },
    {
      metric: 'gpu',
      id: 'share',
      title: 'Share',
      help: 'GPU total as a part of all device time',
      unit: 'share',
      widthPx: 62,
      value: ({ row }) => (device_us > 0 ? deviceTotal(row) / device_us : null),
    },
    number('gpu', 'device_self', 'GPU self', 'The same without the modules that it called', 'us', (row) => deviceSelf(row) / steps),
    number(
      'gpu',
      'device_backward_total',
      'GPU bwd',
      'The part of GPU total that its backward operators launched',
      'us',
      (row) => row.device_backward_total_us / steps,
    ),
    {
      ...number(
        'gpu',
        'device_backward_self',
        'GPU bwd self',
        'The same without the modules that it called',
        'us',
        (row) => row.device_backward_self_us / steps,
      ),
      shown: false,
      widthPx: 96,
    },
  ];
}

const HOST: readonly (readonly [id: string, title: string, help: string, value: (row: ModuleCost) => number])[] = [
  ['host_total', 'CPU total', 'Wall time of its calls, modules that it called included', (row) => row.host_total_us],
  ['host_self', 'CPU self', 'Wall time of its calls, without the modules that it called', (row) => row.host_self_us],
  [
    'host_backward_total',
    'CPU bwd',
    'Host time of backward operators whose forward operator it or a module that it called ran. Where .backward() is called inside the module this is a part of CPU total',
    (row) => row.host_backward_total_us,
  ],
];

const MEMORY: readonly (readonly [
  id: string,
  title: string,
  help: string,
  value: (row: ModuleCost) => Readonly<Record<string, number>>,
])[] = [
  [
    'alloc_total',
    'Allocated',
    'Bytes allocated while it ran, modules that it called included, and in its backward operators, over all devices',
    (row) => row.alloc_total_bytes,
  ],
  ['alloc_self', 'Alloc. self', 'The same without the modules that it called', (row) => row.alloc_self_bytes],
  [
    'peak_total',
    'At peak',
    'The part of these bytes that was alive when the memory of its device was at its peak, over all devices',
    (row) => row.peak_total_bytes,
  ],
  ['peak_self', 'Peak self', 'The same without the modules that it called', (row) => row.peak_self_bytes],
];

/** Forward solid, backward lighter. */
function Total({ row, whole, steps }: { readonly row: ModuleCost; readonly whole: number; readonly steps: number }) {
  const part = (us: number) => ({ width: `${whole > 0 ? (100 * us) / whole : 0}%` });
  const total = deviceTotal(row);
  return (
    <>
      <span class="bar" aria-hidden="true">
        <span style={part(row.device_total_us)} />
        {row.device_backward_total_us > 0 ? (
          <span
            class="backward"
            style={part(row.device_backward_total_us)}
            title={`backward ${timeUs(row.device_backward_total_us / steps)}`}
          />
        ) : null}
      </span>
      <span class="text">{total > 0 ? timeUs(total / steps) : ''}</span>
    </>
  );
}
