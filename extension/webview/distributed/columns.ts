/**
 * The columns of the collectives' table.
 */
import type { CollectiveStats } from '../../server/views';
import type { Column } from '../shared/table';
import { groupText } from './ranks';

/** `alone`: one rank is at hand, so what is transfer and what waiting is not known. */
export function collectiveColumns(alone: boolean): Column<CollectiveStats>[] {
  return [
    { id: 'name', title: 'Collective', help: 'What was called', unit: 'text', leastPx: 130, value: (row) => row.name },
    {
      id: 'rank',
      title: 'Rank',
      help: 'Rank that called it',
      unit: 'number',
      widthPx: 60,
      leaves: 2,
      shown: !alone,
      // The table sorts what is 0 last, as nothing; a rank 0 is a rank.
      order: (row) => row.rank + 1,
      value: (row) => row.rank,
    },
    {
      id: 'group',
      title: 'Process group',
      help: 'The group of ranks that take part',
      unit: 'text',
      widthPx: 150,
      leaves: 7,
      value: groupText,
      csv: [
        { title: 'group', value: (row) => row.group },
        { title: 'group_description', value: (row) => row.group_description },
        { title: 'group_ranks', value: (row) => row.group_ranks },
        { title: 'group_size', value: (row) => row.group_size },
      ],
    },
    { id: 'calls', title: 'Calls', help: 'How often it was called', unit: 'count', leaves: 3, value: (row) => row.calls },
    {
      id: 'mean_bytes',
      title: 'Size / call',
      help: 'Bytes as nccl-tests count them, mean of a call; empty where the trace does not say',
      unit: 'bytes',
      widthPx: 92,
      leaves: 4,
      value: (row) => row.mean_bytes,
    },
    {
      id: 'total_bytes',
      title: 'Size',
      help: 'Bytes as nccl-tests count them, of all calls',
      unit: 'bytes',
      shown: false,
      value: (row) => row.total_bytes,
    },
    {
      id: 'total_latency',
      title: 'Latency',
      help: 'Time in its kernels, of all calls; on the host the duration of its ranges',
      unit: 'us',
      bar: 'greatest',
      leaves: 1,
      value: (row) => row.total_latency_us,
    },
    {
      id: 'mean_latency',
      title: 'Lat. / call',
      help: 'Time in its kernels, mean of a call',
      unit: 'us',
      widthPx: 86,
      leaves: 5,
      value: (row) => row.mean_latency_us,
    },
    {
      id: 'transfer',
      title: 'Transf. / call',
      help: 'Of that the transfer of data, the latency of the rank that waited least; mean of a call. Empty where the calls of the ranks could not be matched',
      unit: 'us',
      widthPx: 96,
      leaves: 6,
      shown: !alone,
      value: (row) => row.mean_transfer_us,
    },
    {
      id: 'algorithm',
      title: 'Alg. GB/s',
      help: 'Bytes per time of transfer; where that is not known per latency, then it is at least that. 10⁹ bytes per second',
      unit: 'number',
      widthPx: 82,
      leaves: 9,
      value: (row) => row.algorithm_gb_per_s,
      render: (row) => bandwidthText(row, row.algorithm_gb_per_s),
      markdown: (row) => bandwidthText(row, row.algorithm_gb_per_s),
    },
    {
      id: 'bus',
      title: 'Bus GB/s',
      help: 'Algorithm bandwidth times what each rank sends of the data in this collective: to be compared with the bandwidth of links',
      unit: 'number',
      widthPx: 82,
      leaves: 8,
      value: (row) => row.bus_gb_per_s,
      render: (row) => bandwidthText(row, row.bus_gb_per_s),
      markdown: (row) => bandwidthText(row, row.bus_gb_per_s),
    },
  ];
}

/** Three figures: `14.2`, `0.0240`; `≥` where it is of the whole latency, since the transfer alone is not known. */
export function bandwidthText({ transfer_us }: Pick<CollectiveStats, 'transfer_us'>, value: number | null): string {
  return value === null ? '' : transfer_us === null ? `≥ ${gbText(value)}` : gbText(value);
}

function gbText(value: number): string {
  return value === 0 ? '0' : value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
