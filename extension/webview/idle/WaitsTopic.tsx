/**
 * Calls in which the host waited for the device.
 */
import { useMemo } from 'preact/hooks';
import { count, timeUs } from '../../format';
import type { Sync } from '../../server/views';
import { fileLabels, placeText } from '../lines/rows';
import { Figures } from '../shared/Figures';
import { Message } from '../shared/Message';
import { PerStep, usePerStep } from '../shared/perStep';
import type { Per } from '../shared/perStep';
import { Segments } from '../shared/Segments';
import { useSession } from '../shared/session';
import { DataTable, sortedByOneOf } from '../shared/table';
import type { TableState } from '../shared/table';
import { WAIT_GROUPS, waitColumns, waitsOf } from './waits';
import type { Wait, WaitGroup } from './waits';

interface Props {
  readonly content: Sync;
  readonly group: WaitGroup;
  readonly onGroup: (group: WaitGroup) => void;
  readonly per: Per;
  readonly onPer: (per: Per) => void;
  readonly table: TableState;
  readonly onTable: (patch: Partial<TableState>) => void;
}

const waitKey = ({ key }: Wait) => key;

export function WaitsTopic({ content, group, onGroup, per, onPer, table, onTable }: Props) {
  const { open } = useSession();
  const { spread, offered } = usePerStep(per);
  const { wait_us } = content;
  const rows = useMemo(() => waitsOf(content, group), [content, group]);
  const labels = useMemo(() => fileLabels(rows.flatMap(({ frame }) => frame?.file ?? [])), [rows]);
  const columns = useMemo(() => waitColumns({ group, wait_us, spread, labels }), [group, wait_us, spread, labels]);
  const state = useMemo(() => sortedByOneOf(columns, table, 'wait'), [columns, table]);
  if (rows.length === 0) {
    return (
      <Message icon="watch" title="Nothing waited">
        <p>No call in which the host waits for a device was recorded here: no .item(), no .cpu(), no synchronisation.</p>
      </Message>
    );
  }
  return (
    <>
      <Figures
        label="All waits"
        figures={[
          {
            name: 'Waiting',
            value: timeUs(wait_us / spread.steps) + spread.suffix,
            help: 'Time that the host spent in calls that wait for the device, over all threads',
          },
          { name: 'Calls', value: count(content.count / spread.steps) + spread.suffix, help: 'How many such calls there were' },
        ]}
      />
      <DataTable
        label="Waits by cost"
        noun={group === 'line' ? ['line', 'lines'] : group === 'kind' ? ['kind', 'kinds'] : ['call', 'calls']}
        rows={rows}
        columns={columns}
        rowKey={waitKey}
        state={state}
        onState={onTable}
        searchText={({ frame }) => (frame === null ? '' : placeText(frame))}
        onOpen={({ frame }) => {
          if (frame !== null) {
            open(frame);
          }
        }}
        tools={
          <>
            <Segments label="Group by" name="idle-waits" chosen={group} choices={WAIT_GROUPS} onChoose={onGroup} />
            {group === 'call' ? null : <PerStep name="idle-per" per={per} offered={offered} onPer={onPer} />}
          </>
        }
      />
    </>
  );
}
