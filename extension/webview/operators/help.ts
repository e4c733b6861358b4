/**
 * What the Operators page shows, in words.
 */
import type { PageHelp } from '../shared/help';
import { COLUMNS } from './columns';

export const OPERATORS_HELP: PageHelp = {
  about:
    'Each row is an operator by its name, with what its calls cost together in the selected part. Self is without the operators that it called, total with them.',
  metrics: COLUMNS.slice(1).map(({ title, help }) => ({ name: title, meaning: help })),
};
