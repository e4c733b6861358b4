/**
 * Launches: how long the queues of the streams were, how long calls, work and delays took, and which kernels are too short for their launch.
 */
import { count, share, timeUs } from '../../format';
import type { Idle, LaunchesOfKernel, LaunchStatistics } from '../../server/views';
import { Figures } from '../shared/Figures';
import type { Figure } from '../shared/Figures';
import '../shared/matrix.css';
import { useSession } from '../shared/session';
import { DataTable } from '../shared/table';
import type { TableState } from '../shared/table';
import { LAUNCH_COLUMNS } from './columns';
import { Queue } from './Queue';

interface Props {
  readonly content: Idle;
  readonly table: TableState;
  readonly onTable: (patch: Partial<TableState>) => void;
}

const kernelKey = ({ name }: LaunchesOfKernel) => name;

export function LaunchesTopic({ content: { queues, launches }, table, onTable }: Props) {
  const { go, has } = useSession();
  if (launches.launches === 0) {
    return <p class="quiet none">No launch was recorded here: the trace has no runtime calls that could be tied to the device’s work.</p>;
  }
  return (
    <>
      <Figures label="Launches" figures={launchFigures(launches)} />
      <div class="idle-launches">
        <Spreads launches={launches} />
        <div class="queues">
          {queues.map((queue) => (
            <Queue key={`${queue.device} ${queue.stream}`} queue={queue} />
          ))}
        </div>
      </div>
      <DataTable
        label="Kernels by their launches"
        noun={['kernel', 'kernels']}
        rows={launches.kernels}
        columns={LAUNCH_COLUMNS}
        rowKey={kernelKey}
        state={table}
        onState={onTable}
        onOpen={({ name }) => {
          if (has('kernels')) {
            go('kernels', { kernel: name });
          }
        }}
      />
    </>
  );
}

export function launchFigures({ launches, short, long_calls, long_delays }: LaunchStatistics): Figure[] {
  const of = (some: number) => `${count(some)} (${share(some / launches)})`;
  return [
    {
      name: 'Launches',
      value: count(launches),
      help: 'Calls that launched work of a device; a CUDA graph is one. Work without a recorded launch is not among them',
    },
    {
      name: 'Short',
      value: of(short),
      help: 'Launches whose device work took less time than their call: the host cannot keep the device busy with such',
    },
    { name: 'Calls above 50 µs', value: of(long_calls), help: 'Launches whose call took the host longer than 50 µs' },
    {
      name: 'Delays above 100 µs',
      value: of(long_delays),
      help: 'Launches whose work began more than 100 µs after the call: the device lags behind the host, which is good unless something waits for it',
    },
  ];
}

function Spreads({ launches: { call, device, delay } }: { readonly launches: LaunchStatistics }) {
  const rows = [
    { name: 'Call', help: 'Duration of the call on the host', spread: call },
    { name: 'Device', help: 'Duration of the launched work', spread: device },
    { name: 'Delay', help: 'From the end of the call to the beginning of the work', spread: delay },
  ];
  return (
    <table class="matrix">
      <caption>Times of a launch</caption>
      <thead>
        <tr>
          <td />
          <th scope="col">mean</th>
          <th scope="col">median</th>
          <th scope="col">95 %</th>
          <th scope="col">longest</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name, help, spread }) => (
          <tr key={name} title={help}>
            <th scope="row">{name}</th>
            <td>{timeUs(spread.mean_us)}</td>
            <td>{timeUs(spread.median_us)}</td>
            <td>{timeUs(spread.p95_us)}</td>
            <td>{timeUs(spread.max_us)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
