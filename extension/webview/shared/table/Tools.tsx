/**
 * The tools of a table: the page's own, search, choice of columns, copy.
 */
import type { ComponentChildren, RefObject } from 'preact';
import { useEffect } from 'preact/hooks';
import { Icon } from '../Icon';
import { isTyping } from '../keys';
import { Popover } from '../Popover';
import { usePagePlace } from '../session';
import type { Column } from './columns';
import { mainColumn } from './layout';
import type { TableState } from './state';

interface Props<R> {
  readonly search: RefObject<HTMLInputElement | null>;
  readonly columns: readonly Column<R>[];
  readonly chosen: readonly Column<R>[];
  readonly state: TableState;
  readonly onState: (patch: Partial<TableState>) => void;
  readonly noun: readonly [one: string, many: string];
  readonly hint: string;
  readonly shown: number;
  /** Of how many; null where only some are unfolded. */
  readonly all: number | null;
  /** The reader is done with the search: on to the rows. */
  readonly onLeave: () => void;
  readonly onCopy: (format: 'csv' | 'markdown') => void;
  readonly children: ComponentChildren;
}

export function Tools<R>(props: Props<R>) {
  const { search, columns, state, onState, noun, shown, all } = props;
  const { filter } = state;
  const { shown: onScreen } = usePagePlace();

  useEffect(() => {
    if (!onScreen) {
      return undefined;
    }
    const onKey = (event: KeyboardEvent) => {
      if (event.key === '/' && !isTyping(event) && !event.ctrlKey && !event.metaKey && !event.altKey && !event.defaultPrevented) {
        event.preventDefault();
        search.current?.select();
      }
    };
    // Before the app's own keys, which listen on the window.
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [onScreen]);

  return (
    <div class="toolbar" role="toolbar" aria-label={noun[1]}>
      {props.children}
      <div class="find">
        <div class="filter">
          <Icon name="search" />
          <input
            ref={search}
            type="text"
            placeholder={props.hint}
            aria-label={`Filter ${noun[1]}`}
            aria-keyshortcuts="/"
            spellcheck={false}
            value={filter}
            onInput={(event) => onState({ filter: event.currentTarget.value })}
            onKeyDown={(event) => {
              if (event.key === 'Escape' && filter !== '') {
                onState({ filter: '' });
              } else if (event.key === 'Escape' || event.key === 'Enter' || event.key === 'ArrowDown') {
                event.preventDefault();
                props.onLeave();
              }
            }}
          />
          <span class="count" role="status">
            {all === null || shown === all ? `${shown}` : `${shown} of ${all}`}
          </span>
        </div>
        <div class="copy">
          <button type="button" class="tool" title={`Copy the shown ${noun[1]} as CSV`} onClick={() => props.onCopy('csv')}>
            <Icon name="copy" /> <span class="words">CSV</span>
          </button>
          <button type="button" class="tool" title={`Copy the shown ${noun[1]} as Markdown`} onClick={() => props.onCopy('markdown')}>
            <Icon name="markdown" /> <span class="words">Markdown</span>
          </button>
          <Popover label="Columns" title="Choose columns" align="end" button={<Icon name="settings" />}>
            {() => <ColumnChoice columns={columns} chosen={props.chosen} state={state} onState={onState} />}
          </Popover>
        </div>
      </div>
    </div>
  );
}

type ChoiceProps<R> = Pick<Props<R>, 'columns' | 'chosen' | 'state' | 'onState'>;

function ColumnChoice<R>({ columns, chosen, state, onState }: ChoiceProps<R>) {
  const main = mainColumn(columns);
  return (
    <fieldset class="choices">
      <legend>Columns</legend>
      {columns.map((column) => (
        <label key={column.id} title={column.help}>
          <input
            type="checkbox"
            checked={chosen.includes(column)}
            disabled={column === main}
            onChange={(event) => onState({ columns: { ...state.columns, [column.id]: event.currentTarget.checked } })}
          />
          {column.title === '' ? column.help : column.title}
        </label>
      ))}
      <p class="quiet">Where there is no room for all, some are left out.</p>
      <button type="button" class="link" onClick={() => onState({ columns: {} })}>
        Default columns
      </button>
    </fieldset>
  );
}
