/**
 * The timeline of one rank: tracks on a canvas with their names beside it, moved, zoomed, searched and walked; below it the chosen event or the
 * sums of a range.
 */
import { useCallback, useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { timeUs } from '../../format';
import type { Tracks } from '../../server/wire';
import type { Point } from '../shared/canvas/gestures';
import { Glide } from '../shared/canvas/glide';
import type { Move } from '../shared/canvas/keys';
import { KeysHelp } from '../shared/canvas/KeysHelp';
import type { Surface } from '../shared/canvas/surface';
import { usePageKeys } from '../shared/canvas/usePageKeys';
import { useSurface } from '../shared/canvas/useSurface';
import { fromPx, lengthOf, panned, revealing, within, zoomed } from '../shared/canvas/viewport';
import type { Limits, Span } from '../shared/canvas/viewport';
import { useHeirOfFocus } from '../shared/focus';
import { spanOfPart } from '../shared/part';
import { useSession } from '../shared/session';
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
import { drawMarks, drawTimeline, pieceAt } from './draw';
import type { Scene, Spot } from './draw';
import { EventPanel } from './EventPanel';
import { FindBox } from './FindBox';
import { KEYS } from './help';
import type { Act } from './keys';
import { actOf } from './keys';
import { Notes } from './Notes';
import { Panel } from './Panel';
import type { Which } from './Panel';
import { RangePanel } from './RangePanel';
import { arrowsOf, showTip, spoken } from './told';
import { Tools } from './Tools';
import { TrackLabels } from './TrackLabels';
import { useTiles } from './useTiles';
import { useTour } from './useTour';
import { longestSeen, VisibleTable } from './VisibleTable';
import { across, beside, firstSeen, hitOf } from './walk';
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

export function TimelineView({ tracks, choices, change }: Props) {
  const { run, part, steps, setPart, open } = useSession();
  const box = useRef<HTMLDivElement>(null);
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
  const [panel, setPanel] = useState<Which>(choices.event === null ? 'range' : 'event');
  const [help, setHelp] = useState(false);
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

  const tour = useTour({ show, select });

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

  const act = (does: Act) => {
    const { span, pointer } = view.current;
    switch (does.kind) {
      case 'first':
        select(firstSeen(stage(), tiles, span, widthPx()));
        break;
      case 'leave':
        if (does.what === 'event') {
          select(null);
        } else {
          setRange(null);
        }
        break;
      case 'move':
        move(does.move, span, pointer);
        break;
      default:
        if (selected) {
          actOn(selected, does);
        }
    }
  };
  const actOn = (spot: Spot, does: Exclude<Act, { readonly kind: 'first' | 'leave' | 'move' }>) => {
    switch (does.kind) {
      case 'walk':
        walk(spot, does.to);
        break;
      case 'open':
        if (known?.line) {
          open({ file: known.line.file, line: known.line.line });
        }
        break;
      case 'fit':
        reveal(spot, 'fit');
        break;
      case 'mark':
        setRange({ start: spot.start_us, end: spot.start_us + Math.max(spot.dur_us, LEAST_US) });
        break;
      case 'pin':
        onPin(spot.track);
        break;
      case 'fold':
        onCollapse(spot.track);
    }
  };
  const walk = (from: Spot, to: 'left' | 'right' | 'up' | 'down') => {
    const { span } = view.current;
    const found =
      to === 'left' || to === 'right'
        ? beside(tiles, span, widthPx(), from, to)
        : across(tiles, span, widthPx(), [...bands.pinned, ...bands.scrolled], from, to);
    if (found) {
      select(found);
    }
  };
  const move = (by: Move, span: Span, pointer: Point | null) => {
    switch (by.kind) {
      case 'pan':
        glide.current.move(span, panned(span, by.part, limits), show);
        break;
      case 'zoom':
        glide.current.move(span, zoomed(span, by.factor, pointer ? pointer.x / widthPx() : 0.5, limits), show);
        break;
      case 'scroll':
        scroll(stage().scrollPx + by.rows * ROW_PX);
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
  };

  const onKeyDown = (event: KeyboardEvent) => {
    const does = actOf(event, { selected: selected !== null, event: choices.event !== null, range: range !== null });
    if (does) {
      act(does);
      event.preventDefault();
    }
  };

  useHeirOfFocus(box, () => element.current);
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
  const pinnedPx = Math.min(bands.pinnedPx, pinnedHeight(stage()));
  const hasPanel = choices.event !== null || range !== null;
  const which = choices.event === null ? 'range' : range === null ? 'event' : panel;

  return (
    <div class="timeline" ref={box}>
      <Tools
        hidden={shown.hidden.length}
        onUnhide={() => change({ hidden: [] })}
        onZoom={(factor) => show(zoomed(view.current.span, factor, 0.5, limits))}
        onAll={() => glide.current.move(view.current.span, limits, show)}
        onHelp={() => setHelp(true)}
      >
        <FindBox
          input={find}
          text={choices.find}
          event={choices.event}
          from={() => view.current.span.start}
          onText={(text) => change({ find: text })}
          onFound={(event) => select(event)}
          onLeave={() => element.current?.focus()}
        />
      </Tools>
      <Notes problem={problem} onAgain={() => tiles.again()} tour={tour} />
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
        <Panel
          which={which}
          both={choices.event !== null && range !== null}
          range={range}
          onWhich={setPanel}
          onUse={({ start, end }) => setPart({ range_us: [start, end] })}
          onZoom={(span) => glide.current.move(view.current.span, within(span, limits), show)}
          onClose={(closed) => act({ kind: 'leave', what: closed })}
        >
          {which === 'event' ? <EventPanel answer={details} onEvent={(event) => select(event)} /> : <RangePanel answer={sums} />}
        </Panel>
      ) : null}
      {help ? <KeysHelp title="Timeline: keys and gestures" rows={KEYS} onClose={() => setHelp(false)} /> : null}
    </div>
  );
}
