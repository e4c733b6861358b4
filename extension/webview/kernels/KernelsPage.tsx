/**
 * The Kernels page: what ran on the device, by name or by launch.
 */
import { useCallback, useMemo } from 'preact/hooks';
import { count, share, timeUs } from '../../format';
import type { Kernel, Kernels } from '../../server/views';
import { fileLabels, placeText } from '../lines/rows';
import { Figures } from '../shared/Figures';
import type { Figure } from '../shared/Figures';
import { shortKernel } from '../shared/kernelName';
import { Message } from '../shared/Message';
import { PerStep, usePerStep } from '../shared/perStep';
import type { Spread } from '../shared/perStep';
import { Segments } from '../shared/Segments';
import { useSession, useTarget } from '../shared/session';
import { usePageState } from '../shared/state';
import type { Change } from '../shared/state';
import { DataTable, sortedByOneOf } from '../shared/table';
import type { TableState } from '../shared/table';
import { TopChart, TopToggle, WithTop } from '../shared/top';
import type { TopAmount, TopState } from '../shared/top';
import { AnswerOf, useView } from '../shared/view';
import { kernelColumns } from './columns';
import { Detail } from './Detail';
import { Families } from './Families';
import './kernels.css';
import { chosenRows, familiesOf, GROUPS, kernelKey, sizesText, VIEW_OF } from './rows';
import { DEFAULT_CHOICES, restoreChoices } from './state';
import type { Choices } from './state';

export function KernelsPage() {
  const [choices, change] = usePageState('kernels', DEFAULT_CHOICES, restoreChoices);
  const answer = useView(VIEW_OF[choices.group]);
  useTarget(({ kernel }) => {
    if (kernel !== undefined) {
      change(({ table }) => ({
        group: 'name',
        families: [],
        cores: 'all',
        table: { ...table, filter: '', selected: kernel, open: null },
      }));
    }
  });
  return (
    <AnswerOf answer={answer}>
      {(content) => (content.rows.length === 0 ? <Empty /> : <Report content={content} choices={choices} change={change} />)}
    </AnswerOf>
  );
}

interface Props {
  readonly content: Kernels;
  readonly choices: Choices;
  readonly change: Change<Choices>;
}

function Report({ content, choices, change }: Props) {
  const { rows, total_us, group_by: group } = content;
  const { table, top, per, cores } = choices;
  const { spread, offered } = usePerStep(per);
  const { go, has } = useSession();
  const families = useMemo(() => familiesOf(rows, total_us), [rows, total_us]);
  // A family that was chosen in another part may not be in this one.
  const chosen = useMemo(() => choices.families.filter((name) => families.some((one) => one.name === name)), [choices.families, families]);
  const shown = useMemo(() => chosenRows(rows, chosen, cores), [rows, chosen, cores]);
  const toOperators = has('operators');
  const onOperator = useMemo(() => (toOperators ? (operator: string) => go('operators', { operator }) : null), [go, toOperators]);
  const labels = useMemo(() => fileLabels(rows.flatMap(({ lines }) => lines.map(({ frame }) => frame.file))), [rows]);
  const columns = useMemo(
    () => kernelColumns({ group, total_us, spread, labels, onOperator }),
    [group, total_us, spread, labels, onOperator],
  );
  const amounts = useMemo(() => amountsOf(rows, shown, total_us, spread), [rows, shown, total_us, spread]);
  const state = useMemo(() => sortedByOneOf(columns, table, 'total'), [columns, table]);
  const onState = useCallback((patch: Partial<TableState>) => change((now) => ({ table: { ...now.table, ...patch } })), [change]);
  const onTop = useCallback((patch: Partial<TopState>) => change((now) => ({ top: { ...now.top, ...patch } })), [change]);
  const launches = useView('kernels-by-launch', table.open !== null && group === 'name');

  return (
    <div class="kernels">
      <Figures label="All device work" figures={figuresOf(content, spread)} />
      <Families
        families={families}
        chosen={chosen}
        onChoose={(value) => change({ families: value })}
        cores={cores}
        onCores={(value) => change({ cores: value })}
      />
      <WithTop
        chart={
          <TopChart
            noun="kernels"
            rows={shown}
            amounts={amounts}
            rowKey={kernelKey}
            label={labelOf}
            state={top}
            onState={onTop}
            selected={table.selected}
            onSelect={(key) => onState({ selected: key, filter: '' })}
          />
        }
      >
        <DataTable
          label="Kernels by cost"
          noun={['kernel', 'kernels']}
          rows={shown}
          columns={columns}
          rowKey={kernelKey}
          state={state}
          onState={onState}
          searchText={searchText}
          detail={(row) => (
            <Detail
              key={kernelKey(row)}
              row={row}
              group={group}
              spread={spread}
              labels={labels}
              launches={launches}
              onOperator={onOperator}
            />
          )}
          tools={
            <>
              <Segments
                label="Group by"
                name="kernels-group"
                chosen={choices.group}
                choices={GROUPS}
                onChoose={(value) => change((now) => ({ group: value, table: { ...now.table, selected: null, open: null } }))}
              />
              <PerStep name="kernels-per" per={per} offered={offered} onPer={(value) => change({ per: value })} />
              <TopToggle state={top} onState={onTop} />
            </>
          }
        />
      </WithTop>
    </div>
  );
}

