/**
 * The columns of the Kernels table.
 */
import type { Kernel } from '../../server/views';
import type { StackFrame } from '../../server/wire';
import { At, atText } from '../shared/At';
import { Icon } from '../shared/Icon';
import { shortKernel } from '../shared/kernelName';
import type { Spread } from '../shared/perStep';
import type { Column } from '../shared/table';
import { familyLabel, sizesText } from './rows';
import type { Group } from './rows';

export interface KernelsOf {
  readonly group: Group;
  readonly total_us: number;
  readonly spread: Spread;
  /** Shortest names that tell files apart. */
  readonly labels: ReadonlyMap<string, string>;
  /** Shows an operator on its page; null where there is no such page. */
  readonly onOperator: ((operator: string) => void) | null;
}

export function kernelColumns({ group, total_us, spread: { steps }, labels, onOperator }: KernelsOf): Column<Kernel>[] {
  return [
    {
      id: 'name',
      title: 'Kernel',
      help: 'Name of the kernel, copy or fill, without its parameters and PyTorch’s namespaces',
      unit: 'text',
      leastPx: 270,
      value: (row) => row.name,
      render: ({ name }) => (
        <span class="text" title={name}>
          {shortKernel(name)}
        </span>
      ),
    },
    {
      id: 'family',
      title: 'Family',
      help: 'What it computes, by its name',
      unit: 'text',
      widthPx: 106,
      leaves: 8,
      value: ({ family }) => familyLabel(family),
    },
    ...(group === 'launch' ? launchColumns(onOperator) : []),
    {
      id: 'line',
      title: 'Line',
      help: 'The line of your code that launched most of it, and how many others did; of backward operators the line of their forward operator. All are behind the row',
      unit: 'text',
      widthPx: 150,
      leaves: 1,
      value: (row) => atText(frameOf(row), labels),
      render: (row) => <LaunchedOn row={row} labels={labels} />,
      csv: [
        { title: 'file', value: (row) => frameOf(row)?.file ?? '' },
        { title: 'line', value: (row) => frameOf(row)?.line ?? null },
        { title: 'precision', value: (row) => frameOf(row)?.precision ?? '' },
      ],
    },
    {
      id: 'total',
      title: 'GPU total',
      help: 'Sum of the durations of its calls; what ran at the same time adds up',
      unit: 'us',
      bar: 'greatest',
      leaves: 0,
      value: (row) => row.total_us / steps,
    },
    {
      id: 'share',
      title: 'Share',
      help: 'Its part of all device time',
      unit: 'share',
      leaves: 5,
      value: (row) => (total_us > 0 ? row.total_us / total_us : null),
    },
    { id: 'calls', title: 'Calls', help: 'How often it ran', unit: 'count', leaves: 2, value: (row) => row.calls / steps },
    { id: 'mean', title: 'Mean', help: 'Mean duration of a call', unit: 'us', leaves: 3, value: (row) => row.mean_us },
    { id: 'min', title: 'Min', help: 'Shortest call', unit: 'us', leaves: 11, value: (row) => row.min_us },
    { id: 'max', title: 'Max', help: 'Longest call', unit: 'us', leaves: 10, value: (row) => row.max_us },
    {
      id: 'blocks_per_sm',
      title: 'Blocks/SM',
      help: 'Blocks of a launch for each multiprocessor of the device, mean weighted by duration. Below 1, marked, some have nothing to do. Empty where the trace does not say',
      unit: 'number',
      widthPx: 88,
      leaves: 7,
      value: (row) => row.blocks_per_sm,
      render: ({ blocks_per_sm: blocks }) => <Blocks blocks={blocks} />,
      markdown: ({ blocks_per_sm: blocks }) => (blocks === null ? '' : blocksText(blocks)),
    },
    {
      id: 'occupancy',
      title: 'Occupancy',
      help: 'How many of the warps that a multiprocessor can hold were active, as the profiler estimates it; mean weighted by duration. Low is no fault of itself: matrix products run fast with little. Empty where the trace does not say',
      unit: 'percent',
      bar: { of: 100 },
      leaves: 6,
      value: (row) => row.occupancy,
    },
    {
      id: 'tensor_cores',
      title: 'Tensor Cores',
      help: 'Whether its name says that it computes on Tensor Cores (matrix cores on AMD). The name of a Triton kernel never tells',
      unit: 'text',
      widthPx: 90,
      leaves: 4,
      searched: false,
      value: coresText,
      render: (row) =>
        row.tensor_cores ? (
          <span class="cores">
            <Icon name="check" /> yes
          </span>
        ) : (
          <span class="quiet">{coresText(row)}</span>
        ),
    },
    {
      id: 'bytes',
      title: 'Size',
      help: 'Bytes copied or set, in all calls',
      unit: 'bytes',
      shown: false,
      value: (row) => (row.bytes === null ? null : row.bytes / steps),
    },
  ];
}

