/**
 * Why a device was idle: the causes of the server with their words and tones.
 */
import type { DeviceIdle } from '../../server/views';
import type { Slice, Tone } from '../shared/chart';

interface Cause {
  readonly name: string;
  readonly help: string;
  readonly tone: Tone;
}

export const BUSY = 'busy';

/** In the order of the bar. The first three are the host's part, which has lines. */
export const CAUSES: Readonly<Record<string, Cause>> = {
  data_loading: {
    name: 'Data loading',
    help: 'The host waited for the DataLoader before it launched more work: more num_workers, pin_memory, less work in __getitem__',
    tone: { colour: 'red', pattern: 'plain' },
  },
  synchronisation: {
    name: 'Synchronisation',
    help: 'The host had waited for the device, as .item() and .cpu() do, and so launched the next work late',
    tone: { colour: 'orange', pattern: 'rising' },
  },
  host: {
    name: 'Host',
    help: 'Python, operators and launches were slower than the device: larger batches, torch.compile, CUDA graphs',
    tone: { colour: 'blue', pattern: 'plain' },
  },
  launch_latency: {
    name: 'Launch latency',
    help: 'From the call that launched the work until it began',
    tone: { colour: 'purple', pattern: 'falling' },
  },
  between_kernels: {
    name: 'Between kernels',
    help: 'The work stood in a busy stream already: the time from the end of a kernel to the beginning of the next',
    tone: { colour: 'yellow', pattern: 'dots' },
  },
  dependency: {
    name: 'Dependency',
    help: 'The work was launched, and waited for another stream, device or copy',
    tone: { colour: 'green', pattern: 'bars' },
  },
  unknown: {
    name: 'Unknown',
    help: 'The launch of the work that ended the gap was not recorded, or no work followed in the selected part',
    tone: { colour: 'quiet', pattern: 'rising' },
  },
};

/** The device's time in parts that add up to all of it: busy, then idle by cause. */
export function slicesOf({ busy_us, causes }: DeviceIdle): Slice[] {
  const known = Object.keys(CAUSES).filter((id) => id in causes);
  const others = Object.keys(causes).filter((id) => !(id in CAUSES));
  return [
    { id: BUSY, name: 'Busy', value: busy_us, tone: { colour: 'green', pattern: 'plain' } },
    ...[...known, ...others].map((id): Slice => {
      const { name, tone } = CAUSES[id] ?? { name: id, tone: { colour: 'quiet', pattern: 'dots' } };
      return { id, name, value: causes[id] ?? 0, tone };
    }),
  ];
}

export function causeHelp(id: string): string {
  return id === BUSY ? 'A kernel, copy or fill ran, on any stream' : (CAUSES[id]?.help ?? '');
}
