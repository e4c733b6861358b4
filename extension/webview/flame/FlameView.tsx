/**
 * The flame graph of one answer: the graph, or one function from both sides, with search, colours and details.
 */
import type { ComponentChildren, RefObject } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import { KeysHelp } from '../shared/canvas/KeysHelp';
import { usePageKeys } from '../shared/canvas/usePageKeys';
import { useHeirOfFocus } from '../shared/focus';
import { Icon } from '../shared/Icon';
import { Segments } from '../shared/Segments';
import { Breadcrumbs } from './Breadcrumbs';
import type { Choices } from './choices';
import { compareTrees } from './compare';
import { Details } from './Details';
import { FlameChart } from './FlameChart';
import { folded } from './folded';
import { FrameTable } from './FrameTable';
import { coloursOf, groupsOf } from './groups';
import { KEYS } from './keysHelp';
import { Legend } from './Legend';
import { SandwichView } from './SandwichView';
import { search } from './search';
import type { Found } from './search';
import { flameTree, functionKey, WHOLE } from './tree';
import type { FlameTree, StackContent } from './tree';
import { shareOf, weight } from './values';
import { namesTo, nodeOf } from './zoomPath';

interface Props {
  readonly content: StackContent;
  /** The same view of the run that this one is compared with. */
  readonly baseline: StackContent | null;
  readonly choices: Choices;
  readonly change: (patch: Partial<Choices>) => void;
  readonly onOpenSource: (file: string, line: number) => void;
  readonly onCopy: (text: string, what: string) => void;
  /** More tools, before the search. */
  readonly children?: ComponentChildren;
}

const WHOLE_NAME = 'everything';

export function FlameView({ content, baseline, choices, change, onOpenSource, onCopy, children }: Props) {
  const { unit } = content;
  const tree = useMemo(
    () => (baseline ? compareTrees(baseline.nodes, content.nodes, WHOLE_NAME, choices.widths) : flameTree(content.nodes, WHOLE_NAME)),
    [content, baseline, choices.widths],
  );
  const groups = useMemo(() => (baseline ? null : groupsOf(tree, content.by)), [tree, content, baseline]);
  const colours = useMemo(() => groups && coloursOf(tree, groups), [tree, groups]);
  const found = useMemo(() => search(tree, choices.search), [tree, choices.search]);
  const zoom = useMemo(() => nodeOf(tree, choices.zoom), [tree, choices.zoom]);
  // A frame of another tree is none of this one.
  const [chosen, setChosen] = useState<{ readonly tree: FlameTree; readonly node: number | null }>({ tree, node: null });
  const selected = chosen.tree === tree ? chosen.node : null;
  const [hovered, setHovered] = useState<number | null>(null);
  const [help, setHelp] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const input = useRef<HTMLInputElement>(null);

  const select = (node: number | null) => setChosen({ tree, node });
  const open = (of: FlameTree, node: number) => {
    const file = of.files[node] ?? '';
    if (file !== '') {
      onOpenSource(file, of.lines[node] ?? 0);
    }
  };
  const zoomTo = (node: number) => change({ zoom: namesTo(tree, node) });
  const copy = (node: number) =>
    onCopy(folded(tree, node), node === WHOLE ? 'all stacks, folded' : `the stacks from ${tree.names[node] ?? ''} on, folded`);
  const shown = hovered !== null && hovered < tree.names.length ? hovered : selected;
  const isSandwich = choices.sandwich !== null && tree.names.some((_, node) => functionKey(tree, node) === choices.sandwich);

  const chart = () => box.current?.querySelector<HTMLElement>('.flame-chart');
  useHeirOfFocus(box, chart);
  usePageKeys({
    '/': () => {
      input.current?.focus();
      input.current?.select();
    },
    '?': () => setHelp(true),
  });

  return (
    <div class="flame" ref={box}>
      <div class="flame-tools" role="toolbar" aria-label="Flame graph">
        {children}
        {baseline === null ? null : (
          <Segments
            label="Widths"
            name="flame-widths"
            choices={[
              { value: 'after', label: 'This run', help: 'Frames are as wide as they are in this run' },
              { value: 'before', label: 'Other run', help: 'Frames are as wide as they are in the other run: what is gone is seen' },
            ]}
            chosen={choices.widths}
            onChoose={(widths) => change({ widths })}
          />
        )}
        {isSandwich ? null : (
          <Segments
            label="Direction"
            name="flame-direction"
            choices={[
              { value: 'icicle', label: 'Icicle', help: 'Callees below their callers' },
              { value: 'flame', label: 'Flame', help: 'Callees above their callers' },
            ]}
            chosen={choices.direction}
            onChoose={(direction) => change({ direction })}
          />
        )}
        <Search
          input={input}
          tree={tree}
          found={found}
          text={choices.search}
          unit={unit}
          selected={selected}
          onText={(text) => change({ search: text })}
          onSelect={select}
          onLeave={() => chart()?.focus()}
        />
        <button
          type="button"
          class="tool"
          disabled={!isSandwich && (selected === null || selected === WHOLE)}
          aria-pressed={isSandwich}
          title={isSandwich ? 'Back to the whole graph' : 'The chosen function from both sides: its callers and callees (F)'}
          onClick={() => change({ sandwich: isSandwich ? null : functionKey(tree, selected ?? WHOLE) })}
        >
          <Icon name="split-vertical" /> {isSandwich ? 'Back to the graph' : 'Callers and callees'}
        </button>
        <button type="button" class="tool" title="Copy as folded stacks, for other flame graph tools" onClick={() => copy(zoom)}>
          <Icon name="copy" /> Folded
        </button>
        <button type="button" class="tool" title="Keys and gestures (?)" aria-label="Keys and gestures" onClick={() => setHelp(true)}>
          <Icon name="keyboard" />
        </button>
      </div>
      {isSandwich ? (
        <SandwichView
          key={choices.sandwich}
          tree={tree}
          unit={unit}
          groups={groups}
          of={choices.sandwich}
          onOpen={open}
          onSandwich={(key) => change({ sandwich: key })}
        />
      ) : (
        <>
          <Breadcrumbs tree={tree} zoom={zoom} onZoom={zoomTo} />
          <FlameChart
            tree={tree}
            unit={unit}
            label={`Flame graph: ${weight(tree.total[WHOLE] ?? 0, unit)} in ${tree.names.length - 1} frames. Arrow keys walk, Enter opens the source, question mark lists the keys.`}
            direction={choices.direction}
            colours={colours}
            found={found}
            selected={selected}
            zoom={zoom}
            onSelect={select}
            onZoom={zoomTo}
            onOpen={(node) => open(tree, node)}
            onHover={setHovered}
            onKey={(event, node) => {
              if (event.ctrlKey || event.metaKey || event.altKey) {
                return false;
              }
              if (event.key === 'f' && node !== null && node !== WHOLE) {
                change({ sandwich: functionKey(tree, node) });
                return true;
              }
              if (event.key === 'c') {
                copy(node ?? zoom);
                return true;
              }
              return false;
            }}
          />
          <FrameTable tree={tree} unit={unit} zoom={zoom} onOpen={(node) => open(tree, node)} />
          <Legend groups={groups} unit={unit} whole={tree.total[WHOLE] ?? 0} />
          <Details
            tree={tree}
            unit={unit}
            node={shown}
            zoom={zoom}
            hint="Point at a frame for its weight; click it for its source; double-click to zoom in."
            onOpen={(node) => open(tree, node)}
          />
        </>
      )}
      {help ? <KeysHelp title="Flame graph: keys and gestures" rows={KEYS} onClose={() => setHelp(false)} /> : null}
    </div>
  );
}

