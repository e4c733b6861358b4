/**
 * The search over everything in the run: operators, kernels, modules, lines. Arrows choose a hit, Enter goes to its page.
 */
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { timeUs } from '../../format';
import type { SearchHit, SearchHits } from '../../server/wire';
import type { PageId, Target } from '../../views/messages';
import { focusAgain } from '../shared/focus';
import { Icon } from '../shared/Icon';
import { useSession } from '../shared/session';
import { isAborted } from '../shared/transport';
import type { Page } from './pages';

interface Props {
  readonly pages: readonly Page[];
  readonly onClose: () => void;
}

/** A pause in typing after which is asked. */
const PAUSE_MS = 150;

const KINDS: Readonly<Record<SearchHit['kind'], { readonly title: string; readonly page: PageId; readonly icon: string }>> = {
  line: { title: 'Lines', page: 'lines', icon: 'list-ordered' },
  operator: { title: 'Operators', page: 'operators', icon: 'symbol-operator' },
  kernel: { title: 'Kernels', page: 'kernels', icon: 'circuit-board' },
  module: { title: 'Modules', page: 'modules', icon: 'symbol-class' },
};

type Found = { readonly answer: SearchHits } | { readonly failed: string } | null;

export function Search({ onClose }: Props) {
  const { transport, run, part, go, has, open } = useSession();
  const [text, setText] = useState('');
  const [found, setFound] = useState<Found>(null);
  const [chosen, setChosen] = useState(0);
  const [busy, setBusy] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const before = useRef(document.activeElement);
  const id = useId();

  // At once: what is typed after the key that opens it is for it.
  useLayoutEffect(() => {
    input.current?.focus();
    const back = before.current;
    return () => void focusAgain(back);
  }, []);

  const wanted = text.trim();
  useEffect(() => {
    // Hits of another text are no hits of this one.
    setFound(null);
    setBusy(false);
    if (wanted === '') {
      return undefined;
    }
    const controller = new AbortController();
    setBusy(true);
    const timer = setTimeout(() => {
      transport.ask('kinetoscope/search', { run, part, text: wanted }, controller.signal).then(
        (answer) => {
          setFound({ answer });
          setChosen(0);
          setBusy(false);
        },
        (error: unknown) => {
          if (!isAborted(error)) {
            setFound({ failed: error instanceof Error ? error.message : String(error) });
            setBusy(false);
          }
        },
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [wanted, transport, run, part]);

  const hits = found !== null && 'answer' in found ? ordered(found.answer.hits) : [];
  const goTo = (hit: SearchHit) => {
    const { page } = KINDS[hit.kind];
    if (has(page)) {
      go(page, targetOf(hit));
    } else if (hit.file !== null && hit.line !== null) {
      open({ file: hit.file, line: hit.line });
    }
    onClose();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    const hit = hits[chosen];
    if (event.key === 'Escape') {
      event.preventDefault();
      onClose();
    } else if (by !== 0 && hits.length > 0) {
      event.preventDefault();
      setChosen((chosen + by + hits.length) % hits.length);
    } else if (event.key === 'Enter' && hit) {
      event.preventDefault();
      goTo(hit);
    } else if (event.key === 'Tab') {
      // Nothing else here takes the focus.
      event.preventDefault();
    }
  };
  const state =
    wanted === ''
      ? 'Type a part of a name: of an operator, a kernel, a module, a function or a file.'
      : found === null
        ? 'Searching…'
        : 'failed' in found
          ? found.failed
          : hits.length === 0
            ? `Nothing in this run is called “${wanted}”.`
            : found.answer.more > 0
              ? `The ${hits.length} dearest; ${found.answer.more} more are called so`
              : `${hits.length} found`;

  return (
    <div class="overlay" onClick={(event) => event.target === event.currentTarget && onClose()}>
      <div class="search" role="dialog" aria-label="Search" aria-modal="true" onKeyDown={onKeyDown}>
        <div class="filter">
          <Icon name={busy ? 'loading' : 'search'} spin={busy} />
          <input
            ref={input}
            type="text"
            role="combobox"
            aria-label="Search the run"
            aria-expanded={hits.length > 0}
            aria-controls={`${id}-hits`}
            aria-activedescendant={hits.length > 0 ? `${id}-${chosen}` : undefined}
            placeholder="Search operators, kernels, modules and lines"
            spellcheck={false}
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </div>
        <ul id={`${id}-hits`} role="listbox" aria-label="Hits">
          {hits.map((hit, index) => (
            <li
              key={`${hit.kind} ${hit.name} ${hit.file ?? ''} ${hit.line ?? ''}`}
              id={`${id}-${index}`}
              ref={(element) => {
                if (index === chosen) {
                  element?.scrollIntoView({ block: 'nearest' });
                }
              }}
              role="option"
              aria-selected={index === chosen}
              onClick={() => goTo(hit)}
            >
              <Icon name={KINDS[hit.kind].icon} />
              <span class="name" title={hit.name}>
                {hit.name}
              </span>
              <span class="quiet where">{hit.detail === '' ? hit.kind : hit.detail}</span>
              <span class="amount">{timeUs(hit.us)}</span>
            </li>
          ))}
        </ul>
        <p class="quiet" role="status">
          {state}
        </p>
      </div>
    </div>
  );
}

/** By kind, within each as the server ranks them. */
function ordered(hits: readonly SearchHit[]): SearchHit[] {
  return (Object.keys(KINDS) as SearchHit['kind'][]).flatMap((kind) => hits.filter((hit) => hit.kind === kind));
}

function targetOf(hit: SearchHit): Target {
  switch (hit.kind) {
    case 'operator':
      return { operator: hit.name };
    case 'kernel':
      return { kernel: hit.name };
    case 'module':
      return { module: hit.name };
    case 'line':
      return hit.file !== null && hit.line !== null ? { line: { file: hit.file, line: hit.line } } : {};
  }
}
