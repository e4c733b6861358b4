/**
 * Links to what the app shows in a plain browser: what is written can be read, and nothing else that somebody may have written does harm.
 */
import { describe, expect, test } from 'vitest';
import { linkHash, parseLink, withLink } from '../../extension/webview/shared/link';
import { WHOLE } from '../../extension/webview/shared/part';
import type { PageId } from '../../extension/views/messages';

const isPage = (id: string): id is PageId => id === 'lines' || id === 'operators';

describe('a link', () => {
  test.each([
    { page: 'lines', run: null, part: WHOLE },
    {
      page: 'operators',
      run: '/a b/run & more?',
      part: { rank: 3, step: 12, range_us: null },
      state: { filter: 'aten::mm #1', columns: {} },
    },
    { page: 'operators', run: null, part: { rank: null, step: null, range_us: [0, 1500.25] }, state: [] },
  ] as const)('that is written is read: %j', (link) => {
    expect(parseLink(linkHash(link), isPage)).toEqual(link);
  });

  test('is short where everything is as it is at first', () => {
    expect(linkHash({ page: 'lines', run: null, part: WHOLE })).toBe('#/lines');
  });

  test('has no state that is too long for an address', () => {
    const hash = linkHash({ page: 'lines', run: null, part: WHOLE, state: { filter: 'x'.repeat(5000) } });
    expect(hash).toBe('#/lines');
  });

  test.each(['', '#token=abc', '#/', '#/gone', '#/lines/more', '#/__proto__', '#lines'])(
    'is none where there is no such page: %s',
    (hash) => {
      expect(parseLink(hash, isPage)).toBeNull();
    },
  );

  test('is of the whole where its numbers are none', () => {
    for (const query of ['rank=-1&step=x', 'step=1e99', 'range=5', 'range=:', 'range=9:3', 'range=1:2:3', 'range=0:Infinity', 'state={']) {
      expect(parseLink(`#/lines?${query}`, isPage)).toEqual({ page: 'lines', run: null, part: WHOLE });
    }
  });

  test('changes the page that it is of, and leaves the others as they were', () => {
    const saved = { run: '/r', page: 'lines', pages: { lines: { per: 'run' }, operators: { filter: 'old' } } } as const;
    const link = { page: 'operators', run: null, part: { ...WHOLE, step: 3 }, state: { filter: 'new' } } as const;
    expect(withLink(saved, link)).toEqual({
      run: null,
      page: 'operators',
      pages: { lines: { per: 'run' }, operators: { filter: 'new' } },
      part: { ...WHOLE, step: 3 },
    });
  });
});
