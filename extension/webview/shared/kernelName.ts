/**
 * Names of kernels as they can be read in a narrow column. The whole name is always there too, as tooltip and in what is copied.
 */

/** Without its result, its parameters and the namespaces of PyTorch: `vectorized_elementwise_kernel<4, FillFunctor<float>, …>`. */
export function shortKernel(name: string): string {
  const text = withoutParameters(name.replace(/ \[clone [^\]]*\]$/, ''))
    .replace(/^void /, '')
    .replaceAll(/\(anonymous namespace\)::/g, '')
    .replaceAll(/\b(?:at::native|at::cuda::detail|at::cuda|at::detail|at|c10|std)::/g, '');
  return text === '' ? name : text;
}

/** `f<int>(float*, int)` → `f<int>`. A name in words, as `Memcpy DtoH (Device -> Pageable)`, has none. */
function withoutParameters(name: string): string {
  if (!name.endsWith(')')) {
    return name;
  }
  let depth = 0;
  for (let i = name.length - 1; i > 0; i--) {
    depth += name[i] === ')' ? 1 : name[i] === '(' ? -1 : 0;
    if (depth === 0) {
      return name[i - 1] === ' ' ? name : name.slice(0, i);
    }
  }
  return name;
}
