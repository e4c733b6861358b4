/**
 * A Surface on an element of a component: drawn anew whenever the component is, with what it draws then.
 */
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { followGestures } from './gestures';
import type { Gestures } from './gestures';
import { Surface } from './surface';
import type { Layers } from './surface';

export function useSurface(element: RefObject<HTMLElement | null>, layers: Layers, gestures: Gestures): RefObject<Surface | null> {
  const surface = useRef<Surface | null>(null);
  const latest = useRef({ layers, gestures });
  latest.current = { layers, gestures };

  useLayoutEffect(() => {
    surface.current?.set(layers);
  });
  useEffect(() => {
    const target = element.current;
    if (!target) {
      return undefined;
    }
    const made = new Surface(target, latest.current.layers);
    surface.current = made;
    const stop = followGestures(target, {
      pan: (dx, dy) => latest.current.gestures.pan(dx, dy),
      zoom: (factor, x) => latest.current.gestures.zoom(factor, x),
      hover: (point) => latest.current.gestures.hover(point),
      click: (point, event) => latest.current.gestures.click(point, event),
      doubleClick: (point) => latest.current.gestures.doubleClick(point),
      selects: (point, event) => latest.current.gestures.selects?.(point, event) ?? false,
      range: (from, to, done) => latest.current.gestures.range?.(from, to, done),
    });
    return () => {
      stop();
      made.dispose();
      surface.current = null;
    };
  }, [element]);
  return surface;
}
