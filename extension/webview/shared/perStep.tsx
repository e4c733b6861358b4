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

/** Of a step or a range that is looked at there is only the sum: `offered` is false. */
export function usePerStep(per: Per): { readonly spread: Spread; readonly offered: boolean } {
  const { steps, part } = useSession();
  const offered = steps.length > 0 && part.step === null && part.range_us === null;
  const over = offered && per === 'step' ? steps.length : 1;
  const spread = useMemo<Spread>(() => ({ steps: over, suffix: offered && per === 'step' ? ' / step' : '' }), [over, offered, per]);
  return { spread, offered };
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
