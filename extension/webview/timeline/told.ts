/**
 * What is told of an event that is chosen or pointed at: in words for who hears the page, by arrows to what belongs to it, beside the
 * pointer.
 */
import { timeUs } from '../../format';
import type { EventDetails } from '../../server/wire';
import type { Point } from '../shared/canvas/gestures';
import { shortFile } from '../shared/PlaceLink';
import type { Spot } from './draw';
import type { Hit } from './walk';

export function spoken({ event, line }: EventDetails): string {
  const place = line ? `, ${shortFile(line.file)}:${line.line}` : '';
  return `${event.name}, ${timeUs(event.dur_us)} at ${timeUs(event.start_us)}, level ${event.row}${place}`;
}

/** An arrow for each launch and each step from forward to backward. */
export function arrowsOf({ event, links }: EventDetails): readonly { readonly from: Spot; readonly to: Spot }[] {
  return links.flatMap(({ relation, to }) => {
    switch (relation) {
      case 'launch':
      case 'forward':
        return [{ from: to, to: event }];
      case 'kernel':
      case 'backward':
        return [{ from: event, to }];
      default:
        return [];
    }
  });
}

/** Beside the pointer, inside the drawing. Set by script: it follows the pointer without drawing the page anew. */
export function showTip(tip: HTMLElement | null, hit: Hit | null, at: Point | null, inside: HTMLElement | null): void {
  if (!tip) {
    return;
  }
  tip.hidden = hit === null;
  if (hit && at && inside) {
    const events = hit.count > 1 ? `\n${hit.count} events in ${timeUs(hit.dur_us)}; this is the longest` : `\n${timeUs(hit.dur_us)}`;
    tip.textContent = hit.name + events;
    const box = inside.getBoundingClientRect();
    const left = inside.offsetLeft + Math.max(0, Math.min(at.x + 12, box.width - tip.offsetWidth - 4));
    const below = at.y + 18 + tip.offsetHeight < box.height;
    tip.style.left = `${left}px`;
    tip.style.top = `${inside.offsetTop + (below ? at.y + 18 : Math.max(0, at.y - tip.offsetHeight - 8))}px`;
  }
}
