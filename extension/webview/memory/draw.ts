/**
 * The chart of a device's memory on a canvas: layers, the lines above them, axes, the peak, and what is pointed at.
 */
import { sizeBytes } from '../../format';
import type { DeviceMemoryReport } from '../../server/views';
import type { Paint } from '../shared/canvas/surface';
import { ticks, timeLabel } from '../shared/canvas/ticks';
import { fromPx, toPx } from '../shared/canvas/viewport';
import type { Span } from '../shared/canvas/viewport';
import { BEFORE, byteTicks, greatestInPixels, greatestOf, lastAt } from './layers';
import type { Layer, Shown } from './layers';

export interface Chart {
  readonly device: DeviceMemoryReport;
  readonly layers: readonly Layer[];
  readonly span: Span;
  readonly shown: Shown;
}

export interface Pointed {
  readonly at: number | null;
  readonly layer: string | null;
  /** Two times of what is being marked, in any order. */
  readonly mark: readonly [number, number] | null;
}

/** Where the plot lies in the canvas. */
export const PLOT = { left: 68, right: 14, top: 22, bottom: 24 } as const;
const TIME_LABEL_PX = 90;

interface Frame {
  readonly width: number;
  readonly height: number;
  readonly x: (at: number) => number;
  readonly y: (bytes: number) => number;
  readonly scale: readonly number[];
}

/** Sizes in px are of the whole canvas. */
export function frameOf({ device, layers, span, shown }: Chart, widthPx: number, heightPx: number): Frame {
  const width = Math.max(1, widthPx - PLOT.left - PLOT.right);
  const height = Math.max(1, heightPx - PLOT.top - PLOT.bottom);
  const scale = byteTicks(greatestOf(device, layers, shown));
  const most = scale[scale.length - 1] ?? 1;
  return {
    width,
    height,
    x: (at) => PLOT.left + toPx(span, width, Math.min(span.end, Math.max(span.start, at))),
    y: (bytes) => PLOT.top + height * (1 - bytes / most),
    scale,
  };
}

/** The time and the bytes under a point of the canvas. */
export function valueAt(
  chart: Chart,
  widthPx: number,
  heightPx: number,
  x: number,
  y: number,
): { readonly at: number; readonly bytes: number } {
  const { width, height, scale } = frameOf(chart, widthPx, heightPx);
  const inside = Math.min(width, Math.max(0, x - PLOT.left));
  return { at: fromPx(chart.span, width, inside), bytes: (1 - (y - PLOT.top) / height) * (scale[scale.length - 1] ?? 1) };
}

export function drawChart(paint: Paint, chart: Chart, lit: string | null): void {
  const frame = frameOf(chart, paint.widthPx, paint.heightPx);
  drawAxes(paint, chart, frame);
  const { device, layers, shown } = chart;
  for (const layer of layers) {
    drawLayer(paint, chart, frame, layer, lit !== null && lit !== layer.key);
  }
  const { curve, stack } = device;
  const { context, palette } = paint;
  if (shown.before || stack === null) {
    if (shown.reserved) {
      context.setLineDash([5, 4]);
      drawSteps(paint, frame, curve.at_us, curve.reserved_bytes, chart.span, palette.quiet, 1.25);
      context.setLineDash([]);
    }
    drawSteps(paint, frame, curve.at_us, curve.allocated_bytes, chart.span, palette.foreground, 1.5);
  }
  drawPeak(paint, chart, frame);
}

function drawAxes({ context, palette, widthPx, heightPx, text }: Paint, { span }: Chart, frame: Frame): void {
  context.lineWidth = 1;
  context.strokeStyle = palette.line;
  context.fillStyle = palette.quiet;
  context.textAlign = 'right';
  for (const bytes of frame.scale) {
    const y = Math.round(frame.y(bytes)) + 0.5;
    context.globalAlpha = bytes === 0 ? 1 : palette.highContrast ? 0.35 : 0.6;
    context.beginPath();
    context.moveTo(PLOT.left, y);
    context.lineTo(widthPx - PLOT.right, y);
    context.stroke();
    context.globalAlpha = 1;
    context.fillText(bytes === 0 ? '0' : sizeBytes(bytes).replace(/\.0(?= )/, ''), PLOT.left - 8, y);
  }
  const marks = ticks(span, frame.width, TIME_LABEL_PX);
  for (const at of marks.at) {
    const x = frame.x(at);
    const label = timeLabel(at, marks.step, span.end);
    context.textAlign = x + text.width(label) / 2 > widthPx - 2 ? 'right' : 'center';
    context.fillText(label, x, heightPx - PLOT.bottom / 2 + 2);
    context.fillRect(Math.round(x), heightPx - PLOT.bottom, 1, 4);
  }
}

