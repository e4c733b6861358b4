/**
 * The server's requests that a page may ask of the run that it shows. Their parameters have a `run`, which is the host's to set.
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
] as const satisfies readonly (keyof Requests)[];

export type PassedMethod = (typeof PASSED_METHODS)[number];
