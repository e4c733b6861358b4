/**
 * Amounts of a whole recording as those of its mean step, or as their sum.
 */
import { useMemo } from 'preact/hooks';
import { Segments } from './Segments';
import { useSession } from './session';

export type Per = 'step' | 'run';

/** Over how many steps sums are spread: 1 for the sum. */
export interface Spread {
  readonly steps: number;
  /** Of what amounts are then, to follow them: ` / step` or nothing. */
  readonly suffix: string;
}

/** `steps`: of which the amounts are, 0 where that can't be said. Otherwise those of the recording, and of a part that is looked at there is only the sum. */
export function usePerStep(per: Per, steps = useStepsOfWhole()): { readonly spread: Spread; readonly offered: boolean } {
  const offered = steps > 0;
  const over = offered && per === 'step' ? steps : 1;
  const spread = useMemo<Spread>(() => ({ steps: over, suffix: offered && per === 'step' ? ' / step' : '' }), [over, offered, per]);
  return { spread, offered };
}

function useStepsOfWhole(): number {
  const { steps, part } = useSession();
  return part.step === null && part.range_us === null ? steps.length : 0;
}

interface Props {
  /** Name of the group of radio buttons. */
  readonly name: string;
  readonly per: Per;
  readonly offered: boolean;
  readonly onPer: (per: Per) => void;
}

export function PerStep({ name, per, offered, onPer }: Props) {
  return offered ? (
    <Segments
      label="Amounts"
      name={name}
      chosen={per}
      choices={[
        { value: 'step', label: 'per step', help: 'Sum over the recording, divided by its steps' },
        { value: 'run', label: 'per run', help: 'Sum over the recording' },
      ]}
      onChoose={onPer}
    />
  ) : null;
}

export function restorePer(saved: unknown): Per {
  return saved === 'run' ? 'run' : 'step';
}
