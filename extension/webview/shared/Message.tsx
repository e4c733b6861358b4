/**
 * A page without data: what is the case, why, and what can be done.
 */
import type { ComponentChildren } from 'preact';
import { Icon } from './Icon';

interface Props {
  readonly icon: string;
  readonly spin?: boolean;
  readonly title: string;
  readonly children?: ComponentChildren;
}

export function Message({ icon, spin = false, title, children }: Props) {
  return (
    <div class="message" role="status">
      <Icon name={icon} spin={spin} />
      <h2>{title}</h2>
      {children}
    </div>
  );
}
