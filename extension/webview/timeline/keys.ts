/**
 * What a key does to the timeline: walks from event to event, acts on the chosen one, leaves what is chosen, or moves the view.
 */
import { moveOf } from '../shared/canvas/keys';
import type { Key, Move } from '../shared/canvas/keys';

export type Act =
  | { readonly kind: 'walk'; readonly to: 'left' | 'right' | 'up' | 'down' }
  /** Chooses the first event that is seen. */
  | { readonly kind: 'first' }
  /** Of the chosen event: opens its source, brings it near, makes it the range; pins or folds its track. */
  | { readonly kind: 'open' | 'fit' | 'mark' | 'pin' | 'fold' }
  | { readonly kind: 'leave'; readonly what: 'event' | 'range' }
  | { readonly kind: 'move'; readonly move: Move };

export interface Standing {
  /** An event is chosen, and where it is is known. */
  readonly selected: boolean;
  readonly event: boolean;
  readonly range: boolean;
}

const ARROWS = { ArrowLeft: 'left', ArrowRight: 'right', ArrowUp: 'up', ArrowDown: 'down' } as const;
const OF_SELECTED = { f: 'fit', m: 'mark', p: 'pin', c: 'fold' } as const;

/** Null for a key that does nothing here. */
export function actOf(key: Key, { selected, event, range }: Standing): Act | null {
  if (key.ctrlKey || key.metaKey || key.altKey) {
    return null;
  }
  if (selected && !key.shiftKey && key.key in ARROWS) {
    // SAFETY: it is one of the keys.
    return { kind: 'walk', to: ARROWS[key.key as keyof typeof ARROWS] };
  }
  if (key.key === 'Enter') {
    return { kind: selected ? 'open' : 'first' };
  }
  if (selected && key.key in OF_SELECTED) {
    // SAFETY: it is one of the keys.
    return { kind: OF_SELECTED[key.key as keyof typeof OF_SELECTED] };
  }
  if (key.key === 'Escape') {
    return event || range ? { kind: 'leave', what: event ? 'event' : 'range' } : null;
  }
  const move = moveOf(key, true);
  return move && { kind: 'move', move };
}
