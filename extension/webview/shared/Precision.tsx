/**
 * How a cost was tied to its line, as a mark.
 */
import type { Precision } from '../../server/wire';
import { Icon } from './Icon';
import './precision.css';

export const BEST_FIRST: readonly Precision[] = ['line', 'call', 'inferred', 'function'];

export const PRECISION: Readonly<Record<Precision, { readonly icon: string; readonly text: string }>> = {
  line: { icon: 'pass', text: 'exact line, from the line log' },
  call: { icon: 'call-outgoing', text: 'exact calling line, from the call stacks' },
  inferred: { icon: 'question', text: 'line inferred from the source and its calls' },
  function: { icon: 'symbol-method', text: 'whole function: its lines are not known' },
};

export function PrecisionMark({ precision }: { readonly precision: Precision }) {
  const { icon, text } = PRECISION[precision];
  return (
    <span class={`precision ${precision}`} title={`Precision: ${text}`}>
      <Icon name={icon} />
      <span class="hidden">{text}</span>
    </span>
  );
}
