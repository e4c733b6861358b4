/**
 * The timeline of one rank: tracks on a canvas with their names beside it, moved, zoomed, searched and walked; below it the chosen event or the
 * sums of a range.
 */
import { useCallback, useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { timeUs } from '../../format';
import type { EventDetails, Located, Tracks } from '../../server/wire';
import type { Target } from '../../views/messages';
import type { Point } from '../shared/canvas/gestures';
import { Glide } from '../shared/canvas/glide';
import { moveOf } from '../shared/canvas/keys';
import { KeysHelp } from '../shared/canvas/KeysHelp';
import type { Surface } from '../shared/canvas/surface';
import { timeLabel } from '../shared/canvas/ticks';
import { usePageKeys } from '../shared/canvas/usePageKeys';
import { useSurface } from '../shared/canvas/useSurface';
import { fromPx, lengthOf, panned, revealing, within, zoomed } from '../shared/canvas/viewport';
import type { Limits, Span } from '../shared/canvas/viewport';
import { Icon } from '../shared/Icon';
import { shortFile } from '../shared/PlaceLink';
import { Popover } from '../shared/Popover';
import { Segments } from '../shared/Segments';
import { spanOfPart } from '../shared/part';
import { useSession, useTarget } from '../shared/session';
import { useAnswer } from '../shared/view';
import {
  bandAt,
  bandsOf,
  collapsedAtFirst,
  greatestScroll,
  isGroup,
  pinnedHeight,
  revealed,
  ROW_PX,
  RULER_PX,
  scrolledSeen,
  scrollToRow,
} from './bands';
import type { Shown, Stage } from './bands';
import type { Choices } from './choices';
import { GROUPS } from './colours';
import { drawMarks, drawTimeline, pieceAt } from './draw';
import type { Scene, Spot } from './draw';
import { EventPanel } from './EventPanel';
import { FindBox } from './FindBox';
import { KEYS } from './help';
import { RangePanel } from './RangePanel';
import type { Tiles } from './tiles';
import { TrackLabels } from './TrackLabels';
import { useTiles } from './useTiles';
import { longestSeen, VisibleTable } from './VisibleTable';
import { across, beside, hitOf } from './walk';
import type { Hit } from './walk';

interface Props {
  readonly tracks: Tracks;
  readonly choices: Choices;
  readonly change: (patch: Partial<Choices> | ((now: Choices) => Partial<Choices>)) => void;
}

/** The narrowest span that can be seen, µs. */
const LEAST_US = 0.05;
/** Nearer than this a narrow event is met. */
const SLACK_PX = 3;
/** What is seen is kept when it has been still for so long. */
const STILL_MS = 250;

/** Places that were asked for from elsewhere, one after the other. */
interface Tour {
  readonly of: string;
  readonly located: Located;
  readonly at: number;
}

export function TimelineView({ tracks, choices, change }: Props) {
  const { transport, run, part, steps, setPart, open } = useSession();
  const element = useRef<HTMLDivElement>(null);
  const labels = useRef<HTMLDivElement>(null);
  const tip = useRef<HTMLDivElement>(null);
  const find = useRef<HTMLInputElement>(null);
  const surfaceOf = useRef<Surface | null>(null);
  const described = useId();
  const tiles = useTiles(tracks, () => {
    surfaceOf.current?.redraw();
    settle();
  });
  const limits: Limits = { ...tiles.whole, least: LEAST_US };
  const shown = useMemo<Shown>(
    () => ({ collapsed: choices.collapsed ?? collapsedAtFirst(tracks.tracks), hidden: choices.hidden, pinned: choices.pinned }),
    [tracks, choices.collapsed, choices.hidden, choices.pinned],
  );
  const bands = useMemo(() => bandsOf(tracks.tracks, shown), [tracks, shown]);

  const view = useRef({
    span: choices.span ? within({ start: choices.span[0], end: choices.span[1] }, limits) : { start: limits.start, end: limits.end },
    scrollPx: 0,
    hovered: null as Hit | null,
    pointer: null as Point | null,
    dragged: null as Span | null,
  });
  const glide = useRef(new Glide());
  const [still, setStill] = useState<Span>(view.current.span);
  const [chosen, setChosen] = useState<Spot | null>(null);
  const [panel, setPanel] = useState<'event' | 'range'>(choices.event === null ? 'range' : 'event');
  const [help, setHelp] = useState(false);
  const [tour, setTour] = useState<Tour | null>(null);
  const [note, setNote] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);

  const rank = { rank: part.rank, step: null, range_us: null };
  const details = useAnswer('kinetoscope/timeline/details', choices.event === null ? null : { event: choices.event, run, part: rank });
  const known = details.state === 'ready' && details.content.event.event === choices.event ? details.content : null;
  const selected: Spot | null = known?.event ?? (choices.event === null ? null : chosen);
  const range = choices.range && { start: choices.range[0], end: choices.range[1] };
  const sums = useAnswer(
    'kinetoscope/timeline/sums',
    choices.range === null ? null : { run, part: { rank: part.rank, step: null, range_us: choices.range } },
  );

  const stage = (heightPx = element.current?.clientHeight ?? 0): Stage => {
    const whole = { bands, heightPx, scrollPx: 0 };
    return { ...whole, scrollPx: Math.min(greatestScroll(whole), Math.max(0, view.current.scrollPx)) };
  };
  const widthPx = () => Math.max(1, element.current?.clientWidth ?? 1);

  const scene = (heightPx?: number): Scene => ({
    stage: stage(heightPx),
    span: view.current.span,
    tiles,
    steps,
    part: spanOfPart(part, steps),
  });

  const keep = useRef(0);
  const saved = useRef(choices.span);
  /** When nothing moves and nothing comes any more, what is seen is kept, and told to who can't see it. */
  function settle(): void {
    clearTimeout(keep.current);
    keep.current = window.setTimeout(() => {
      const { start, end } = view.current.span;
      setStill({ start, end });
      setProblem(tiles.problem);
      const span = start <= limits.start && end >= limits.end ? null : ([start, end] as const);
      if (span?.[0] !== saved.current?.[0] || span?.[1] !== saved.current?.[1]) {
        saved.current = span;
        change({ span });
      }
    }, STILL_MS);
  }
  const show = (span: Span) => {
    view.current.span = within(span, limits);
    surfaceOf.current?.redraw();
    settle();
  };
  const scroll = (px: number) => {
    view.current.scrollPx = Math.min(greatestScroll(stage()), Math.max(0, px));
    placeLabels();
    surfaceOf.current?.redraw();
    settle();
  };
  const placeLabels = () => {
    if (labels.current) {
      labels.current.style.transform = `translateY(${-stage().scrollPx}px)`;
    }
  };
  useEffect(
    () => () => {
      clearTimeout(keep.current);
      glide.current.stop();
    },
    [],
  );

  const hitAt = ({ x, y }: Point): Hit | null => {
    const found = bandAt(stage(), y);
    if (!found || found.row < 0) {
      return null;
    }
    const { span } = view.current;
    const slack = (SLACK_PX * lengthOf(span)) / widthPx();
    const { id } = found.band.track;
    const piece = pieceAt(tiles, span, widthPx(), id, found.row, fromPx(span, widthPx(), x), slack);
    return piece && hitOf(id, found.row, piece.pieces, piece.at);
  };

  const point = (at: Point | null) => {
    view.current.pointer = at;
    const hit = at && hitAt(at);
    view.current.hovered = hit;
    element.current?.classList.toggle('pointing', hit !== null);
    element.current?.classList.toggle('ruling', at !== null && at.y < RULER_PX);
    showTip(tip.current, hit, at, element.current);
    surfaceOf.current?.redrawAbove();
  };

  /** Chooses an event; with `move`, brings it on the screen. */
  const select = (spot: (Spot & { readonly event: number }) | null, move: 'no' | 'see' | 'fit' = 'see') => {
    setChosen(spot);
    change({ event: spot?.event ?? null });
    if (!spot) {
      return;
    }
    setPanel('event');
    const opened = revealed(tracks.tracks, shown, spot.track);
    if (opened.collapsed.length !== shown.collapsed.length || opened.hidden.length !== shown.hidden.length) {
      change(opened);
    }
    if (move !== 'no') {
      reveal(spot, move, opened);
    }
  };
  const reveal = (spot: Spot, move: 'see' | 'fit', of: Shown = shown) => {
    const target = { start: spot.start_us, end: spot.start_us + spot.dur_us };
    const margin = Math.max(spot.dur_us * 0.6, LEAST_US);
    const { span } = view.current;
    // One that could hardly be seen is made wider.
    const tooNarrow = (spot.dur_us / lengthOf(span)) * widthPx() < 2;
    const room = { start: target.start - (tooNarrow ? 20 : 1) * margin, end: target.end + (tooNarrow ? 20 : 1) * margin };
    glide.current.move(span, move === 'fit' || tooNarrow ? within(room, limits) : revealing(span, target, limits), show);
    const next = { ...stage(), bands: bandsOf(tracks.tracks, of) };
    view.current.scrollPx = scrollToRow(next, spot.track, spot.row);
    placeLabels();
  };

  const setRange = (span: Span | null) => {
    change({ range: span === null ? null : [span.start, span.end] });
    if (span !== null) {
      setPanel('range');
    }
  };

  const surface = useSurface(
    element,
    {
      below: (paint) => {
        const now = scene(paint.heightPx);
        const seen = [...bands.pinned, ...scrolledSeen(now.stage).map(({ band }) => band)]
          .filter((band) => !band.isGroup)
          .map((band) => band.track.id);
        tiles.look(seen, now.span, paint.widthPx);
        drawTimeline(paint, now);
      },
      above: (paint) =>
        drawMarks(paint, scene(paint.heightPx), {
          hovered: view.current.hovered,
          selected,
          arrows: known ? arrowsOf(known) : [],
          range: view.current.dragged ?? range,
          pointerPx: view.current.pointer?.x ?? null,
        }),
    },
    {
      pan: (dx, dy) => {
        glide.current.stop();
        view.current.scrollPx = Math.min(greatestScroll(stage()), Math.max(0, stage().scrollPx - dy));
        placeLabels();
        show(panned(view.current.span, -dx / widthPx(), limits));
      },
      zoom: (factor, x) => {
        glide.current.stop();
        show(zoomed(view.current.span, factor, x / widthPx(), limits));
      },
      hover: point,
      click: (at) => {
        const hit = hitAt(at);
        select(hit, 'no');
      },
      doubleClick: (at) => {
        const hit = hitAt(at);
        if (hit) {
          select(hit, 'fit');
        }
      },
      selects: ({ y }, event) => y < RULER_PX || event.shiftKey,
      range: (from, to, done) => {
        const [start = 0, end = 0] = [from, to]
          .map((px) => fromPx(view.current.span, widthPx(), Math.min(widthPx(), Math.max(0, px))))
          .sort((a, b) => a - b);
        view.current.dragged = done === false ? { start, end } : null;
        if (done === true && end > start) {
          setRange({ start, end });
        } else if (done === null) {
          setRange(null);
        }
        surfaceOf.current?.redrawAbove();
      },
    },
  );
  useLayoutEffect(() => {
    surfaceOf.current = surface.current;
    placeLabels();
  });
  useEffect(() => {
    surfaceOf.current = surface.current;
    surfaceOf.current?.redraw();
  }, [tiles]);

  // A link, or the back button, says what is to be seen.
  useEffect(() => {
    if (choices.span !== saved.current) {
      saved.current = choices.span;
      show(choices.span ? { start: choices.span[0], end: choices.span[1] } : limits);
    }
  }, [choices.span]);

  const go = (next: Tour, by: number) => {
    const count = next.located.events.length;
    const at = (next.at + by + count) % count;
    const event = next.located.events[at];
    setTour({ ...next, at });
    if (event) {
      select(event);
    }
  };
  useTarget((target) => {
    if (target.range_us) {
      setTour(null);
      show({ start: target.range_us[0], end: target.range_us[1] });
      return;
    }
    const question = questionOf(target);
    if (!question) {
      return;
    }
    setNote(`Looking for ${question.of}…`);
    void transport.ask('kinetoscope/timeline/locate', { ...question.asked, run, part }).then(
      (located) => {
        setNote(located.longest < 0 ? (located.reason ?? `Nothing of ${question.of} is in this part of the recording.`) : null);
        if (located.longest >= 0) {
          go({ of: question.of, located, at: located.longest }, 0);
        } else {
          setTour(null);
        }
      },
      (error: unknown) => setNote(error instanceof Error ? error.message : String(error)),
    );
  });

  const toggle = (list: 'collapsed' | 'pinned', id: string) => {
    const now = shown[list];
    change({ [list]: now.includes(id) ? now.filter((one) => one !== id) : [...now, id] });
  };
  const onCollapse = useCallback((id: string) => toggle('collapsed', id), [shown]);
  const onPin = useCallback((id: string) => toggle('pinned', id), [shown]);
  const onHide = useCallback(
    (id: string) => change((now) => ({ hidden: [...now.hidden, id], pinned: now.pinned.filter((one) => one !== id) })),
    [change],
  );

  const walk = (key: string): boolean => {
    if (!selected) {
      return false;
    }
    const { span } = view.current;
    const found =
      key === 'ArrowLeft' || key === 'ArrowRight'
        ? beside(tiles, span, widthPx(), selected, key === 'ArrowLeft' ? 'left' : 'right')
        : across(tiles, span, widthPx(), [...bands.pinned, ...bands.scrolled], selected, key === 'ArrowUp' ? 'up' : 'down');
    if (found) {
      select(found);
    }
    return true;
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    const { span } = view.current;
    const move = moveOf(event, true);
    if (event.key.startsWith('Arrow') && !event.shiftKey && walk(event.key)) {
      // Done.
    } else if (event.key === 'Enter') {
      if (selected === null) {
        select(firstSeen(stage(), tiles, span, widthPx()));
      } else if (known?.line) {
        open({ file: known.line.file, line: known.line.line });
      }
    } else if (event.key === 'f' && selected) {
      reveal(selected, 'fit');
    } else if (event.key === 'm' && selected) {
      setRange({ start: selected.start_us, end: selected.start_us + Math.max(selected.dur_us, LEAST_US) });
    } else if (event.key === 'p' && selected) {
      onPin(selected.track);
    } else if (event.key === 'c' && selected) {
      onCollapse(selected.track);
    } else if (event.key === 'Escape' && (choices.event !== null || range)) {
      if (choices.event !== null) {
        select(null);
      } else {
        setRange(null);
      }
    } else if (move) {
      switch (move.kind) {
        case 'pan':
          glide.current.move(span, panned(span, move.part, limits), show);
          break;
        case 'zoom': {
          const { pointer } = view.current;
          glide.current.move(span, zoomed(span, move.factor, pointer ? pointer.x / widthPx() : 0.5, limits), show);
          break;
        }
        case 'scroll':
          scroll(stage().scrollPx + move.rows * ROW_PX);
          break;
        case 'start':
          show(within({ start: limits.start, end: limits.start + lengthOf(span) }, limits));
          break;
        case 'end':
          show(within({ start: limits.end - lengthOf(span), end: limits.end }, limits));
          break;
        case 'all':
          glide.current.move(span, limits, show);
      }
    } else {
      return;
    }
    event.preventDefault();
  };

  usePageKeys({
    '/': () => {
      find.current?.focus();
      find.current?.select();
    },
    '?': () => setHelp(true),
  });

  const leaves = useMemo(() => tracks.tracks.filter((track) => !isGroup(track)), [tracks]);
  const inView =
    bands.scrolled.length + bands.pinned.length === 0
      ? []
      : [...bands.pinned, ...scrolledSeen(stage()).map(({ band }) => band)].map(({ track }) => track);
  const listed = useMemo(() => longestSeen(tiles, inView, still, widthPx()), [tiles, still, bands, details.state]);
  const hiddenCount = shown.hidden.length;
  const pinnedPx = Math.min(bands.pinnedPx, pinnedHeight(stage()));
  const hasPanel = choices.event !== null || range !== null;
  const which = choices.event === null ? 'range' : range === null ? 'event' : panel;

  return (
    <div class="timeline">
      <div class="timeline-tools" role="toolbar" aria-label="Timeline">
        <FindBox
          input={find}
          text={choices.find}
          event={choices.event}
          from={() => view.current.span.start}
          onText={(text) => change({ find: text })}
          onFound={(event) => select(event)}
          onLeave={() => element.current?.focus()}
        />
        <button
          type="button"
          class="tool"
          title="Zoom in (W)"
          aria-label="Zoom in"
          onClick={() => show(zoomed(view.current.span, 2, 0.5, limits))}
        >
          <Icon name="zoom-in" />
        </button>
        <button
          type="button"
          class="tool"
          title="Zoom out (S)"
          aria-label="Zoom out"
          onClick={() => show(zoomed(view.current.span, 0.5, 0.5, limits))}
        >
          <Icon name="zoom-out" />
        </button>
        <button
          type="button"
          class="tool"
          title="Show everything (0)"
          aria-label="Show everything"
          onClick={() => glide.current.move(view.current.span, limits, show)}
        >
          <Icon name="screen-full" />
        </button>
        {hiddenCount > 0 ? (
          <button type="button" class="tool" onClick={() => change({ hidden: [] })}>
            <Icon name="eye" /> Show {hiddenCount} hidden
          </button>
        ) : null}
        <Popover label="Colours" button={<Icon name="symbol-color" />} align="end">
          {() => (
            <ul class="legend-list">
              {GROUPS.map(({ title, series }) => (
                <li key={title}>
                  <span class={`swatch series-${series + 1}`} /> {title}
                </li>
              ))}
            </ul>
          )}
        </Popover>
        <button type="button" class="tool" title="Keys and gestures (?)" aria-label="Keys and gestures" onClick={() => setHelp(true)}>
          <Icon name="keyboard" />
        </button>
      </div>
      {problem === null ? null : (
        <div class="timeline-note" role="alert">
          <Icon name="warning" /> Part of this can’t be shown: {problem}
          <button type="button" class="link" onClick={() => tiles.again()}>
            Try again
          </button>
        </div>
      )}
      {note === null && tour === null ? null : (
        <div class="timeline-note" role="status">
          {note ?? `${tour?.of ?? ''}: ${(tour?.at ?? 0) + 1} of ${tour?.located.events.length ?? 0}${more(tour?.located)}`}
          {note === null && tour !== null && tour.located.events.length > 1 ? (
            <>
              <button type="button" class="tool" aria-label="Previous place" onClick={() => go(tour, -1)}>
                <Icon name="arrow-left" />
              </button>
              <button type="button" class="tool" aria-label="Next place" onClick={() => go(tour, 1)}>
                <Icon name="arrow-right" />
              </button>
            </>
          ) : null}
          <button
            type="button"
            class="tool"
            aria-label="Close"
            onClick={() => {
              setNote(null);
              setTour(null);
            }}
          >
            <Icon name="close" />
          </button>
        </div>
      )}
      <div class="timeline-body">
        <div class="labels-column" onWheel={(event) => scroll(stage().scrollPx + event.deltaY)}>
          <div
            class="labels-pinned"
            ref={(box) => {
              if (box) {
                box.style.height = `${pinnedPx}px`;
              }
            }}
          >
            <TrackLabels bands={bands.pinned} pinned inside={null} onCollapse={onCollapse} onPin={onPin} onHide={onHide} />
          </div>
          <div class="labels-scrolled">
            <TrackLabels bands={bands.scrolled} pinned={false} inside={labels} onCollapse={onCollapse} onPin={onPin} onHide={onHide} />
          </div>
        </div>
        <div
          class="canvas timeline-canvas"
          ref={element}
          tabIndex={0}
          role="application"
          aria-roledescription="timeline"
          aria-label={`Timeline: ${timeUs(tracks.recording_us)}, ${leaves.length} tracks. A and D move, W and S zoom, Enter chooses an event, question mark lists the keys.`}
          aria-describedby={described}
          onKeyDown={onKeyDown}
        />
        <div class="timeline-tip" ref={tip} hidden />
      </div>
      <p class="hidden" id={described} aria-live="polite">
        {known ? spoken(known) : ''}
      </p>
      <VisibleTable hits={listed} tracks={tracks.tracks} span={still} onSelect={(hit) => select(hit)} />
      {hasPanel ? (
        <section class="timeline-panel" aria-label={which === 'event' ? 'Chosen event' : 'Sums of the range'}>
          <div class="panel-head">
            {choices.event !== null && range !== null ? (
              <Segments
                label="Panel"
                name="timeline-panel"
                choices={[
                  { value: 'event', label: 'Event' },
                  { value: 'range', label: 'Range' },
                ]}
                chosen={which}
                onChoose={setPanel}
              />
            ) : null}
            {which === 'range' && range ? (
              <>
                <span>
                  {rangeText(range)} <strong>{timeUs(lengthOf(range))}</strong>
                </span>
                <button
                  type="button"
                  class="tool"
                  title="All pages, and the numbers in the editor, are then of this range"
                  onClick={() => setPart({ range_us: [range.start, range.end] })}
                >
                  <Icon name="filter" /> Use as selection
                </button>
                <button type="button" class="tool" onClick={() => glide.current.move(view.current.span, within(range, limits), show)}>
                  <Icon name="zoom-in" /> Zoom
                </button>
              </>
            ) : null}
            <span class="spring" />
            <button
              type="button"
              class="tool"
              aria-label="Close"
              onClick={() => {
                if (which === 'event') {
                  select(null);
                } else {
                  setRange(null);
                }
              }}
            >
              <Icon name="close" />
            </button>
          </div>
          <div class="panel-body">
            {which === 'event' ? <EventPanel answer={details} onEvent={(event) => select(event)} /> : <RangePanel answer={sums} />}
          </div>
        </section>
      ) : null}
      {help ? <KeysHelp title="Timeline: keys and gestures" rows={KEYS} onClose={() => setHelp(false)} /> : null}
    </div>
  );
}

