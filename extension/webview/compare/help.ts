/**
 * What the Compare page shows, in words.
 */
import type { PageHelp } from '../shared/help';
import { MATCHES } from './changes';

export const COMPARE_HELP: PageHelp = {
  about:
    'This run beside a baseline. Times, calls and allocated bytes are of a step, so that recordings of different length compare; where one of them has no steps they are of whole recordings. What changed most comes first. Two runs of the same program differ too: a change that is not larger than the difference between single steps may be chance.',
  metrics: [
    {
      name: 'Difference',
      meaning: 'After less before: less time and less memory is better. Its bar goes to the left for less, to the right for more.',
    },
    { name: 'Change', meaning: 'The difference in per cent of before; none where it was nothing before.' },
    { name: 'GPU', meaning: 'Device time: of lines forward and backward, of operators that of the kernels they launched themselves.' },
    { name: 'CPU', meaning: 'Host time in the line or operator itself.' },
    { name: 'Memory', meaning: 'Bytes that the line allocated, over all devices. Peak memory is that of the recorded allocations.' },
    {
      name: 'Lines',
      meaning: `Lines are found again through the profiled sources. ${Object.values(MATCHES)
        .filter(({ word }) => word !== '')
        .map(({ word, help }) => `“${word}”: ${help.charAt(0).toLowerCase()}${help.slice(1)}`)
        .join('; ')}.`,
    },
  ],
};
