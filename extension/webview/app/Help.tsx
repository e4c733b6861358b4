/**
 * “What am I looking at?”: the page and its metrics in words.
 */
import type { Page } from './pages';

export function Help({ page }: { readonly page: Page }) {
  return (
    <div class="help">
      <h2>{page.title}</h2>
      <p>{page.help.about}</p>
      <dl>
        {page.help.metrics.map(({ name, meaning }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
