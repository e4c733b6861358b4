/**
 * The columns of the Memory page's tables.
 */
import type { MemoryEvent, OperatorMemory, Owner } from '../../server/views';
import { PlaceLink } from '../shared/PlaceLink';
import { PrecisionMark } from '../shared/Precision';
import type { Column } from '../shared/table';
import { CATEGORY_HELP, categoryName, KINDS, ownerName, placeOf } from './owners';
import type { Kind } from './owners';

type Labels = ReadonlyMap<string, string>;

/** Who owns the peak. `whole`: all that was allocated then, as far as it is known. */
export interface PeakRow extends Owner {
  /** Not an owner: what was allocated before the recording. */
  readonly before: boolean;
}

export function peakColumns(kind: Kind, whole: number, labels: Labels): Column<PeakRow>[] {
  const name = (row: PeakRow) => (row.before ? 'From before the recording' : ownerName(kind, row, labels));
  return [
    {
      id: 'owner',
      title: KINDS.find(({ value }) => value === kind)?.label ?? '',
      help: 'Who allocated it',
      unit: 'text',
      leastPx: 150,
      value: name,
      render: (row) => <OwnerName kind={kind} row={row} name={name(row)} />,
      csv:
        kind === 'lines'
          ? [
              { title: 'file', value: (row) => row.file },
              { title: 'line', value: (row) => (row.file === '' ? null : row.line) },
              { title: 'function', value: (row) => row.name },
              { title: 'precision', value: (row) => row.precision ?? '' },
            ]
          : [{ title: 'name', value: (row) => (row.before ? name(row) : row.name) }],
    },
    ...(kind === 'lines'
      ? [
          {
            id: 'function',
            title: 'Function',
            help: 'The function that the line is in',
            unit: 'text',
            widthPx: 200,
            leaves: 3,
            value: (row: PeakRow) => (row.file === '' ? '' : row.name),
            csv: [],
          } satisfies Column<PeakRow>,
        ]
      : []),
    {
      id: 'bytes',
      title: 'At the peak',
      help: 'Bytes that it allocated and that are alive at the peak',
      unit: 'bytes',
      bar: 'greatest',
      widthPx: 150,
      leaves: 0,
      value: (row) => row.bytes,
    },
    {
      id: 'share',
      title: 'Share',
      help: 'Of all that was allocated at the peak',
      unit: 'share',
      leaves: 1,
      value: (row) => (whole > 0 ? row.bytes / whole : null),
    },
  ];
}

function OwnerName({ kind, row, name }: { readonly kind: Kind; readonly row: PeakRow; readonly name: string }) {
  const place = placeOf(row);
  return place === null ? (
    <span class={`text${row.before || row.name === '' ? ' quiet' : ''}`} title={kind === 'categories' ? CATEGORY_HELP[row.name] : name}>
      {name}
    </span>
  ) : (
    <span class="memory-place">
      {row.precision === null ? null : <PrecisionMark precision={row.precision} />}
      <PlaceLink place={place} tabIndex={-1}>
        {name}
      </PlaceLink>
    </span>
  );
}

export const OPERATOR_COLUMNS: readonly Column<OperatorMemory>[] = [
  { id: 'name', title: 'Operator', help: 'Name of the operator', unit: 'text', value: (row) => row.name },
  bytesOf('increase_self', 'Increase', 'Allocated less released in the operator itself', 1, (row) => row.increase_self_bytes),
  bytesOf(
    'increase_total',
    'Incr. total',
    'Allocated less released in the operator and those inside it',
    4,
    (row) => row.increase_total_bytes,
  ),
  bytesOf('allocated_self', 'Allocated', 'Bytes that the operator itself allocated', 2, (row) => row.allocation_self_bytes),
  bytesOf(
    'allocated_total',
    'Alloc. total',
    'Bytes that the operator and those inside it allocated',
    5,
    (row) => row.allocation_total_bytes,
  ),
  {
    id: 'count_self',
    title: 'Blocks',
    help: 'How many blocks of memory the operator itself allocated',
    unit: 'count',
    leaves: 3,
    value: (row) => row.allocation_self_count,
  },
  {
    id: 'count_total',
    title: 'Blocks total',
    help: 'How many blocks the operator and those inside it allocated',
    unit: 'count',
    widthPx: 92,
    leaves: 7,
    value: (row) => row.allocation_total_count,
  },
  { id: 'calls', title: 'Calls', help: 'How often it ran, also without allocating', unit: 'count', leaves: 6, value: (row) => row.calls },
];