function drawLayer({ context, palette }: Paint, { device: { stack }, span }: Chart, frame: Frame, layer: Layer, dim: boolean): void {
  const times = stack?.at_us ?? [];
  const fill = palette.series[layer.tone.series]?.[layer.tone.shade];
  const stroke = palette.strokes[layer.tone.series] ?? palette.quiet;
  const top = (i: number) => frame.y((layer.from[i] ?? 0) + (layer.bytes[i] ?? 0));
  const bottom = (i: number) => frame.y(layer.from[i] ?? 0);
  const end = (i: number) => frame.x(times[i + 1] ?? span.end);
  context.beginPath();
  for (let i = 0; i < times.length; i++) {
    const x = frame.x(times[i] ?? 0);
    context[i === 0 ? 'moveTo' : 'lineTo'](x, top(i));
    context.lineTo(end(i), top(i));
  }
  for (let i = times.length - 1; i >= 0; i--) {
    context.lineTo(end(i), bottom(i));
    context.lineTo(frame.x(times[i] ?? 0), bottom(i));
  }
  context.closePath();
  context.globalAlpha = (palette.highContrast ? 0.3 : layer.key === BEFORE ? 0.7 : 1) * (dim ? 0.35 : 1);
  context.fillStyle = palette.highContrast ? stroke : (fill?.fill ?? stroke);
  context.fill();
  context.globalAlpha = dim ? 0.35 : 1;
  drawTops(context, frame, times, layer, span, stroke, palette.highContrast ? 1.5 : 0.75);
  context.globalAlpha = 1;
}

/** The upper edge of a layer, where it has something. */
function drawTops(
  context: CanvasRenderingContext2D,
  frame: Frame,
  times: readonly number[],
  { from, bytes }: Layer,
  span: Span,
  stroke: string,
  width: number,
): void {
  context.strokeStyle = stroke;
  context.lineWidth = width;
  context.beginPath();
  let drawing = false;
  for (let i = 0; i < times.length; i++) {
    const some = (bytes[i] ?? 0) > 0;
    if (some) {
      const y = frame.y((from[i] ?? 0) + (bytes[i] ?? 0));
      context[drawing ? 'lineTo' : 'moveTo'](frame.x(times[i] ?? 0), y);
      context.lineTo(frame.x(times[i + 1] ?? span.end), y);
    }
    drawing = some;
  }
  context.stroke();
}

/** A line that holds each value until the next; of many in one pixel it has the greatest, else they would fill what lies below. */
function drawSteps(
  { context }: Paint,
  frame: Frame,
  times: readonly number[],
  values: readonly number[],
  span: Span,
  colour: string,
  width: number,
): void {
  context.strokeStyle = colour;
  context.lineWidth = width;
  context.beginPath();
  greatestInPixels(times.map(frame.x), values).forEach(({ value, from, to }, i) => {
    context[i === 0 ? 'moveTo' : 'lineTo'](from, frame.y(value));
    context.lineTo(to ?? frame.x(span.end), frame.y(value));
  });
  context.stroke();
}

/** Where most was allocated; of what was recorded alone, where most of that was. */
export function peakOf({ device: { curve, peak, stack }, shown }: Chart): { readonly at: number; readonly bytes: number } | null {
  return shown.before || stack === null
    ? curve.at_us.length === 0
      ? null
      : { at: curve.peak_allocated_us, bytes: curve.peak_allocated_bytes }
    : peak && { at: peak.at_us, bytes: peak.recorded_bytes };
}

function drawPeak({ context, palette, widthPx, text }: Paint, chart: Chart, frame: Frame): void {
  const peak = peakOf(chart);
  if (peak === null) {
    return;
  }
  const [x, y] = [frame.x(peak.at), frame.y(peak.bytes)];
  context.strokeStyle = palette.foreground;
  context.fillStyle = palette.foreground;
  context.lineWidth = 1;
  context.setLineDash([2, 3]);
  context.beginPath();
  context.moveTo(Math.round(x) + 0.5, y);
  context.lineTo(Math.round(x) + 0.5, PLOT.top - 6);
  context.stroke();
  context.setLineDash([]);
  context.beginPath();
  context.arc(x, y, 3.5, 0, 2 * Math.PI);
  context.fill();
  const label = `Peak ${sizeBytes(peak.bytes)}`;
  const half = text.width(label) / 2;
  context.textAlign = 'center';
  context.fillText(label, Math.min(widthPx - 4 - half, Math.max(PLOT.left + half, x)), PLOT.top / 2 - 1);
}

export function drawPointed({ context, palette, widthPx, heightPx }: Paint, chart: Chart, { at, layer, mark }: Pointed): void {
  const frame = frameOf(chart, widthPx, heightPx);
  const bottom = PLOT.top + frame.height;
  if (mark !== null) {
    const [from, to] = [frame.x(Math.min(...mark)), frame.x(Math.max(...mark))];
    context.globalAlpha = 0.18;
    context.fillStyle = palette.focus;
    context.fillRect(from, PLOT.top, to - from, frame.height);
    context.globalAlpha = 1;
    context.strokeStyle = palette.focus;
    context.lineWidth = 1;
    context.strokeRect(Math.round(from) + 0.5, PLOT.top + 0.5, Math.max(1, Math.round(to - from)), frame.height - 1);
  }
  if (at === null) {
    return;
  }
  const x = Math.round(frame.x(at)) + 0.5;
  context.strokeStyle = palette.quiet;
  context.lineWidth = 1;
  context.beginPath();
  context.moveTo(x, PLOT.top);
  context.lineTo(x, bottom);
  context.stroke();
  const pointed = chart.layers.find(({ key }) => key === layer);
  const moment = lastAt(chart.device.stack?.at_us ?? [], at);
  if (pointed !== undefined && moment >= 0 && (pointed.bytes[moment] ?? 0) > 0) {
    const from = pointed.from[moment] ?? 0;
    context.strokeStyle = palette.selection;
    context.lineWidth = 3;
    context.beginPath();
    context.moveTo(x, frame.y(from));
    context.lineTo(x, frame.y(from + (pointed.bytes[moment] ?? 0)));
    context.stroke();
  }
}
