/**
 * How a page asks its host: one interface, whatever the host is. In VS Code it is messages to the extension.
 */
import type { EventMessage, FromPage, PageEvents, PageRequests, ToPage } from '../../views/messages';

export interface Transport {
  ask<M extends keyof PageRequests>(method: M, params: PageRequests[M]['params']): Promise<PageRequests[M]['result']>;
  /** Calls back for each event; returns what ends that. */
  on<E extends keyof PageEvents>(event: E, listener: (data: PageEvents[E]) => void): () => void;
  /** What `save` kept before the page was closed or hidden. */
  restore(): unknown;
  save(state: unknown): void;
}

interface VsCodeApi {
  postMessage(message: FromPage): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare function acquireVsCodeApi(): VsCodeApi;

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

export function vscodeTransport(): Transport {
  const api = acquireVsCodeApi();
  const waiting = new Map<number, Waiting>();
  const listeners = new Map<string, Set<(data: unknown) => void>>();
  let last = 0;
  let ready = false;

  window.addEventListener('message', ({ data }: MessageEvent<ToPage>) => {
    if (data.kind === 'event') {
      emit(data);
      return;
    }
    const asked = waiting.get(data.id);
    waiting.delete(data.id);
    if ('error' in data) {
      asked?.reject(new Error(data.error));
    } else {
      asked?.resolve(data.result);
    }
  });

  function emit({ event, data }: EventMessage): void {
    for (const listener of listeners.get(event) ?? []) {
      listener(data);
    }
  }

  return {
    ask: async (method, params) =>
      await new Promise((resolve, reject) => {
        const id = ++last;
        // SAFETY: the host answers each method with the result that PageRequests gives it.
        waiting.set(id, { resolve: resolve as (result: unknown) => void, reject });
        api.postMessage({ kind: 'request', id, method, params });
      }),
    on: (event, listener) => {
      const all = listeners.get(event) ?? new Set();
      listeners.set(event, all);
      // SAFETY: `emit` gives each event the data that PageEvents gives it.
      all.add(listener as (data: unknown) => void);
      if (!ready) {
        ready = true;
        // Events may come from now on; listeners that are added in the same task get them too.
        queueMicrotask(() => api.postMessage({ kind: 'ready' }));
      }
      return () => all.delete(listener as (data: unknown) => void);
    },
    restore: () => api.getState(),
    save: (state) => api.setState(state),
  };
}
