/**
 * Draws the timeline: tracks and curves below, what is pointed at and chosen above. Draws from columns, row by row, and makes no object for an
 * event.
 */
import type { EventRef, StepSpan } from '../../server/wire';
import { BoxPainter, frameBox } from '../shared/canvas/boxes';
import { firstWhere } from '../shared/canvas/hit';
import { SHADES } from '../shared/canvas/palette';
import type { Palette } from '../shared/canvas/palette';
import { pixel } from '../shared/canvas/pixels';
import type { Sheet } from '../shared/canvas/sheet';
import type { Paint } from '../shared/canvas/surface';
import { ticks, timeLabel } from '../shared/canvas/ticks';
import { fromPx, lengthOf, toPx } from '../shared/canvas/viewport';
import type { Span } from '../shared/canvas/viewport';
import { pinnedHeight, pinnedSeen, placeOf, RULER_PX, scrolledSeen } from './bands';
import type { Placed, Stage } from './bands';
import { drawCurve } from './curve';
import type { Ink } from './curve';
import { levelOf, slotsOf, spanOf } from './grid';
import type { Slot } from './grid';
import type { Pieces } from './pieces';
import { piecesIn } from './rowRange';
import type { Best, Tiles } from './tiles';

export interface Scene {
  readonly stage: Stage;
  readonly span: Span;
  readonly tiles: Tiles;
  readonly steps: readonly StepSpan[];
  /** The part of the recording that all pages look at; null for all of it. */
  readonly part: Span | null;
}

/** Where an event is. */
export type Spot = Pick<EventRef, 'track' | 'row' | 'start_us' | 'dur_us'>;

export interface Marks {
  readonly hovered: Spot | null;
  readonly selected: Spot | null;
  /** Arrows from one event to another. */
  readonly arrows: readonly { readonly from: Spot; readonly to: Spot }[];
  readonly range: Span | null;
  /** Where the pointer is; null where it is elsewhere. */
  readonly pointerPx: number | null;
}

export function drawTimeline(paint: Paint, scene: Scene): void {
  const { context, widthPx, heightPx } = paint;
  const { stage } = scene;
  const from = RULER_PX + pinnedHeight(stage);
  shadeSteps(paint, scene);
  clipped(context, 0, from, widthPx, heightPx - from, () => drawBands(paint, scene, scrolledSeen(stage)));
  if (stage.bands.pinned.length > 0) {
    clipped(context, 0, RULER_PX, widthPx, from - RULER_PX, () => drawBands(paint, scene, pinnedSeen(stage)));
    line(paint, 0, from - 0.5, widthPx, from - 0.5, paint.palette.line);
  }
  shadeOutside(paint, scene);
  drawRuler(paint, scene);
}

function clipped(context: CanvasRenderingContext2D, x: number, y: number, width: number, height: number, draw: () => void): void {
  context.save();
  context.beginPath();
  context.rect(x, y, width, Math.max(0, height));
  context.clip();
  draw();
  context.restore();
}

function line({ context }: Paint, x0: number, y0: number, x1: number, y1: number, colour: string): void {
  context.strokeStyle = colour;
  context.lineWidth = 1;
  context.beginPath();
  context.moveTo(x0, y0);
  context.lineTo(x1, y1);
  context.stroke();
}

/** Narrower steps are not told apart. */
const STEP_FROM_PX = 4;
const STEP_LINE_FROM_PX = 6;

/** Every other step is a little darker, and steps begin with a line. On pixels of the screen: so high, soft edges would take their time. */
function shadeSteps({ context, widthPx, heightPx, ratio, palette }: Paint, { steps, span }: Scene): void {
  const snapped = (time: number) => Math.round(toPx(span, widthPx, time) * ratio) / ratio;
  const lines: number[] = [];
  context.globalAlpha = 0.05;
  context.fillStyle = palette.foreground;
  const first = firstWhere(steps.length, (at) => endOf(steps[at]) >= span.start);
  for (let at = first; at < steps.length && startOf(steps[at]) <= span.end; at++) {
    const [left, right] = [snapped(startOf(steps[at])), snapped(endOf(steps[at]))];
    if (at % 2 === 0 && right - left >= STEP_FROM_PX && !palette.highContrast) {
      context.fillRect(left, RULER_PX, right - left, heightPx - RULER_PX);
    }
    if (right - left > STEP_LINE_FROM_PX) {
      lines.push(left);
    }
  }
  context.globalAlpha = 1;
  context.fillStyle = palette.line;
  lines.forEach((x) => context.fillRect(Math.round(x), RULER_PX, 1, heightPx - RULER_PX));
}

const startOf = (step: StepSpan | undefined) => step?.start_us ?? 0;
const endOf = (step: StepSpan | undefined) => startOf(step) + (step?.dur_us ?? 0);

