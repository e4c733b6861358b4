/**
 * A short, gentle move from one span to another, so that the eye follows; at once for those who want no motion.
 */
import { between } from './viewport';
import type { Span } from './viewport';

const LASTS_MS = 160;

export class Glide {
  private frame = 0;

  /** Calls `show` with spans on the way and at last with `to`. A new move, or `stop`, ends the one that is going on. */
  move(from: Span, to: Span, show: (span: Span) => void): void {
    this.stop();
    if (matchMedia('(prefers-reduced-motion: reduce)').matches || from.end <= from.start) {
      show(to);
      return;
    }
    const began = performance.now();
    const step = () => {
      const done = Math.min(1, (performance.now() - began) / LASTS_MS);
      this.frame = done < 1 ? requestAnimationFrame(step) : 0;
      show(between(from, to, done));
    };
    this.frame = requestAnimationFrame(step);
  }

  stop(): void {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
  }
}
