/**
 * How the pages ask their host: one interface, whatever the host is. In VS Code it is messages to the extension (vscode.ts), in a plain browser HTTP
 * (http.ts).
 */
import type { AppState, PageEvents, PageRequests } from '../../views/messages';

export interface Transport {
  /** Whether there is an editor beside the pages, with inline numbers and commands. */
  readonly editor: boolean;
  /** Rejects with words for the reader. When `signal` is aborted the host gives up, and the answer is an AbortError. */
  ask<M extends keyof PageRequests>(method: M, params: PageRequests[M]['params'], signal?: AbortSignal): Promise<PageRequests[M]['result']>;
  /** Calls back for each event; returns what ends that. */
  on<E extends keyof PageEvents>(event: E, listener: (data: PageEvents[E]) => void): () => void;
  /** What `save` kept before the app was closed or hidden, or what a link says. */
  restore(): unknown;
  save(state: AppState): void;
}

/** The listeners of a transport's events. */
export class Listeners {
  private readonly all = new Map<string, Set<(data: unknown) => void>>();

  on<E extends keyof PageEvents>(event: E, listener: (data: PageEvents[E]) => void): () => void {
    const some = this.all.get(event) ?? new Set();
    this.all.set(event, some);
    // SAFETY: `emit` gives each event the data that PageEvents gives it.
    some.add(listener as (data: unknown) => void);
    return () => some.delete(listener as (data: unknown) => void);
  }

  emit(event: string, data: unknown): void {
    for (const listener of [...(this.all.get(event) ?? [])]) {
      listener(data);
    }
  }
}

export function aborted(): DOMException {
  return new DOMException('The answer is wanted no more.', 'AbortError');
}

export function isAborted(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}
