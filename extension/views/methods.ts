/**
 * The server's requests that a page may ask of a run. Their parameters have a `run`, which the host checks.
 */
import type { Requests } from '../server/wire';

export const PASSED_METHODS = [
  'kinetoscope/run/describe',
  'kinetoscope/part/select',
  'kinetoscope/view',
  'kinetoscope/search',
  'kinetoscope/source/text',
  'kinetoscope/lines/view',
  'kinetoscope/lines/detail',
  'kinetoscope/timeline/tracks',
  'kinetoscope/timeline/tile',
  'kinetoscope/timeline/details',
  'kinetoscope/timeline/find',
  'kinetoscope/timeline/locate',
  'kinetoscope/timeline/sums',
] as const satisfies readonly (keyof Requests)[];

export type PassedMethod = (typeof PASSED_METHODS)[number];
