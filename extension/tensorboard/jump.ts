/**
 * What the profiler's pages in TensorBoard send when a frame of a stack is clicked: `{ filename, line }` with the line counted from 0, to the window
 * two above their own. A frame's name comes from a trace; where it leads is decided as for every other one.
 */
import type { SourceLine } from '../views/messages';

/** The profiled line that a message asks for; undefined for any other message. */
export function jumpOf(message: unknown): SourceLine | undefined {
  if (typeof message !== 'object' || message === null || !('filename' in message) || !('line' in message)) {
    return undefined;
  }
  const { filename, line } = message;
  const isPlace = typeof filename === 'string' && filename !== '' && typeof line === 'number' && Number.isInteger(line) && line >= 0;
  return isPlace ? { file: filename, line: line + 1 } : undefined;
}
