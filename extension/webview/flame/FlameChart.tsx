/**
 * A weighted tree as boxes on a canvas: pointed at, chosen, walked by keys, zoomed into.
 */
import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { BoxPainter, frameBox } from '../shared/canvas/boxes';
import type { Point } from '../shared/canvas/gestures';
import { Glide } from '../shared/canvas/glide';
import { boxAt, firstWhere } from '../shared/canvas/hit';
import { moveOf } from '../shared/canvas/keys';
import type { Fill, Palette } from '../shared/canvas/palette';
import type { Paint } from '../shared/canvas/surface';
import { useSurface } from '../shared/canvas/useSurface';
import { fromPx, lengthOf, panned, revealing, toPx, within, zoomed } from '../shared/canvas/viewport';
import type { Limits, Span } from '../shared/canvas/viewport';
import { scaleStep } from './compare';
import type { Colours } from './groups';
import { labelOf } from '../shared/frameLabel';
import { contentPx, depthAt, depthsSeen, greatestScroll, ROW_PX, scrollTo, topOf } from './rows';
import type { Direction, Stage } from './rows';
import type { Found } from './search';
import { pathTo, WHOLE } from './tree';
import type { FlameTree, StackContent } from './tree';
import { spoken } from './values';
import { step, stepOf } from './walk';

export interface ChartProps {
  readonly tree: FlameTree;
  readonly unit: StackContent['unit'];
  readonly label: string;
  readonly direction: Direction;
  /** Null: colours tell differences. */
  readonly colours: Colours | null;
  readonly found: Found | null;
  readonly selected: number | null;
  /** The frame that fills the width. */
  readonly zoom: number;
  readonly onSelect: (node: number | null) => void;
  readonly onZoom: (node: number) => void;
  readonly onOpen: (node: number) => void;
  readonly onHover: (node: number | null) => void;
  /** A key that the chart has no use for; true where it was of use. */
  readonly onKey?: (event: KeyboardEvent, node: number | null) => boolean;
}

/** Nearer than this a narrow box is met. */
const SLACK_PX = 2;