/** What is not looked at by the other pages is quieter. */
function shadeOutside({ context, widthPx, heightPx, palette }: Paint, { part, span }: Scene): void {
  if (!part) {
    return;
  }
  const [left, right] = [toPx(span, widthPx, part.start), toPx(span, widthPx, part.end)];
  context.globalAlpha = 0.55;
  context.fillStyle = palette.background;
  if (left > 0) {
    context.fillRect(0, RULER_PX, Math.min(left, widthPx), heightPx - RULER_PX);
  }
  if (right < widthPx) {
    context.fillRect(Math.max(0, right), RULER_PX, widthPx - Math.max(0, right), heightPx - RULER_PX);
  }
  context.globalAlpha = 1;
}

/** What is drawn of a track: from tile to tile, each with the time that is drawn from it. */
interface Cut extends Span {
  readonly best: Best | null;
}

function cutsOf({ tiles }: Scene, track: string, slots: readonly (Slot & { readonly span: Span })[]): readonly Cut[] {
  return slots.map((slot) => ({ start: slot.span.start, end: slot.span.end, best: tiles.best(track, slot) }));
}

function drawBands(paint: Paint, scene: Scene, placed: readonly Placed[]): void {
  const { context, widthPx, heightPx, palette } = paint;
  const { tiles, span } = scene;
  const sheet = paint.sheet();
  const painter = new BoxPainter(paint, sheet);
  const slots = slotsOf(tiles.whole, span, levelOf(tiles.whole, span, widthPx)).map((slot) => ({
    ...slot,
    span: spanOf(tiles.whole, slot),
  }));
  for (const { band, y } of placed) {
    if (band.isGroup) {
      context.globalAlpha = 0.07;
      context.fillStyle = palette.foreground;
      context.fillRect(0, y, widthPx, band.heightPx - 1);
      context.globalAlpha = 1;
      if (palette.highContrast) {
        line(paint, 0, y + 0.5, widthPx, y + 0.5, palette.line);
      }
      continue;
    }
    const cuts = cutsOf(scene, band.track.id, slots);
    if (band.track.kind === 'counter') {
      drawCounter(paint, scene, sheet, cuts, y + 2, band.heightPx - 8, scaleOf(band.track));
    } else {
      const { rowPx } = band;
      for (let row = 0; row < band.rows; row++) {
        const top = y + row * rowPx;
        if (top > -rowPx && top < heightPx) {
          painter.row(top, rowPx);
          drawRow(paint, painter, scene, cuts, row, top);
        }
      }
    }
  }
  painter.finish();
}

/** From tile to tile; what reaches over from the one before was drawn with that. */
function drawRow(paint: Paint, painter: BoxPainter, { span }: Scene, cuts: readonly Cut[], row: number, top: number): void {
  const { widthPx, palette } = paint;
  const scale = widthPx / (span.end - span.start);
  let reaching = true;
  for (const cut of cuts) {
    if (!cut.best) {
      unknown(paint, toPx(span, widthPx, cut.start), toPx(span, widthPx, cut.end), top + 1);
      reaching = true;
      continue;
    }
    const { pieces } = cut.best.data;
    if (pieces) {
      const [first, end] = piecesIn(pieces, row, { start: Math.max(cut.start, span.start), end: Math.min(cut.end, span.end) }, reaching);
      const { start, end: ends, name, labels, styles } = pieces;
      for (let at = first; at < end; at++) {
        const left = ((start[at] ?? 0) - span.start) * scale;
        const right = ((ends[at] ?? 0) - span.start) * scale;
        if (right <= painter.drawnTo) {
          continue;
        }
        const of = name[at] ?? 0;
        const style = styles[of] ?? 0;
        const fill = palette.series[Math.floor(style / SHADES)]?.[style % SHADES];
        if (fill) {
          painter.box(left, right, fill, labels[of] ?? '');
        }
      }
    }
    reaching = false;
  }
}

/** Nothing is known there yet. */
function unknown({ context, widthPx, palette }: Paint, left: number, right: number, top: number): void {
  context.globalAlpha = 0.25;
  context.fillStyle = palette.quiet;
  const from = Math.max(0, left);
  context.fillRect(from, top, Math.min(widthPx, right) - from, 1);
  context.globalAlpha = 1;
}

/** Least and greatest value of an axis; it begins at 0 where nothing is below. Percent go to 100. */
export function scaleOf({
  unit,
  series,
}: {
  readonly unit: string | null;
  readonly series: readonly { readonly low: number; readonly high: number }[];
}): Span {
  const high = unit === 'percent' ? 100 : Math.max(0, ...series.map((one) => one.high));
  const low = Math.min(0, ...series.map((one) => one.low));
  return { start: low, end: high > low ? high : low + 1 };
}

