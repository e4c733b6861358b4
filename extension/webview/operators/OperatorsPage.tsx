/**
 * The Operators page: what each operator cost, by name, shapes, line or call stack.
 */
import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import { share, timeUs } from '../../format';
import type { Operator, Operators } from '../../server/views';
import type { SourceLine } from '../../views/messages';
import { fileLabels, placeFilter, placeLabel, placeText } from '../lines/rows';
import { Figures } from '../shared/Figures';
import type { Figure } from '../shared/Figures';
import { Message } from '../shared/Message';
import { PerStep, usePerStep } from '../shared/perStep';
import type { Spread } from '../shared/perStep';
import { Segments } from '../shared/Segments';
import { useTarget } from '../shared/session';
import { usePageState } from '../shared/state';
import type { Change } from '../shared/state';
import { DataTable, sortedByOneOf } from '../shared/table';
import type { TableState } from '../shared/table';
import { TopChart, TopToggle, WithTop } from '../shared/top';
import type { TopAmount, TopState } from '../shared/top';
import { AnswerOf, useView } from '../shared/view';
import { operatorColumns, whereText } from './columns';
import { Detail } from './Detail';
import { frameOf, GROUPS, operatorKey, sameLine, VIEW_OF } from './groups';
import './operators.css';
import { DEFAULT_CHOICES, restoreChoices } from './state';
import type { Choices } from './state';

/** Of a row with a second line. */
const NAMED_PX = 42;

export function OperatorsPage() {
  const [choices, change] = usePageState('operators', DEFAULT_CHOICES, restoreChoices);
  const answer = useView(VIEW_OF[choices.group]);
  // Which rows are of a line is known when there are rows.
  const [wanted, setWanted] = useState<SourceLine | null>(null);
  const [none, setNone] = useState<string | null>(null);
  useTarget(({ operator, line }) => {
    if (operator !== undefined) {
      change(({ table }) => ({ group: 'name', table: { ...table, filter: '', selected: operator, open: null } }));
    } else if (line !== undefined) {
      setWanted(line);
      setNone(null);
      change({ group: 'line' });
    }
  });
  const onFound = useCallback((where: string | null) => {
    setWanted(null);
    setNone(where);
  }, []);
  return (
    <AnswerOf answer={answer}>
      {(content) =>
        content.rows.length === 0 ? (
          <Message icon="symbol-operator" title="No operators">
            <p>No operator ran in the selected part of the recording. Choose another part, or the whole.</p>
          </Message>
        ) : (
          <Report content={content} choices={choices} change={change} wanted={wanted} none={none} onFound={onFound} />
        )
      }
    </AnswerOf>
  );
}

interface Props {
  readonly content: Operators;
  readonly choices: Choices;
  readonly change: Change<Choices>;
  /** The line of the editor whose operators are to be shown. */
  readonly wanted: SourceLine | null;
  /** That line, where it has none. */
  readonly none: string | null;
  readonly onFound: (none: string | null) => void;
}

