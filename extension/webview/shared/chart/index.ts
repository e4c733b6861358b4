/**
 * What a page takes of the stacked charts.
 */
export { Legend } from './Legend';
export { StackedBar } from './StackedBar';
export { StackedColumns } from './StackedColumns';
export { toneClass, totalOf } from './slices';
export type { Slice, Stack, Tone } from './slices';
