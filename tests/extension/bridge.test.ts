/**
 * Messages between a page and the extension.
 */
import { expect, test } from 'vitest';
import { ProblemError } from '../../extension/problem';
import { PageBridge } from '../../extension/views/bridge';
import type { PageChannel, PageHandlers } from '../../extension/views/bridge';
import type { ToPage } from '../../extension/views/messages';
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
  'kinetoscope/lines/view': async () => await Promise.resolve(VIEW),
  'kinetoscope/lines/detail': async () =>
    await Promise.reject(new ProblemError({ what: 'This line has no cost.', remedy: 'Choose another.' })),
  'host/open': die,
  'host/copy': die,
  'host/run': die,
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
  bridge.send('show-line', { file: 'a.py', line: 3 });
  expect(page.got).toEqual([]);
  page.says({ kind: 'ready' });
  bridge.send('run-changed', {});
  expect(page.got).toEqual([
    { kind: 'event', event: 'show-line', data: { file: 'a.py', line: 3 } },
    { kind: 'event', event: 'run-changed', data: {} },
  ]);
});
