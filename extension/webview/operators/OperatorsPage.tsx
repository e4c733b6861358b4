/**
 * The Operators page: what each operator cost.
 */
import { useCallback } from 'preact/hooks';
import type { Operator } from '../../server/views';
import { Message } from '../shared/Message';
import { useTarget } from '../shared/session';
import { usePageState } from '../shared/state';
import { DataTable, restoreTable, tableState } from '../shared/table';
import type { TableState } from '../shared/table';
import { ViewOf } from '../shared/view';
import { COLUMNS } from './columns';

interface Choices {
  readonly table: TableState;
}

const INITIAL: Choices = { table: tableState({ column: 'device_self', descending: true }) };
const restore = (saved: { readonly table?: unknown }): Choices => ({ table: restoreTable(saved.table, INITIAL.table) });
const rowKey = ({ name }: Operator) => name;

export function OperatorsPage() {
  const [{ table }, change] = usePageState('operators', INITIAL, restore);
  const onState = useCallback((patch: Partial<TableState>) => change((now) => ({ table: { ...now.table, ...patch } })), [change]);
  useTarget(({ operator }) => {
    if (operator !== undefined) {
      onState({ filter: '', selected: operator });
    }
  });
  return (
    <ViewOf name="operators">
      {({ rows }) =>
        rows.length === 0 ? (
          <Message icon="symbol-operator" title="No operators">
            <p>No operator ran in the selected part of the recording. Choose another part, or the whole.</p>
          </Message>
        ) : (
          <DataTable
            label="Operators by cost"
            noun={['operator', 'operators']}
            rows={rows}
            columns={COLUMNS}
            rowKey={rowKey}
            state={table}
            onState={onState}
          />
        )
      }
    </ViewOf>
  );
}
