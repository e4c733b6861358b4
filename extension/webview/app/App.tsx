/**
 * The app: the bar with what is looked at, the list of pages, and the page. Pages that were shown stay, hidden, as they are.
 */
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { AppState, PageId, SourceLine, Target } from '../../views/messages';
import { isFocusLost, useFocusKept } from '../shared/focus';
import { isTyping } from '../shared/keys';
import { Message } from '../shared/Message';
import { PageFrame, SessionContext } from '../shared/session';
import type { Session } from '../shared/session';
import { PageStates, PageStatesContext } from '../shared/state';
import type { Transport } from '../shared/transport';
import { Failed, Waiting } from '../shared/view';
import { Bar } from './Bar';
import { Navigation } from './Navigation';
import { isPage, PAGES } from './pages';
import type { Page } from './pages';
import { restoreApp } from './restore';
import { Search } from './Search';
import { SourcePane } from './SourcePane';
import { useRun } from './useRun';

interface Props {
  readonly transport: Transport;
  /** The run that the host bound the app to; null follows the active one. */
  readonly run: string | null;
  readonly pages?: readonly Page[];
}

const NONE: readonly never[] = [];

interface Place {
  readonly page: PageId;
  readonly targets: Readonly<Partial<Record<PageId, Target>>>;
}

export function App({ transport, run: hostRun, pages = PAGES }: Props) {
  const first = pages[0]?.id ?? 'lines';
  const known = useCallback((id: string): id is PageId => isPage(id) && pages.some((page) => page.id === id), [pages]);
  const [start] = useState<AppState>(() => restoreApp(transport.restore(), known, first));
  const [states] = useState(() => new PageStates(start.pages));
  const [bound, setBound] = useState(hostRun ?? start.run);
  const [place, setPlace] = useState<Place>({ page: start.page, targets: {} });
  // The part that an editor remembers may have been given up while its page was hidden: there the server knows.
  const [linked, setLinked] = useState(transport.editor ? undefined : start.part);
  const [searching, setSearching] = useState(false);
  const [source, setSource] = useState<SourceLine | null>(null);
  const run = useRun(transport, bound, linked);
  const page = pages.find(({ id }) => id === place.page);
  const visited = useRef(new Set<PageId>());
  visited.current.add(place.page);

  const go = useCallback(
    (to: PageId, target?: Target) => {
      if (known(to)) {
        setPlace((now) => ({ page: to, targets: target === undefined ? now.targets : { ...now.targets, [to]: target } }));
      }
    },
    [known],
  );

  const save = useRef(() => undefined as unknown);
  save.current = () => transport.save({ run: bound, page: place.page, pages: states.all, part: run.part });
  useEffect(() => {
    states.onChange = () => void save.current();
  }, [states]);
  useEffect(() => {
    // Until the part is known, the one of a link is not to be lost.
    if (run.revision >= 0) {
      save.current();
    }
  }, [bound, place.page, run.part, run.revision]);
  useEffect(() => {
    const off = [
      transport.on('show', ({ page: to, target }) => go(to, target ?? undefined)),
      transport.on('source-opened', setSource),
      transport.on('run-bound', ({ run: to }) => setBound(to)),
      transport.on('link-followed', (link) => {
        const next = restoreApp(link, known, first);
        states.replace(next.pages);
        setBound(hostRun ?? next.run);
        setPlace((now) => ({ ...now, page: next.page }));
        setLinked(next.part);
      }),
    ];
    return () => off.forEach((end) => end());
  }, [transport, go]);
  const { list, description, part, selected, setPart, revision, progress, problem, again, cancel } = run;
  const path = bound ?? list?.active ?? null;
  const summary = description?.run ?? list?.runs.find((one) => one.path === path) ?? null;
  const name = summary?.name ?? '';
  useEffect(() => {
    void transport.ask('host/title', { title: page === undefined ? name : name === '' ? page.title : `${page.title}: ${name}` });
  }, [transport, page, name]);
  useSearchKeys(setSearching);
  useFocusKept();
  const section = useRef<HTMLElement>(null);
  useEffect(() => {
    // What had the focus is on a page that is hidden now, or gone.
    if (isFocusLost()) {
      section.current?.focus();
    }
  }, [place.page, searching, source]);

  const session = useMemo<Session>(
    () => ({
      transport,
      run: bound,
      summary,
      runs: list?.runs ?? NONE,
      baseline: list?.baseline ?? null,
      active: description?.active ?? (path !== null && path === list?.active),
      ranks: description?.ranks ?? NONE,
      steps: description?.steps ?? NONE,
      recordingUs: description?.recording_us ?? 0,
      part,
      selected,
      setPart,
      revision,
      progress,
      open: (line) => void transport.ask('host/open', { file: line.file, line: line.line }),
      go,
      has: known,
      copy: (text, what) => void transport.ask('host/copy', { text, what }),
      command: (command) => void transport.ask('host/run', { command }),
    }),
    [transport, bound, summary, description, path, list, part, selected, setPart, revision, progress, go, known],
  );
  const noRun = list !== null && path === null;
  const there = problem === null && !noRun && revision >= 0;

  return (
    <SessionContext.Provider value={session}>
      <PageStatesContext.Provider value={states}>
        <div class="app">
          <Bar
            pages={pages}
            page={page}
            list={list}
            path={path}
            onPage={go}
            onRun={(to) => void transport.ask('host/show-run', { run: to })}
            onSearch={() => setSearching(true)}
          />
          <Navigation pages={pages} page={place.page} onPage={go} />
          <div class="pages">
            {problem !== null ? (
              <Failed
                title={list === null ? 'The runs can’t be listed' : `The ${summary?.kind ?? 'run'} was not read`}
                message={problem}
                again={again}
              />
            ) : noRun ? (
              <NoRun session={session} />
            ) : revision < 0 ? (
              <Waiting onCancel={cancel} />
            ) : null}
            {pages
              .filter(({ id }) => visited.current.has(id))
              .map(({ id, title, Component }) => {
                const shown = id === place.page && there;
                return (
                  <section key={id} ref={shown ? section : null} class={`page page-${id}`} aria-label={title} tabIndex={-1} hidden={!shown}>
                    <PageFrame page={id} shown={shown} target={place.targets[id] ?? null}>
                      <Component />
                    </PageFrame>
                  </section>
                );
              })}
          </div>
          {source === null ? null : <SourcePane place={source} onPlace={setSource} onClose={() => setSource(null)} />}
          {searching ? <Search pages={pages} onClose={() => setSearching(false)} /> : null}
        </div>
      </PageStatesContext.Provider>
    </SessionContext.Provider>
  );
}

