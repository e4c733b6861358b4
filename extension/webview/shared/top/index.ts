/**
 * What a page takes of the chart.
 */
export { TopChart, TopToggle, WithTop } from './TopChart';
export type { TopAmount } from './TopChart';
export { restoreTop } from './top';
export type { TopState } from './top';
