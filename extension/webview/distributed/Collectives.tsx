/**
 * The collectives: what was called, how long it took, how much it moved; behind each its calls.
 */
import { useCallback, useMemo } from 'preact/hooks';
import { sizeBytes, timeUs } from '../../format';
import type { CollectiveCall, CollectiveStats, DistributedView } from '../../server/views';
import '../shared/detail.css';
import { PlaceLink } from '../shared/PlaceLink';
import { Segments } from '../shared/Segments';
import { useSession } from '../shared/session';
import { Some } from '../shared/Some';
import type { Change } from '../shared/state';
import { DataTable } from '../shared/table';
import type { TableState } from '../shared/table';
import { bandwidthText, collectiveColumns } from './columns';
import { callsOf, collectiveKey } from './ranks';
import type { Choices } from './state';

/** More calls than this are not listed one by one. */
const CALLS_AT_MOST = 100;
const ROW_PX = 26;
const HEAD_PX = 84;
const DETAIL_PX = 260;

interface Props {
  readonly content: DistributedView;
  readonly choices: Choices;
  readonly change: Change<Choices>;
}

export function Collectives({ content: { collectives, calls, ranks }, choices, change }: Props) {
  const { part, ranks: all } = useSession();
  const { table, only } = choices;
  const several = ranks.length > 1;
  const rank = part.rank ?? all[0] ?? 0;
  const rows = useMemo(
    () => (several && only === 'rank' ? collectives.filter((one) => one.rank === rank) : collectives),
    [collectives, several, only, rank],
  );
  const columns = useMemo(() => collectiveColumns(!several), [several]);
  const onState = useCallback((patch: Partial<TableState>) => change((now) => ({ table: { ...now.table, ...patch } })), [change]);
  const height = HEAD_PX + Math.min(14, Math.max(3, rows.length)) * ROW_PX + (table.open === null ? 0 : DETAIL_PX);
  return (
    <div class="collectives" style={{ height: `${height}px` }}>
      <DataTable
        label="Collectives"
        noun={['collective', 'collectives']}
        rows={rows}
        columns={columns}
        rowKey={collectiveKey}
        state={table}
        onState={onState}
        searchText={searchText}
        detail={(row) => <Calls row={row} calls={callsOf(row, calls)} />}
        tools={
          several ? (
            <Segments
              label="Ranks"
              name="distributed-only"
              chosen={only}
              choices={[
                { value: 'all', label: 'All ranks', help: 'A row for each rank' },
                { value: 'rank', label: `Rank ${rank}`, help: 'Only of the selected rank' },
              ]}
              onChoose={(value) => change({ only: value })}
            />
          ) : null
        }
      />
    </div>
  );
}

function searchText({ group, group_description, group_ranks }: CollectiveStats): string {
  return `${group} ${group_description} ${group_ranks}`;
}

function Calls({ row, calls }: { readonly row: CollectiveStats; readonly calls: readonly CollectiveCall[] }) {
  const group = [
    row.group === '' ? '' : `group ${row.group}`,
    row.group_description,
    row.group_ranks === '' ? '' : `ranks ${row.group_ranks}`,
    row.group_size === null ? '' : `${row.group_size} in all`,
  ].filter((text) => text !== '');
  return (
    <div class="detail calls" role="presentation">
      <section aria-label="Calls">
        <h3>{calls.length > CALLS_AT_MOST ? `The longest ${CALLS_AT_MOST} of ${calls.length} calls` : 'Calls, longest first'}</h3>
        <Some items={calls.slice(0, CALLS_AT_MOST)} of="calls" draw={(call, i) => <Call key={i} call={call} />} />
      </section>
      {group.length === 0 ? null : <p class="extra">{group.join(' · ')}</p>}
    </div>
  );
}

function Call({ call }: { readonly call: CollectiveCall }) {
  const { start_us, latency_us, wait_us, bytes, dtype, peer, bus_gb_per_s, frame, backward } = call;
  const facts = [
    `at ${timeUs(start_us)}`,
    bytes === null ? '' : `${sizeBytes(bytes)}${dtype === '' ? '' : ` ${dtype}`}`,
    peer === null ? '' : `with rank ${peer}`,
    bus_gb_per_s === null ? '' : `bus ${bandwidthText(call, bus_gb_per_s)} GB/s`,
  ].filter((fact) => fact !== '');
  return (
    <div class="work">
      <span>{timeUs(latency_us)}</span>
      <span class="quiet">
        {wait_us === null ? '' : `${timeUs(wait_us)} of it waiting · `}
        {facts.join(' · ')}
      </span>
      {backward ? <span class="badge">backward</span> : null}
      {frame === null ? null : (
        <span class="cost">
          <PlaceLink place={frame} />
        </span>
      )}
    </div>
  );
}
