/**
 * The steps of the recording with how long each took, to choose one.
 */
import { timeUs } from '../../format';
import { useSession } from '../shared/session';

export function StepPicker({ onClose }: { readonly onClose: () => void }) {
  const { steps, part, setPart } = useSession();
  const choose = (step: number | null) => {
    setPart({ step, range_us: null });
    onClose();
  };
  if (steps.length === 0) {
    return (
      <p class="quiet no-steps">
        The recording marks no steps. Where the profiler’s step() is called after each iteration, they can be looked at one by one.
      </p>
    );
  }
  const longest = Math.max(...steps.map((step) => step.dur_us));
  return (
    <ul class="steps" aria-label="Steps" onKeyDown={moveFocus}>
      <li>
        <button type="button" aria-pressed={part.step === null && part.range_us === null} onClick={() => choose(null)}>
          <span>All</span>
        </button>
      </li>
      {steps.map(({ number, dur_us }) => (
        <li key={number}>
          <button
            type="button"
            aria-pressed={part.step === number}
            data-autofocus={part.step === number ? true : undefined}
            onClick={() => choose(number)}
          >
            <span>Step {number}</span>
            <span class="bar" aria-hidden="true">
              <span style={{ width: `${longest > 0 ? (100 * dur_us) / longest : 0}%` }} />
            </span>
            <span class="amount">{timeUs(dur_us)}</span>
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
