/**
 * Calls in which the host waited for the device: by line, by kind, or each for itself.
 */
import { timeUs } from '../../format';
import type { Sync, SyncGroup } from '../../server/views';
import type { StackFrame } from '../../server/wire';
import { At, atText } from '../shared/At';
import type { Spread } from '../shared/perStep';
import { rowKeys } from '../shared/table';
import type { Column } from '../shared/table';

export type WaitGroup = 'line' | 'kind' | 'call';

export const WAIT_GROUPS: readonly { readonly value: WaitGroup; readonly label: string; readonly help: string }[] = [
  { value: 'line', label: 'Line', help: 'One row for each line and what it did to wait' },
  { value: 'kind', label: 'Kind', help: 'One row for each way to wait, with the call of the device’s runtime' },
  { value: 'call', label: 'Each call', help: 'One row for each call' },
];

/** A row of the table, whatever it puts together. What does not hold for all of it is empty or null. */
export interface Wait {
  readonly key: string;
  readonly frame: StackFrame | null;
  readonly cause: string;
  readonly call: string;
  readonly operator: string;
  readonly backward: boolean;
  readonly calls: number;
  readonly wait_us: number;
  readonly max_us: number;
  /** Of a single call. */
  readonly start_us: number | null;
}

/** In each grouping the waits of all rows add up to `wait_us`. */
export function waitsOf({ calls, lines, kinds }: Sync, group: WaitGroup): Wait[] {
  switch (group) {
    case 'line':
      return lines.map((row) => ofGroup(row, `${row.frame?.file ?? ''}:${row.frame?.line ?? ''} ${row.cause}`));
    case 'kind':
      return kinds.map((row) => ofGroup(row, `${row.cause} ${row.call}`));
    case 'call': {
      const keys = rowKeys(calls, ({ start_us, call, cause }) => [start_us, call, cause]);
      return calls.map((row, index) => ({ ...row, key: keys[index] ?? '', calls: 1, max_us: row.wait_us }));
    }
  }
}

function ofGroup(row: SyncGroup, key: string): Wait {
  return { ...row, key, operator: '', backward: false, start_us: null };
}

export interface WaitsOf {
  readonly group: WaitGroup;
  readonly wait_us: number;
  readonly spread: Spread;
  readonly labels: ReadonlyMap<string, string>;
}

export function waitColumns({ group, wait_us, spread: { steps }, labels }: WaitsOf): Column<Wait>[] {
  const single = group === 'call';
  const cause: Column<Wait> = {
    id: 'cause',
    title: 'Because of',
    help: 'What made the host wait, in the words of the script where they are known. Empty where it differs',
    unit: 'text',
    ...(group === 'line' ? { widthPx: 230 } : {}),
    leaves: 2,
    value: (row) => row.cause,
    render: (row) => (
      <span class="text" title={row.cause}>
        {row.cause}
        {row.backward ? <span class="badge">backward</span> : null}
      </span>
    ),
  };
  const line: Column<Wait> = {
    id: 'line',
    title: 'Line',
    help: 'The line that waited, and how precise that is',
    unit: 'text',
    ...(group === 'line' ? {} : { widthPx: 180 }),
    leaves: 3,
    value: (row) => atText(row.frame, labels),
    render: (row) =>
      row.frame === null && group === 'kind' ? (
        <span class="quiet">several</span>
      ) : (
        <At frame={row.frame} labels={labels} named={group === 'line'} />
      ),
    csv: [
      { title: 'file', value: (row) => row.frame?.file ?? '' },
      { title: 'line', value: (row) => row.frame?.line ?? null },
      { title: 'precision', value: (row) => row.frame?.precision ?? '' },
    ],
  };
  const call: Column<Wait> = {
    id: 'call',
    title: 'Call',
    help: 'The call of the device’s runtime. Empty where it differs',
    unit: 'text',
    widthPx: 190,
    leaves: 7,
    value: (row) => row.call,
  };
  return [
    ...(group === 'line' ? [line, cause, call] : [cause, call, line]),
    ...(single
      ? [
          {
            id: 'operator',
            title: 'Operator',
            help: 'The innermost operator around the call',
            unit: 'text' as const,
            widthPx: 130,
            leaves: 8,
            value: (row: Wait) => row.operator,
          },
          {
            id: 'start',
            title: 'At',
            help: 'When it began, since the beginning of the trace',
            unit: 'us' as const,
            leaves: 5,
            // The first call may begin at 0: a time, not nothing.
            value: (row: Wait) => row.start_us,
            render: (row: Wait) => (row.start_us === null ? null : <span class="text">{timeUs(row.start_us)}</span>),
          },
        ]
      : []),
    {
      id: 'wait',
      title: 'Wait',
      help: 'How long the host was in the call',
      unit: 'us',
      bar: 'greatest',
      leaves: 0,
      value: (row) => row.wait_us / (single ? 1 : steps),
    },
    {
      id: 'share',
      title: 'Share',
      help: 'Its part of all waiting',
      unit: 'share',
      leaves: 6,
      value: (row) => (wait_us > 0 ? row.wait_us / wait_us : null),
    },
    ...(single
      ? []
      : [
          {
            id: 'calls',
            title: 'Calls',
            help: 'How often it waited',
            unit: 'count' as const,
            leaves: 4,
            value: (row: Wait) => row.calls / steps,
          },
          {
            id: 'max',
            title: 'Longest',
            help: 'The longest of its waits',
            unit: 'us' as const,
            leaves: 9,
            value: (row: Wait) => row.max_us,
          },
        ]),
  ];
}
