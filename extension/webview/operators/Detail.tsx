/**
 * What stands behind an operator: the call stacks that led to it, the kernels that it launched, and its Tensor Cores in words.
 */
import type { ComponentChildren } from 'preact';
import { count, timeUs } from '../../format';
import type { Kernel, Operator } from '../../server/views';
import '../shared/detail.css';
import { Frames } from '../shared/Frames';
import { Icon } from '../shared/Icon';
import type { Spread } from '../shared/perStep';
import { Some } from '../shared/Some';
import type { Answer } from '../shared/view';
import { WorkLink } from '../shared/WorkLink';
import { tensorCoresText } from './columns';
import { shapesText, stacksOf } from './groups';
import type { Group } from './groups';

interface Props {
  readonly row: Operator;
  readonly group: Group;
  readonly spread: Spread;
  readonly stacks: Answer<{ readonly rows: readonly Operator[] }>;
  readonly kernels: Answer<{ readonly rows: readonly Kernel[] }>;
}

export function Detail({ row, group, spread, stacks, kernels }: Props) {
  const whole = group === 'name' ? '' : ' of the operator as a whole';
  return (
    <div class="detail" role="presentation">
      <section aria-label="Call stacks">
        <h3>Call stacks{group === 'shape' ? ' of all its shapes' : ''}</h3>
        {group === 'stack' ? (
          <Stacks stacks={[row]} spread={spread} />
        ) : (
          <Got answer={stacks} of="call stacks">
            {({ rows }) => <Stacks stacks={stacksOf(row, group, rows)} spread={spread} />}
          </Got>
        )}
      </section>
      <section aria-label="Kernels">
        <h3>Kernels{whole}</h3>
        <Got answer={kernels} of="kernels">
          {({ rows }) => <Kernels kernels={kernelsOf(row.name, rows)} spread={spread} />}
        </Got>
      </section>
      <p class="extra">{facts(row).join(' · ')}</p>
    </div>
  );
}

interface GotProps<T> {
  readonly answer: Answer<T>;
  readonly of: string;
  readonly children: (content: T) => ComponentChildren;
}

function Got<T>({ answer, of, children }: GotProps<T>) {
  return answer.state === 'ready' && !answer.stale ? (
    <>{children(answer.content)}</>
  ) : answer.state === 'failed' ? (
    <p class="quiet">
      {answer.message}{' '}
      <button type="button" class="link" onClick={answer.again}>
        Try again
      </button>
    </p>
  ) : (
    <p class="quiet">Looking up {of}…</p>
  );
}

function Stacks({ stacks, spread }: { readonly stacks: readonly Operator[]; readonly spread: Spread }) {
  const known = stacks.filter(({ stack }) => stack.length > 0);
  const without = stacks.filter(({ stack }) => stack.length === 0).reduce((sum, { calls }) => sum + calls, 0);
  return (
    <>
      <Some
        items={known}
        of="call stacks"
        draw={(one, i) => (
          <div key={i} class="stack">
            <p class="cost">
              {costText(one, spread)} {one.backward ? <span class="badge">backward</span> : null}
            </p>
            <Frames frames={one.stack} />
          </div>
        )}
      />
      {without > 0 ? (
        <p class="quiet">
          {known.length === 0
            ? 'No line of your code is known of its calls: the recording has neither a line log nor call stacks of them.'
            : `No line of your code is known of ${times(without, spread)} more.`}
        </p>
      ) : null}
    </>
  );
}

function costText(row: Operator, spread: Spread): string {
  return [
    row.device_self_us > 0 ? `GPU ${timeUs(row.device_self_us / spread.steps)}` : '',
    `CPU ${timeUs(row.host_self_us / spread.steps)}`,
    `${count(row.calls / spread.steps)}×${spread.suffix}`,
  ].filter((part) => part !== '').join(' · '); // prettier-ignore
}

function times(calls: number, spread: Spread): string {
  return `${count(calls / spread.steps)} calls${spread.suffix}`;
}

export interface LaunchedKernel {
  readonly name: string;
  readonly calls: number;
  readonly total_us: number;
}

/** The kernels that operators of a name launched, by kernel name, dearest first. */
export function kernelsOf(operator: string, launches: readonly Kernel[]): LaunchedKernel[] {
  const byName = new Map<string, LaunchedKernel>();
  for (const { name, calls, total_us } of launches.filter((one) => one.operator === operator)) {
    const before = byName.get(name);
    byName.set(name, { name, calls: calls + (before?.calls ?? 0), total_us: total_us + (before?.total_us ?? 0) });
  }
  return [...byName.values()].sort((a, b) => b.total_us - a.total_us);
}

function Kernels({ kernels, spread }: { readonly kernels: readonly LaunchedKernel[]; readonly spread: Spread }) {
  if (kernels.length === 0) {
    return <p class="quiet">It launched no kernel itself.</p>;
  }
  return (
    <Some
      items={kernels}
      of="kernels"
      draw={({ name, calls, total_us }) => (
        <div key={name} class="work">
          <Icon name="circuit-board" />
          <WorkLink kind="kernel" name={name} />
          <span class="cost">
            GPU {timeUs(total_us / spread.steps)} · {count(calls / spread.steps)}×
          </span>
        </div>
      )}
    />
  );
}

function facts(row: Operator): string[] {
  const used = tensorCoresText(row);
  return [
    row.input_shape === '' ? '' : `input shapes ${shapesText(row.input_shape) || row.input_shape}`,
    row.tensor_cores_eligible
      ? row.tensor_cores_self_percent === null
        ? 'can use Tensor Cores, and launched no kernel itself'
        : `can use Tensor Cores: ${used} of the time of its own kernels`
      : used === ''
        ? 'not an operator that uses Tensor Cores'
        : `${used} of the time of its own kernels on Tensor Cores`,
  ].filter((fact) => fact !== '');
}
