/**
 * The way from the whole to the frame that fills the width; each step goes back there. Of a long way the middle is left out.
 */
import { labelOf } from '../shared/frameLabel';
import { pathTo } from './tree';
import type { FlameTree } from './tree';

interface Props {
  readonly tree: FlameTree;
  readonly zoom: number;
  readonly onZoom: (node: number) => void;
}

const LAST = 4;

export function Breadcrumbs({ tree, zoom, onZoom }: Props) {
  const path = pathTo(tree, zoom);
  const shown = path.length > LAST + 2 ? [path[0] ?? 0, null, ...path.slice(-LAST)] : path;
  return (
    <nav class="breadcrumbs" aria-label="Zoomed into">
      <ol>
        {shown.map((node) =>
          node === null ? (
            <li key="left out" class="quiet" title={`${path.length - LAST - 1} frames are left out`}>
              …
            </li>
          ) : (
            <li key={node}>
              {node === zoom ? (
                <span aria-current="location">{labelOf(tree.names[node] ?? '')}</span>
              ) : (
                <button type="button" class="link" title={tree.names[node]} onClick={() => onZoom(node)}>
                  {labelOf(tree.names[node] ?? '')}
                </button>
              )}
            </li>
          ),
        )}
      </ol>
    </nav>
  );
}