function Report({ content, choices, change, wanted, none, onFound }: Props) {
  const { rows, unlinked_device_us: unlinked, group_by: group } = content;
  const { table, top, per } = choices;
  const { spread, offered } = usePerStep(per);
  const hasDevice = unlinked > 0 || rows.some((row) => row.device_total_us > 0);
  const labels = useMemo(() => fileLabels(rows.flatMap((row) => frameOf(row)?.file ?? [])), [rows]);
  const columns = useMemo(() => operatorColumns({ group, hasDevice, spread, labels }), [group, hasDevice, spread, labels]);
  const amounts = useMemo(() => amountsOf(hasDevice, unlinked, spread), [hasDevice, unlinked, spread]);
  const state = useMemo(() => sortedByOneOf(columns, table, 'host_self'), [columns, table]);
  const onState = useCallback((patch: Partial<TableState>) => change((now) => ({ table: { ...now.table, ...patch } })), [change]);
  const onTop = useCallback((patch: Partial<TopState>) => change((now) => ({ top: { ...now.top, ...patch } })), [change]);
  useEffect(() => {
    if (wanted === null || group !== 'line') {
      return;
    }
    // The dearest of the line is selected, the others stand beside it.
    const row = rows.find((one) => sameLine(frameOf(one), wanted));
    const filter = row === undefined ? '' : placeFilter(wanted, labels);
    change((now) => ({ table: { ...now.table, filter, selected: row === undefined ? null : operatorKey(row), open: null } }));
    onFound(row === undefined ? placeLabel(wanted, labels) : null);
  }, [wanted, group, rows, labels, change, onFound]);
  const opened = table.open !== null;
  const stacks = useView('operators-by-stack', opened && group !== 'stack');
  const kernels = useView('kernels-by-launch', opened);
  // A row that the search hides can't be seen: what is picked in the chart is to be.
  const pick = (key: string) => onState({ selected: key, filter: '' });

  return (
    <div class="operators">
      <Figures label="All operators" figures={figuresOf(content, spread)} />
      <WithTop
        chart={
          <TopChart
            noun="operators"
            rows={rows}
            amounts={amounts}
            rowKey={operatorKey}
            label={labelOf(labels)}
            state={top}
            onState={onTop}
            selected={table.selected}
            onSelect={pick}
          />
        }
      >
        <DataTable
          label="Operators by cost"
          noun={['operator', 'operators']}
          rows={rows}
          columns={columns}
          rowKey={operatorKey}
          state={state}
          onState={onState}
          searchText={searchText}
          {...(group === 'name' ? {} : { rowPx: NAMED_PX })}
          detail={(row) => <Detail key={operatorKey(row)} row={row} group={group} spread={spread} stacks={stacks} kernels={kernels} />}
          tools={
            <>
              <Segments
                label="Group by"
                name="operators-group"
                chosen={choices.group}
                choices={GROUPS}
                onChoose={(value) => change((now) => ({ group: value, table: { ...now.table, selected: null, open: null } }))}
              />
              <PerStep name="operators-per" per={per} offered={offered} onPer={(value) => change({ per: value })} />
              <TopToggle state={top} onState={onTop} />
              {none === null || group !== 'line' ? null : (
                <span class="quiet" role="status">
                  No operator ran on {none}.
                </span>
              )}
            </>
          }
        />
      </WithTop>
    </div>
  );
}

/** All frames of a row: the search finds an operator by any of them. */
function searchText(row: Operator): string {
  return [row.input_shape, ...row.stack.map(placeText)].join('\n');
}

function labelOf(labels: ReadonlyMap<string, string>): (row: Operator) => string {
  return (row) => `${row.name} ${whereText(row, labels)}`.trimEnd();
}

function amountsOf(hasDevice: boolean, unlinked: number, { steps }: Spread): TopAmount<Operator>[] {
  const host: TopAmount<Operator> = {
    id: 'host_self',
    label: 'CPU self',
    help: 'Host time inside the operators themselves. Shares are of the sum over all operators',
    unit: 'us',
    value: (row) => row.host_self_us / steps,
  };
  const device: TopAmount<Operator> = {
    id: 'device_self',
    label: 'GPU self',
    help: 'Device time of the kernels that the operators themselves launched. Shares are of all device time',
    unit: 'us',
    value: (row) => row.device_self_us / steps,
    apart: { label: 'Operator not known', help: UNLINKED, value: unlinked / steps },
  };
  return hasDevice ? [device, host] : [host];
}

const UNLINKED =
  'Device time of kernels, copies and fills whose operator is not known: their launch was not recorded, or no operator was open at it';

/** The self times of all rows and what is not linked, which together are all device time. */
export function figuresOf({ rows, unlinked_device_us: unlinked }: Operators, { steps, suffix }: Spread): Figure[] {
  const device = rows.reduce((sum, row) => sum + row.device_self_us, 0);
  const host = rows.reduce((sum, row) => sum + row.host_self_us, 0);
  const all = device + unlinked;
  return [
    ...(all > 0
      ? [
          { name: 'GPU', value: timeUs(all / steps) + suffix, help: 'Device time of all kernels, copies and fills, over all streams' },
          { name: 'In operators', value: share(device / all), help: 'Share of the device time whose operator is known' },
          ...(unlinked > 0 ? [{ name: 'Operator not known', value: share(unlinked / all), help: UNLINKED }] : []),
        ]
      : []),
    { name: 'CPU in operators', value: timeUs(host / steps) + suffix, help: 'Sum of the operators’ own host times, over all threads' },
  ];
}
