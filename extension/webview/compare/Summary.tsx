/**
 * The two runs as a whole: what a step costs in each, by category too, the peak of memory, and the lines that changed most.
 */
import { timeUs } from '../../format';
import type { Change, Comparison, StepChange } from '../../server/wire';
import { categoryHelp, categoryRank, categoryTone } from '../overview/categories';
import { Legend, StackedBar, totalOf } from '../shared/chart';
import type { Slice } from '../shared/chart';
import { Icon } from '../shared/Icon';
import { PlaceLink } from '../shared/PlaceLink';
import { amountOf, differenceText, happens, matchText, mayBeChance, percentText, verdictOf, wordOf } from './changes';
import type { Amount } from './changes';

const FEW = 5;

export function Summary({ comparison, onLines }: { readonly comparison: Comparison; readonly onLines: () => void }) {
  const { steps, per_step, memory } = comparison;
  // Where only one of the two has steps, a step's time stands beside that of a whole recording.
  const alike = per_step || (steps.count.before === 0 && steps.count.after === 0);
  const of = per_step ? 'of a step' : 'of the recording';
  return (
    <div class="compare-summary">
      {alike ? (
        <Headline change={steps.mean_us} what={per_step ? 'A step' : 'The recording'} />
      ) : (
        <p class="headline">
          <Icon name="warning" />
          <span>Only one of the two recordings has steps, so their times can’t be compared as a whole. Record both with steps.</span>
        </p>
      )}
      {per_step && mayBeChance(steps) ? (
        <p class="chance">
          <Icon name="info" /> Steps of one run differ by as much: {spreadText(steps, 'before')} before, {spreadText(steps, 'after')} after.
          Record more steps to tell a difference from chance.
        </p>
      ) : null}
      <table class="changes">
        <thead>
          <tr>
            <th scope="col">Whole</th>
            <th scope="col">Before</th>
            <th scope="col">After</th>
            <th scope="col">Difference</th>
            <th scope="col">Change</th>
            <th scope="col">Result</th>
          </tr>
        </thead>
        <tbody>
          {alike ? <Row name={`Time ${of}`} change={steps.mean_us} amount="us" /> : null}
          {per_step ? <Row name="Fastest step" change={steps.least_us} amount="us" /> : null}
          {per_step ? <Row name="Slowest step" change={steps.most_us} amount="us" /> : null}
          {happens(steps.gpu_us) ? <Row name={`GPU time ${of}`} change={steps.gpu_us} amount="us" /> : null}
          {memory.map(({ device, peak_bytes }) => (
            <Row key={device} name={`Peak memory recorded, ${device}`} change={peak_bytes} amount="bytes" />
          ))}
          <Row name="Steps recorded" change={steps.count} amount="count" />
        </tbody>
      </table>
      {alike ? <Categories comparison={comparison} of={of} /> : null}
      <Largest comparison={comparison} onLines={onLines} />
    </div>
  );
}

function Headline({ change, what }: { readonly change: Change; readonly what: string }) {
  const { before, after, difference } = change;
  const verdict = verdictOf(change, 'us');
  const icon = difference < 0 ? 'arrow-down' : difference > 0 ? 'arrow-up' : 'dash';
  return (
    <p class={`headline ${verdict}`}>
      <Icon name={icon} />
      {difference === 0 ? (
        <span>
          {what} takes {timeUs(after)}, as before.
        </span>
      ) : (
        <span>
          {what} takes <strong>{timeUs(after)}</strong> instead of {timeUs(before)}:{' '}
          <strong>
            {timeUs(Math.abs(difference))} {difference < 0 ? 'faster' : 'slower'}
          </strong>{' '}
          ({percentText(change)}).
        </span>
      )}
    </p>
  );
}

function spreadText({ least_us, most_us }: StepChange, side: 'before' | 'after'): string {
  return `${timeUs(least_us[side])} to ${timeUs(most_us[side])}`;
}