function NoRun({ session: { transport, command } }: { readonly session: Session }) {
  return (
    <Message icon="flame" title="No run to show">
      <p>
        {transport.editor
          ? 'No run is active. Profile a script, or choose a run or a trace in the list of runs.'
          : 'There is no recording here. Profile a script with `kinetoscope profile`, and it is shown here.'}
      </p>
      {transport.editor ? (
        <p class="actions">
          <button type="button" class="button" onClick={() => command('profile')}>
            Profile the last script again
          </button>
        </p>
      ) : null}
    </Message>
  );
}

/** Ctrl+K or Cmd+K, and / where no table of the page takes it. */
function useSearchKeys(setSearching: (searching: boolean) => void): void {
  useEffect(() => {
    const onChord = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey) {
        event.preventDefault();
        // VS Code, which listens on the window, would wait for the second key of a chord.
        event.stopPropagation();
        setSearching(true);
      }
    };
    const onSlash = (event: KeyboardEvent) => {
      if (event.key === '/' && !event.defaultPrevented && !isTyping(event) && !event.ctrlKey && !event.metaKey && !event.altKey) {
        event.preventDefault();
        setSearching(true);
      }
    };
    document.addEventListener('keydown', onChord);
    window.addEventListener('keydown', onSlash);
    return () => {
      document.removeEventListener('keydown', onChord);
      window.removeEventListener('keydown', onSlash);
    };
  }, []);
}
