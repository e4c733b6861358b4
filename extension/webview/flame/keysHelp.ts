/**
 * What keys and gestures do on the page.
 */
import type { KeyHelp } from '../shared/canvas/KeysHelp';

export const KEYS: readonly KeyHelp[] = [
  { keys: ['←', '→'], does: 'The frame beside' },
  { keys: ['↑', '↓'], does: 'Caller and dearest callee, as they are drawn' },
  { keys: ['Enter', 'click'], does: 'Open the source of the frame' },
  { keys: ['Z', 'Space', 'double click'], does: 'Zoom into the frame' },
  { keys: ['Esc'], does: 'Zoom out by one frame, then choose nothing' },
  { keys: ['F'], does: 'The function from both sides: its callers and callees' },
  { keys: ['/'], does: 'Search; Enter and Shift + Enter go to the next and previous frame' },
  { keys: ['W', 'S', 'Ctrl + wheel', 'pinch'], does: 'Zoom in and out' },
  { keys: ['A', 'D', 'drag', 'two fingers'], does: 'Move; with Shift further' },
  { keys: ['Page ↑', 'Page ↓', 'wheel'], does: 'Scroll through the levels' },
  { keys: ['Home', 'End'], does: 'Left and right end' },
  { keys: ['0'], does: 'Everything' },
  { keys: ['C'], does: 'Copy the frame and what is below it as folded stacks' },
];
