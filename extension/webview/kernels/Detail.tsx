/**
 * What stands behind a kernel: its whole name, the lines that launched it, its launches, and the operators that they are of.
 */
import { count, share, sizeBytes, timeUs } from '../../format';
import { At } from '../shared/At';
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
  readonly labels: ReadonlyMap<string, string>;
  readonly launches: Answer<{ readonly rows: readonly Kernel[] }>;
  readonly onOperator: ((operator: string) => void) | null;
}

export function Detail({ row, group, spread, labels, launches, onOperator }: Props) {
  return (
    <div class="detail kernel-detail" role="presentation">
      <p class="whole-name">{row.name}</p>
      <section aria-label="Lines that launched it">
        <h3>Lines that launched it</h3>
        <Lines row={row} spread={spread} labels={labels} />
      </section>
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

type LinesProps = Pick<Props, 'row' | 'spread' | 'labels'>;

/** The dearest lines; what the others took, and what no line is known of, so that all of it is accounted for. */
function Lines({ row, spread, labels }: LinesProps) {
  const { lines, more_lines: more, no_line_calls: unknown, no_line_us } = row;
  const cost = (us: number, calls: number) => (
    <span class="cost">
      {timeUs(us / spread.steps)} · {count(calls / spread.steps)}×{spread.suffix}
      {row.total_us > 0 ? ` · ${share(us / row.total_us)}` : ''}
    </span>
  );
  const rest = others(row);
  return (
    <>
      {lines.map(({ frame, backward, calls, total_us }) => (
        <div key={`${frame.file}:${frame.line} ${String(backward)}`} class="work">
          <At frame={frame} labels={labels} named tabIndex={0} />
          {backward ? (
            <span class="badge" title="By backward operators whose forward operator is on this line">
              backward
            </span>
          ) : null}
          {cost(total_us, calls)}
        </div>
      ))}
      {more > 0 ? (
        <div class="work quiet">
          <span>{more === 1 ? '1 more line' : `${more} more lines`}</span>
          {cost(rest.total_us, rest.calls)}
        </div>
      ) : null}
      {unknown > 0 ? (
        <div class="work quiet">
          <span title="Its launch was not recorded, or no line of your code was known at it">no line known</span>
          {cost(no_line_us, unknown)}
        </div>
      ) : null}
    </>
  );
}

/** What the lines took that are not listed. */
export function others({ total_us, calls, lines, no_line_us, no_line_calls }: Kernel): {
  readonly total_us: number;
  readonly calls: number;
} {
  return {
    // Sums of the same numbers in another order may differ in their last digit.
    total_us: Math.max(0, total_us - no_line_us - lines.reduce((sum, line) => sum + line.total_us, 0)),
    calls: calls - no_line_calls - lines.reduce((sum, line) => sum + line.calls, 0),
  };
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
