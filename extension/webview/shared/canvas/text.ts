/**
 * Text that fits into a box: the whole, or its beginning with an ellipsis, or nothing. Widths are measured once for each text and
 * beginning of one: while a view moves, the same ones fit again and again.
 */

const ELLIPSIS = '…';
/** Narrower than this nothing can be read. */
const LEAST_CHARS = 3;
/** Texts whose widths are kept; then all are forgotten, which costs one slow frame. */
const KEPT = 20_000;

export class TextFit {
  private readonly widths = new Map<string, number>();

  /** `measure` gives the width of a text in the canvas's font, in px. */
  constructor(private readonly measure: (text: string) => number) {}

  width(text: string): number {
    let width = this.widths.get(text);
    if (width === undefined) {
      width = this.measure(text);
      if (this.widths.size >= KEPT) {
        this.widths.clear();
      }
      this.widths.set(text, width);
    }
    return width;
  }

  /** What of the text to draw in a width; empty where not even its first characters fit. */
  fit(text: string, widthPx: number): string {
    const whole = this.width(text);
    if (whole <= widthPx) {
      return text;
    }
    const room = widthPx - this.width(ELLIPSIS);
    // A guess from the mean width of a character, then shorter until it fits.
    let chars = Math.floor((room / whole) * text.length) + 1;
    while (chars >= LEAST_CHARS && this.width(text.slice(0, chars)) > room) {
      chars -= 1;
    }
    return chars < LEAST_CHARS ? '' : text.slice(0, chars).trimEnd() + ELLIPSIS;
  }
}
