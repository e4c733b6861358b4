/**
 * The Modules page: what each nn.Module cost, as a tree.
 */
import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import { share, timeUs } from '../../format';
import type { ModuleReport } from '../../server/views';
import { fileLabels } from '../lines/rows';
import { Figures } from '../shared/Figures';
import type { Figure } from '../shared/Figures';
import { Icon } from '../shared/Icon';
import { Message } from '../shared/Message';
import { PerStep, usePerStep } from '../shared/perStep';
import type { Spread } from '../shared/perStep';
import { Segments } from '../shared/Segments';
import { useSession, useTarget } from '../shared/session';
import { usePageState } from '../shared/state';
import type { Change } from '../shared/state';
import { DataTable, sortedByOneOf } from '../shared/table';
import type { TableState } from '../shared/table';
import { ViewOf } from '../shared/view';
import { moduleColumns, RANKED } from './columns';
import type { Metric } from './columns';
import { Detail } from './Detail';
import './modules.css';
import { ALL_LEVELS, DEFAULT_CHOICES, restoreChoices } from './state';
import type { Choices } from './state';
import { keysAbove, namedNodes, treeOf } from './tree';
import type { ModuleNode } from './tree';

const nodeKey = ({ key }: ModuleNode) => key;
const childNodes = ({ children }: ModuleNode) => children;

export function ModulesPage() {
  const [choices, change] = usePageState('modules', DEFAULT_CHOICES, restoreChoices);
  // Where it stands in the tree is known when the tree is.
  const [wanted, setWanted] = useState<string | null>(null);
  useTarget(({ module }) => {
    if (module !== undefined) {
      setWanted(module);
    }
  });
  const onFound = useCallback(() => setWanted(null), []);
  return (
    <ViewOf name="modules">
      {(content) =>
        content.rows.length === 0 ? (
          <Empty />
        ) : (
          <Report content={content} choices={choices} change={change} wanted={wanted} onFound={onFound} />
        )
      }
    </ViewOf>
  );
}

interface Props {
  readonly content: ModuleReport;
  readonly choices: Choices;
  readonly change: Change<Choices>;
  /** The name of the module that is to be shown. */
  readonly wanted: string | null;
  readonly onFound: () => void;
}

function Report({ content, choices, change, wanted, onFound }: Props) {
  const { rows, device_us } = content;
  const { table, per, levels } = choices;
  const { spread, offered } = usePerStep(per);
  const hasDevice = device_us > 0;
  const metric: Metric = choices.metric === null || (choices.metric === 'gpu' && !hasDevice) ? (hasDevice ? 'gpu' : 'cpu') : choices.metric;
  const roots = useMemo(() => treeOf(rows), [rows]);
  const labels = useMemo(() => fileLabels(rows.flatMap(({ called_on: at }) => at?.file ?? [])), [rows]);
  const columns = useMemo(
    () => moduleColumns({ metric, hasDevice, device_us, spread, labels }),
    [metric, hasDevice, device_us, spread, labels],
  );
  const state = useMemo(() => sortedByOneOf(columns, table, RANKED[metric]), [columns, table, metric]);
  const onState = useCallback((patch: Partial<TableState>) => change((now) => ({ table: { ...now.table, ...patch } })), [change]);
  const expand = (to: number) => change((now) => ({ levels: to, table: { ...now.table, expanded: {} } }));

  useEffect(() => {
    if (wanted === null) {
      return;
    }
    const [node] = namedNodes(roots, wanted);
    if (node !== undefined) {
      const above = Object.fromEntries(keysAbove(node.key).map((key) => [key, true]));
      change((now) => ({
        table: { ...now.table, filter: '', selected: node.key, open: null, expanded: { ...now.table.expanded, ...above } },
      }));
    }
    onFound();
  }, [wanted, roots, change, onFound]);

  return (
    <div class="modules">
      <Figures label="All modules" figures={figuresOf(content, spread)} />
      <DataTable
        label="Modules by cost"
        noun={['module', 'modules']}
        rows={roots}
        columns={columns}
        rowKey={nodeKey}
        childRows={childNodes}
        expandedDepth={levels}
        state={state}
        onState={onState}
        detail={({ row }) => <Detail row={row} hasDevice={hasDevice} spread={spread} labels={labels} />}
        tools={
          <>
            <Segments
              label="Metric"
              name="modules-metric"
              chosen={metric}
              choices={[
                hasDevice
                  ? { value: 'gpu', label: 'GPU', help: 'Device time first' }
                  : { value: 'gpu', label: 'GPU', help: 'The run used no device', disabled: true },
                { value: 'cpu', label: 'CPU', help: 'Host time first' },
                { value: 'memory', label: 'Memory', help: 'Allocated bytes first' },
              ]}
              onChoose={(value) =>
                change((now) => ({ metric: value, table: { ...now.table, sort: { column: RANKED[value], descending: true } } }))
              }
            />
            <PerStep name="modules-per" per={per} offered={offered} onPer={(value) => change({ per: value })} />
            <span class="levels">
              <Level icon="expand-all" title="Expand all modules" onClick={() => expand(ALL_LEVELS)} />
              <Level icon="collapse-all" title="Collapse all modules" onClick={() => expand(0)} />
            </span>
          </>
        }
      />
    </div>
  );
}

function Level({ icon, title, onClick }: { readonly icon: string; readonly title: string; readonly onClick: () => void }) {
  return (
    <button type="button" class="tool" title={title} aria-label={title} onClick={onClick}>
      <Icon name={icon} />
    </button>
  );
}

function Empty() {
  const { part, transport } = useSession();
  const whole = part.step === null && part.range_us === null;
  return (
    <Message icon="symbol-class" title="No modules">
      {whole ? null : <p>No module ran in the selected part of the recording, or none were recorded at all.</p>}
      <p>
        Names of modules are in a recording with call stacks. Record it with <code>kinetoscope profile --stacks</code>
        {transport.editor ? (
          <>
            , or with the setting <code>kinetoscope.profile.stacks</code>
          </>
        ) : null}
        . In your own profiler they are there with <code>with_stack=True</code>, those of TorchScript with <code>with_modules=True</code>.
      </p>
    </Message>
  );
}

export function figuresOf({ rows, device_us: all, device_outside_us: outside }: ModuleReport, { steps, suffix }: Spread): Figure[] {
  const host = rows.filter(({ depth }) => depth === 0).reduce((sum, row) => sum + row.host_total_us, 0);
  return [
    ...(all > 0
      ? [
          { name: 'GPU', value: timeUs(all / steps) + suffix, help: 'Device time of all kernels, copies and fills, over all streams' },
          {
            name: 'In modules',
            value: share((all - outside) / all),
            help: 'Share of the device time that belongs to modules, backward included',
          },
          ...(outside > 0
            ? [
                {
                  name: 'Outside of modules',
                  value: share(outside / all),
                  help: 'Share of the device time of no module: losses, optimizers, copies, and work whose launch was not recorded',
                },
              ]
            : []),
        ]
      : []),
    { name: 'CPU in modules', value: timeUs(host / steps) + suffix, help: 'Wall time of the calls of the outermost modules' },
  ];
}
