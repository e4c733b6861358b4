/**
 * The columns of the Operators table.
 */
import type { Operator } from '../../server/views';
import type { Column } from '../shared/table';

export const COLUMNS: readonly Column<Operator>[] = [
  { id: 'name', title: 'Operator', help: 'Name of the operator', unit: 'text', value: (row) => row.name },
  {
    id: 'device_self',
    title: 'GPU self',
    help: 'Device time of the kernels that the operator itself launched',
    unit: 'us',
    value: (row) => row.device_self_us,
    bar: 'greatest',
  },
  {
    id: 'device_total',
    title: 'GPU total',
    help: 'Device time of the kernels that the operator and those inside it launched',
    unit: 'us',
    value: (row) => row.device_total_us,
  },
  {
    id: 'host_self',
    title: 'CPU self',
    help: 'Host time inside the operator, without operators inside it',
    unit: 'us',
    value: (row) => row.host_self_us,
    bar: 'greatest',
  },
  {
    id: 'host_total',
    title: 'CPU total',
    help: 'Host time inside the operator, with operators inside it',
    unit: 'us',
    value: (row) => row.host_total_us,
  },
  { id: 'calls', title: 'Calls', help: 'How often it ran', unit: 'count', value: (row) => row.calls },
];