export function FlameChart(props: ChartProps) {
  const { tree, unit, direction, selected, zoom } = props;
  const element = useRef<HTMLDivElement>(null);
  const described = useId();
  const view = useRef<{ span: Span; scrollPx: number; hovered: number | null }>({ span: spanOf(tree, zoom), scrollPx: 0, hovered: null });
  const glide = useRef(new Glide());
  const [heard, setHeard] = useState('');
  const labels = useMemo(() => tree.names.map(labelOf), [tree]);

  const limits: Limits = { start: 0, end: Math.max(tree.ends[WHOLE] ?? 0, Number.MIN_VALUE), least: (tree.ends[WHOLE] ?? 0) / 1e6 };
  const stage = (heightPx = element.current?.clientHeight ?? 0): Stage => ({
    direction,
    rows: tree.rows.length,
    heightPx,
    scrollPx: view.current.scrollPx,
  });

  const scroll = (px: number) => {
    view.current.scrollPx = Math.min(greatestScroll(stage()), Math.max(0, px));
  };

  const nodeAt = ({ x, y }: Point): number | null => {
    const row = tree.rows[depthAt(stage(), y)];
    const widthPx = element.current?.clientWidth ?? 0;
    if (!row || widthPx === 0) {
      return null;
    }
    const { span } = view.current;
    const at = fromPx(span, widthPx, x);
    const slack = (SLACK_PX * lengthOf(span)) / widthPx;
    const of = (values: Float64Array) => (index: number) => values[row[index] ?? 0] ?? 0;
    const index = boxAt({ count: row.length, start: of(tree.starts), end: of(tree.ends) }, at, slack);
    return row[index] ?? null;
  };

  const hover = (node: number | null) => {
    if (node !== view.current.hovered) {
      view.current.hovered = node;
      element.current?.classList.toggle('pointing', node !== null);
      surface.current?.redrawAbove();
      props.onHover(node);
    }
  };

  const show = (span: Span) => {
    view.current.span = within(span, limits);
    surface.current?.redraw();
  };

  const surface = useSurface(
    element,
    {
      below: (paint) => drawTree(paint, props, labels, view.current.span, stage(paint.heightPx)),
      above: (paint) => drawMarks(paint, props, view.current, stage(paint.heightPx)),
    },
    {
      pan: (dx, dy) => {
        glide.current.stop();
        const widthPx = Math.max(1, element.current?.clientWidth ?? 1);
        scroll(view.current.scrollPx - dy);
        show(panned(view.current.span, -dx / widthPx, limits));
      },
      zoom: (factor, x) => {
        glide.current.stop();
        show(zoomed(view.current.span, factor, x / Math.max(1, element.current?.clientWidth ?? 1), limits));
      },
      hover: (point) => hover(point && nodeAt(point)),
      click: (point, event) => {
        const node = nodeAt(point);
        props.onSelect(node);
        // The second of two quick clicks zooms; its first has opened the source.
        if (node !== null && event.detail <= 1) {
          props.onOpen(node);
        }
      },
      doubleClick: (point) => {
        const node = nodeAt(point);
        if (node !== null) {
          props.onZoom(node);
        }
      },
    },
  );

  // A zoom moves there; another tree or direction is shown at once, flames from their roots at the bottom.
  const before = useRef<{ tree: FlameTree | null; direction: Direction | null }>({ tree: null, direction: null });
  useLayoutEffect(() => {
    const target = spanOf(tree, zoom);
    if (before.current.tree === tree) {
      glide.current.move(view.current.span, target, show);
    } else {
      glide.current.stop();
      show(target);
    }
    if (before.current.tree !== tree || before.current.direction !== direction) {
      scroll(direction === 'icicle' ? 0 : Infinity);
      hover(null);
    }
    if (zoom !== WHOLE) {
      scroll(scrollTo(stage(), tree.depths[zoom] ?? 0));
    }
    before.current = { tree, direction };
  }, [tree, zoom, direction]);
  useEffect(() => () => glide.current.stop(), []);

  // What is chosen is seen.
  useLayoutEffect(() => {
    if (selected === null) {
      setHeard('');
      return;
    }
    setHeard(spoken(tree, selected, unit));
    scroll(scrollTo(stage(), tree.depths[selected] ?? 0));
    show(revealing(view.current.span, { start: tree.starts[selected] ?? 0, end: tree.ends[selected] ?? 0 }, limits));
  }, [tree, selected, unit]);

  const onKeyDown = (event: KeyboardEvent) => {
    if (props.onKey?.(event, selected) === true) {
      event.preventDefault();
      return;
    }
    const walked = event.ctrlKey || event.metaKey || event.altKey ? null : stepOf(event.key, direction);
    const move = moveOf(event, false);
    if (walked) {
      props.onSelect(selected === null ? zoom : step(tree, selected, walked));
    } else if (event.key === 'Enter' && selected !== null) {
      props.onOpen(selected);
    } else if ((event.key === ' ' || event.key === 'z') && selected !== null) {
      props.onZoom(selected);
    } else if (event.key === 'Escape' && (zoom !== WHOLE || selected !== null)) {
      if (zoom !== WHOLE) {
        props.onZoom(tree.parents[zoom] ?? WHOLE);
      } else {
        props.onSelect(null);
      }
    } else if (move) {
      const { span } = view.current;
      switch (move.kind) {
        case 'pan':
          glide.current.move(span, panned(span, move.part, limits), show);
          break;
        case 'zoom':
          glide.current.move(span, zoomed(span, move.factor, middleOf(selected, tree, span), limits), show);
          break;
        case 'scroll':
          scroll(view.current.scrollPx + move.rows * ROW_PX);
          show(span);
          break;
        case 'start':
          show(within({ start: limits.start, end: limits.start + lengthOf(span) }, limits));
          break;
        case 'end':
          show(within({ start: limits.end - lengthOf(span), end: limits.end }, limits));
          break;
        case 'all':
          props.onZoom(WHOLE);
          glide.current.move(span, limits, show);
      }
    } else {
      return;
    }
    event.preventDefault();
  };

  return (
    <>
      <div
        class="canvas flame-chart"
        ref={element}
        tabIndex={0}
        role="application"
        aria-roledescription="flame graph"
        aria-label={props.label}
        aria-describedby={described}
        onKeyDown={onKeyDown}
      />
      <p class="hidden" id={described} aria-live="polite">
        {heard}
      </p>
    </>
  );
}

