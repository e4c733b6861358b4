/**
 * The host's end of the messages with one page: answers its requests, keeps events back until the page can take them.
 */
import { asProblem, problemText } from '../problem';
import type { EventMessage, FromPage, PageEvents, PageRequests, RequestMessage, ToPage } from './messages';

/** `signal` is aborted when the page wants the answer no more, or is closed. */
export type PageHandlers = {
  readonly [M in keyof PageRequests]: (params: PageRequests[M]['params'], signal: AbortSignal) => Promise<PageRequests[M]['result']>;
};

/** The part of `vscode.Webview` that is needed. */
export interface PageChannel {
  postMessage(message: ToPage): PromiseLike<unknown>;
  onDidReceiveMessage(listener: (message: unknown) => void): { dispose(): void };
}

export class PageBridge {
  private ready = false;
  /** Of each event the last one: what came before it is over. */
  private readonly waiting = new Map<keyof PageEvents, EventMessage>();
  private readonly subscription: { dispose(): void };
  private readonly asked = new Map<number, AbortController>();

  constructor(
    private readonly channel: PageChannel,
    private readonly handlers: PageHandlers,
  ) {
    this.subscription = channel.onDidReceiveMessage((message) => this.receive(message as FromPage));
  }

  send<E extends keyof PageEvents>(event: E, data: PageEvents[E]): void {
    const message: EventMessage = { kind: 'event', event, data };
    if (this.ready) {
      void this.channel.postMessage(message);
    } else {
      this.waiting.set(event, message);
    }
  }

  /** The page is gone, as when its editor is hidden: it waits for no answer, and takes no event until it is there again. */
  gone(): void {
    this.ready = false;
    for (const controller of this.asked.values()) {
      controller.abort();
    }
    this.asked.clear();
  }

  dispose(): void {
    this.subscription.dispose();
    this.gone();
  }

  private receive(message: FromPage): void {
    if (message.kind === 'ready') {
      this.ready = true;
      for (const event of this.waiting.values()) {
        void this.channel.postMessage(event);
      }
      this.waiting.clear();
    } else if (message.kind === 'cancel') {
      this.asked.get(message.id)?.abort();
    } else if (Object.hasOwn(this.handlers, message.method)) {
      void this.answer(message);
    }
  }

  private async answer<M extends keyof PageRequests>({ id, method, params }: RequestMessage<M>): Promise<void> {
    const controller = new AbortController();
    this.asked.set(id, controller);
    const reply = async (answer: Extract<ToPage, { kind: 'reply' }>) => {
      // A page that was loaded again numbers its questions anew: an answer to the one before is not for it.
      if (this.asked.get(id) === controller) {
        this.asked.delete(id);
        await this.channel.postMessage(answer);
      }
    };
    try {
      await reply({ kind: 'reply', id, result: await this.handlers[method](params, controller.signal) });
    } catch (error) {
      await reply({ kind: 'reply', id, error: problemText({ ...asProblem(error, ''), command: undefined }).trim() });
    }
  }
}
