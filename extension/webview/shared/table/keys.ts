/**
 * Keys of rows that have no name of their own, by what is known of them: the chosen one stays chosen when there are other rows.
 */

/** One key a row, in their order. Of rows that are alike in all the first has the same key among any others. */
export function rowKeys<R>(rows: readonly R[], known: (row: R) => readonly (string | number | boolean | null)[]): string[] {
  const alike = new Map<string, number>();
  return rows.map((row) => {
    const key = known(row).map((part) => String(part ?? '')).join('\n'); // prettier-ignore
    const before = alike.get(key) ?? 0;
    alike.set(key, before + 1);
    return before === 0 ? key : `${key}\n${before}`;
  });
}
