/**
 * What a page takes of the table.
 */
export { DataTable } from './DataTable';
export type { DataTableProps } from './DataTable';
export type { Column, CsvColumn, Sort, Unit } from './columns';
export { amountText, cellText } from './columns';
export { markdownCode, markdownText } from './copy';
export { rowKeys } from './keys';
export { restoreTable, sortedByOneOf, tableState } from './state';
export type { TableState } from './state';
