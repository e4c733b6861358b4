/**
 * What a page and its host say to each other: types only, imported by both sides. Requests of the server keep the server's names and types; the
 * host passes them on. A page that lives in a plain browser will have another host with the same messages.
 */
import type { ReadProgress, Requests } from '../server/wire';

/** The server's requests that a page may ask. */
export type ServerMethod = 'kinetoscope/lines/view' | 'kinetoscope/lines/detail';

/** A line as profiled. */
export interface SourceLine {
  readonly file: string;
  readonly line: number;
}

export type PageRequests = Pick<Requests, ServerMethod> & {
  /** Opens a profiled line in the editor. */
  readonly 'host/open': { readonly params: SourceLine; readonly result: Readonly<Record<string, never>> };
  /** Puts text on the clipboard; `what` is for the confirmation, e.g. `12 lines as Markdown`. */
  readonly 'host/copy': {
    readonly params: { readonly text: string; readonly what: string };
    readonly result: Readonly<Record<string, never>>;
  };
  /** Runs one of the commands that a page may run. */
  readonly 'host/run': { readonly params: { readonly command: PageCommand }; readonly result: Readonly<Record<string, never>> };
};

export type PageCommand = 'profile' | 'show-log' | 'cancel-reading' | 'show-in-editor';

export interface PageEvents {
  /** The page's run is another, or was read anew: ask again. */
  readonly 'run-changed': Readonly<Record<string, never>>;
  /** Show this line. */
  readonly 'show-line': SourceLine;
  readonly 'read-progress': ReadProgress;
  /** Whether the inline numbers are those of the page's run, where it has one of its own. */
  readonly 'active-changed': { readonly active: boolean };
}

export interface RequestMessage<M extends keyof PageRequests = keyof PageRequests> {
  readonly kind: 'request';
  readonly id: number;
  readonly method: M;
  readonly params: PageRequests[M]['params'];
}

export type ReplyMessage =
  | { readonly kind: 'reply'; readonly id: number; readonly result: unknown }
  | { readonly kind: 'reply'; readonly id: number; readonly error: string };

export interface EventMessage<E extends keyof PageEvents = keyof PageEvents> {
  readonly kind: 'event';
  readonly event: E;
  readonly data: PageEvents[E];
}

/** Sent once by a page that can take events. */
export interface ReadyMessage {
  readonly kind: 'ready';
}

export type FromPage = RequestMessage | ReadyMessage;
export type ToPage = ReplyMessage | EventMessage;

/** What a page keeps across reloads; `run` null follows the active run. */
export interface LinesPageState {
  readonly run: string | null;
  readonly view?: unknown;
}
