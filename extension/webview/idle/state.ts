/**
 * What the reader of the Idle & sync page chose, kept across reloads.
 */
import { restorePer } from '../shared/perStep';
import type { Per } from '../shared/perStep';
import { restoreTable, tableState } from '../shared/table';
import type { TableState } from '../shared/table';
import type { WaitGroup } from './waits';

export type Topic = 'idle' | 'launches' | 'waits';

export const TOPICS: readonly { readonly value: Topic; readonly label: string; readonly help: string }[] = [
  { value: 'idle', label: 'Idle', help: 'Why devices were idle, and the lines that left them so' },
  { value: 'launches', label: 'Launches', help: 'How far the host was ahead of the device, and how long launches took' },
  { value: 'waits', label: 'Waits', help: 'Calls in which the host waited for the device' },
];

export interface Choices {
  readonly topic: Topic;
  readonly waits: WaitGroup;
  readonly per: Per;
  /** One table for each topic. */
  readonly idle: TableState;
  readonly launches: TableState;
  readonly waiting: TableState;
}

export const DEFAULT_CHOICES: Choices = {
  topic: 'idle',
  waits: 'line',
  per: 'step',
  idle: tableState({ column: 'idle', descending: true }),
  launches: tableState({ column: 'short', descending: true }),
  waiting: tableState({ column: 'wait', descending: true }),
};

/** Saved choices as far as they are of the present shape. */
export function restoreChoices(saved: { readonly [K in keyof Choices]?: unknown }): Choices {
  return {
    topic: TOPICS.find(({ value }) => value === saved.topic)?.value ?? DEFAULT_CHOICES.topic,
    waits: saved.waits === 'kind' || saved.waits === 'call' ? saved.waits : DEFAULT_CHOICES.waits,
    per: restorePer(saved.per),
    idle: restoreTable(saved.idle, DEFAULT_CHOICES.idle),
    launches: restoreTable(saved.launches, DEFAULT_CHOICES.launches),
    waiting: restoreTable(saved.waiting, DEFAULT_CHOICES.waiting),
  };
}
