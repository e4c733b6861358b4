/**
 * Keys that are meant for the app.
 */

/** Whether a key is typed into something. */
export function isTyping({ target }: KeyboardEvent): boolean {
  return target instanceof HTMLElement && target.matches('input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]');
}
