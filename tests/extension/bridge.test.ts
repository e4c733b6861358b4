/**
 * Messages between a page and the extension.
 */
import { expect, test } from 'vitest';
import { ProblemError } from '../../extension/problem';
import { PageBridge } from '../../extension/views/bridge';
import type { PageChannel, PageHandlers } from '../../extension/views/bridge';
import type { ToPage } from '../../extension/views/messages';
import { PASSED_METHODS } from '../../extension/views/methods';
import type { PassedMethod } from '../../extension/views/methods';
import { VIEW } from './playground/sample';

class FakePage implements PageChannel {
  readonly got: ToPage[] = [];
  private listener: (message: unknown) => void = () => undefined;

  async postMessage(message: ToPage): Promise<boolean> {
    this.got.push(message);
    return await Promise.resolve(true);
  }

  onDidReceiveMessage(listener: (message: unknown) => void): { dispose(): void } {
    this.listener = listener;
    return { dispose: () => undefined };
  }

  says(message: unknown): void {
    this.listener(message);
  }
}

const die = () => {
  throw new Error('not to be asked here');
};
const HANDLERS: PageHandlers = {
  ...(Object.fromEntries(PASSED_METHODS.map((method) => [method, die])) as unknown as Pick<PageHandlers, PassedMethod>),
  'kinetoscope/runs/list': die,
  'kinetoscope/view': async (_, signal) =>
    await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('Given up.')))),
  'kinetoscope/compare': die,
  'kinetoscope/lines/view': async () => await Promise.resolve(VIEW),
  'kinetoscope/lines/detail': async () =>
    await Promise.reject(new ProblemError({ what: 'This line has no cost.', remedy: 'Choose another.' })),
  'host/open': die,
  'host/copy': die,
  'host/run': die,
  'host/show-run': die,
  'host/baseline': die,
  'host/title': die,
};

test('a request is answered, a failure in words', async () => {
  const page = new FakePage();
  new PageBridge(page, HANDLERS);
  page.says({ kind: 'request', id: 1, method: 'kinetoscope/lines/view', params: {} });
  page.says({ kind: 'request', id: 2, method: 'kinetoscope/lines/detail', params: { file: 'a', line: 1 } });
  await expect.poll(() => page.got).toHaveLength(2);
  expect(page.got).toContainEqual({ kind: 'reply', id: 1, result: VIEW });
  expect(page.got).toContainEqual({ kind: 'reply', id: 2, error: 'This line has no cost. Choose another.' });
});

test('what is not in the list of a page’s requests is not answered', async () => {
  const page = new FakePage();
  new PageBridge(page, HANDLERS);
  for (const method of ['kinetoscope/runs/delete', 'toString', '__proto__']) {
    page.says({ kind: 'request', id: 1, method, params: {} });
  }
  page.says({ kind: 'request', id: 2, method: 'kinetoscope/lines/view', params: {} });
  await expect.poll(() => page.got).toHaveLength(1);
  expect(page.got[0]).toMatchObject({ id: 2 });
});

test('events wait until the page can take them', () => {
  const page = new FakePage();
  const bridge = new PageBridge(page, HANDLERS);
  bridge.send('show', { page: 'lines', target: null });
  expect(page.got).toEqual([]);
  page.says({ kind: 'ready' });
  bridge.send('kinetoscope/lines/changed', { uri: null });
  expect(page.got).toEqual([
    { kind: 'event', event: 'show', data: { page: 'lines', target: null } },
    { kind: 'event', event: 'kinetoscope/lines/changed', data: { uri: null } },
  ]);
});

test('an answer that a page gives up is said to be', async () => {
  const page = new FakePage();
  new PageBridge(page, HANDLERS);
  page.says({ kind: 'request', id: 1, method: 'kinetoscope/view', params: { name: 'operators' } });
  page.says({ kind: 'cancel', id: 7 });
  expect(page.got).toEqual([]);
  page.says({ kind: 'cancel', id: 1 });
  await expect.poll(() => page.got).toEqual([{ kind: 'reply', id: 1, error: 'Given up.' }]);
});

test('of a page that is closed no one waits for the answer any more, and the next page gets none of its answers', async () => {
  const page = new FakePage();
  let given = false;
  const view = async (_: unknown, signal: AbortSignal) =>
    await new Promise<never>((_resolve, reject) =>
      signal.addEventListener('abort', () => {
        given = true;
        reject(new Error('Given up.'));
      }),
    );
  const bridge = new PageBridge(page, { ...HANDLERS, 'kinetoscope/view': view });
  page.says({ kind: 'request', id: 1, method: 'kinetoscope/view', params: { name: 'operators' } });
  bridge.gone();
  page.says({ kind: 'request', id: 2, method: 'kinetoscope/lines/view', params: {} });
  await expect.poll(() => page.got).toEqual([{ kind: 'reply', id: 2, result: VIEW }]);
  expect(given).toBe(true);
});

test('a page that is gone gets the last of each event when it is there again', () => {
  const page = new FakePage();
  const bridge = new PageBridge(page, HANDLERS);
  page.says({ kind: 'ready' });
  bridge.gone();
  bridge.send('show', { page: 'lines', target: null });
  bridge.send('show', { page: 'timeline', target: null });
  expect(page.got).toEqual([]);
  page.says({ kind: 'ready' });
  expect(page.got).toEqual([{ kind: 'event', event: 'show', data: { page: 'timeline', target: null } }]);
});
