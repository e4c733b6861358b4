/**
 * A codicon. Icons only repeat what words say, so screen readers skip them.
 */
export function Icon({ name, spin = false }: { readonly name: string; readonly spin?: boolean }) {
  return <i class={`codicon codicon-${name}${spin ? ' spin' : ''}`} aria-hidden="true" />;
}
