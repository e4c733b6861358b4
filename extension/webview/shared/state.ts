/**
 * What a reader chose on each page: kept over reloads, while other pages are shown, and in links.
 */
import { createContext } from 'preact';
import { useCallback, useContext, useEffect, useRef, useState } from 'preact/hooks';
import type { AppState, PageId } from '../../views/messages';

/** The states of all pages. Pages write them, the shell saves them; a link that is followed replaces some. */
export class PageStates {
  private states: AppState['pages'];
  private readonly replaced = new Set<(page: PageId) => void>();
  /** Called when a page's state is another. */
  onChange: () => void = () => undefined;

  constructor(states: AppState['pages'] = {}) {
    this.states = states;
  }

  get all(): AppState['pages'] {
    return this.states;
  }

  set(page: PageId, state: unknown): void {
    this.states = { ...this.states, [page]: state };
    this.onChange();
  }

  /** Puts in what a link says. */
  replace(states: AppState['pages']): void {
    this.states = { ...this.states, ...states };
    for (const page of Object.keys(states) as PageId[]) {
      for (const listener of this.replaced) {
        listener(page);
      }
    }
  }

  onReplace(listener: (page: PageId) => void): () => void {
    this.replaced.add(listener);
    return () => this.replaced.delete(listener);
  }
}

export const PageStatesContext = createContext(new PageStates());

/** Changes parts of a state; a function gets the state as it is then. */
export type Change<T> = (patch: Partial<T> | ((now: T) => Partial<T>)) => void;

/**
 * The state of a page, and what changes parts of it. `restore` makes a state of whatever was saved: perhaps by another version of the page, so each
 * field is to be checked. One call for each page: use one object for all that the page keeps.
 */
export function usePageState<T extends object>(page: PageId, initial: T, restore: (saved: object) => T): readonly [T, Change<T>] {
  const states = useContext(PageStatesContext);
  const restored = useRef(restore);
  restored.current = restore;
  const read = () => {
    const saved = states.all[page];
    return typeof saved === 'object' && saved !== null ? restored.current(saved) : initial;
  };
  const [state, setState] = useState(read);
  useEffect(
    () =>
      states.onReplace((replaced) => {
        if (replaced === page) {
          setState(read());
        }
      }),
    [states, page],
  );
  useEffect(() => {
    if (state !== initial) {
      states.set(page, state);
    }
  }, [states, page, state]);
  const change = useCallback<Change<T>>(
    (patch) => setState((now) => ({ ...now, ...(typeof patch === 'function' ? patch(now) : patch) })),
    [],
  );
  return [state, change];
}