/** What a curve reaches over the top and the bottom of its band with the thickness of its line. */
const OVER_PX = 2;
const LINE_PX = 1.5;

/** One curve is an area, several are lines; between the least and greatest of each pixel there is a band. */
function drawCounter(
  paint: Paint,
  { tiles, span }: Scene,
  sheet: Sheet,
  cuts: readonly Cut[],
  top: number,
  heightPx: number,
  scale: Span,
): void {
  const { palette, widthPx, ratio } = paint;
  const pxPerUnit = heightPx / lengthOf(scale);
  const zero = Math.round(top + heightPx + scale.start * pxPerUnit) + 0.5;
  line(paint, 0, zero, widthPx, zero, palette.line);
  const rows = Math.ceil((heightPx + 2 * OVER_PX) * ratio);
  const strip = sheet.add(rows, Math.round((top - OVER_PX) * ratio), rows);
  const rowOfZero = (heightPx + scale.start * pxPerUnit + OVER_PX) * ratio;
  const rowsPerUnit = -pxPerUnit * ratio;
  const zeroRow = Math.round(rowOfZero + Math.max(0, scale.start) * rowsPerUnit);
  const thick = Math.max(1, Math.round(LINE_PX * ratio));
  const lefts: (number | null)[] = [];
  for (const cut of cuts) {
    const [from, to] = [cut.start, cut.end].map((time) => Math.round(Math.min(strip.width, Math.max(0, toPx(span, strip.width, time)))));
    const frame = { from: from ?? 0, to: to ?? 0, span, rowOfZero, rowsPerUnit, zeroRow, thick };
    const curves = cut.best?.data.curves ?? [];
    curves.forEach((curve, index) => {
      const ink = inkOf(palette, index, curves.length === 1);
      lefts[index] = drawCurve(strip, curve, cut.best ? spanOf(tiles.whole, cut.best.slot) : cut, frame, ink, lefts[index] ?? null);
    });
  }
}

const AREA = 0.3;
const BAND = 0.35;

/** Inks are kept with the palette whose colours they are of. */
const INKS = new WeakMap<Palette, Map<string, Ink>>();

function inkOf(palette: Palette, index: number, alone: boolean): Ink {
  const inks = INKS.get(palette) ?? new Map<string, Ink>();
  INKS.set(palette, inks);
  const stroke = palette.strokes[index % palette.strokes.length] ?? palette.foreground;
  const key = `${stroke} ${alone}`;
  let ink = inks.get(key);
  if (!ink) {
    ink = {
      line: pixel(stroke, 1),
      band: pixel(stroke, BAND),
      area: alone ? pixel(stroke, AREA) : null,
      bandInArea: pixel(stroke, 1 - (1 - AREA) * (1 - BAND)),
    };
    inks.set(key, ink);
  }
  return ink;
}

const TICK_PX = 90;

function drawRuler(paint: Paint, { span, tiles }: Scene): void {
  const { context, widthPx, palette } = paint;
  context.fillStyle = palette.background;
  context.fillRect(0, 0, widthPx, RULER_PX);
  const { step, at } = ticks(span, widthPx, TICK_PX);
  const greatest = Math.max(Math.abs(span.start), Math.abs(span.end));
  context.fillStyle = palette.quiet;
  for (const value of at) {
    const x = Math.round(toPx(span, widthPx, value)) + 0.5;
    line(paint, x, RULER_PX - 6, x, RULER_PX, palette.quiet);
    context.fillStyle = palette.quiet;
    context.fillText(timeLabel(value, step, greatest), x + 4, RULER_PX - 11);
  }
  line(paint, 0, RULER_PX - 0.5, widthPx, RULER_PX - 0.5, palette.line);
  // Where in the whole this is.
  const { whole } = tiles;
  context.globalAlpha = 0.6;
  context.fillRect(toPx(whole, widthPx, span.start), 0, Math.max(3, toPx(whole, widthPx, span.end) - toPx(whole, widthPx, span.start)), 3);
  context.globalAlpha = 1;
}

export function drawMarks(paint: Paint, scene: Scene, marks: Marks): void {
  const { context, widthPx, heightPx, palette } = paint;
  const { span, stage } = scene;
  if (marks.range) {
    const [left, right] = [toPx(span, widthPx, marks.range.start), toPx(span, widthPx, marks.range.end)];
    context.globalAlpha = palette.highContrast ? 0 : 0.15;
    context.fillStyle = palette.focus;
    context.fillRect(left, 0, right - left, heightPx);
    context.globalAlpha = 1;
    line(paint, Math.round(left) + 0.5, 0, Math.round(left) + 0.5, heightPx, palette.focus);
    line(paint, Math.round(right) - 0.5, 0, Math.round(right) - 0.5, heightPx, palette.focus);
  } else if (marks.pointerPx !== null) {
    context.setLineDash([3, 3]);
    line(paint, Math.round(marks.pointerPx) + 0.5, RULER_PX, Math.round(marks.pointerPx) + 0.5, heightPx, palette.quiet);
    context.setLineDash([]);
    pointerTime(paint, span, marks.pointerPx);
  }
  const from = RULER_PX + pinnedHeight(stage);
  clipped(context, 0, RULER_PX, widthPx, heightPx - RULER_PX, () => {
    for (const { from: one, to } of marks.arrows) {
      drawArrow(paint, scene, one, to);
    }
    markEvent(paint, scene, marks.hovered, palette.foreground, 1);
    markEvent(paint, scene, marks.selected, palette.selection, 2);
  });
  scrollMark(paint, stage, from);
}

