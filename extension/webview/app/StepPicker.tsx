/**
 * The steps of the recording with how long each took, to choose one.
 */
import { useEffect, useState } from 'preact/hooks';
import { timeUs } from '../../format';
import type { Overview } from '../../server/expected';
import { WHOLE } from '../shared/part';
import { useSession } from '../shared/session';

type Steps = Overview['steps'];

export function StepPicker({ onClose }: { readonly onClose: () => void }) {
  const { transport, run, part, setPart } = useSession();
  const [steps, setSteps] = useState<Steps | string | null>(null);
  useEffect(() => {
    const controller = new AbortController();
    const whole = { ...WHOLE, rank: part.rank };
    transport.ask('kinetoscope/view', { run, name: 'overview', part: whole }, controller.signal).then(
      // SAFETY: the content of the view is of this type.
      ({ content }) => setSteps((content as Overview).steps),
      (error: unknown) => {
        if (!controller.signal.aborted) {
          setSteps(error instanceof Error ? error.message : String(error));
        }
      },
    );
    return () => controller.abort();
  }, []);
  const choose = (step: number | null) => {
    setPart({ step, range_us: null });
    onClose();
  };
  if (steps === null || typeof steps === 'string') {
    return <p class="quiet">{steps ?? 'Looking up the steps…'}</p>;
  }
  if (!steps.marked) {
    return <p class="quiet">No steps were recorded. Call the profiler’s step() after each iteration, or select a range in the timeline.</p>;
  }
  const longest = Math.max(...steps.each.map(({ us }) => us));
  return (
    <ul class="steps" aria-label="Steps" onKeyDown={moveFocus}>
      <li>
        <button type="button" aria-pressed={part.step === null && part.range_us === null} onClick={() => choose(null)}>
          All {steps.each.length} steps
        </button>
      </li>
      {steps.each.map(({ number, us }) => (
        <li key={number}>
          <button
            type="button"
            aria-pressed={part.step === number}
            data-autofocus={part.step === number ? true : undefined}
            onClick={() => choose(number)}
          >
            <span>Step {number}</span>
            <span class="bar" aria-hidden="true">
              <span style={{ width: `${longest > 0 ? (100 * us) / longest : 0}%` }} />
            </span>
            <span class="amount">{timeUs(us)}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

/** Up and down go through the list. */
function moveFocus(event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void {
  const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  if (by !== 0) {
    event.preventDefault();
    const buttons = [...event.currentTarget.querySelectorAll('button')];
    buttons[Math.max(0, buttons.indexOf(document.activeElement as HTMLButtonElement) + by)]?.focus();
  }
}
