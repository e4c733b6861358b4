/**
 * What a folder has to offer, as rows of a list to pick from: its runs, then its traces by recording, each with its rank. Without an editor.
 */
import { sizeBytes } from '../format';
import { runDescription, when } from '../runs/describe';
import type { FoundTrace, FoundTraces, RunSummary } from '../server/wire';

export interface Row {
  readonly label: string;
  readonly description: string;
  readonly detail?: string;
  readonly run?: RunSummary;
  readonly trace?: FoundTrace;
}

export interface Group {
  readonly title: string;
  readonly rows: readonly Row[];
}

export function pickGroups({ runs, traces }: FoundTraces, now: Date): Group[] {
  const groups: Group[] = [];
  if (runs.length > 0) {
    groups.push({ title: 'runs', rows: runs.map((run) => ({ label: run.name, description: runDescription(run, now), run })) });
  }
  const recordings = new Map<number, FoundTrace[]>();
  for (const trace of traces) {
    recordings.set(trace.recording, [...(recordings.get(trace.recording) ?? []), trace]);
  }
  for (const recording of recordings.values()) {
    const [first] = recording;
    if (first) {
      const ranks = first.ranks > 1 ? `${first.ranks} ranks` : '';
      groups.push({
        title: [first.folder, ranks].filter((part) => part !== '').join(' · '),
        rows: recording.map((trace) => row(trace, now)),
      });
    }
  }
  return groups;
}

function row(trace: FoundTrace, now: Date): Row {
  const rank = trace.ranks > 1 ? `rank ${trace.rank}` : '';
  const facts = [rank, when(trace.changed, now), sizeBytes(trace.size_bytes)];
  return { label: fileName(trace.path), description: facts.filter((fact) => fact !== '').join(' · '), trace };
}

/** The last part of a path of either kind of system. */
function fileName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}