function bytesOf(id: string, title: string, help: string, leaves: number, value: (row: OperatorMemory) => number): Column<OperatorMemory> {
  return { id, title, help, unit: 'bytes', widthPx: 92, leaves, value };
}

export function blockColumns(labels: Labels): Column<MemoryEvent>[] {
  return [
    {
      id: 'operator',
      title: 'Operator',
      help: 'The innermost operator that allocated it; where that makes an empty tensor, the one around it too',
      unit: 'text',
      leastPx: 130,
      value: (row) => row.operator,
      render: (row) => (
        <span class={`text${row.operator === '' ? ' quiet' : ''}`} title={row.operator}>
          {row.operator === '' ? (row.allocated_us === null ? 'From before the recording' : 'In no operator') : row.operator}
          {row.backward ? <span class="badge">backward</span> : null}
        </span>
      ),
      csv: [
        { title: 'operator', value: (row) => row.operator },
        { title: 'backward', value: (row) => String(row.backward) },
      ],
    },
    { id: 'bytes', title: 'Size', help: 'Size of the block', unit: 'bytes', bar: 'greatest', leaves: 0, value: (row) => row.bytes },
    {
      id: 'allocated',
      title: 'Allocated',
      help: 'When it was allocated, since the start of the recording; empty where that was before',
      unit: 'us',
      leaves: 3,
      value: (row) => row.allocated_us,
    },
    {
      id: 'released',
      title: 'Released',
      help: 'When it was released; empty where it was not while recorded',
      unit: 'us',
      leaves: 4,
      value: (row) => row.released_us,
    },
    {
      id: 'lifetime',
      title: 'Lifetime',
      help: 'From its allocation to its release, where both were recorded',
      unit: 'us',
      leaves: 2,
      value: lifetimeOf,
    },
    {
      id: 'category',
      title: 'Category',
      help: 'What it was for, where that can be told',
      unit: 'text',
      widthPx: 112,
      leaves: 5,
      value: (row) => categoryName(row.category),
      csv: [{ title: 'category', value: (row) => row.category }],
    },
    {
      id: 'line',
      title: 'Line',
      help: 'The line that allocated it, and how precise that is; of backward work that of its forward operator',
      unit: 'text',
      widthPx: 160,
      leaves: 1,
      value: (row) => (row.file === '' ? '' : `${labels.get(row.file) ?? row.file}:${row.line}`),
      render: (row) => {
        const place = placeOf({ name: '', file: row.file, line: row.line });
        return place === null ? (
          <span class="quiet">not known</span>
        ) : (
          <span class="memory-place">
            {row.precision === null ? null : <PrecisionMark precision={row.precision} />}
            <PlaceLink place={place} tabIndex={-1}>
              {labels.get(row.file) ?? row.file}:{row.line}
            </PlaceLink>
          </span>
        );
      },
      csv: [
        { title: 'file', value: (row) => row.file },
        { title: 'line', value: (row) => (row.file === '' ? null : row.line) },
        { title: 'precision', value: (row) => row.precision ?? '' },
      ],
    },
  ];
}

export function lifetimeOf({ allocated_us, released_us }: MemoryEvent): number | null {
  return allocated_us === null || released_us === null ? null : released_us - allocated_us;
}
