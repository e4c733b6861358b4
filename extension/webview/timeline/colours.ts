/**
 * What an event's colour stands for: a few groups of categories, so that six colours are enough.
 */
import type { EventCategory } from '../../server/wire';
import { REST, SHADES } from '../shared/canvas/palette';

export interface ColourGroup {
  readonly title: string;
  /** Index into the palette's series. */
  readonly series: number;
  readonly categories: readonly EventCategory[];
}

export const GROUPS: readonly ColourGroup[] = [
  {
    title: 'Operators, modules, elementwise',
    series: 0,
    categories: ['operator', 'module', 'elementwise', 'optimizer', 'index', 'random', 'sort'],
  },
  { title: 'Your code, GEMM, convolution', series: 1, categories: ['user', 'line', 'gemm', 'convolution'] },
  { title: 'Backward, attention', series: 2, categories: ['backward', 'attention'] },
  {
    title: 'Lines known less exactly, norm, reduction',
    series: 3,
    categories: ['call', 'inferred', 'function', 'norm', 'reduction', 'softmax', 'pooling', 'loss'],
  },
  { title: 'Annotations, copies', series: 4, categories: ['annotation', 'copy', 'fill'] },
  { title: 'Communication, waiting for the device', series: 5, categories: ['communication', 'waiting'] },
  { title: 'Libraries, runtime calls, other', series: REST, categories: ['step', 'library', 'builtin', 'runtime', 'other'] },
];

const SERIES_OF = new Map(GROUPS.flatMap(({ series, categories }) => categories.map((category) => [category, series])));

/** Series and shade in one number: names of one series differ a little, so that neighbours are told apart. */
export function styleOf(name: string, category: EventCategory): number {
  let hash = 0;
  for (let at = 0; at < name.length; at++) {
    hash = (hash * 31 + name.charCodeAt(at)) >>> 0;
  }
  return (SERIES_OF.get(category) ?? REST) * SHADES + (hash % SHADES);
}

export function seriesOf(category: EventCategory): number {
  return SERIES_OF.get(category) ?? REST;
}
