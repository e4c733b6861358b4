/**
 * The list of pages at the side: icons with titles where there is room, else icons alone; where there is hardly any, the bar has a drop-down instead. One
 * tab stop; arrows move.
 */
import { useRef } from 'preact/hooks';
import type { PageId } from '../../views/messages';
import { Icon } from '../shared/Icon';
import type { Page } from './pages';

interface Props {
  readonly pages: readonly Page[];
  readonly page: PageId;
  readonly onPage: (page: PageId) => void;
}

export function Navigation({ pages, page, onPage }: Props) {
  const list = useRef<HTMLUListElement>(null);
  const onKeyDown = (event: KeyboardEvent) => {
    const buttons = [...(list.current?.querySelectorAll('button') ?? [])];
    const now = buttons.indexOf(document.activeElement as HTMLButtonElement);
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: now + 1,
      ArrowRight: now + 1,
      ArrowUp: now - 1,
      ArrowLeft: now - 1,
      Home: 0,
      End: buttons.length - 1,
    };
    const to = steps[event.key];
    if (to !== undefined) {
      event.preventDefault();
      buttons[(to + buttons.length) % buttons.length]?.focus();
    }
  };
  return (
    <nav class="navigation" aria-label="Pages">
      <ul ref={list} onKeyDown={onKeyDown}>
        {pages.map(({ id, title, icon }) => (
          <li key={id}>
            <button
              type="button"
              title={title}
              aria-current={id === page ? 'page' : undefined}
              tabIndex={id === page ? 0 : -1}
              onClick={() => onPage(id)}
            >
              <Icon name={icon} />
              <span>{title}</span>
            </button>
          </li>
        ))}
      </ul>
    </nav>
  );
}
