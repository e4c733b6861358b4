/**
 * The run that the app shows, and the part of it: asked of the server, and again whenever it tells of a change.
 */
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Part, RunDescription } from '../../server/expected';
import type { ReadProgress, RunList } from '../../server/wire';
import { changedPart, samePart, WHOLE } from '../shared/part';
import type { Transport } from '../shared/transport';

export interface Run {
  /** Null until it is known. */
  readonly list: RunList | null;
  readonly description: RunDescription | null;
  readonly part: Part;
  readonly setPart: (patch: Partial<Part>) => void;
  readonly revision: number;
  readonly progress: ReadProgress | null;
  /** Why the list of runs is not known. */
  readonly problem: string | null;
  readonly again: () => void;
}

/** `bound`: the run's path, null for the active one. `linked`: the part that a link asks for. */
export function useRun(transport: Transport, bound: string | null, linked: Part | undefined): Run {
  const [list, setList] = useState<RunList | null>(null);
  const [description, setDescription] = useState<RunDescription | null>(null);
  const [part, showPart] = useState<Part>(linked ?? WHOLE);
  const [revision, setRevision] = useState(-1);
  const [progress, setProgress] = useState<ReadProgress | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const asked = useRef(0);
  const wanted = useRef(linked);
  const known = useRef<string | null>(null);
  const path = bound ?? list?.active ?? null;
  const pathNow = useRef(path);
  pathNow.current = path;

  const refresh = useCallback(async () => {
    const mine = ++asked.current;
    const isOld = () => mine !== asked.current;
    try {
      const runs = await transport.ask('kinetoscope/runs/list', {});
      if (isOld()) {
        return;
      }
      setList(runs);
      setProblem(null);
      const now = bound ?? runs.active;
      const described = now === null ? null : await describe(transport, bound, wanted.current);
      if (isOld()) {
        return;
      }
      wanted.current = undefined;
      setDescription(described);
      showPart((before) => (described === null ? WHOLE : samePart(before, described.part) ? before : described.part));
      if (known.current !== now) {
        known.current = now;
        setProgress(null);
        setRevision((before) => before + 1);
      }
    } catch (error) {
      if (!isOld()) {
        setProblem(error instanceof Error ? error.message : String(error));
      }
    }
  }, [transport, bound]);

  useEffect(() => {
    known.current = null;
    void refresh();
    const off = [
      transport.on('kinetoscope/runs/changed', () => void refresh()),
      transport.on('kinetoscope/lines/changed', ({ uri }) => {
        // Of all documents: the active run is another, or was read anew.
        if (uri === null && known.current !== null && (bound === null || bound === pathNow.current)) {
          setRevision((before) => before + 1);
        }
      }),
      transport.on('kinetoscope/part/changed', (changed) => {
        if (changed.run === pathNow.current) {
          showPart((before) => (samePart(before, changed.part) ? before : changed.part));
        }
      }),
      transport.on('kinetoscope/read/progress', (now) => {
        if (pathNow.current === null || now.run === pathNow.current) {
          setProgress(['done', 'failed', 'cancelled'].includes(now.stage) ? null : now);
        }
      }),
    ];
    return () => off.forEach((end) => end());
  }, [transport, bound, refresh]);

  // A link that is followed later.
  const first = useRef(true);
  useEffect(() => {
    if (first.current) {
      first.current = false;
    } else if (linked !== undefined) {
      wanted.current = linked;
      void refresh();
    }
  }, [linked]);

  const current = useRef(part);
  current.current = part;
  const setPart = useCallback(
    (patch: Partial<Part>) => {
      const next = changedPart(current.current, patch);
      const before = current.current;
      showPart(next);
      transport.ask('kinetoscope/part/select', { run: bound, part: next }).then(setDescription, () => showPart(before));
    },
    [transport, bound],
  );
  const again = useCallback(() => {
    setProblem(null);
    void refresh();
  }, [refresh]);

  return useMemo(
    () => ({ list, description, part, setPart, revision, progress, problem, again }),
    [list, description, part, setPart, revision, progress, problem, again],
  );
}

/** With the part that is wanted, where the recording has it. Null where the run can't be described: its pages then say why. */
async function describe(transport: Transport, run: string | null, wanted: Part | undefined): Promise<RunDescription | null> {
  if (wanted !== undefined) {
    try {
      return await transport.ask('kinetoscope/part/select', { run, part: wanted });
    } catch {
      // A link may be of another recording of the same name.
    }
  }
  try {
    return await transport.ask('kinetoscope/run/describe', { run });
  } catch {
    return null;
  }
}