/** The line that launched most of a row; null where none is known. */
function frameOf({ lines }: Kernel): StackFrame | null {
  return lines[0]?.frame ?? null;
}

function LaunchedOn({ row, labels }: { readonly row: Kernel; readonly labels: KernelsOf['labels'] }) {
  const others = new Set(row.lines.map(({ frame: { file, line } }) => `${file}:${line}`)).size - 1 + row.more_lines;
  return (
    <span class="launched-on">
      <At frame={frameOf(row)} labels={labels} />
      {others > 0 ? <span class="quiet">+{others}</span> : null}
    </span>
  );
}

function launchColumns(onOperator: KernelsOf['onOperator']): Column<Kernel>[] {
  return [
    {
      id: 'operator',
      title: 'Operator',
      help: 'The operator that launched it. Empty where its launch was not recorded, or no operator was open at it',
      unit: 'text',
      widthPx: 150,
      leaves: 0,
      value: ({ operator }) => operator,
      render: ({ operator }) => <OperatorLink operator={operator} onOperator={onOperator} />,
    },
    {
      id: 'grid',
      title: 'Grid',
      help: 'Blocks of a launch, by dimension',
      unit: 'text',
      widthPx: 100,
      leaves: 9,
      value: ({ grid }) => sizesText(grid),
    },
    {
      id: 'block',
      title: 'Block',
      help: 'Threads of a block, by dimension',
      unit: 'text',
      widthPx: 84,
      leaves: 9,
      value: ({ block }) => sizesText(block),
    },
    {
      id: 'registers',
      title: 'Registers',
      help: 'Registers of a thread',
      unit: 'number',
      leaves: 12,
      value: ({ registers }) => registers,
    },
    {
      id: 'shared_memory',
      title: 'Shared mem.',
      help: 'Shared memory of a block',
      unit: 'bytes',
      leaves: 12,
      value: (row) => row.shared_memory_bytes,
    },
  ];
}

interface OperatorLinkProps {
  readonly operator: string;
  readonly onOperator: KernelsOf['onOperator'];
  readonly tabIndex?: number;
}

export function OperatorLink({ operator, onOperator, tabIndex = -1 }: OperatorLinkProps) {
  return operator === '' ? (
    <span class="quiet">not known</span>
  ) : onOperator === null ? (
    <span class="text">{operator}</span>
  ) : (
    <button
      type="button"
      class="link text"
      title={`Show in Operators: ${operator}`}
      tabIndex={tabIndex}
      onClick={(event) => {
        event.stopPropagation();
        onOperator(operator);
      }}
    >
      {operator}
    </button>
  );
}

/** A copy or fill computes nothing. */
function coresText({ kind, tensor_cores: cores }: Kernel): string {
  return kind !== 'kernel' ? '' : cores ? 'yes' : 'no';
}

/** One decimal where it matters: below 10. */
export function blocksText(blocks: number): string {
  return blocks >= 9.95 ? Math.round(blocks).toLocaleString('en-US') : blocks > 0 && blocks < 0.05 ? '<0.1' : blocks.toFixed(1);
}

function Blocks({ blocks }: { readonly blocks: number | null }) {
  if (blocks === null) {
    return null;
  }
  return blocks >= 1 || blocks === 0 ? (
    <span class="text">{blocksText(blocks)}</span>
  ) : (
    <span class="missed" title="Some multiprocessors of the device have nothing to do: too few blocks">
      <Icon name="warning" /> {blocksText(blocks)}
    </span>
  );
}
