/**
 * The families of kernels as parts of one bar, and as buttons that choose them.
 */
import { useState } from 'preact/hooks';
import { share } from '../../format';
import { StackedBar, toneClass } from '../shared/chart';
import { Segments } from '../shared/Segments';
import { familyLabel, familyTone } from './rows';
import type { Cores, Family } from './rows';

interface Props {
  readonly families: readonly Family[];
  readonly chosen: readonly string[];
  readonly onChoose: (families: readonly string[]) => void;
  readonly cores: Cores;
  readonly onCores: (cores: Cores) => void;
}

export function Families({ families, chosen, onChoose, cores, onCores }: Props) {
  const toggle = (name: string) => onChoose(chosen.includes(name) ? chosen.filter((one) => one !== name) : [...chosen, name]);
  const [lit, setLit] = useState<string | null>(null);
  return (
    <div class="families">
      <StackedBar
        label={`Device time by family: ${families.map(({ name, share: part }) => `${familyLabel(name)} ${share(part)}`).join(', ')}`}
        slices={families.map(({ name, total_us, share: part }) => ({
          id: name,
          name: `${familyLabel(name)} ${share(part)}`,
          value: total_us,
          tone: familyTone(name),
        }))}
        whole={families.reduce((sum, { total_us }) => sum + total_us, 0)}
        lit={lit}
        onLit={setLit}
      />
      <div class="chips" role="group" aria-label="Families">
        {families.map(({ name, share: part }) => (
          <button
            key={name}
            type="button"
            class={`chip${lit === name ? ' lit' : ''}`}
            aria-pressed={chosen.includes(name)}
            title={`Show ${familyLabel(name)} only, or with the other chosen families`}
            onClick={() => toggle(name)}
            onPointerEnter={() => setLit(name)}
            onPointerLeave={() => setLit(null)}
          >
            <span class={`chart-swatch ${toneClass(familyTone(name))}`} aria-hidden="true" />
            {familyLabel(name)} <span class="quiet">{share(part)}</span>
          </button>
        ))}
        {chosen.length > 0 ? (
          <button type="button" class="link" onClick={() => onChoose([])}>
            All families
          </button>
        ) : null}
        <Segments
          label="Tensor Cores"
          name="kernels-cores"
          chosen={cores}
          choices={[
            { value: 'all', label: 'All', help: 'Kernels with and without Tensor Cores, copies and fills' },
            { value: 'with', label: 'Tensor Cores', help: 'Kernels whose names say that they compute on Tensor Cores' },
            { value: 'without', label: 'Without', help: 'Kernels whose names do not say so' },
          ]}
          onChoose={onCores}
        />
      </div>
    </div>
  );
}
