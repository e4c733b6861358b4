/**
 * What the Idle & sync page shows, in words.
 */
import type { PageHelp } from '../shared/help';
import { CAUSES } from './causes';
import { LAUNCH_COLUMNS } from './columns';

export const IDLE_HELP: PageHelp = {
  about:
    'When devices had nothing to do, and why: each moment of a gap has one cause, and the causes add up to the idle time. The host’s part of it (data loading, synchronisation, host) is shared among the lines on which the launching thread stood. Launches show how far the host was ahead of the device; waits are the calls in which the host waited for it.',
  metrics: [
    {
      name: 'Idle',
      meaning:
        'Time in which no kernel, copy or fill ran on any stream of the device, from its first to its last activity or in the selected part',
    },
    ...Object.values(CAUSES).map(({ name, help }) => ({ name, meaning: help })),
    ...LAUNCH_COLUMNS.slice(1).map(({ title, help }) => ({ name: title, meaning: help })),
    {
      name: 'Queue',
      meaning:
        'Launches of a stream that were called and whose work is not done. Empty: the device waits for the host; at 1024 and more the next launch waits for the device',
    },
    {
      name: 'Wait',
      meaning:
        'How long the host was in a call that returns when the device is done: .item(), .cpu(), nonzero, prints, synchronisations. Copies into memory that is not pinned are among them',
    },
  ],
};
