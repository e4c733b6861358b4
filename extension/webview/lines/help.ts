/**
 * What the Lines page shows, in words.
 */
import type { PageHelp } from '../shared/help';
import { NUMBERS } from './columns';

export const LINES_HELP: PageHelp = {
  about:
    'Each row is a line of your code, ranked by what it cost itself: the work that it started, forward and backward, not that of lines it called. The bar is its share of the run, forward solid and backward lighter. Below a line are the call stacks that led to it, and its operators and kernels.',
  metrics: [
    ...NUMBERS.map(({ title, help }) => ({ name: title, meaning: help })),
    {
      name: 'Precision',
      meaning:
        'How a cost was tied to its line: the exact line from the line log, the exact calling line from the call stacks, inferred from the source, or only the whole function.',
    },
  ],
};
