/**
 * What the Modules page shows, in words.
 */
import type { PageHelp } from '../shared/help';
import { moduleColumns } from './columns';

const COLUMNS = moduleColumns({ metric: 'gpu', hasDevice: true, device_us: 0, spread: { steps: 1, suffix: '' }, labels: new Map() });

export const MODULES_HELP: PageHelp = {
  about:
    'Each row is an instance of nn.Module below the module that called it; one that is called by two others stands below both. Total is with the modules that it called, self without them. Backward work counts for the module that ran its forward operator. Device time of no module is shown above the table.',
  metrics: COLUMNS.slice(1).map(({ title, help }) => ({ name: title, meaning: help })),
};
