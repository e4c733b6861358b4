/**
 * A way to another page, where that is there.
 */
import type { PageId } from '../../views/messages';
import { Icon } from '../shared/Icon';
import { useSession } from '../shared/session';

const WORDS: Readonly<Partial<Record<PageId, string>>> = {
  lines: 'See the dearest lines',
  operators: 'See operators',
  kernels: 'See kernels',
  timeline: 'See the timeline',
  memory: 'See memory',
  distributed: 'See ranks and communication',
  idle: 'See idle time and waits',
};

export function PageLink({ page }: { readonly page: PageId }) {
  const { go, has } = useSession();
  const words = WORDS[page];
  return words === undefined || !has(page) ? null : (
    <button type="button" class="link" onClick={() => go(page)}>
      <Icon name="arrow-right" /> {words}
    </button>
  );
}
