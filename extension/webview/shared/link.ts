/**
 * The address of what the app shows in a plain browser: `#/operators?run=…&rank=0&step=3&state=…`. Everything in it is checked when it is read, since
 * anybody may write a link.
 */
import type { AppState, PageId } from '../../views/messages';
import type { ChosenPart } from './part';

export interface Link {
  readonly page: PageId;
  readonly run: string | null;
  readonly part: ChosenPart;
  /** What was chosen on the page; undefined where the link does not say. */
  readonly state?: unknown;
}

/** A state that is longer is left out of the address: it is kept in the tab all the same. */
const LONGEST_STATE = 4000;

export function linkHash({ page, run, part, state }: Link): string {
  const query = new URLSearchParams();
  if (run !== null) {
    query.set('run', run);
  }
  if (part.rank !== null) {
    query.set('rank', String(part.rank));
  }
  if (part.step !== null) {
    query.set('step', String(part.step));
  }
  if (part.range_us !== null) {
    query.set('range', part.range_us.join(':'));
  }
  const text = state === undefined ? '' : JSON.stringify(state);
  if (text !== '' && text.length <= LONGEST_STATE) {
    query.set('state', text);
  }
  const rest = query.toString();
  return `#/${page}${rest === '' ? '' : `?${rest}`}`;
}

/** Null where the hash is no link to a page. `isPage`: whether there is such a page. */
export function parseLink(hash: string, isPage: (id: string) => id is PageId): Link | null {
  const match = /^#\/([a-z]+)(?:\?(.*))?$/.exec(hash);
  const page = match?.[1] ?? '';
  if (!isPage(page)) {
    return null;
  }
  const query = new URLSearchParams(match?.[2] ?? '');
  const step = whole(query.get('step'));
  const state = json(query.get('state'));
  return {
    page,
    run: query.get('run'),
    part: { rank: whole(query.get('rank')), step, range_us: step === null ? range(query.get('range')) : null },
    ...(state === undefined ? {} : { state }),
  };
}

/** The app's state with what a link says. */
export function withLink(saved: AppState | null, link: Link): AppState {
  return {
    run: link.run,
    page: link.page,
    pages: { ...saved?.pages, ...(link.state === undefined ? {} : { [link.page]: link.state }) },
    part: link.part,
  };
}

function whole(text: string | null): number | null {
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : null;
}

function range(text: string | null): readonly [number, number] | null {
  const [from, to, ...more] = (text ?? '').split(':').map((part) => (part === '' ? NaN : Number(part)));
  return from !== undefined && to !== undefined && more.length === 0 && from >= 0 && to > from && to < Infinity ? [from, to] : null;
}

function json(text: string | null): unknown {
  try {
    return text === null ? undefined : (JSON.parse(text) as unknown);
  } catch {
    return undefined;
  }
}
