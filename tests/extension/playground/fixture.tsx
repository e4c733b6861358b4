/**
 * The app with one page that is a table of all kinds of columns, a tree with details: what tests of the table look at. Its rows are the content of the
 * view `modules`.
 */
import { render } from 'preact';
import { App } from '../../../extension/webview/app/App';
import type { Page } from '../../../extension/webview/app/pages';
import { useSession } from '../../../extension/webview/shared/session';
import { usePageState } from '../../../extension/webview/shared/state';
import { DataTable, restoreTable, tableState } from '../../../extension/webview/shared/table';
import type { Column, TableState } from '../../../extension/webview/shared/table';
import { useAnswer, AnswerOf } from '../../../extension/webview/shared/view';
import { vscodeTransport } from '../../../extension/webview/shared/vscode';

export interface Item {
  readonly name: string;
  readonly us: number;
  readonly bytes: number;
  readonly below: readonly Item[];
}

const COLUMNS: readonly Column<Item>[] = [
  { id: 'name', title: 'Name', help: 'What it is called', unit: 'text', value: ({ name }) => name },
  { id: 'time', title: 'Time', help: 'How long it took', unit: 'us', value: ({ us }) => us, bar: 'greatest' },
  { id: 'memory', title: 'Memory', help: 'What it allocated', unit: 'bytes', value: ({ bytes }) => bytes },
  { id: 'rare', title: 'Rare', help: 'What is rarely wanted', unit: 'count', value: () => 7, shown: false },
];

const INITIAL = { table: tableState({ column: 'time', descending: true }) };
const restore = (saved: { readonly table?: unknown }) => ({ table: restoreTable(saved.table, INITIAL.table) });
const rowKey = ({ name }: Item) => name;
const childRows = ({ below }: Item) => below;

function TablePage() {
  const { run, part } = useSession();
  const [{ table }, change] = usePageState('modules', INITIAL, restore);
  const answer = useAnswer('kinetoscope/view', { run, name: 'modules', part });
  const onState = (patch: Partial<TableState>) => change((now) => ({ table: { ...now.table, ...patch } }));
  return (
    <AnswerOf answer={answer}>
      {({ content }) => (
        <DataTable
          label="Items by time"
          noun={['item', 'items']}
          rows={content as readonly Item[]}
          columns={COLUMNS}
          rowKey={rowKey}
          childRows={childRows}
          detail={({ name }) => <p class="fixture-detail">Behind {name}</p>}
          state={table}
          onState={onState}
        />
      )}
    </AnswerOf>
  );
}

const PAGES: readonly Page[] = [
  { id: 'modules', title: 'Table', icon: 'table', help: { about: 'A table.', metrics: [] }, Component: TablePage },
];

const root = document.getElementById('root');
if (root) {
  render(<App transport={vscodeTransport()} run={null} pages={PAGES} />, root);
}
