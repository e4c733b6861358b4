/**
 * What the run is and what it cost as a whole.
 */
import { count, outcomeText, share, sizeBytes, timeUs } from '../../format';
import type { LinesView } from '../../server/wire';
import { Icon } from '../shared/Icon';
import type { Spread } from '../shared/perStep';
import { useSession } from '../shared/session';
import { allocated } from './columns';

interface Props {
  readonly view: LinesView;
  readonly spread: Spread;
}

export function Header({ view, spread }: Props) {
  const { run: bound, active, transport, command } = useSession();
  const { run } = view;
  // What follows the active run always shows what the editor shows, and without lines there is nothing to show there.
  const inEditor = bound === null || view.rows.length === 0 || !transport.editor ? null : active;
  if (run === null) {
    return null;
  }
  const bytes = view.rows.reduce((sum, row) => sum + allocated(row), 0);
  const { total, attributed, library, unattributed, without_launch } = view.device_us;
  const facts = [
    view.steps === 0 ? 'no steps found' : `${count(view.steps)} ${view.steps === 1 ? 'step' : 'steps'}`,
    run.created.slice(0, 16).replace('T', ' '),
    run.torch === '' ? '' : `PyTorch ${run.torch}`,
    view.devices.join(', '),
    outcomeText(run.outcome),
  ].filter((fact) => fact !== '');
  return (
    <header class="run">
      <div class="title">
        <h1 title={run.main ?? run.name}>{run.name}</h1>
        <p class="facts">{facts.join(' · ')}</p>
        {inEditor === null ? null : (
          <p class="in-editor">
            {inEditor ? (
              <span title="The numbers at your lines are of this recording">
                <Icon name="check" /> Shown in the editor
              </span>
            ) : (
              <button
                type="button"
                class="link"
                title="Show this recording’s numbers at your lines"
                onClick={() => command('show-in-editor')}
              >
                Show in the editor
              </button>
            )}
          </p>
        )}
      </div>
      <dl class="totals">
        {total > 0 ? (
          <>
            <Total name="GPU" value={timeUs(total / spread.steps) + spread.suffix} help="Device time of all kernels, over all streams" />
            <Total
              name="On your lines"
              value={share(attributed / total)}
              help="Share of the device time that was launched from lines of your code"
            />
            {library > 0 ? (
              <Total
                name="In libraries"
                value={share(library / total)}
                help="Share of the device time whose launch is known, with only library frames above it"
              />
            ) : null}
            {unattributed > 0 ? (
              <Total
                name="Unattributed"
                value={share(unattributed / total)}
                help={`Share of the device time that can't be tied to any frame: ${share(without_launch / total)} has no recorded launch, ${share((unattributed - without_launch) / total)} no recorded call stack`}
              />
            ) : null}
          </>
        ) : null}
        <Total name="Wall" value={timeUs(view.recording_us / spread.steps) + spread.suffix} help="Wall time of the recording" />
        {bytes > 0 ? (
          <Total
            name="Allocated"
            value={sizeBytes(bytes / spread.steps) + spread.suffix}
            help="Bytes that all lines allocated, over all devices"
          />
        ) : null}
      </dl>
    </header>
  );
}

function Total({ name, value, help }: { readonly name: string; readonly value: string; readonly help: string }) {
  return (
    <div title={help}>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
