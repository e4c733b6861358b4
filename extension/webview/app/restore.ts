/**
 * What the app kept, as far as it is of the present shape: another version may have saved it.
 */
import type { AppState, PageId } from '../../views/messages';

/** `first`: the page that is shown where nothing else is said. */
export function restoreApp(saved: unknown, isPage: (id: string) => id is PageId, first: PageId): AppState {
  if (typeof saved !== 'object' || saved === null) {
    return { run: null, page: first, pages: {} };
  }
  // SAFETY: each field is checked before it is used; the part comes from a link, whose parts are checked.
  const raw = saved as { [K in keyof AppState]?: unknown };
  const part = raw.part as AppState['part'];
  return {
    run: typeof raw.run === 'string' && raw.run !== '' ? raw.run : null,
    page: typeof raw.page === 'string' && isPage(raw.page) ? raw.page : first,
    pages: typeof raw.pages === 'object' && raw.pages !== null ? raw.pages : {},
    ...(part === undefined ? {} : { part }),
  };
}
