/**
 * What the Memory page shows, in words.
 */
import type { PageHelp } from '../shared/help';
import { blockColumns, OPERATOR_COLUMNS } from './columns';
import { CATEGORY_HELP, KINDS } from './owners';

export const MEMORY_HELP: PageHelp = {
  about:
    'How much memory a device had allocated over time, and who owned it: chosen by category, line, operator, module or phase. Below are who owns the peak, the blocks, and what each operator allocated. Drag over the chart, or press Shift with the arrows and then Enter, to look at a range of time alone; all pages and the numbers in the editor follow.',
  metrics: [
    {
      name: 'Allocated',
      meaning:
        'Bytes that tensors hold, as the trace says it after each allocation and release. Where it gives no totals, it counts from 0 at the start of the recording. The line has all peaks, also where it shows only some of very many events.',
    },
    {
      name: 'Reserved',
      meaning: 'Bytes that PyTorch’s allocator took from the device: allocated, and kept for later. Not all traces say it.',
    },
    {
      name: 'Layers',
      meaning:
        'Who has the memory that was allocated in the recording. Of very many moments the layers show, for each stretch of time, the one at which most was allocated; the peak is always among them. So does the line where several events lie in one pixel.',
    },
    {
      name: 'From before the recording',
      meaning: 'What was allocated and whose allocation was not recorded: usually the parameters, and what was kept of earlier steps.',
    },
    {
      name: 'At the peak',
      meaning:
        'Bytes that were allocated in the recording and are alive at the moment at which most of these were. Exact, up to what the trace recorded; the mark at a line says how precise the line is.',
    },
    ...KINDS.map(({ label, help }) => ({ name: `By ${label.toLowerCase()}`, meaning: `${help}.` })),
    ...['Parameter', 'Gradient', 'Optimizer state', 'Activation', 'Temporary'].map((name) => ({
      name,
      meaning: `${CATEGORY_HELP[name.toLowerCase()] ?? ''}.`,
    })),
    ...[...OPERATOR_COLUMNS.slice(1, 7), ...blockColumns(new Map()).slice(2, 5)].map(({ title, help }) => ({
      name: title,
      meaning: `${help}.`,
    })),
  ],
};
