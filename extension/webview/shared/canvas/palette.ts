/**
 * The theme's colours for canvases, read from the tokens of canvas.css, and read again when the theme changes.
 */
import { contrast, css, mix, over, parseColour } from './colour';
import type { Colour } from './colour';

export interface Fill {
  readonly fill: string;
  readonly text: string;
  /** The same stronger: of boxes without text, which are small. */
  readonly strong: string;
  /** In high contrast: the colour of a mark at the box's beginning. */
  readonly mark?: string;
}

export interface Palette {
  /** In high contrast things differ by borders and words, not by fills. */
  readonly highContrast: boolean;
  readonly background: string;
  readonly foreground: string;
  readonly quiet: string;
  /** Lines between parts, and borders of boxes in high contrast. */
  readonly line: string;
  readonly focus: string;
  readonly selection: string;
  readonly found: string;
  /** Fills of a series by shade, each with the colour of text on it: `series[kind][shade]`. The last series is grey. */
  readonly series: readonly (readonly Fill[])[];
  /** The pure colours of the series, for lines and marks. */
  readonly strokes: readonly string[];
  /** From much less (0) over equal (`scale.length >> 1`) to much more. */
  readonly scale: readonly Fill[];
  readonly font: string;
  readonly fontPx: number;
}

/** Coloured series; one more, grey, is for the rest. */
export const SERIES = 6;
export const REST = SERIES;
/** Names of one series differ a little in strength, so that neighbours can be told apart. */
export const SHADES = 3;
/** How much of the series' colour is in each shade; the rest is the page's background. */
const STRENGTH = [0.5, 0.42, 0.58] as const;
/** How much more of it there is without text. */
const STRONGER = 0.2;
/** Text of the theme's own colour is read on every fill: WCAG's least contrast for text. */
const LEAST_CONTRAST = 4.5;
const SCALE = [0.75, 0.55, 0.35, 0.18, 0, 0.18, 0.35, 0.55, 0.75] as const;

export function readPalette(element: HTMLElement): Palette {
  const style = getComputedStyle(element);
  const probe = document.createElement('canvas').getContext('2d');
  const read = (token: string, ground: Colour): Colour => {
    if (!probe) {
      return ground;
    }
    const before = css(ground);
    probe.fillStyle = before;
    const value = style.getPropertyValue(token).trim();
    if (value !== '') {
      probe.fillStyle = value;
    }
    return over(parseColour(typeof probe.fillStyle === 'string' ? probe.fillStyle : before) ?? ground, ground);
  };
  const none: Colour = { r: 128, g: 128, b: 128, a: 1 };
  const background = read('--canvas-background', none);
  const foreground = read('--canvas-foreground', background);
  const grey = mix(background, foreground, 0.4);
  const highContrast =
    ['vscode-high-contrast', 'vscode-high-contrast-light'].some((name) => document.body.classList.contains(name)) ||
    matchMedia('(forced-colors: active)').matches;
  const filled = (pure: Colour, part: number): Fill =>
    highContrast
      ? { fill: css(background), text: css(foreground), strong: css(pure), mark: css(pure) }
      : {
          fill: css(fillUnder(foreground, background, pure, part)),
          text: css(foreground),
          strong: css(mix(background, pure, part + STRONGER)),
        };
  const colours = Array.from({ length: SERIES }, (_, at) => read(`--canvas-series-${at + 1}`, grey));
  const less = read('--canvas-less', grey);
  const more = read('--canvas-more', grey);
  return {
    highContrast,
    background: css(background),
    foreground: css(foreground),
    quiet: css(read('--canvas-quiet', background)),
    line: css(read(highContrast ? '--canvas-border' : '--canvas-line', background)),
    focus: css(read('--canvas-focus', foreground)),
    selection: css(read('--canvas-selection', foreground)),
    found: css(read('--canvas-found', foreground)),
    series: [...colours.map((colour) => STRENGTH.map((part) => filled(colour, part))), STRENGTH.map((part) => filled(grey, part * 0.8))],
    strokes: [...colours, grey].map(css),
    scale: SCALE.map((part, at) => (part === 0 ? filled(grey, 0.35) : filled(at < SCALE.length >> 1 ? less : more, part))),
    font: style.getPropertyValue('font-family') || 'sans-serif',
    fontPx: Math.max(10, Math.min(16, parseFloat(style.fontSize) * 0.88 || 11)),
  };
}

/** As much of a colour as the text on it allows. */
function fillUnder(text: Colour, background: Colour, colour: Colour, part: number): Colour {
  let strength = part;
  while (strength > 0.1 && contrast(mix(background, colour, strength), text) < LEAST_CONTRAST) {
    strength -= 0.02;
  }
  return mix(background, colour, strength);
}

/** Calls back when the theme may be another; returns what ends that. */
export function onThemeChange(changed: () => void): () => void {
  // VS Code sets the theme's variables on the root element and its kind as a class of the body.
  const observer = new MutationObserver(changed);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ['style', 'class', 'data-theme'] });
  observer.observe(document.body, { attributes: true, attributeFilter: ['class', 'data-vscode-theme-id'] });
  const queries = ['(forced-colors: active)', '(prefers-color-scheme: dark)'].map((query) => matchMedia(query));
  queries.forEach((query) => query.addEventListener('change', changed));
  return () => {
    observer.disconnect();
    queries.forEach((query) => query.removeEventListener('change', changed));
  };
}
