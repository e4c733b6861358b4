/**
 * Where what had the focus goes away, a closed panel or a button of a track that is hidden, the canvas has it: the keyboard goes on there,
 * instead of at the beginning of the page.
 */
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';

/** Of what is inside `root`; `heir` gets the focus. Looks whenever the component has been drawn anew. */
export function useKeptFocus(root: RefObject<HTMLElement | null>, heir: () => HTMLElement | null | undefined): void {
  const last = useRef<Element | null>(null);
  useEffect(() => {
    const inside = root.current;
    const onFocus = ({ target }: FocusEvent) => {
      last.current = target instanceof Element ? target : null;
    };
    const onLeave = ({ relatedTarget }: FocusEvent) => {
      if (relatedTarget !== null) {
        last.current = null;
      }
    };
    inside?.addEventListener('focusout', onLeave);
    inside?.addEventListener('focusin', onFocus);
    return () => {
      inside?.removeEventListener('focusout', onLeave);
      inside?.removeEventListener('focusin', onFocus);
    };
  }, []);
  useLayoutEffect(() => {
    if (last.current?.isConnected === false) {
      last.current = null;
      if (document.activeElement === document.body) {
        heir()?.focus();
      }
    }
  });
}
