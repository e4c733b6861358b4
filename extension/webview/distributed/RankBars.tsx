/**
 * A bar for each rank, all of one scale, and what their parts are on average. A rank's name selects it.
 */
import { share, timeUs } from '../../format';
import { Legend, StackedBar, totalOf } from '../shared/chart';
import { useSession } from '../shared/session';
import { helpOf, meanSlices, slicesOf } from './ranks';
import type { RankTimes, TimePart } from './ranks';

interface Props {
  readonly label: string;
  readonly ranks: readonly RankTimes[];
  readonly parts: readonly TimePart[];
  readonly lit: string | null;
  readonly onLit: (id: string | null) => void;
}

export function RankBars({ label, ranks, parts, lit, onLit }: Props) {
  const { part, setPart, ranks: all } = useSession();
  const selected = part.rank ?? all[0];
  const rows = ranks.map((times) => ({ rank: times.rank, slices: slicesOf(times, parts) }));
  const whole = rows.reduce((most, { slices }) => Math.max(most, totalOf(slices)), 0);
  const mean = meanSlices(ranks, parts);
  const sum = totalOf(mean);
  return (
    <>
      <table class="rank-bars" aria-label={label}>
        <thead class="hidden">
          <tr>
            <th scope="col">Rank</th>
            <th scope="col">Parts</th>
            <th scope="col">All</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ rank, slices }) => (
            <tr key={rank} class={rank === selected && all.length > 1 ? 'selected' : undefined}>
              <th scope="row">
                <button
                  type="button"
                  class="link"
                  aria-pressed={rank === selected}
                  title={`Select rank ${rank} for all pages`}
                  disabled={!all.includes(rank)}
                  onClick={() => setPart({ rank })}
                >
                  Rank {rank}
                </button>
              </th>
              <td class="bar-of" title={partsText(slices)}>
                <StackedBar label={partsText(slices)} slices={slices} whole={whole} lit={lit} onLit={onLit} />
              </td>
              <td class="number">{timeUs(totalOf(slices))}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <Legend
        label={`${label}: parts`}
        of={ranks.length > 1 ? 'Mean of the ranks' : 'Part'}
        slices={mean}
        columns={[
          { title: 'Time', text: ({ value }) => timeUs(value) },
          { title: 'Share', text: ({ value }) => (sum > 0 ? share(value / sum) : '') },
        ]}
        help={({ id }) => helpOf(id)}
        lit={lit}
        onLit={onLit}
      />
    </>
  );
}

function partsText(slices: ReturnType<typeof slicesOf>): string {
  return slices.map(({ name, value }) => `${name} ${timeUs(value)}`).join(', ');
}
