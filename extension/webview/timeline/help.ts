/**
 * What the timeline shows, in words.
 */
import type { KeyHelp } from '../shared/canvas/KeysHelp';
import type { PageHelp } from '../shared/help';

export const TIMELINE_HELP: PageHelp = {
  about:
    'What ran when: threads with the lines and Python frames they were in and the operators they ran, and devices with their streams, use and memory. Boxes below a box ran inside it. Events too narrow for a pixel are drawn as one, and nothing is left out. Drag with Shift, or in the ruler, to select a range: its sums are shown, and it can be the selection of all pages.',
  metrics: [
    { name: 'Start', meaning: 'Since the recording’s start, exact to the nanoseconds of the trace.' },
    { name: 'Self', meaning: 'An event’s time without the events inside it on its track.' },
    { name: 'Utilisation', meaning: 'Part of the time in which at least one kernel ran on the device, in percent.' },
    {
      name: 'SM efficiency',
      meaning: 'Part of the device’s multiprocessors that kernels kept busy, estimated from their blocks, in percent.',
    },
    { name: 'Launch queue', meaning: 'Kernels that were launched on a stream and had not ended.' },
    { name: 'Memory', meaning: 'Bytes that the allocator had given out and had reserved.' },
    { name: 'Arrows', meaning: 'From a launch to its kernel, and from forward to backward, of the chosen event.' },
  ],
};

export const KEYS: readonly KeyHelp[] = [
  { keys: ['A', 'D', 'drag', 'two fingers'], does: 'Move; with Shift further' },
  { keys: ['W', 'S', 'Ctrl + wheel', 'pinch'], does: 'Zoom in and out' },
  { keys: ['←', '→'], does: 'Previous and next event of the row; without a chosen event: move' },
  { keys: ['↑', '↓'], does: 'The event above and below; without a chosen event: scroll' },
  { keys: ['Enter'], does: 'Open the source of the chosen event; without one: choose the first that is seen' },
  { keys: ['F', 'double click'], does: 'Zoom to the chosen event' },
  { keys: ['M'], does: 'Select the time of the chosen event as a range' },
  { keys: ['Shift + drag', 'drag in the ruler'], does: 'Select a range for its sums' },
  { keys: ['P'], does: 'Pin or unpin the track of the chosen event' },
  { keys: ['C'], does: 'Collapse or expand it' },
  { keys: ['/'], does: 'Find; Enter and Shift + Enter go to the next and previous event' },
  { keys: ['Page ↑', 'Page ↓', 'wheel'], does: 'Scroll through the tracks' },
  { keys: ['Home', 'End'], does: 'Start and end of the recording' },
  { keys: ['0'], does: 'Everything' },
  { keys: ['Esc'], does: 'Choose nothing, then no range' },
];
