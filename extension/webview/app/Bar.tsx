/**
 * The bar above the pages: which run, which rank, which part of its time; search; and words about the page.
 */
import { partText } from '../../format';
import type { RunList } from '../../server/wire';
import type { PageId } from '../../views/messages';
import { Icon } from '../shared/Icon';
import { Popover } from '../shared/Popover';
import { useSession } from '../shared/session';
import { Help } from './Help';
import type { Page } from './pages';
import { StepPicker } from './StepPicker';

interface Props {
  readonly pages: readonly Page[];
  readonly page: Page | undefined;
  readonly list: RunList | null;
  readonly path: string | null;
  readonly onPage: (page: PageId) => void;
  readonly onRun: (path: string) => void;
  readonly onSearch: () => void;
}

export function Bar({ pages, page, list, path, onPage, onRun, onSearch }: Props) {
  const { ranks, part, setPart, summary, transport } = useSession();
  const time = partText(part.step, part.range_us);
  return (
    <header class="bar-top">
      <select
        class="choice page-choice"
        aria-label="Page"
        value={page?.id ?? ''}
        // SAFETY: the options are pages.
        onChange={(event) => onPage(event.currentTarget.value as PageId)}
      >
        {pages.map(({ id, title }) => (
          <option key={id} value={id}>
            {title}
          </option>
        ))}
      </select>
      {list === null || list.runs.length === 0 ? null : (
        <select
          class="choice run-choice"
          aria-label="Run"
          title={summary?.main ?? summary?.name ?? 'Run'}
          value={path ?? ''}
          onChange={(event) => {
            onRun(event.currentTarget.value);
            // The other run may open elsewhere: what is chosen here is what is shown here.
            event.currentTarget.value = path ?? '';
          }}
        >
          {path === null || list.runs.every((run) => run.path !== path) ? (
            <option value={path ?? ''}>{summary?.name ?? path ?? 'Choose a run'}</option>
          ) : null}
          {list.runs.map((run) => (
            <option key={run.path} value={run.path} disabled={run.problem !== null}>
              {run.name}
              {run.created === '' ? '' : ` · ${run.created.slice(0, 16).replace('T', ' ')}`}
              {transport.editor && run.path === list.active ? ' · active' : ''}
            </option>
          ))}
        </select>
      )}
      {ranks.length > 1 ? (
        <select
          class="choice rank-choice"
          aria-label="Rank"
          value={String(part.rank ?? ranks[0])}
          onChange={(event) => setPart({ rank: Number(event.currentTarget.value) })}
        >
          {ranks.map((rank) => (
            <option key={rank} value={String(rank)}>
              Rank {rank}
            </option>
          ))}
        </select>
      ) : null}
      {path === null ? null : (
        <span class={`part${time === null ? '' : ' chip'}`}>
          <Popover
            label={`Steps: ${time ?? 'All steps'}`}
            title={`Choose a step: all pages${transport.editor ? ' and the numbers in the editor' : ''} are then of it`}
            class="tool part-button"
            button={
              <>
                {time ?? 'All steps'} <Icon name="chevron-down" />
              </>
            }
          >
            {(close) => <StepPicker onClose={close} />}
          </Popover>
          {time === null ? null : (
            <button
              type="button"
              class="tool clear"
              aria-label="Clear the selection"
              title="Look at the whole recording again"
              onClick={(event) => {
                // It vanishes.
                event.currentTarget.parentElement?.querySelector<HTMLElement>('.part-button')?.focus();
                setPart({ step: null, range_us: null });
              }}
            >
              <Icon name="close" />
            </button>
          )}
        </span>
      )}
      <span class="spring" />
      <button
        type="button"
        class="tool search-button"
        title="Search operators, kernels, modules and lines (Ctrl+K)"
        aria-label="Search"
        aria-keyshortcuts="Control+K Meta+K"
        onClick={onSearch}
      >
        <Icon name="search" />
        <span class="words">Search</span>
      </button>
      {page === undefined ? null : (
        <Popover label={`What am I looking at? ${page.title}`} title="What am I looking at?" align="end" button={<Icon name="question" />}>
          {() => <Help page={page} />}
        </Popover>
      )}
    </header>
  );
}
