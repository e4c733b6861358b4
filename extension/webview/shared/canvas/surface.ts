/**
 * A canvas of two layers that follows the size, the pixels and the theme of its element: what is there below, what is pointed at above. Each
 * is drawn at most once a frame. Without a GPU each canvas that is seen is copied in each frame, whether it has changed or not, which costs as
 * much as all that is drawn in it: while what is there moves, marks are drawn over it in the same canvas, and only when they alone change in
 * their own.
 */
import { onThemeChange, readPalette } from './palette';
import type { Palette } from './palette';
import { Sheet } from './sheet';
import { TextFit } from './text';

export interface Paint {
  readonly context: CanvasRenderingContext2D;
  /** In CSS pixels, in which everything is drawn. */
  readonly widthPx: number;
  readonly heightPx: number;
  /** Pixels of the screen for one of CSS. */
  readonly ratio: number;
  readonly palette: Palette;
  readonly text: TextFit;
  /** Gives an empty sheet as wide as the canvas, another one each time in a frame. */
  readonly sheet: () => Sheet;
}

export interface Layers {
  readonly below: (paint: Paint) => void;
  readonly above: (paint: Paint) => void;
}

export class Surface {
  private palette: Palette;
  private text: TextFit;
  private sheets: Sheet[] = [];
  private widthPx = 0;
  private heightPx = 0;
  private ratio = 1;
  private frame = 0;
  private dirty = { below: true, above: true };
  /** Where marks are now. */
  private marked: 'below' | 'above' = 'above';
  private readonly below: CanvasRenderingContext2D;
  private readonly above: CanvasRenderingContext2D;
  private readonly ends: (() => void)[];

  constructor(
    readonly element: HTMLElement,
    private layers: Layers,
  ) {
    this.below = append(element);
    this.above = append(element);
    this.palette = readPalette(element);
    this.text = this.measured();
    const observer = new ResizeObserver(() => this.resize());
    observer.observe(element);
    // Zooming the window or moving it to another screen changes the ratio, maybe not the size in CSS pixels.
    const onWindow = () => this.resize();
    window.addEventListener('resize', onWindow);
    this.ends = [
      () => observer.disconnect(),
      () => window.removeEventListener('resize', onWindow),
      onThemeChange(() => {
        this.palette = readPalette(element);
        this.text = this.measured();
        this.redraw();
      }),
    ];
    this.resize();
  }

  /** What is drawn from now on. */
  set(layers: Layers): void {
    this.layers = layers;
    this.redraw();
  }

  redraw(): void {
    this.dirty = { below: true, above: true };
    this.schedule();
  }

  redrawAbove(): void {
    this.dirty.above = true;
    this.schedule();
  }

  dispose(): void {
    cancelAnimationFrame(this.frame);
    this.ends.forEach((end) => end());
    this.below.canvas.remove();
    this.above.canvas.remove();
  }

  private schedule(): void {
    if (this.frame === 0) {
      this.frame = requestAnimationFrame(() => {
        this.frame = 0;
        this.draw();
      });
    }
  }

  private draw(): void {
    const { dirty } = this;
    this.dirty = { below: false, above: false };
    if (dirty.below) {
      const paint = this.start(this.below);
      this.layers.below(paint);
      this.layers.above(paint);
      this.mark('below');
    } else if (dirty.above) {
      if (this.marked === 'below') {
        this.layers.below(this.start(this.below));
      }
      this.layers.above(this.start(this.above));
      this.mark('above');
    }
  }

  private mark(on: 'below' | 'above'): void {
    if (on !== this.marked) {
      this.marked = on;
      this.above.canvas.style.visibility = on === 'above' ? '' : 'hidden';
    }
  }

  /** The layer, empty. */
  private start(context: CanvasRenderingContext2D): Paint {
    const { widthPx, heightPx, palette, text } = this;
    context.clearRect(0, 0, widthPx, heightPx);
    context.font = fontOf(palette);
    context.textBaseline = 'middle';
    let given = 0;
    const sheet = () => (this.sheets[given++] ??= new Sheet(Math.max(1, context.canvas.width)));
    return { context, widthPx, heightPx, ratio: this.ratio, palette, text, sheet };
  }

  private measured(): TextFit {
    this.below.font = fontOf(this.palette);
    return new TextFit((text) => this.below.measureText(text).width);
  }

  private resize(): void {
    this.widthPx = this.element.clientWidth;
    this.heightPx = this.element.clientHeight;
    const ratio = (this.ratio = window.devicePixelRatio);
    for (const { canvas } of [this.below, this.above]) {
      canvas.width = Math.round(this.widthPx * ratio);
      canvas.height = Math.round(this.heightPx * ratio);
      canvas.style.width = `${this.widthPx}px`;
      canvas.style.height = `${this.heightPx}px`;
      // Setting the size has reset the context.
      canvas.getContext('2d')?.setTransform(ratio, 0, 0, ratio, 0, 0);
    }
    this.text = this.measured();
    this.sheets = [];
    // Drawn at once: a canvas whose size was set is empty, and a frame without a picture flickers.
    this.dirty = { below: true, above: true };
    this.draw();
  }
}

function fontOf({ font, fontPx }: Palette): string {
  return `${fontPx}px ${font}`;
}

function append(element: HTMLElement): CanvasRenderingContext2D {
  const canvas = document.createElement('canvas');
  canvas.setAttribute('aria-hidden', 'true');
  const context = canvas.getContext('2d');
  if (!context) {
    throw new Error('This browser draws no canvas');
  }
  element.append(canvas);
  return context;
}
