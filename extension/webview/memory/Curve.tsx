/**
 * The chart of a device's memory over time. A drag, or Shift with the arrows, marks a range that all pages then show; a click on a layer shows its owner
 * at the peak. Below it is what is pointed at in numbers, or else the peak; behind it stands a table for screen readers.
 */
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { sizeBytes, timeUs } from '../../format';
import '../shared/canvas/canvas.css';
import { Surface } from '../shared/canvas/surface';
import { PlaceLink } from '../shared/PlaceLink';
import { drawChart, drawPointed, peakOf, valueAt } from './draw';
import type { Chart } from './draw';
import { BEFORE, lastAt, layerAt, rangeOf, REST, toldMoments } from './layers';
import type { Layer } from './layers';

interface Props extends Chart {
  readonly label: string;
  readonly onRange: (range_us: readonly [number, number]) => void;
  /** Back to all of the recording; null where all of it is shown. */
  readonly onWhole: (() => void) | null;
  /** An owner was clicked. */
  readonly onPick: (layer: string) => void;
}

interface Cursor {
  readonly at: number;
  readonly layer: string | null;
}

/** A press that moves less is a click. */
const CLICK_PX = 4;
/** Keys go through at most so many moments. */
const KEY_STEPS = 300;

export function Curve(props: Props) {
  const { device, layers, span, shown, label, onRange, onWhole, onPick } = props;
  const chart: Chart = { device, layers, span, shown };
  const element = useRef<HTMLDivElement>(null);
  const surface = useRef<Surface | null>(null);
  const [cursor, setCursor] = useState<Cursor | null>(null);
  const [mark, setMark] = useState<readonly [number, number] | null>(null);
  const [lit, setLit] = useState<string | null>(null);
  const press = useRef<{ readonly x: number; readonly at: number } | null>(null);
  const described = useId();
  const pictures = {
    below: (paint: Parameters<typeof drawChart>[0]) => drawChart(paint, chart, lit),
    above: (paint: Parameters<typeof drawPointed>[0]) =>
      drawPointed(paint, chart, { at: cursor?.at ?? null, layer: cursor?.layer ?? null, mark }),
  };

  useEffect(() => {
    if (!element.current) {
      return undefined;
    }
    const made = new Surface(element.current, pictures);
    surface.current = made;
    return () => made.dispose();
  }, []);
  useLayoutEffect(() => surface.current?.set(pictures));
  // What was pointed at is of another picture.
  useEffect(() => {
    setCursor(null);
    setMark(null);
  }, [span.start, span.end, device.device]);

  const times = device.stack?.at_us ?? device.curve.at_us;
  const pointAt = (event: MouseEvent) => {
    const box = element.current?.getBoundingClientRect();
    return box === undefined
      ? { at: span.start, bytes: 0 }
      : valueAt(chart, box.width, box.height, event.clientX - box.left, event.clientY - box.top);
  };
  const point = (event: MouseEvent): Cursor => {
    const { at, bytes } = pointAt(event);
    return { at, layer: layerAt(layers, lastAt(device.stack?.at_us ?? [], at), bytes)?.key ?? null };
  };

  const onPointerDown = (event: PointerEvent) => {
    if (event.button === 0) {
      element.current?.setPointerCapture(event.pointerId);
      press.current = { x: event.clientX, at: pointAt(event).at };
    }
  };
  const onPointerMove = (event: PointerEvent) => {
    const now = point(event);
    setCursor(now);
    if (press.current !== null) {
      setMark(Math.abs(event.clientX - press.current.x) < CLICK_PX ? null : [press.current.at, now.at]);
    }
  };
  const onPointerUp = (event: PointerEvent) => {
    const from = press.current;
    press.current = null;
    if (from === null) {
      return;
    }
    const now = point(event);
    const range = Math.abs(event.clientX - from.x) < CLICK_PX ? null : rangeOf(from.at, now.at, span);
    setMark(null);
    if (range !== null) {
      onRange(range);
    } else if (now.layer !== null) {
      onPick(now.layer);
    }
  };
  const give = () => {
    press.current = null;
    setMark(null);
  };

  const moveTo = (at: number, marking: boolean) => {
    const from = cursor?.at ?? peakOf(chart)?.at ?? span.start;
    setMark(marking ? [mark?.[0] ?? from, at] : null);
    setCursor({ at, layer: cursor?.layer ?? null });
  };
  const along = (by: number, marking: boolean) => {
    const at = cursor?.at ?? peakOf(chart)?.at ?? span.start;
    const every = Math.max(1, Math.ceil(times.length / KEY_STEPS)) * by;
    const index = lastAt(times, at) + every;
    moveTo(index < 0 ? span.start : index >= times.length ? span.end : (times[index] ?? at), marking);
  };
  const across = (by: number) => {
    const at = cursor?.at ?? peakOf(chart)?.at ?? span.start;
    const moment = lastAt(device.stack?.at_us ?? [], at);
    const there = layers.filter(({ bytes }) => (bytes[moment] ?? 0) > 0);
    const now = there.findIndex(({ key }) => key === cursor?.layer);
    const to = there[now < 0 ? (by > 0 ? 0 : there.length - 1) : Math.min(there.length - 1, Math.max(0, now + by))];
    setCursor({ at, layer: to?.key ?? null });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    const keys: Readonly<Record<string, () => void>> = {
      ArrowLeft: () => along(-1, event.shiftKey),
      ArrowRight: () => along(1, event.shiftKey),
      PageUp: () => along(-20, event.shiftKey),
      PageDown: () => along(20, event.shiftKey),
      Home: () => moveTo(span.start, event.shiftKey),
      End: () => moveTo(span.end, event.shiftKey),
      ArrowUp: () => across(1),
      ArrowDown: () => across(-1),
      Enter: () => {
        const range = mark === null ? null : rangeOf(mark[0], mark[1], span);
        if (range !== null) {
          setMark(null);
          onRange(range);
        } else if (cursor !== null && cursor.layer !== null) {
          onPick(cursor.layer);
        }
      },
      Escape: () => {
        if (mark === null && cursor === null) {
          onWhole?.();
        }
        setMark(null);
        setCursor(null);
      },
    };
    const action = keys[event.key];
    if (action) {
      event.preventDefault();
      action();
    }
  };

  const at = cursor?.at ?? peakOf(chart)?.at ?? null;
  return (
    <div class="curve">
      <div
        ref={element}
        class="canvas"
        role="application"
        tabIndex={0}
        aria-label={label}
        aria-describedby={described}
        onPointerDown={onPointerDown}
        onPointerMove={onPointerMove}
        onPointerUp={onPointerUp}
        onPointerCancel={give}
        onPointerLeave={() => {
          if (press.current === null) {
            setCursor(null);
          }
        }}
        onKeyDown={onKeyDown}
        onBlur={() => {
          setCursor(null);
          setMark(null);
        }}
      />
      <p id={described} class="hidden">
        Left and right arrows go through time, up and down through the owners. With Shift they mark a range, Enter selects it. Enter on an
        owner shows it at the peak. Escape goes back.
      </p>
      <p class="told" aria-live="polite">
        {at === null ? null : <Told chart={chart} at={at} cursor={cursor} mark={mark} />}
      </p>
      <Layers chart={chart} at={at} lit={lit ?? cursor?.layer ?? null} onLit={setLit} onPick={onPick} />
      <Heard chart={chart} label={label} />
    </div>
  );
}

