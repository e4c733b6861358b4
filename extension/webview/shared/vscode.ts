/**
 * The transport in VS Code: messages to the extension.
 */
import type { FromPage, ToPage } from '../../views/messages';
import { aborted, Listeners } from './transport';
import type { Transport } from './transport';

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
  const listeners = new Listeners();
  let last = 0;
  let ready = false;

  window.addEventListener('message', ({ data }: MessageEvent<ToPage>) => {
    if (data.kind === 'event') {
      listeners.emit(data.event, data.data);
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

  return {
    editor: true,
    ask: async (method, params, signal) =>
      await new Promise((resolve, reject) => {
        if (signal?.aborted === true) {
          reject(aborted());
          return;
        }
        const id = ++last;
        // SAFETY: the host answers each method with the result that PageRequests gives it.
        waiting.set(id, { resolve: resolve as (result: unknown) => void, reject });
        api.postMessage({ kind: 'request', id, method, params });
        signal?.addEventListener(
          'abort',
          () => {
            if (waiting.delete(id)) {
              api.postMessage({ kind: 'cancel', id });
              reject(aborted());
            }
          },
          { once: true },
        );
      }),
    on: (event, listener) => {
      if (!ready) {
        ready = true;
        // Events may come from now on; listeners that are added in the same task get them too.
        queueMicrotask(() => api.postMessage({ kind: 'ready' }));
      }
      return listeners.on(event, listener);
    },
    restore: () => api.getState(),
    save: (state) => api.setState(state),
  };
}