/** Both ends with as many digits as tell them apart. */
function rangeText({ start, end }: Span): string {
  const [one, other] = [start, end].map((us) =>
    timeLabel(us, Math.max((end - start) / 100, 0.001), Math.max(Math.abs(start), Math.abs(end))),
  );
  return `${one ?? ''} – ${other ?? ''}`;
}

function more(located: Located | undefined): string {
  return located && located.matches > located.events.length ? `, the first of ${located.matches}` : '';
}

/** An arrow for each launch and each step from forward to backward. */
function arrowsOf({ event, links }: EventDetails): readonly { readonly from: Spot; readonly to: Spot }[] {
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

function firstSeen(stage: Stage, tiles: Tiles, span: Span, widthPx: number): Hit | null {
  const middle = (span.start + span.end) / 2;
  for (const { band } of scrolledSeen(stage)) {
    for (let row = 0; row < band.rows; row++) {
      const found = pieceAt(tiles, span, widthPx, band.track.id, row, middle, lengthOf(span) / 2);
      if (found) {
        return hitOf(band.track.id, row, found.pieces, found.at);
      }
    }
  }
  return null;
}

function questionOf({
  line,
  operator,
  kernel,
  module,
}: Target): { readonly of: string; readonly asked: { file?: string; line?: number; name?: string } } | null {
  if (line) {
    return { of: `${shortFile(line.file)}:${line.line}`, asked: { file: line.file, line: line.line } };
  }
  const name = operator ?? kernel ?? module;
  return name === undefined ? null : { of: name, asked: { name } };
}

function spoken({ event, line }: EventDetails): string {
  const place = line ? `, ${shortFile(line.file)}:${line.line}` : '';
  return `${event.name}, ${timeUs(event.dur_us)} at ${timeUs(event.start_us)}, level ${event.row}${place}`;
}

/** Beside the pointer, inside the drawing. Set by script: it follows the pointer without drawing the page anew. */
function showTip(tip: HTMLElement | null, hit: Hit | null, at: Point | null, inside: HTMLElement | null): void {
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
