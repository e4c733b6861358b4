/**
 * An operator or a kernel by its name, and the way to its page where there is one.
 */
import { shortKernel } from './kernelName';
import { useSession } from './session';

interface Props {
  readonly kind: 'operator' | 'kernel';
  readonly name: string;
}

export function WorkLink({ kind, name }: Props) {
  const { go, has } = useSession();
  const [page, title] = kind === 'operator' ? (['operators', 'Operators'] as const) : (['kernels', 'Kernels'] as const);
  const text = kind === 'operator' ? name : shortKernel(name);
  return has(page) ? (
    <button type="button" class="link name" title={`Show in ${title}: ${name}`} onClick={() => go(page, { [kind]: name })}>
      {text}
    </button>
  ) : (
    <span class="name" title={name}>
      {text}
    </span>
  );
}
