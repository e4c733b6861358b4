/**
 * The columns of the lines that left devices idle, and of the kernels by their launches.
 */
import type { LaunchesOfKernel, LineIdle } from '../../server/views';
import { At, atText } from '../shared/At';
import { shortKernel } from '../shared/kernelName';
import type { Column } from '../shared/table';

/** `idle_us`: of all devices together. */
export function lineColumns(idle_us: number, labels: ReadonlyMap<string, string>): Column<LineIdle>[] {
  return [
    {
      id: 'line',
      title: 'Line',
      help: 'Where the launching thread stood while the device was idle, and how precise that is',
      unit: 'text',
      value: ({ frame }) => atText(frame, labels),
      render: ({ frame }) => <At frame={frame} labels={labels} named />,
      csv: [
        { title: 'file', value: ({ frame }) => frame?.file ?? '' },
        { title: 'line', value: ({ frame }) => frame?.line ?? null },
        { title: 'precision', value: ({ frame }) => frame?.precision ?? '' },
      ],
    },
    {
      id: 'idle',
      title: 'Device idle',
      help: 'Idle time of devices that the line caused: data loading, synchronisation and host together',
      unit: 'us',
      bar: 'greatest',
      leaves: 0,
      value: (row) => row.idle_us,
    },
    {
      id: 'share',
      title: 'Share',
      help: 'Its part of all idle time of all devices',
      unit: 'share',
      leaves: 1,
      value: (row) => (idle_us > 0 ? row.idle_us / idle_us : null),
    },
    {
      id: 'data_loading',
      title: 'Data loading',
      help: 'While the host waited for the DataLoader',
      unit: 'us',
      widthPx: 96,
      leaves: 2,
      value: (row) => row.data_loading_us,
    },
    {
      id: 'synchronisation',
      title: 'Synchronisation',
      help: 'Because the host had waited for the device',
      unit: 'us',
      widthPx: 112,
      leaves: 3,
      value: (row) => row.synchronisation_us,
    },
    {
      id: 'host',
      title: 'Host',
      help: 'While the host ran Python, operators and launches',
      unit: 'us',
      leaves: 4,
      value: (row) => row.host_us,
    },
  ];
}

export const LAUNCH_COLUMNS: readonly Column<LaunchesOfKernel>[] = [
  {
    id: 'name',
    title: 'Kernel',
    help: 'Name of the kernel, copy or fill',
    unit: 'text',
    leastPx: 220,
    value: (row) => row.name,
    render: ({ name }) => (
      <span class="text" title={name}>
        {shortKernel(name)}
      </span>
    ),
  },
  {
    id: 'short',
    title: 'Short',
    help: 'Launches whose device work took less time than their call: the host cannot keep the device busy with such',
    unit: 'count',
    bar: 'greatest',
    leaves: 0,
    value: (row) => row.short,
  },
  {
    id: 'launches',
    title: 'Launches',
    help: 'How often it was launched',
    unit: 'count',
    widthPx: 76,
    leaves: 2,
    value: (row) => row.launches,
  },
  {
    id: 'call',
    title: 'Call',
    help: 'Mean duration of the call that launches it',
    unit: 'us',
    leaves: 3,
    value: (row) => row.call_mean_us,
  },
  {
    id: 'device',
    title: 'Device',
    help: 'Mean duration of its work on the device',
    unit: 'us',
    leaves: 4,
    value: (row) => row.device_mean_us,
  },
  {
    id: 'delay',
    title: 'Delay',
    help: 'Mean time from the end of the call to the beginning of the work',
    unit: 'us',
    leaves: 5,
    value: (row) => row.delay_mean_us,
  },
];
