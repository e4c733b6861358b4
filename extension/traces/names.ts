/**
 * The two editors for traces, as package.json names them. Without an editor.
 */

/** Of files that are named as Kineto names its traces. */
export const TRACE_EDITOR = 'kinetoscope.trace';
/** Offered for any other JSON file. */
export const OTHER_TRACE_EDITOR = 'kinetoscope.otherTrace';

/** The editor that is meant for a file of this name: under another one VS Code would not know what to call it. */
export function editorFor(name: string): string {
  return /\.json(\.gz|\.zst)?$/.test(name) && !/\.pt\.trace\.json(\.gz|\.zst)?$/.test(name) ? OTHER_TRACE_EDITOR : TRACE_EDITOR;
}
