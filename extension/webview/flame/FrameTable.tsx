/**
 * The graph as a table for who can't see it: the frame that is zoomed into, its callers, and the dearest frames below it.
 */
import { pathTo } from './tree';
import type { FlameTree, StackContent } from './tree';
import { difference, shareOf, weight } from './values';

interface Props {
  readonly tree: FlameTree;
  readonly unit: StackContent['unit'];
  readonly zoom: number;
  readonly onOpen: (node: number) => void;
}

const MOST = 100;

export function FrameTable({ tree, unit, zoom, onOpen }: Props) {
  const lengthOf = (node: number) => (tree.ends[node] ?? 0) - (tree.starts[node] ?? 0);
  const below = Array.from({ length: (tree.after[zoom] ?? 0) - zoom }, (_, at) => zoom + at);
  const dearest = below.sort((a, b) => lengthOf(b) - lengthOf(a)).slice(0, MOST);
  const nodes = [...pathTo(tree, zoom).slice(0, -1), ...dearest.sort((a, b) => a - b)];
  return (
    <div class="hidden">
      <table>
        <caption>
          The {Math.min(MOST, below.length)} dearest of {below.length} frames from {tree.names[zoom]} on, below their callers
        </caption>
        <thead>
          <tr>
            <th scope="col">Level</th>
            <th scope="col">Frame</th>
            <th scope="col">Total</th>
            <th scope="col">Share of all</th>
            <th scope="col">Own</th>
            {tree.before ? <th scope="col">Against the baseline</th> : null}
            <th scope="col">Source</th>
          </tr>
        </thead>
        <tbody>
          {nodes.map((node) => (
            <tr key={node}>
              <td>{tree.depths[node]}</td>
              <th scope="row">{tree.names[node]}</th>
              <td>{weight(tree.total[node] ?? 0, unit)}</td>
              <td>{shareOf(tree.total[node] ?? 0, tree.total[0] ?? 0)}</td>
              <td>{weight(tree.own[node] ?? 0, unit)}</td>
              {tree.before ? <td>{difference(tree.before.total[node] ?? 0, tree.total[node] ?? 0, unit)}</td> : null}
              <td>
                {tree.files[node] === '' ? (
                  'none'
                ) : (
                  <button type="button" tabIndex={-1} onClick={() => onOpen(node)}>
                    {tree.files[node]}:{tree.lines[node]}
                  </button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
