/**
 * How well each device was used, as gauges.
 */
import { share, sizeBytes } from '../../format';
import type { DeviceSummary } from '../../server/views';

type Measure = 'utilization' | 'sm_efficiency' | 'occupancy' | 'tensor_core_share';

export const MEASURES: readonly { readonly of: Measure; readonly name: string; readonly help: string; readonly missing: string }[] = [
  {
    of: 'utilization',
    name: 'Utilisation',
    help: 'Share of the time in which at least one kernel ran on the device',
    missing: 'No kernel of this device was recorded',
  },
  {
    of: 'sm_efficiency',
    name: 'SM efficiency',
    help: 'Share of the device’s multiprocessors that had a block to work on, over all of the time',
    missing: 'The trace does not say how many blocks kernels had on a multiprocessor',
  },
  {
    of: 'occupancy',
    name: 'Occupancy',
    help: 'Estimated share of the threads that a multiprocessor can hold, while kernels ran, weighted by their duration',
    missing: 'The trace does not say the occupancy of kernels',
  },
  {
    of: 'tensor_core_share',
    name: 'Tensor Cores',
    help: 'Share of the kernels’ time spent in kernels that, by their names, compute on Tensor Cores (matrix cores on AMD)',
    missing: 'No kernel tells whether it uses Tensor Cores',
  },
];

export function Devices({ devices }: { readonly devices: readonly DeviceSummary[] }) {
  return (
    <section aria-labelledby="devices-title">
      <h2 id="devices-title">Devices</h2>
      {devices.length === 0 ? (
        <p class="quiet">No device ran a kernel here: all work was on the CPU, or kernels were not recorded.</p>
      ) : (
        <ul class="devices">
          {devices.map((device) => (
            <li key={device.device}>
              <Device device={device} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Device({ device }: { readonly device: DeviceSummary }) {
  const facts = [
    device.device,
    device.memory_bytes === null ? '' : sizeBytes(device.memory_bytes),
    device.compute_capability === null ? '' : `compute capability ${device.compute_capability}`,
  ].filter((fact) => fact !== '');
  return (
    <article class="device">
      <h3>{device.name === '' ? device.device : device.name}</h3>
      <p class="quiet">{facts.join(' · ')}</p>
      <div class="gauges">
        {MEASURES.map(({ of, name, help, missing }) => (
          <Gauge key={of} name={name} percent={device[of]} help={device[of] === null ? missing : help} />
        ))}
      </div>
    </article>
  );
}

/** A ring of 270°, filled from the left; `percent` null: not known, and said so. */
function Gauge({ name, percent, help }: { readonly name: string; readonly percent: number | null; readonly help: string }) {
  const text = percent === null ? 'not recorded' : share(percent / 100);
  const filled = percent === null ? 0 : Math.min(100, Math.max(0, percent)) * 0.75;
  return (
    <div class="gauge" title={help}>
      <div
        class="dial"
        {...(percent === null
          ? { role: 'img', 'aria-label': `${name}: ${text}. ${help}` }
          : {
              role: 'meter',
              'aria-label': name,
              'aria-valuemin': 0,
              'aria-valuemax': 100,
              'aria-valuenow': percent,
              'aria-valuetext': text,
            })}
      >
        <svg viewBox="0 0 100 88" aria-hidden="true">
          <g fill="none" transform="rotate(135 50 50)">
            <circle class="track" cx="50" cy="50" r="42" pathLength={100} stroke-dasharray="75 25" />
            {filled > 0 ? (
              <circle class="filled" cx="50" cy="50" r="42" pathLength={100} stroke-dasharray={`${filled} ${100 - filled}`} />
            ) : null}
          </g>
        </svg>
        <span class={percent === null ? 'unknown' : 'value'}>{percent === null ? 'not recorded' : text}</span>
      </div>
      <span class="name">{name}</span>
    </div>
  );
}