function spanOf(tree: FlameTree, node: number): Span {
  const [start = 0, end = 0] = [tree.starts[node], tree.ends[node]];
  return { start, end: end > start ? end : start + Number.MIN_VALUE };
}

/** Where zooming by keys holds still: the chosen frame, or the middle. */
function middleOf(selected: number | null, tree: FlameTree, span: Span): number {
  if (selected === null) {
    return 0.5;
  }
  const middle = ((tree.starts[selected] ?? 0) + (tree.ends[selected] ?? 0)) / 2;
  return Math.min(1, Math.max(0, (middle - span.start) / lengthOf(span)));
}

function drawTree(paint: Paint, props: ChartProps, labels: readonly string[], span: Span, stage: Stage): void {
  const { tree, found, zoom } = props;
  const { widthPx, palette } = paint;
  const above = new Set(pathTo(tree, zoom).slice(0, -1));
  const [first, last] = depthsSeen(stage);
  const painter = new BoxPainter(paint, paint.sheet());
  for (let depth = first; depth <= last; depth++) {
    const row = tree.rows[depth] ?? new Int32Array();
    painter.row(topOf(stage, depth), ROW_PX);
    const firstSeen = firstWhere(row.length, (index) => (tree.ends[row[index] ?? 0] ?? 0) > span.start);
    for (let at = firstSeen; at < row.length; at++) {
      const node = row[at] ?? 0;
      const [start = 0, end = 0] = [tree.starts[node], tree.ends[node]];
      if (start > span.end) {
        break;
      }
      const fill = fillOf(palette, props, node);
      const dimmed = above.has(node) || (found !== null && found.marks[node] === 0);
      painter.box(toPx(span, widthPx, start), toPx(span, widthPx, end), fill, labels[node] ?? '', dimmed);
    }
  }
  painter.finish();
}

function fillOf(palette: Palette, { tree, colours }: ChartProps, node: number): Fill {
  const fill = colours
    ? palette.series[colours.series[node] ?? 0]?.[colours.shades[node] ?? 0]
    : palette.scale[scaleStep(tree.before?.total[node] ?? 0, tree.total[node] ?? 0, palette.scale.length)];
  return fill ?? { fill: palette.background, text: palette.foreground, strong: palette.background };
}

function drawMarks(
  paint: Paint,
  { tree, selected, found }: ChartProps,
  view: { readonly span: Span; readonly hovered: number | null },
  stage: Stage,
): void {
  const { widthPx, heightPx, palette, context } = paint;
  const mark = (node: number, colour: string, thickPx: number) => {
    const top = topOf(stage, tree.depths[node] ?? 0);
    const [left, right] = [toPx(view.span, widthPx, tree.starts[node] ?? 0), toPx(view.span, widthPx, tree.ends[node] ?? 0)];
    if (top > -ROW_PX && top < heightPx && right >= 0 && left <= widthPx) {
      frameBox(paint, left, right, top, ROW_PX, colour, thickPx);
    }
  };
  if (found && palette.highContrast) {
    // Where nothing is dimmed what is found has a frame.
    found.nodes.slice(0, 500).forEach((node) => mark(node, palette.focus, 2));
  }
  if (view.hovered !== null) {
    mark(view.hovered, palette.foreground, 1);
  }
  if (selected !== null) {
    mark(selected, palette.selection, 2);
  }
  const content = contentPx(stage);
  if (content > heightPx) {
    context.fillStyle = palette.quiet;
    context.globalAlpha = 0.5;
    context.fillRect(widthPx - 4, (stage.scrollPx / content) * heightPx, 3, Math.max(16, (heightPx / content) * heightPx));
    context.globalAlpha = 1;
  }
}
