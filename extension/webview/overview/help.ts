/**
 * What the Overview page shows, in words.
 */
import type { PageHelp } from '../shared/help';
import { CATEGORY_HELP } from './categories';
import { MEASURES } from './Devices';

export const OVERVIEW_HELP: PageHelp = {
  about:
    'What bounds the run, where the time of a step goes, how well the devices were used, and what to change. All numbers are of the selected part. Choose a step in the chart to see all pages of it alone; choose it again for the whole.',
  metrics: [
    {
      name: 'Bound by',
      meaning:
        'The largest share of the step: kernels (compute, or memory where they mostly move data), copies, communication, input, or the host alone (overhead). A rule of thumb on times: it does not know how near a kernel comes to the device’s peak.',
    },
    {
      name: 'Step time',
      meaning:
        'From the start of a step to its end on the host, or to the end of the device work that it launched if that is later. Each moment of it is in the first of these categories that had work, so they add up to the step.',
    },
    ...CATEGORY_HELP,
    ...MEASURES.map(({ name, help }) => ({
      name,
      meaning: `${help}. Per cent of the time from the first step’s start to the last one’s end.`,
    })),
    {
      name: 'Gain up to',
      meaning:
        'How much shorter a step can become at most if a finding alone is put right. It is left out where it can’t be computed; gains of several findings do not add up.',
    },
  ],
};
