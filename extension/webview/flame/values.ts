/**
 * Weights as words.
 */
import { share, sizeBytes, timeUs } from '../../format';
import type { FlameTree, StackContent } from './tree';

type Unit = StackContent['unit'];

export function weight(value: number, unit: Unit, plus = false): string {
  return unit === 'bytes' ? sizeBytes(value, plus) : timeUs(value / 1000, plus);
}

export function shareOf(value: number, whole: number): string {
  return share(whole > 0 ? value / whole : 0);
}

/** A difference with its share of what it was: `+1.2 ms (+12 %)`. */
export function difference(before: number, after: number, unit: Unit): string {
  if (before === after) {
    return 'no difference';
  }
  const by = weight(after - before, unit, true);
  return before > 0 ? `${by} (${after > before ? '+' : ''}${share(after / before - 1)})` : `${by} (new)`;
}

/** A frame in one sentence, for who hears it. */
export function spoken(tree: FlameTree, node: number, unit: Unit): string {
  const [total = 0, own = 0, whole = 0] = [tree.total[node], tree.own[node], tree.total[0]];
  const compared = tree.before ? `, ${difference(tree.before.total[node] ?? 0, total, unit)}` : '';
  return `${tree.names[node] ?? ''}: ${weight(total, unit)}, ${shareOf(total, whole)} of all, own ${weight(own, unit)}${compared}, level ${tree.depths[node] ?? 0}`;
}
