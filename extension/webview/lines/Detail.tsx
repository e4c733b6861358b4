/**
 * What stands behind a line: the call stacks that led to it, and its operators and kernels.
 */
import { useEffect, useState } from 'preact/hooks';
import { count, sizeBytes, timePairUs, timeUs } from '../../format';
import type { LineCost, LineDetail, LineStack, WorkItem } from '../../server/wire';
import '../shared/detail.css';
import { Frames } from '../shared/Frames';
import { Icon } from '../shared/Icon';
import type { Spread } from '../shared/perStep';
import { Some } from '../shared/Some';
import { WorkLink } from '../shared/WorkLink';

interface Props {
  readonly row: LineCost;
  readonly spread: Spread;
  readonly detail: (row: LineCost) => Promise<LineDetail>;
}

export function Detail({ row, spread, detail }: Props) {
  const [found, setFound] = useState<LineDetail | string | null>(null);
  useEffect(() => {
    let wanted = true;
    setFound(null);
    detail(row).then(
      (result) => wanted && setFound(result),
      (error: unknown) => wanted && setFound(error instanceof Error ? error.message : String(error)),
    );
    return () => {
      wanted = false;
    };
  }, [row, detail]);

  if (found === null || typeof found === 'string') {
    return (
      <div class="detail">
        <p class="quiet">{found ?? 'Looking up call stacks…'}</p>
      </div>
    );
  }
  return (
    <div class="detail" role="presentation">
      <section aria-label="Call stacks">
        <h3>Call stacks</h3>
        {found.stacks.length === 0 ? <p class="quiet">No call stack was recorded for this line.</p> : null}
        <Some items={found.stacks} of="call stacks" draw={(stack, i) => <Stack key={i} stack={stack} spread={spread} />} />
      </section>
      <section aria-label="Operators and kernels">
        <h3>Operators and kernels</h3>
        {found.work.length === 0 ? <p class="quiet">The line ran no operator and launched no kernel.</p> : null}
        <Some items={found.work} of="operators and kernels" draw={(item, i) => <Work key={i} item={item} spread={spread} />} />
      </section>
      <Extra row={row} spread={spread} />
    </div>
  );
}

function Stack({ stack, spread }: { readonly stack: LineStack; readonly spread: Spread }) {
  const gpu = stack.gpu_us + stack.gpu_backward_us;
  const cost = [
    gpu > 0 ? `GPU ${timePairUs(stack.gpu_us / spread.steps, stack.gpu_backward_us / spread.steps)}` : '',
    `CPU ${timeUs(stack.cpu_self_us / spread.steps)}`,
    `${count(stack.calls / spread.steps)}×`,
  ].filter((part) => part !== '');
  return (
    <div class="stack">
      <p class="cost">{cost.join(' · ')}</p>
      <Frames frames={stack.frames} />
    </div>
  );
}

function Work({ item, spread }: { readonly item: WorkItem; readonly spread: Spread }) {
  const times = [
    item.device_us > 0 ? `GPU ${timeUs(item.device_us / spread.steps)}` : '',
    item.host_us > 0 ? `CPU ${timeUs(item.host_us / spread.steps)}` : '',
    `${count(item.calls / spread.steps)}×`,
  ].filter((part) => part !== '');
  return (
    <div class="work">
      <Icon name={item.kind === 'kernel' ? 'circuit-board' : 'symbol-operator'} />
      <WorkLink kind={item.kind} name={item.name} />
      {item.backward ? <span class="badge">backward</span> : null}
      <span class="cost">{times.join(' · ')}</span>
    </div>
  );
}

/** Numbers that have no column: shown where they are not zero. */
function Extra({ row, spread }: { readonly row: LineCost; readonly spread: Spread }) {
  const again = [
    row.gpu_recompute_us > 0 ? `GPU ${timeUs(row.gpu_recompute_us / spread.steps)}` : '',
    row.cpu_recompute_us > 0 ? `CPU ${timeUs(row.cpu_recompute_us / spread.steps)}` : '',
  ].filter((part) => part !== '');
  const facts = [
    again.length > 0 ? `of which recomputed in backward: ${again.join(', ')}` : '',
    row.launches > 0 ? `${count(row.launches / spread.steps)} kernel launches` : '',
    row.sync_us > 0 ? `waits ${timeUs(row.sync_us / spread.steps)} for the device` : '',
    row.gpu_idle_us > 0 ? `leaves the device idle for ${timeUs(row.gpu_idle_us / spread.steps)}` : '',
    ...memoryFacts(row, spread),
  ].filter((fact) => fact !== '');
  return facts.length > 0 ? <p class="extra">{facts.join(' · ')}</p> : null;
}

function memoryFacts(row: LineCost, { steps }: Spread): string[] {
  const devices = [...new Set([...Object.keys(row.alloc_bytes), ...Object.keys(row.freed_bytes), ...Object.keys(row.peak_bytes)])].sort();
  return devices.map((device) => {
    const [allocated, freed, peak] = [row.alloc_bytes[device] ?? 0, row.freed_bytes[device] ?? 0, row.peak_bytes[device] ?? 0];
    const parts = [
      allocated > 0 ? `allocates ${sizeBytes(allocated / steps)}` : '',
      freed > 0 ? `frees ${sizeBytes(freed / steps)}` : '',
      peak > 0 ? `${sizeBytes(peak)} alive at the peak` : '',
    ].filter((part) => part !== '');
    return parts.length > 0 ? `${device} memory: ${parts.join(', ')}` : '';
  });
}