function Row({ name, change, amount }: { readonly name: string; readonly change: Change; readonly amount: Amount }) {
  const verdict = verdictOf(change, amount);
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>{amountOf(change.before, amount)}</td>
      <td>{amountOf(change.after, amount)}</td>
      <td class={verdict}>{differenceText(change, amount)}</td>
      <td class={verdict}>{percentText(change)}</td>
      <td>{wordOf(change, amount)}</td>
    </tr>
  );
}

function Categories({ comparison: { categories }, of }: { readonly comparison: Comparison; readonly of: string }) {
  const slices = (side: 'before' | 'after'): Slice[] =>
    categories.map(({ name, us }) => ({ id: name, name, value: us[side], tone: categoryTone(name) }));
  const stacked = (of: readonly Slice[]) => [...of].sort((a, b) => categoryRank(a.name) - categoryRank(b.name));
  const [before, after] = [slices('before'), slices('after')];
  const whole = Math.max(totalOf(before), totalOf(after));
  const changes = new Map(categories.map(({ name, us }) => [name, us]));
  const change = ({ id }: Slice) => changes.get(id) ?? { before: 0, after: 0, difference: 0, percent: null };
  return (
    <section aria-labelledby="compare-categories">
      <h2 id="compare-categories">Where the time {of} goes</h2>
      <div class="two-bars">
        <span>Before</span>
        <StackedBar label={`Before: ${timeUs(totalOf(before))}, by category`} slices={stacked(before)} whole={whole} />
        <span>After</span>
        <StackedBar label={`After: ${timeUs(totalOf(after))}, by category`} slices={stacked(after)} whole={whole} />
      </div>
      <Legend
        label="Time by category"
        of="Category"
        slices={before.map((slice, i) => ({ ...slice, value: Math.max(slice.value, after[i]?.value ?? 0) }))}
        columns={[
          { title: 'Before', text: (slice) => timeUs(change(slice).before) },
          { title: 'After', text: (slice) => timeUs(change(slice).after) },
          {
            title: 'Difference',
            text: (slice) => <span class={verdictOf(change(slice), 'us')}>{differenceText(change(slice), 'us')}</span>,
          },
          { title: 'Change', text: (slice) => <span class={verdictOf(change(slice), 'us')}>{percentText(change(slice))}</span> },
        ]}
        help={({ id }) => categoryHelp(id)}
      />
    </section>
  );
}

/** By device time where there is any: the server's order. */
function Largest({ comparison: { lines, steps }, onLines }: { readonly comparison: Comparison; readonly onLines: () => void }) {
  const device = steps.gpu_us.before > 0 || steps.gpu_us.after > 0;
  const changed = lines
    .map((line) => ({ line, change: device ? line.gpu_us : line.cpu_self_us }))
    .filter(({ change }) => change.difference !== 0)
    .slice(0, FEW);
  return (
    <section aria-labelledby="compare-lines">
      <h2 id="compare-lines">Lines whose {device ? 'GPU' : 'CPU'} time changed most</h2>
      {changed.length === 0 ? (
        <p class="quiet">No line is known in either recording whose {device ? 'GPU' : 'CPU'} time changed.</p>
      ) : (
        <>
          <ul class="changed-lines">
            {changed.map(({ line, change }) => (
              <li key={`${line.file}:${line.line} ${line.match} ${line.line_before ?? ''}`}>
                <span class={`amount ${verdictOf(change, 'us')}`}>
                  {differenceText(change, 'us')} <span class="word">{wordOf(change, 'us')}</span>
                </span>
                {line.match === 'gone' ? null : <PlaceLink place={line} />}
                {matchText(line) === '' ? null : <span class="badge">{matchText(line)}</span>}
                <code title={line.source}>{line.source === '' ? line.function : line.source}</code>
              </li>
            ))}
          </ul>
          <button type="button" class="link" onClick={onLines}>
            <Icon name="arrow-right" /> See all lines
          </button>
        </>
      )}
    </section>
  );
}
