/**
 * One function from both sides: its callers above it, what it calls below it.
 */
import { useMemo, useState } from 'preact/hooks';
import { FlameChart } from './FlameChart';
import type { ChartProps } from './FlameChart';
import { FrameTable } from './FrameTable';
import { coloursOf } from './groups';
import type { Groups } from './groups';
import { sandwich } from './sandwich';
import { functionKey, WHOLE } from './tree';
import type { FlameTree, StackContent } from './tree';
import { Details } from './Details';

interface Props {
  readonly tree: FlameTree;
  readonly unit: StackContent['unit'];
  readonly groups: Groups | null;
  readonly of: string;
  readonly onOpen: (tree: FlameTree, node: number) => void;
  /** Another function from both sides; null: back to the graph. */
  readonly onSandwich: (key: string | null) => void;
}

type Side = 'callers' | 'callees';

interface Pointed {
  readonly side: Side;
  readonly node: number;
}

export function SandwichView({ tree, unit, groups, of, onOpen, onSandwich }: Props) {
  const both = useMemo(() => sandwich(tree, of), [tree, of]);
  const colours = useMemo(
    () =>
      groups ? { callers: coloursOf(both.callers, groups), callees: coloursOf(both.callees, groups) } : { callers: null, callees: null },
    [both, groups],
  );
  const [selected, setSelected] = useState<Pointed | null>(null);
  const [hovered, setHovered] = useState<Pointed | null>(null);
  const [zoom, setZoom] = useState<Readonly<Record<Side, number>>>({ callers: WHOLE, callees: WHOLE });
  const name = both.callees.names[WHOLE] ?? '';

  const chart = (side: Side): ChartProps => ({
    tree: both[side],
    unit,
    label: side === 'callers' ? `Who calls ${name}` : `What ${name} calls`,
    direction: side === 'callers' ? 'flame' : 'icicle',
    colours: colours[side],
    found: null,
    selected: selected?.side === side ? selected.node : null,
    zoom: zoom[side] < both[side].names.length ? zoom[side] : WHOLE,
    onSelect: (node) => setSelected(node === null ? null : { side, node }),
    onHover: (node) => setHovered(node === null ? null : { side, node }),
    onZoom: (node) => setZoom({ ...zoom, [side]: node }),
    onOpen: (node) => onOpen(both[side], node),
    onKey: (event, node) => {
      if (event.key === 'Escape' && zoom[side] === WHOLE && node === null) {
        onSandwich(null);
        return true;
      }
      if (event.key === 'f' && node !== null && !event.ctrlKey && !event.metaKey && !event.altKey) {
        onSandwich(functionKey(both[side], node));
        return true;
      }
      return false;
    },
  });
  const shown = hovered ?? selected ?? { side: 'callees' as const, node: WHOLE };
  const [shownTree, node] = [both[shown.side], shown.node];
  return (
    <>
      <div class="sandwich">
        <h3>
          Callers <span class="quiet">who calls it, in {both.places === 1 ? 'one place' : `${both.places} places`}</span>
        </h3>
        <FlameChart {...chart('callers')} />
        <FrameTable tree={both.callers} unit={unit} zoom={WHOLE} onOpen={(at) => onOpen(both.callers, at)} />
        <h3>
          Callees <span class="quiet">what it calls</span>
        </h3>
        <FlameChart {...chart('callees')} />
        <FrameTable tree={both.callees} unit={unit} zoom={WHOLE} onOpen={(at) => onOpen(both.callees, at)} />
      </div>
      <Details
        tree={shownTree}
        unit={unit}
        node={node < shownTree.names.length ? node : null}
        zoom={WHOLE}
        hint=""
        onOpen={(at) => onOpen(shownTree, at)}
      />
    </>
  );
}
