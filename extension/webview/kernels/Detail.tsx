/**
 * What stands behind a kernel: its whole name, its launches, and the operators that they are of.
 */
import { count, sizeBytes, timeUs } from '../../format';
import type { Kernel } from '../../server/views';
import '../shared/detail.css';
import type { Spread } from '../shared/perStep';
import { Some } from '../shared/Some';
import type { Answer } from '../shared/view';
import { OperatorLink } from './columns';
import { sizesText } from './rows';
import type { Group } from './rows';

interface Props {
  readonly row: Kernel;
  readonly group: Group;
  readonly spread: Spread;
  readonly launches: Answer<{ readonly rows: readonly Kernel[] }>;
  readonly onOperator: ((operator: string) => void) | null;
}

export function Detail({ row, group, spread, launches, onOperator }: Props) {
  return (
    <div class="detail kernel-detail" role="presentation">
      <p class="whole-name">{row.name}</p>
      <section aria-label="Launches">
        <h3>{group === 'launch' ? 'Launch' : 'Launches'}</h3>
        {group === 'launch' ? (
          <Launch launch={row} spread={spread} onOperator={onOperator} />
        ) : launches.state === 'ready' && !launches.stale ? (
          <Some
            items={launches.content.rows.filter(({ name }) => name === row.name)}
            of="launches"
            draw={(launch, i) => <Launch key={i} launch={launch} spread={spread} onOperator={onOperator} />}
          />
        ) : (
          <p class="quiet">{launches.state === 'failed' ? launches.message : 'Looking up launches…'}</p>
        )}
      </section>
    </div>
  );
}

interface LaunchProps {
  readonly launch: Kernel;
  readonly spread: Spread;
  readonly onOperator: ((operator: string) => void) | null;
}

function Launch({ launch, spread, onOperator }: LaunchProps) {
  const { grid, block, registers, shared_memory_bytes: shared, bytes } = launch;
  const how = [
    grid === '' ? '' : `grid ${sizesText(grid)}`,
    block === '' ? '' : `block ${sizesText(block)}`,
    registers === null ? '' : `${registers} registers`,
    shared === null || shared === 0 ? '' : `${sizeBytes(shared)} shared memory`,
    bytes === null ? '' : `${sizeBytes(bytes / spread.steps)}${spread.suffix}`,
  ].filter((part) => part !== '');
  return (
    <div class="work">
      <OperatorLink operator={launch.operator} onOperator={onOperator} tabIndex={0} />
      <span class="quiet">{how.join(' · ')}</span>
      <span class="cost">
        {timeUs(launch.total_us / spread.steps)} · {count(launch.calls / spread.steps)}×{spread.suffix}
      </span>
    </div>
  );
}
