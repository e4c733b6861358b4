/**
 * Keys of a page with a canvas, wherever on it the focus is: `/` for its search, `?` for its help.
 */
import { useEffect, useRef } from 'preact/hooks';
import { isTyping } from '../keys';
import { usePagePlace } from '../session';

export function usePageKeys(keys: Readonly<Record<string, () => void>>): void {
  const { shown } = usePagePlace();
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    if (!shown) {
      return undefined;
    }
    const onKey = (event: KeyboardEvent) => {
      const act =
        event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(event) ? undefined : latest.current[event.key];
      if (act) {
        event.preventDefault();
        act();
      }
    };
    // Before the app's own keys, which are the window's.
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [shown]);
}