function pointerTime({ context, widthPx, palette, text }: Paint, span: Span, px: number): void {
  const time = fromPx(span, widthPx, px);
  const label = timeLabel(time, (span.end - span.start) / widthPx, Math.max(Math.abs(span.start), Math.abs(span.end)));
  const width = text.width(label) + 8;
  const left = Math.min(widthPx - width, Math.max(0, px - width / 2));
  context.fillStyle = palette.background;
  context.fillRect(left, 4, width, RULER_PX - 6);
  context.fillStyle = palette.foreground;
  context.fillText(label, left + 4, RULER_PX - 11);
}

function markEvent(paint: Paint, { stage, span }: Scene, event: Spot | null, colour: string, thickPx: number): void {
  const place = event && placeOf(stage, event.track, event.row);
  if (event && place && (place.pinned || place.y >= RULER_PX + pinnedHeight(stage) - place.rowPx)) {
    const { widthPx } = paint;
    const [left, right] = [toPx(span, widthPx, event.start_us), toPx(span, widthPx, event.start_us + event.dur_us)];
    if (right >= 0 && left <= widthPx) {
      frameBox(paint, left, right, place.y, Math.max(5, place.rowPx), colour, thickPx);
    }
  }
}

/** From the end of one event to the start of the other, wherever they are: an arrow that leaves the window still says which way. */
function drawArrow(paint: Paint, { stage, span }: Scene, from: Spot, to: Spot): void {
  const { context, widthPx, palette } = paint;
  const [one, other] = [placeOf(stage, from.track, from.row), placeOf(stage, to.track, to.row)];
  if (!one || !other) {
    return;
  }
  const bound = (px: number) => Math.min(widthPx + 2000, Math.max(-2000, px));
  const x0 = bound(toPx(span, widthPx, from.start_us + from.dur_us / 2));
  const x1 = bound(toPx(span, widthPx, to.start_us));
  const [y0, y1] = [one.y + one.rowPx / 2, other.y + other.rowPx / 2];
  const bend = Math.max(20, Math.min(120, Math.abs(x1 - x0) / 2));
  context.strokeStyle = context.fillStyle = palette.focus;
  context.lineWidth = 1.5;
  context.beginPath();
  context.moveTo(x0, y0);
  context.bezierCurveTo(x0 + bend, y0, x1 - bend, y1, x1 - 5, y1);
  context.stroke();
  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(x1 - 7, y1 - 4);
  context.lineTo(x1 - 7, y1 + 4);
  context.fill();
}

function scrollMark({ context, widthPx, palette }: Paint, { bands, heightPx, scrollPx }: Stage, from: number): void {
  const room = heightPx - from;
  if (bands.scrolledPx > room) {
    context.fillStyle = palette.quiet;
    context.globalAlpha = 0.5;
    context.fillRect(widthPx - 4, from + (scrollPx / bands.scrolledPx) * room, 3, Math.max(16, (room / bands.scrolledPx) * room));
    context.globalAlpha = 1;
  }
}

/** The piece of a row nearest to a time, within some slack; null for none. */
export function pieceAt(
  tiles: Tiles,
  span: Span,
  widthPx: number,
  track: string,
  row: number,
  time: number,
  slackUs: number,
): { readonly pieces: Pieces; readonly at: number } | null {
  const level = levelOf(tiles.whole, span, widthPx);
  const [slot] = slotsOf(tiles.whole, { start: time, end: time }, level);
  const pieces = slot && tiles.best(track, slot)?.data.pieces;
  if (!pieces) {
    return null;
  }
  const [first, end] = piecesIn(pieces, row, { start: time - slackUs, end: time + slackUs }, true);
  let found = -1;
  let distance = slackUs;
  for (let at = first; at < end; at++) {
    const [from, to] = [pieces.start[at] ?? 0, pieces.end[at] ?? 0];
    const off = time < from ? from - time : time > to ? time - to : 0;
    if (off <= distance) {
      [found, distance] = [at, off];
    }
  }
  return found < 0 ? null : { pieces, at: found };
}