interface ToldProps {
  readonly chart: Chart;
  readonly at: number;
  readonly cursor: Cursor | null;
  readonly mark: readonly [number, number] | null;
}

function Told({ chart: { device, layers, span }, at, cursor, mark }: ToldProps) {
  if (mark !== null) {
    const [from, to] = [Math.min(...mark), Math.max(...mark)];
    return (
      <>
        <strong>
          {timeUs(from)} – {timeUs(to)}
        </strong>
        <span>{timeUs(to - from)}: let go, or press Enter, to look at this range alone on all pages</span>
      </>
    );
  }
  const { curve, stack } = device;
  const index = lastAt(curve.at_us, at);
  const moment = lastAt(stack?.at_us ?? [], at);
  const layer = layers.find(({ key }) => key === cursor?.layer);
  const reserved = curve.reserved_bytes[index];
  return (
    <>
      <strong>{cursor === null ? `At the peak, ${timeUs(at)}` : timeUs(Math.max(span.start, at))}</strong>
      <span>{index < 0 ? 'no event yet' : `allocated ${sizeBytes(curve.allocated_bytes[index] ?? 0)}`}</span>
      {reserved === undefined ? null : <span>reserved {sizeBytes(reserved)}</span>}
      {layer === undefined || moment < 0 ? null : (
        <span>
          {layer.name} {sizeBytes(layer.bytes[moment] ?? 0)}
        </span>
      )}
    </>
  );
}

