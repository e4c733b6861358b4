/**
 * The focus stays where the reader works: back to what opened a part of the app that closes, and on to what is around a button that vanishes by its own
 * click.
 */
import { useEffect } from 'preact/hooks';

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

function ancestors(element: Element | null): Element[] {
  const around: Element[] = [];
  for (let at = element?.parentElement ?? null; at !== null; at = at.parentElement) {
    if (at.hasAttribute('tabindex')) {
      around.push(at);
    }
  }
  return around;
}
