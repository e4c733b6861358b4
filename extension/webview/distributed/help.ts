/**
 * What the Distributed page shows, in words.
 */
import type { PageHelp } from '../shared/help';
import { collectiveColumns } from './columns';
import { COMMUNICATION_PARTS, STEP_PARTS } from './ranks';

export const DISTRIBUTED_HELP: PageHelp = {
  about:
    'How the ranks of a run share the work: what each spends its steps on, how long it moves data and how long it waits for others, which rank comes late and what makes it so. All ranks of the recording are shown together, whichever is selected; click a rank, or a field of the map, to look at it on all pages.',
  metrics: [
    ...STEP_PARTS.map(({ name, help }) => ({ name, meaning: `${help}. Of a rank's step; the four add up to it.` })),
    ...COMMUNICATION_PARTS.map(({ name, help }) => ({
      name,
      meaning: `${help}. Only where all ranks of a collective are at hand and their calls can be matched; clocks of machines need not agree.`,
    })),
    { name: 'Hidden', meaning: 'Overlap, as a share of all communication.' },
    {
      name: 'Came last',
      meaning:
        'Collectives to which a rank came last, so that another waited for it for more than 10 µs. The lines below are what it spent more on, since the collective before, than the median of the others; of the 200 longest waits.',
    },
    ...collectiveColumns(false).slice(2).map(({ title, help }) => ({ name: title, meaning: `${help}.` })), // prettier-ignore
  ],
};
