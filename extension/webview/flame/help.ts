/**
 * What the flame graph shows, in words.
 */
import type { PageHelp } from '../shared/help';

export const FLAME_HELP: PageHelp = {
  about:
    'Each box is a frame: a Python function, a line, a module or an operator below the one that called it. Its width is its weight with all that it called, so wide boxes are where the cost is. What a box has no callees for is its own. Backward work stands below the forward frame that it belongs to, as [backward].',
  metrics: [
    {
      name: 'GPU time',
      meaning: 'Time of kernels, copies and fills on all devices, by the stack that launched them. Exact, in nanoseconds of the trace.',
    },
    { name: 'CPU time', meaning: 'Wall time of the host’s threads in the frame. Modules have that of their backward operators too.' },
    { name: 'Memory', meaning: 'Bytes that were allocated, on all devices together; what was freed is not taken off.' },
    { name: 'Own', meaning: 'The weight of a frame without that of the frames that it called.' },
    { name: '[not known]', meaning: 'What belongs to no stack, so that the weights add up to all there is.' },
    {
      name: 'Colours',
      meaning:
        'The package, class or namespace of a frame; built-ins have the colour of their caller. Against another run: blue is less, orange more.',
    },
  ],
};
