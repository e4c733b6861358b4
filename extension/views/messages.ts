/**
 * What the pages and their host say to each other: types only, imported by both sides. Requests and notifications of the server keep the server's
 * names and types; the host passes them on. In a plain browser the host is a small HTTP server that answers the same.
 */
import type { Notifications, Part, Requests } from '../server/wire';
import type { PassedMethod } from './methods';

/** All pages there may be; those that are built are in webview/app/pages.ts. */
export type PageId =
  'overview' | 'lines' | 'operators' | 'kernels' | 'timeline' | 'flame' | 'memory' | 'modules' | 'distributed' | 'idle' | 'compare';

/** The server's requests that a page may ask. */
export type ServerMethod = PassedMethod | 'kinetoscope/runs/list' | 'kinetoscope/compare';

/** A line as profiled. */
export interface SourceLine {
  readonly file: string;
  readonly line: number;
}

/** What a page is asked to show when one goes there: whichever of these is known. */
export interface Target {
  readonly line?: SourceLine;
  /** Names as the views have them. */
  readonly operator?: string;
  readonly kernel?: string;
  readonly module?: string;
  /** Path of the run to compare with. */
  readonly baseline?: string;
  /** Microseconds since the recording's start: for the timeline to look at, not a selection. */
  readonly range_us?: readonly [number, number];
}

type Done = Readonly<Record<string, never>>;

export type PageRequests = Pick<Requests, ServerMethod> & {
  /** Opens a profiled line: in the editor, or in the app's own source pane. */
  readonly 'host/open': { readonly params: SourceLine; readonly result: Done };
  /** Puts text on the clipboard; `what` is for the confirmation, e.g. `12 lines as Markdown`. */
  readonly 'host/copy': { readonly params: { readonly text: string; readonly what: string }; readonly result: Done };
  /** Runs one of the commands that a page may run. */
  readonly 'host/run': { readonly params: { readonly command: PageCommand }; readonly result: Done };
  /** Shows another run of the list: where the app follows the active run it becomes that, else it is opened in its own place. */
  readonly 'host/show-run': { readonly params: { readonly run: string }; readonly result: Done };
  /** Makes a run of the list the baseline of the numbers in the editor; null: there is to be none. */
  readonly 'host/baseline': { readonly params: { readonly run: string | null }; readonly result: Done };
  /** What the app shows now, for the title of its panel or window. */
  readonly 'host/title': { readonly params: { readonly title: string }; readonly result: Done };
};

export type PageCommand = 'profile' | 'show-log' | 'cancel-reading' | 'show-in-editor';

type Told = Pick<Notifications, ToldMethod>;
export type ToldMethod =
  'kinetoscope/runs/changed' | 'kinetoscope/lines/changed' | 'kinetoscope/read/progress' | 'kinetoscope/part/changed';

export interface PageEvents extends Told {
  /** Go to this page, and show the target there. */
  readonly show: { readonly page: PageId; readonly target: Target | null };
  /** A link was followed: the app is to be as it says. */
  readonly 'link-followed': AppState;
  /** Show this source: where the host has no editor, the app has its own pane for it. */
  readonly 'source-opened': SourceLine;
  /** The app is to show this run, whatever run is active. */
  readonly 'run-bound': { readonly run: string };
}

export interface RequestMessage<M extends keyof PageRequests = keyof PageRequests> {
  readonly kind: 'request';
  readonly id: number;
  readonly method: M;
  readonly params: PageRequests[M]['params'];
}

/** The answer to this request is wanted no more. */
export interface CancelMessage {
  readonly kind: 'cancel';
  readonly id: number;
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

export type FromPage = RequestMessage | CancelMessage | ReadyMessage;
export type ToPage = ReplyMessage | EventMessage;

/** What the app keeps across reloads; `run` null follows the active run. `pages`: what was chosen on each. */
export interface AppState {
  readonly run: string | null;
  readonly page: PageId;
  readonly pages: Readonly<Partial<Record<PageId, unknown>>>;
  /** What was selected, as the address of a browser says it; it is selected again. In VS Code it counts for nothing: what is selected the server knows. */
  readonly part?: Required<Part>;
}
