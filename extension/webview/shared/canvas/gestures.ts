/**
 * What fingers, mouse and wheel do on a canvas, told in px of its element: two fingers or the wheel move it, a pinch or Ctrl + wheel zooms, a
 * drag moves it or, where it begins so, selects a range; a press that doesn't move is a click.
 */

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Gestures {
  /** The content follows by this much. */
  readonly pan: (dx: number, dy: number) => void;
  /** `factor` above 1 makes larger, about `x`. */
  readonly zoom: (factor: number, x: number) => void;
  readonly hover: (point: Point | null) => void;
  /** `event.detail` says which of several quick clicks it is. */
  readonly click: (point: Point, event: MouseEvent) => void;
  readonly doubleClick: (point: Point) => void;
  /** Whether a drag that begins here selects a range. */
  readonly selects?: (point: Point, event: PointerEvent) => boolean;
  /** While a range is dragged, and once when it is done; `done` null where it was given up. */
  readonly range?: (fromX: number, toX: number, done: boolean | null) => void;
}

/** A press that moves less is a click. */
const CLICK_PX = 4;
/** Wheel steps in lines or pages, in px. */
const LINE_PX = 20;
const PAGE_PX = 400;

export function followGestures(element: HTMLElement, gestures: Gestures): () => void {
  const held = new Map<number, Point>();
  let start: Point | null = null;
  let mode: 'press' | 'pan' | 'range' | 'pinch' = 'press';

  const pointOf = (event: MouseEvent): Point => {
    const box = element.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };

  const onWheel = (event: WheelEvent) => {
    event.preventDefault();
    const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? LINE_PX : event.deltaMode === WheelEvent.DOM_DELTA_PAGE ? PAGE_PX : 1;
    const [dx, dy] = [event.deltaX * unit, event.deltaY * unit];
    if (event.ctrlKey || event.metaKey || event.altKey) {
      // A pinch comes as small steps with ctrl, a notch of a wheel as about 100 px.
      gestures.zoom(Math.exp(-Math.max(-60, Math.min(60, dy)) * 0.01), pointOf(event).x);
    } else if (event.shiftKey && dx === 0) {
      gestures.pan(-dy, 0);
    } else {
      gestures.pan(-dx, -dy);
    }
  };

  const onDown = (event: PointerEvent) => {
    if (event.button !== 0 && event.button !== 1) {
      return;
    }
    element.setPointerCapture(event.pointerId);
    const point = pointOf(event);
    held.set(event.pointerId, point);
    if (held.size === 1) {
      start = point;
      mode = event.button === 0 && gestures.selects?.(point, event) === true ? 'range' : 'press';
    } else {
      mode = 'pinch';
    }
  };

  const onMove = (event: PointerEvent) => {
    const point = pointOf(event);
    const before = held.get(event.pointerId);
    if (!before || !start) {
      gestures.hover(point);
      return;
    }
    held.set(event.pointerId, point);
    if (mode === 'pinch') {
      pinch(event.pointerId, before, point);
    } else if (mode === 'range') {
      gestures.range?.(start.x, point.x, false);
    } else if (mode === 'pan' || Math.hypot(point.x - start.x, point.y - start.y) >= CLICK_PX) {
      const from = mode === 'pan' ? before : start;
      mode = 'pan';
      gestures.hover(null);
      gestures.pan(point.x - from.x, point.y - from.y);
    }
  };

  function pinch(moved: number, before: Point, now: Point): void {
    const other = [...held].find(([id]) => id !== moved)?.[1];
    if (!other) {
      return;
    }
    const middle = (now.x + other.x) / 2;
    gestures.pan((now.x - before.x) / 2, (now.y - before.y) / 2);
    const [was, is] = [Math.abs(before.x - other.x), Math.abs(now.x - other.x)];
    if (was > 10 && is > 10) {
      gestures.zoom(is / was, middle);
    }
  }

  const onUp = (event: PointerEvent) => {
    const point = pointOf(event);
    held.delete(event.pointerId);
    if (held.size > 0 || !start) {
      return;
    }
    if (mode === 'range' && Math.abs(point.x - start.x) < CLICK_PX) {
      mode = 'press';
      gestures.range?.(start.x, point.x, null);
    } else if (mode === 'range') {
      gestures.range?.(start.x, point.x, true);
    }
    start = null;
  };

  const onCancel = (event: PointerEvent) => {
    held.delete(event.pointerId);
    if (mode === 'range' && start) {
      gestures.range?.(start.x, start.x, null);
    }
    start = null;
  };

  const onLeave = () => {
    if (held.size === 0) {
      gestures.hover(null);
    }
  };
  const onClick = (event: MouseEvent) => {
    if (mode === 'press') {
      gestures.click(pointOf(event), event);
    }
  };
  const onDouble = (event: MouseEvent) => gestures.doubleClick(pointOf(event));

  element.addEventListener('wheel', onWheel, { passive: false });
  element.addEventListener('pointerdown', onDown);
  element.addEventListener('pointermove', onMove);
  element.addEventListener('pointerup', onUp);
  element.addEventListener('pointercancel', onCancel);
  element.addEventListener('pointerleave', onLeave);
  element.addEventListener('click', onClick);
  element.addEventListener('dblclick', onDouble);
  return () => {
    element.removeEventListener('wheel', onWheel);
    element.removeEventListener('pointerdown', onDown);
    element.removeEventListener('pointermove', onMove);
    element.removeEventListener('pointerup', onUp);
    element.removeEventListener('pointercancel', onCancel);
    element.removeEventListener('pointerleave', onLeave);
    element.removeEventListener('click', onClick);
    element.removeEventListener('dblclick', onDouble);
  };
}
