/**
 * Which run the present one is compared with.
 */
import type { RunSummary } from '../../server/wire';
import { shortFile } from '../shared/PlaceLink';

/** The runs that this one can be compared with, newest first. */
export function candidates(runs: readonly RunSummary[], of: RunSummary): RunSummary[] {
  return runs.filter(({ path }) => path !== of.path);
}

/**
 * The run that was chosen, if it is still there and another one; else the one before this one of the same script, else the newest other of the same
 * script, else null: what of other scripts is to be compared is for the reader to say.
 */
export function baselineOf(runs: readonly RunSummary[], of: RunSummary, chosen: string | null): RunSummary | null {
  const others = candidates(runs, of).filter(({ problem }) => problem === null);
  const alike = others.filter(({ main }) => main !== null && main === of.main);
  return others.find(({ path }) => path === chosen) ?? alike.find(({ created }) => created < of.created) ?? alike[0] ?? null;
}

/** `train.py · 2026-03-04 12:29:28`. Traces of one name are told apart by their folders. */
export function runLabel({ kind, name, path, created }: RunSummary): string {
  const when = created.slice(0, 19).replace('T', ' ');
  return [kind === 'trace' ? shortFile(path, 2) : name, when].filter((part) => part !== '').join(' · ');
}
