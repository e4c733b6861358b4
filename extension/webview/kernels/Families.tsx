/**
 * The families of kernels as parts of one bar, and as buttons that choose them.
 */
import { share } from '../../format';
import { Segments } from '../shared/Segments';
import { familyLabel } from './rows';
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
  const dim = (name: string) => (chosen.length > 0 && !chosen.includes(name) ? ' dim' : '');
  return (
    <div class="families">
      <div class="parts" aria-hidden="true">
        {families.map(({ name, share: part }) => (
          <span
            key={name}
            class={`family-${name}${dim(name)}`}
            style={{ flexGrow: part }}
            title={`${familyLabel(name)}: ${share(part)}`}
            onClick={() => toggle(name)}
          />
        ))}
      </div>
      <div class="chips" role="group" aria-label="Families">
        {families.map(({ name, share: part }) => (
          <button
            key={name}
            type="button"
            class={`chip family-${name}`}
            aria-pressed={chosen.includes(name)}
            title={`Show ${familyLabel(name)} only, or with the other chosen families`}
            onClick={() => toggle(name)}
          >
            <span class="swatch" aria-hidden="true" />
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