interface SearchProps {
  readonly input: RefObject<HTMLInputElement | null>;
  readonly tree: FlameTree;
  readonly found: Found | null;
  readonly text: string;
  readonly unit: StackContent['unit'];
  readonly selected: number | null;
  readonly onText: (text: string) => void;
  readonly onSelect: (node: number) => void;
  readonly onLeave: () => void;
}

function Search({ input, tree, found, text, unit, selected, onText, onSelect, onLeave }: SearchProps) {
  const at = found && selected !== null ? found.nodes.indexOf(selected) : -1;
  const go = (by: 1 | -1) => {
    if (found && found.nodes.length > 0) {
      const { nodes } = found;
      const from = at >= 0 ? at + by : by === 1 ? 0 : -1;
      onSelect(nodes.at(from % nodes.length) ?? 0);
    }
  };
  return (
    <div class="filter flame-search">
      <Icon name="search" />
      <input
        ref={input}
        type="text"
        placeholder="Search frames"
        aria-label="Search frames"
        aria-keyshortcuts="/"
        spellcheck={false}
        value={text}
        onInput={(event) => onText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') {
            event.preventDefault();
            go(event.shiftKey ? -1 : 1);
          } else if (event.key === 'Escape' && text !== '') {
            onText('');
          } else if (event.key === 'Escape' || event.key === 'ArrowDown') {
            event.preventDefault();
            onLeave();
          }
        }}
      />
      <span class="count" role="status">
        {found === null
          ? ''
          : found.nodes.length === 0
            ? 'nothing found'
            : `${at >= 0 ? `${at + 1} of ` : ''}${found.nodes.length} · ${shareOf(found.weight, tree.total[WHOLE] ?? 0)} · ${weight(found.weight, unit)}`}
      </span>
    </div>
  );
}
