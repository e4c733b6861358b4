/**
 * The list of pages. A page is one entry here, one folder beside this one, and one command in package.json (`kinetoscope.show.<id>`).
 */
import type { ComponentType } from 'preact';
import type { PageId } from '../../views/messages';
import { FlamePage } from '../flame/FlamePage';
import { FLAME_HELP } from '../flame/help';
import { KERNELS_HELP } from '../kernels/help';
import { KernelsPage } from '../kernels/KernelsPage';
import { LINES_HELP } from '../lines/help';
import { LinesPage } from '../lines/LinesPage';
import { MEMORY_HELP } from '../memory/help';
import { MemoryPage } from '../memory/MemoryPage';
import { OPERATORS_HELP } from '../operators/help';
import { OperatorsPage } from '../operators/OperatorsPage';
import { OVERVIEW_HELP } from '../overview/help';
import { OverviewPage } from '../overview/OverviewPage';
import type { PageHelp } from '../shared/help';

export interface Page {
  readonly id: PageId;
  readonly title: string;
  /** A codicon. */
  readonly icon: string;
  readonly help: PageHelp;
  /** Rendered when it is first shown; then kept, hidden while others are shown. */
  readonly Component: ComponentType;
}

export const PAGES: readonly Page[] = [
  {
    id: 'overview',
    title: 'Overview',
    icon: 'dashboard',
    help: OVERVIEW_HELP,
    Component: OverviewPage,
  },
  {
    id: 'lines',
    title: 'Lines',
    icon: 'list-ordered',
    help: LINES_HELP,
    Component: LinesPage,
  },
  {
    id: 'operators',
    title: 'Operators',
    icon: 'symbol-operator',
    help: OPERATORS_HELP,
    Component: OperatorsPage,
  },
  {
    id: 'flame',
    title: 'Flame graph',
    icon: 'flame',
    help: FLAME_HELP,
    Component: FlamePage,
  },
  {
    id: 'kernels',
    title: 'Kernels',
    icon: 'circuit-board',
    help: KERNELS_HELP,
    Component: KernelsPage,
  },
  {
    id: 'memory',
    title: 'Memory',
    icon: 'database',
    help: MEMORY_HELP,
    Component: MemoryPage,
  },
];

export function isPage(id: string): id is PageId {
  return PAGES.some((page) => page.id === id);
}
