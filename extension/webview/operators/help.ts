/**
 * What the Operators page shows, in words.
 */
import type { PageHelp } from '../shared/help';
import { operatorColumns } from './columns';

const COLUMNS = operatorColumns({ group: 'stack', hasDevice: true, spread: { steps: 1, suffix: '' }, labels: new Map() });

export const OPERATORS_HELP: PageHelp = {
  about:
    'Each row is an operator, put together by name, by the shapes of its inputs, by line or by call stack, with what its calls cost together in the selected part. Self is without the operators that it called, total with them. Behind a row are its call stacks and kernels. The self times of all rows, and the device time whose operator is not known, add up to all device time.',
  metrics: COLUMNS.slice(1).map(({ title, help }) => ({ name: title, meaning: help })),
};
