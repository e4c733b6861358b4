/**
 * The focus stays where the reader works: back to what opened a part of the app that closes, and on to what is around a button that vanishes by its own
 * click.
 */
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';

/** Whether it was there and can have the focus. */
export function focusAgain(element: Element | null): boolean {
  if (!(element instanceof HTMLElement) || !element.isConnected || element.closest('[hidden]') !== null) {
    return false;
  }
  element.focus();
  return document.activeElement === element;
}

/** Nothing has the focus, or what has it is hidden. */
export function isFocusLost(): boolean {
  const active = document.activeElement;
  return active === null || active === document.body || active.closest('[hidden]') !== null;
}

/** After a click whose button is gone the focus is on the nearest part around it that can have it. */
export function useFocusKept(): void {
  useEffect(() => {
    const onClick = () => {
      const around = ancestors(document.activeElement);
      requestAnimationFrame(() => {
        if (isFocusLost()) {
          around.find(focusAgain);
        }
      });
    };
    // Before what is clicked changes.
    document.addEventListener('click', onClick, true);
    return () => document.removeEventListener('click', onClick, true);
  }, []);
}

/**
 * Where what had the focus inside `root` goes away, a closed panel or a button of what is hidden, by a key too, `heir` has it: on a page with a canvas
 * the keyboard goes on there. Looks whenever the component has been drawn anew.
 */
export function useHeirOfFocus(root: RefObject<HTMLElement | null>, heir: () => HTMLElement | null | undefined): void {
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

function ancestors(element: Element | null): Element[] {
  const around: Element[] = [];
  for (let at = element?.parentElement ?? null; at !== null; at = at.parentElement) {
    if (at.hasAttribute('tabindex')) {
      around.push(at);
    }
  }
  return around;
}