interface LayersProps {
  readonly chart: Chart;
  readonly at: number | null;
  readonly lit: string | null;
  readonly onLit: (key: string | null) => void;
  readonly onPick: (key: string) => void;
}

/** Names, colours and sizes of the layers, from the top as they lie. */
function Layers({ chart, at, lit, onLit, onPick }: LayersProps) {
  const { device, layers, shown } = chart;
  const moment = at === null ? -1 : lastAt(device.stack?.at_us ?? [], at);
  const lines = shown.before || device.stack === null;
  return (
    <ul class="layers" aria-label="What the chart shows">
      {[...layers].reverse().map((layer) => (
        <li
          key={layer.key}
          class={lit === layer.key ? 'lit' : undefined}
          onPointerEnter={() => onLit(layer.key)}
          onPointerLeave={() => onLit(null)}
        >
          <span class={swatchClass(layer)} aria-hidden="true" />
          {layer.place !== null ? (
            <PlaceLink place={layer.place}>{layer.name}</PlaceLink>
          ) : layer.key === REST || layer.key === BEFORE ? (
            <span>{layer.name}</span>
          ) : (
            <button type="button" class="link" title="Show it at the peak" onClick={() => onPick(layer.key)}>
              {layer.name}
            </button>
          )}
          <span class="amount">{moment < 0 ? '' : sizeBytes(layer.bytes[moment] ?? 0)}</span>
        </li>
      ))}
      {lines ? (
        <li>
          <span class="line-mark" aria-hidden="true" /> Allocated
        </li>
      ) : null}
      {lines && shown.reserved && device.curve.reserved_bytes.length > 0 ? (
        <li>
          <span class="line-mark dashed" aria-hidden="true" /> Reserved
        </li>
      ) : null}
    </ul>
  );
}

function swatchClass({ key, tone }: Layer): string {
  return `swatch series-${tone.series + 1}${key === BEFORE ? ' before' : ''}`;
}

/** Some moments of the chart as a table, the peak among them. */
function Heard({ chart, label }: { readonly chart: Chart; readonly label: string }) {
  const { curve, stack } = chart.device;
  const times = stack?.at_us ?? curve.at_us;
  const peak = peakOf(chart);
  return (
    <table class="hidden">
      <caption>{label}: some of its moments</caption>
      <thead>
        <tr>
          <th scope="col">Time</th>
          <th scope="col">Allocated</th>
          {curve.reserved_bytes.length > 0 ? <th scope="col">Reserved</th> : null}
          {chart.layers.map(({ key, name }) => (
            <th key={key} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {toldMoments(times.length, peak === null ? -1 : lastAt(times, peak.at)).map((moment) => {
          const at = times[moment] ?? 0;
          const index = lastAt(curve.at_us, at);
          return (
            <tr key={moment}>
              <th scope="row">{timeUs(at)}</th>
              <td>{sizeBytes(curve.allocated_bytes[index] ?? 0)}</td>
              {curve.reserved_bytes.length > 0 ? <td>{sizeBytes(curve.reserved_bytes[index] ?? 0)}</td> : null}
              {chart.layers.map(({ key, bytes }) => (
                <td key={key}>{sizeBytes(bytes[moment] ?? 0)}</td>
              ))}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