function Empty() {
  const { part } = useSession();
  const whole = part.step === null && part.range_us === null;
  return (
    <Message icon="circuit-board" title="No kernels">
      {whole ? (
        <p>
          The recording has no work of a GPU: the script ran on the CPU, or the trace was recorded without the device’s activity
          (ProfilerActivity.CUDA). What the CPU did is in Operators and Lines.
        </p>
      ) : (
        <p>No kernel, copy or fill began in the selected part of the recording. Choose another part, or the whole.</p>
      )}
    </Message>
  );
}

/** All lines that launched it: the search finds a kernel by any of them. */
function searchText({ lines }: Kernel): string {
  return lines.map(({ frame }) => placeText(frame)).join('\n');
}

function labelOf({ name, operator, grid }: Kernel): string {
  return [shortKernel(name), operator, sizesText(grid)].filter((part) => part !== '').join(' · ');
}

/** Shares stay those of all device work, whatever rows are chosen. */
function amountsOf(rows: readonly Kernel[], shown: readonly Kernel[], total_us: number, { steps }: Spread): TopAmount<Kernel>[] {
  const sum = (some: readonly Kernel[], of: (row: Kernel) => number) => some.reduce((all, row) => all + of(row), 0);
  const apart = (value: number) => ({
    label: 'Not chosen',
    help: 'What the choice of families and Tensor Cores leaves out',
    // Sums of the same numbers in another order may differ in their last digit.
    value: shown.length === rows.length ? 0 : Math.max(0, value),
  });
  return [
    {
      id: 'total',
      label: 'GPU total',
      help: 'Sum of the durations of all calls. Shares are of all device time',
      unit: 'us',
      value: (row) => row.total_us / steps,
      apart: apart((total_us - sum(shown, (row) => row.total_us)) / steps),
    },
    {
      id: 'calls',
      label: 'Calls',
      help: 'How often it ran. Shares are of all calls',
      unit: 'count',
      value: (row) => row.calls / steps,
      apart: apart((sum(rows, (row) => row.calls) - sum(shown, (row) => row.calls)) / steps),
    },
  ];
}

export function figuresOf({ rows, total_us }: Kernels, { steps, suffix }: Spread): Figure[] {
  const kernels = rows.filter(({ kind }) => kind === 'kernel');
  const time = (some: readonly Kernel[]) => some.reduce((sum, row) => sum + row.total_us, 0);
  const inKernels = time(kernels);
  const calls = kernels.reduce((sum, row) => sum + row.calls, 0);
  return [
    { name: 'GPU', value: timeUs(total_us / steps) + suffix, help: 'Device time of all kernels, copies and fills, over all streams' },
    { name: 'Kernels run', value: count(calls / steps) + suffix, help: 'Calls of kernels, without copies and fills' },
    ...(inKernels > 0
      ? [
          {
            name: 'Mean kernel',
            value: timeUs(inKernels / calls),
            help: 'Mean duration of a kernel. A launch takes the host some microseconds: kernels that are no longer can’t keep the device busy',
          },
          {
            name: 'On Tensor Cores',
            value: share(time(kernels.filter((row) => row.tensor_cores)) / inKernels),
            help: 'Share of the kernels’ time in kernels whose names say that they compute on Tensor Cores',
          },
        ]
      : []),
    {
      name: 'Copies and fills',
      value: share(total_us > 0 ? time(rows.filter(({ kind }) => kind !== 'kernel')) / total_us : 0),
      help: 'Share of the device time in copies and fills',
    },
  ];
}
