/**
 * Words for a run: label, description and tooltip, without an editor.
 */
import { outcomeText } from '../format';
import type { RunSummary } from '../server/wire';

export function runDescription(run: RunSummary, now: Date): string {
  if (run.problem !== null) {
    return `${when(run.created, now)} · can't be read`.replace(/^ · /, '');
  }
  if (run.kind === 'trace') {
    // Before it is read nothing is known of it.
    const steps = run.steps === 0 ? '' : run.steps === 1 ? '1 step' : `${run.steps} steps`;
    return ['trace file', when(run.created, now), steps].filter((part) => part !== '').join(' · ');
  }
  const steps = run.steps === 0 ? 'no steps' : run.steps === 1 ? '1 step' : `${run.steps} steps`;
  return [when(run.created, now), steps, outcomeText(run.outcome)].filter((part) => part !== '').join(' · ');
}

/** `14:03` for today, `11-28 14:03` this year, else with the year: in the zone the run was recorded in. */
export function when(created: string, now: Date): string {
  const match = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}:\d{2})/.exec(created);
  if (!match) {
    return '';
  }
  const [, year = '', month = '', day = '', time = ''] = match;
  const date = `${month}-${day}`;
  if (Number(year) !== now.getFullYear()) {
    return `${year}-${date} ${time}`;
  }
  const today = `${String(now.getMonth() + 1).padStart(2, '0')}-${String(now.getDate()).padStart(2, '0')}`;
  return date === today ? time : `${date} ${time}`;
}

/** Rows of the tooltip's table: name and value. Values are plain text. */
export function runFacts(run: RunSummary): [string, string][] {
  const rows: [string, string][] = [
    ['Recorded', run.created],
    ['Script', run.main ?? (run.kind === 'trace' ? '' : run.name)],
    ['Arguments', run.argv.slice(1).join(' ')],
    ['Steps', stepsFact(run)],
    ['PyTorch', run.torch],
    ['Python', run.python],
    ['Devices', run.devices.join(', ')],
    [run.kind === 'trace' ? 'File' : 'Folder', run.path],
  ];
  return rows.filter(([, value]) => value !== '');
}

function stepsFact({ steps, step_source: source, kind }: RunSummary): string {
  if (steps === 0) {
    return kind === 'trace' ? '' : 'none found';
  }
  return source === 'none' ? String(steps) : `${steps} (by ${source})`;
}
