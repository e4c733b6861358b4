/**
 * The transport in a plain browser: HTTP on this machine. Requests are posted to /api/ask, events come from /api/events; both need the token that the
 * address had when it was opened. What the app shows is in the address, so it can be kept and sent; all pages' states are kept in the tab.
 */
import type { AppState, PageId, PageRequests, ToldMethod } from '../../views/messages';
import { linkHash, parseLink, withLink } from './link';
import { WHOLE } from './part';
import { aborted, isAborted, Listeners } from './transport';
import type { Transport } from './transport';

const TOKEN = 'kinetoscope.token';
const STATE = 'kinetoscope.state';

/** Browsers let an address be changed only so often. */
const ADDRESS_PAUSE_MS = 250;

const TOLD = [
  'kinetoscope/runs/changed',
  'kinetoscope/lines/changed',
  'kinetoscope/read/progress',
  'kinetoscope/part/changed',
] as const satisfies readonly ToldMethod[];

type Ours = {
  readonly [M in keyof PageRequests as M extends `host/${string}` ? M : never]: (params: PageRequests[M]['params']) => unknown;
};

export function httpTransport(isPage: (id: string) => id is PageId): Transport {
  const token = takeToken();
  const listeners = new Listeners();
  let events: EventSource | null = null;
  let saved = kept();
  let timer: ReturnType<typeof setTimeout> | undefined;

  const ask = async (method: string, params: unknown, signal?: AbortSignal): Promise<unknown> => {
    let response: Response;
    try {
      response = await fetch('api/ask', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'X-Kinetoscope-Token': token },
        body: JSON.stringify({ method, params }),
        ...(signal === undefined ? {} : { signal }),
      });
    } catch (error) {
      throw isAborted(error)
        ? aborted()
        : new Error('The server does not answer. Run `kinetoscope view` again and open the address that it prints.');
    }
    const answer = await readAnswer(response);
    if ('error' in answer) {
      throw new Error(String(answer.error));
    }
    return answer.result;
  };

  const ours: Ours = {
    'host/open': (line) => listeners.emit('source-opened', line),
    'host/copy': async ({ text }) => await navigator.clipboard.writeText(text),
    'host/run': async ({ command }) => {
      if (command === 'cancel-reading') {
        await ask('kinetoscope/runs/cancel_reading', { run: saved?.run ?? null });
      }
    },
    'host/show-run': ({ run }) => listeners.emit('run-bound', { run }),
    'host/baseline': () => undefined, // Here is no editor.
    'host/title': ({ title }) => {
      document.title = `${title} – Kinetoscope`;
    },
  };

  const listen = () => {
    events = new EventSource(`api/events?token=${encodeURIComponent(token)}`);
    let opened = false;
    events.onopen = () => {
      // What was told while the connection was cut is lost: the runs are asked for anew.
      if (opened) {
        listeners.emit('kinetoscope/runs/changed', { active: null, arrived: null });
      }
      opened = true;
    };
    events.onmessage = ({ data }: MessageEvent<string>) => {
      const { event, data: params } = JSON.parse(data) as { event: ToldMethod; data: unknown };
      if (TOLD.includes(event)) {
        listeners.emit(event, params);
      }
    };
    window.addEventListener('hashchange', () => {
      const link = parseLink(location.hash, isPage);
      if (link !== null) {
        saved = withLink(saved, link);
        listeners.emit('link-followed', saved);
      }
    });
  };

  return {
    editor: false,
    // SAFETY: the server, and `ours`, answer each method with the result that PageRequests gives it.
    ask: async <M extends keyof PageRequests>(method: M, params: PageRequests[M]['params'], signal?: AbortSignal) => {
      const own = Object.hasOwn(ours, method) ? (ours[method as keyof Ours] as (params: unknown) => unknown) : null;
      return (own === null ? await ask(method, params, signal) : ((await own(params)) ?? {})) as PageRequests[M]['result'];
    },
    on: (event, listener) => {
      if (events === null) {
        listen();
      }
      return listeners.on(event, listener);
    },
    restore: () => {
      const link = parseLink(location.hash, isPage);
      saved = link === null ? saved : withLink(saved, link);
      return saved ?? undefined;
    },
    save: (state) => {
      const before = saved?.page ?? state.page;
      saved = state;
      sessionStorage.setItem(STATE, JSON.stringify(state));
      clearTimeout(timer);
      // Back and forward go from page to page, not through every choice on one.
      if (state.page !== before) {
        history.pushState(null, '', hashOf(state));
      } else {
        timer = setTimeout(() => history.replaceState(null, '', hashOf(state)), ADDRESS_PAUSE_MS);
      }
    },
  };
}

function hashOf({ page, run, part, pages }: AppState): string {
  return linkHash({ page, run, part: part ?? WHOLE, state: pages[page] });
}

/** The token is in the address only until the app has it: addresses get kept and sent. */
function takeToken(): string {
  const found = /^#token=([\w.~-]+)&?(.*)$/.exec(location.hash);
  if (found) {
    const [, token = '', rest = ''] = found;
    sessionStorage.setItem(TOKEN, token);
    history.replaceState(null, '', rest === '' ? location.pathname + location.search : `#${rest}`);
    return token;
  }
  return sessionStorage.getItem(TOKEN) ?? '';
}

function kept(): AppState | null {
  try {
    return JSON.parse(sessionStorage.getItem(STATE) ?? 'null') as AppState | null;
  } catch {
    return null;
  }
}

async function readAnswer(response: Response): Promise<{ readonly result: unknown } | { readonly error: unknown }> {
  try {
    const answer: unknown = await response.json();
    if (typeof answer === 'object' && answer !== null && ('result' in answer || 'error' in answer)) {
      return answer;
    }
  } catch (error) {
    if (isAborted(error)) {
      throw error;
    }
    // Not JSON: said below.
  }
  return { error: `The server answered with status ${response.status} and nothing that can be understood.` };
}
