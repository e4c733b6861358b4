/**
 * Two trees as one: each frame with its weight before and after. Frames are the same where their callers are and their name and file are; of
 * those that are left below the same caller, where only the line number in the name is another and no second frame could be meant.
 */
import { layOut } from './tree';
import type { Drawn, FlameTree, Frame, Widths } from './tree';

type Pair = Drawn & { own: number; before: number };

/** Frames are as wide as they are after, or as they were before: then those that are gone are seen. */
export function compareTrees(before: readonly Frame[], after: readonly Frame[], whole: string, widths: Widths = 'after'): FlameTree {
  const nodes: Pair[] = [];
  const add = (frame: Frame, parent: number): number => {
    const { name, file, line, precision } = frame;
    return nodes.push({ name, file, line, precision, parent, own: 0, before: 0 }) - 1;
  };
  const callees = [calleesByCaller(before), calleesByCaller(after)] as const;

  // Pairs of frames with the merged node of their caller; -1 where a side has none.
  const waiting: { readonly old: number; readonly now: number; readonly parent: number }[] = [{ old: -1, now: -1, parent: -1 }];
  for (let at = 0; at < waiting.length; at++) {
    const { old, now, parent } = waiting[at] ?? { old: -1, now: -1, parent: -1 };
    const isRoot = at === 0;
    const frame = isRoot ? undefined : (after[now] ?? before[old]);
    const node = frame ? add(frame, parent) : -1;
    const pair = nodes[node];
    if (pair) {
      pair.before = before[old]?.weight_self ?? 0;
      pair.own = after[now]?.weight_self ?? 0;
    }
    const olds = isRoot || old >= 0 ? (callees[0].get(old) ?? []) : [];
    const nows = isRoot || now >= 0 ? (callees[1].get(now) ?? []) : [];
    for (const [oldBelow, nowBelow] of matched(before, olds, after, nows)) {
      waiting.push({ old: oldBelow, now: nowBelow, parent: node });
    }
  }
  const root = { name: whole, file: '', line: 0, precision: null, own: 0, before: 0 };
  return layOut(nodes, root, true, widths);
}

function calleesByCaller(frames: readonly Frame[]): ReadonlyMap<number, readonly number[]> {
  const found = new Map<number, number[]>();
  frames.forEach(({ parent }, index) => {
    const callees = found.get(parent);
    if (callees) {
      callees.push(index);
    } else {
      found.set(parent, [index]);
    }
  });
  return found;
}

/** Pairs of callees of the same caller; -1 stands for one that is only on the other side. */
function matched(
  before: readonly Frame[],
  olds: readonly number[],
  after: readonly Frame[],
  nows: readonly number[],
): readonly (readonly [number, number])[] {
  const pairs: [number, number][] = [];
  const pair = (leftOld: readonly number[], leftNow: readonly number[], keyOf: (frame: Frame | undefined) => string, only: boolean) => {
    const [byOld, byNow] = [groups(before, leftOld, keyOf), groups(after, leftNow, keyOf)];
    const met = new Set<number>();
    const metOld = new Set<number>();
    for (const [key, ours] of byNow) {
      const theirs = byOld.get(key) ?? [];
      if (only && (ours.length > 1 || theirs.length > 1)) {
        continue;
      }
      for (let at = 0; at < Math.min(ours.length, theirs.length); at++) {
        const [old = -1, now = -1] = [theirs[at], ours[at]];
        pairs.push([old, now]);
        metOld.add(old);
        met.add(now);
      }
    }
    return [leftOld.filter((old) => !metOld.has(old)), leftNow.filter((now) => !met.has(now))] as const;
  };
  const [oldLeft, nowLeft] = pair(olds, nows, exactly, false);
  const [oldOnly, nowOnly] = pair(oldLeft, nowLeft, withoutLine, true);
  return [...pairs, ...oldOnly.map((old) => [old, -1] as const), ...nowOnly.map((now) => [-1, now] as const)];
}

function groups(frames: readonly Frame[], which: readonly number[], keyOf: (frame: Frame | undefined) => string): Map<string, number[]> {
  const found = new Map<string, number[]>();
  for (const index of which) {
    const key = keyOf(frames[index]);
    found.set(key, [...(found.get(key) ?? []), index]);
  }
  return found;
}

function exactly(frame: Frame | undefined): string {
  return frame ? `${frame.name}\n${frame.file}` : '';
}

/** `model.py(12): forward` and `model.py(14): forward` are one function in two versions of its file; so are `forward (model.py:12)` and `:14`. */
function withoutLine(frame: Frame | undefined): string {
  return frame ? `${frame.name.replace(/\((\d+)\): /, '(): ').replace(/:\d+\)$/, ')')}\n${frame.file}` : '';
}

/**
 * Where the difference of a weight stands on a scale of `steps` colours, an odd number, whose middle is no difference. The ends are twice and
 * half of what it was; a frame that is only on one side is at an end.
 */
export function scaleStep(before: number, after: number, steps: number): number {
  const middle = steps >> 1;
  if (before === after) {
    return middle;
  }
  if (before <= 0 || after <= 0) {
    return before <= 0 ? steps - 1 : 0;
  }
  const part = Math.max(-1, Math.min(1, Math.log2(after / before)));
  const step = Math.round(part * middle);
  // Less than half a step is nothing worth a colour.
  return middle + step;
}
