/**
 * What the Kernels page shows, in words.
 */
import type { PageHelp } from '../shared/help';
import { kernelColumns } from './columns';

const COLUMNS = kernelColumns({ group: 'launch', total_us: 0, spread: { steps: 1, suffix: '' }, labels: new Map(), onOperator: null });

export const KERNELS_HELP: PageHelp = {
  about:
    'Each row is a kernel, a copy or a fill of the device, put together by name, or by how and by whom it was launched, with what its calls took together in the selected part. All rows together are all device time. Choose families to see only theirs. Behind a row are the lines that launched it, its launches and the operators that they are of.',
  metrics: COLUMNS.slice(1).map(({ title, help }) => ({ name: title, meaning: help })),
};
