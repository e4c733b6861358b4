/**
 * What is known of one frame, below the graph: of the one that is pointed at, else of the one that is chosen. It has always the same height.
 */
import type { ComponentChildren } from 'preact';
import type { FlameTree, StackContent } from './tree';
import { difference, shareOf, weight } from './values';

interface Props {
  readonly tree: FlameTree;
  readonly unit: StackContent['unit'];
  readonly node: number | null;
  /** What its weight is compared with: `zoom` where that is not the whole. */
  readonly zoom: number;
  readonly hint: string;
  readonly onOpen: (node: number) => void;
  readonly children?: ComponentChildren;
}

export function Details({ tree, unit, node, zoom, hint, onOpen, children }: Props) {
  if (node === null) {
    return (
      <section class="flame-details" aria-label="Frame">
        <p class="quiet">{hint}</p>
      </section>
    );
  }
  const [total = 0, own = 0, whole = 0, zoomed = 0] = [tree.total[node], tree.own[node], tree.total[0], tree.total[zoom]];
  const file = tree.files[node] ?? '';
  return (
    <section class="flame-details" aria-label="Frame">
      <div class="what">
        <strong title={tree.names[node]}>{tree.names[node]}</strong>
        {file === '' ? null : (
          <>
            <button type="button" class="link place" onClick={() => onOpen(node)} title={`Open ${file}:${tree.lines[node] ?? 0}`}>
              <bdi dir="ltr">
                {file}:{tree.lines[node]}
              </bdi>
            </button>
            {tree.precisions[node] === 'function' ? <span class="quiet remark">first line of the function</span> : null}
          </>
        )}
      </div>
      <dl>
        <div>
          <dt>Total</dt>
          <dd>
            {weight(total, unit)} <span class="quiet">{shareOf(total, whole)}</span>
          </dd>
        </div>
        {zoom === 0 ? null : (
          <div>
            <dt>Of what is zoomed</dt>
            <dd>{shareOf(total, zoomed)}</dd>
          </div>
        )}
        <div>
          <dt>Own</dt>
          <dd>
            {weight(own, unit)} <span class="quiet">{shareOf(own, whole)}</span>
          </dd>
        </div>
        {tree.before === null ? null : (
          <div>
            <dt>Baseline</dt>
            <dd>
              {weight(tree.before.total[node] ?? 0, unit)}{' '}
              <span class="quiet">{difference(tree.before.total[node] ?? 0, total, unit)}</span>
            </dd>
          </div>
        )}
      </dl>
      {children}
    </section>
  );
}
