/**
 * The list of pages. A page is one entry here, one folder beside this one, and one command in package.json (`kinetoscope.show.<id>`).
 */
import type { ComponentType } from 'preact';
import type { PageId } from '../../views/messages';
import { ComparePage } from '../compare/ComparePage';
import { COMPARE_HELP } from '../compare/help';
import { DistributedPage } from '../distributed/DistributedPage';
import { DISTRIBUTED_HELP } from '../distributed/help';
import { FlamePage } from '../flame/FlamePage';
import { FLAME_HELP } from '../flame/help';
import { IDLE_HELP } from '../idle/help';
import { IdlePage } from '../idle/IdlePage';
import { KERNELS_HELP } from '../kernels/help';
import { KernelsPage } from '../kernels/KernelsPage';
import { LINES_HELP } from '../lines/help';
import { LinesPage } from '../lines/LinesPage';
import { MEMORY_HELP } from '../memory/help';
import { MemoryPage } from '../memory/MemoryPage';
import { MODULES_HELP } from '../modules/help';
import { ModulesPage } from '../modules/ModulesPage';
import { OPERATORS_HELP } from '../operators/help';
import { OperatorsPage } from '../operators/OperatorsPage';
import { OVERVIEW_HELP } from '../overview/help';
import { OverviewPage } from '../overview/OverviewPage';
import type { PageHelp } from '../shared/help';
import { TIMELINE_HELP } from '../timeline/help';
import { TimelinePage } from '../timeline/TimelinePage';

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
    id: 'kernels',
    title: 'Kernels',
    icon: 'circuit-board',
    help: KERNELS_HELP,
    Component: KernelsPage,
  },
  {
    id: 'timeline',
    title: 'Timeline',
    icon: 'clock',
    help: TIMELINE_HELP,
    Component: TimelinePage,
  },
  {
    id: 'flame',
    title: 'Flame graph',
    icon: 'flame',
    help: FLAME_HELP,
    Component: FlamePage,
  },
  {
    id: 'memory',
    title: 'Memory',
    icon: 'database',
    help: MEMORY_HELP,
    Component: MemoryPage,
  },
  {
    id: 'modules',
    title: 'Modules',
    icon: 'symbol-class',
    help: MODULES_HELP,
    Component: ModulesPage,
  },
  {
    id: 'distributed',
    title: 'Distributed',
    icon: 'broadcast',
    help: DISTRIBUTED_HELP,
    Component: DistributedPage,
  },
  {
    id: 'idle',
    title: 'Idle & sync',
    icon: 'watch',
    help: IDLE_HELP,
    Component: IdlePage,
  },
  {
    id: 'compare',
    title: 'Compare',
    icon: 'diff',
    help: COMPARE_HELP,
    Component: ComparePage,
  },
];

export function isPage(id: string): id is PageId {
  return PAGES.some((page) => page.id === id);
}
