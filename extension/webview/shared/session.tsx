/**
 * What every page has: the run and the part of it that are looked at, and ways to the source, to other pages and to the clipboard.
 */
import { createContext } from 'preact';
import type { ComponentChildren } from 'preact';
import { useContext, useEffect, useRef } from 'preact/hooks';
import type { ReadProgress, RunSummary, StepSpan } from '../../server/wire';
import type { PageCommand, PageId, SourceLine, Target } from '../../views/messages';
import type { ChosenPart } from './part';
import type { Transport } from './transport';

export interface Session {
  readonly transport: Transport;
  /** For parameters of requests: the run's path, null for the active one. */
  readonly run: string | null;
  /** The run that this is; null until it is known, and where there is none. */
  readonly summary: RunSummary | null;
  /** All runs, newest first, this one too. */
  readonly runs: readonly RunSummary[];
  /** Path of the run that the active one's numbers in the editor are compared with; null where there is none. */
  readonly baseline: string | null;
  /** Whether the editor shows this run's numbers. */
  readonly active: boolean;
  /** Ascending; empty until they are known. */
  readonly ranks: readonly number[];
  /** The steps of the rank; none where the recording marks none. */
  readonly steps: readonly StepSpan[];
  /** How long the recording is; 0 until it is known. */
  readonly recordingUs: number;
  readonly part: ChosenPart;
  /** The part as the server has it selected: answers to questions without a part are of this one. A moment behind `part` when that changes. */
  readonly selected: ChosenPart;
  /** Selects for all pages and for the numbers in the editor. A step and a range exclude each other: setting one clears the other. */
  readonly setPart: (patch: Partial<ChosenPart>) => void;
  /** Grows whenever answers that were got before are of another run or another reading of it. -1 until the part is known: ask nothing yet. */
  readonly revision: number;
  /** How far the reading of the run is; null when it is not being read. */
  readonly progress: ReadProgress | null;
  /** Jumps to a profiled line. */
  readonly open: (place: SourceLine) => void;
  /** Shows another page; with a target, what it is to show there. */
  readonly go: (page: PageId, target?: Target) => void;
  /** Whether there is such a page: offer no way to one that is not there. */
  readonly has: (page: PageId) => boolean;
  /** Puts text on the clipboard; `what` is for the confirmation, e.g. `12 operators as CSV`. */
  readonly copy: (text: string, what: string) => void;
  readonly command: (command: PageCommand) => void;
}

export const SessionContext = createContext<Session | null>(null);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === null) {
    throw new Error('a page is rendered outside the app');
  }
  return session;
}

/** What the shell tells the page inside: whether it is on the screen, and where it is to go. */
export interface PagePlace {
  readonly page: PageId;
  /** Pages that are not shown stay as they are, hidden: they ask nothing and draw nothing anew. */
  readonly shown: boolean;
  /** A new object each time the page is asked to show something. */
  readonly target: Target | null;
}

export const PagePlaceContext = createContext<PagePlace | null>(null);

export function PageFrame({ children, ...place }: PagePlace & { readonly children: ComponentChildren }) {
  return <PagePlaceContext.Provider value={place}>{children}</PagePlaceContext.Provider>;
}

export function usePagePlace(): PagePlace {
  const place = useContext(PagePlaceContext);
  if (place === null) {
    throw new Error('a page is rendered outside the app');
  }
  return place;
}

/** What pages were asked to show and have shown: a part of a page that is drawn anew does not go there again. */
const followed = new WeakSet<Target>();

/** Calls back once for each time the page is asked to show something, by a link of another page, a command of the editor or a hit of the search. */
export function useTarget(show: (target: Target) => void): void {
  const { target } = usePagePlace();
  const callback = useRef(show);
  callback.current = show;
  useEffect(() => {
    if (target !== null && !followed.has(target)) {
      followed.add(target);
      callback.current(target);
    }
  }, [target]);
}
