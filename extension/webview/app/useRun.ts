/**
 * The run that the app shows, and the part of it: asked of the server, and again whenever it tells of a change.
 */
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { ReadProgress, RunDescription, RunList } from '../../server/wire';
import { changedPart, chosenPart, samePart, WHOLE } from '../shared/part';
import type { ChosenPart } from '../shared/part';
import { isAborted } from '../shared/transport';
import type { Transport } from '../shared/transport';

export interface Run {
  /** Null until it is known. */
  readonly list: RunList | null;
  /** Null until the run is read, and where there is none. */
  readonly description: RunDescription | null;
  readonly part: ChosenPart;
  /** As the server has it. */
  readonly selected: ChosenPart;
  readonly setPart: (patch: Partial<ChosenPart>) => void;
  readonly revision: number;
  readonly progress: ReadProgress | null;
  /** Why the run is not there. */
  readonly problem: string | null;
  readonly again: () => void;
  /** Waits no more for the run. */
  readonly cancel: () => void;
}

/** `bound`: the run's path, null for the active one. `linked`: the part that a link asks for. */
export function useRun(transport: Transport, bound: string | null, linked: ChosenPart | undefined): Run {
  const [list, setList] = useState<RunList | null>(null);
  const [description, setDescription] = useState<RunDescription | null>(null);
  const [part, setShownPart] = useState<ChosenPart>(linked ?? WHOLE);
  const [revision, setRevision] = useState(-1);
  const [progress, setProgress] = useState<ReadProgress | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const asking = useRef<AbortController | null>(null);
  const wanted = useRef(linked);
  /** Revisions grow over all runs: an answer for one is never taken for one for another. */
  const last = useRef(-1);
  /** Path of the run that is described. */
  const known = useRef<string | null>(null);
  /** Path of the run that is to be described. */
  const path = useRef<string | null>(bound);

  const showPart = useCallback((next: ChosenPart) => setShownPart((before) => (samePart(before, next) ? before : next)), []);
  const [selected, setSelected] = useState<ChosenPart>(WHOLE);
  /** What the server said last that is selected. Other pages of the run, and the editor, select too. */
  const said = useRef<ChosenPart>(WHOLE);
  const selecting = useRef<ChosenPart | null>(null);
  const describedRank = useRef<number | null>(null);
  const confirmPart = useCallback(
    (next: ChosenPart) => {
      said.current = next;
      showPart(next);
      setSelected((before) => (samePart(before, next) ? before : next));
    },
    [showPart],
  );

  const refresh = useCallback(async () => {
    asking.current?.abort();
    const mine = new AbortController();
    asking.current = mine;
    const isOld = () => asking.current !== mine;
    try {
      const runs = await transport.ask('kinetoscope/runs/list', {}, mine.signal);
      if (isOld()) {
        return;
      }
      setList(runs);
      path.current = bound ?? runs.active;
      if (known.current !== path.current) {
        // Nothing of the run before is shown under the name of this one; and when that is chosen again it is a new one.
        known.current = null;
        setDescription(null);
        setProblem(null);
        setProgress(null);
        setRevision(-1);
      }
      const described = path.current === null ? null : await describe(transport, bound, wanted.current, mine.signal);
      if (isOld()) {
        return;
      }
      wanted.current = undefined;
      setDescription(described);
      describedRank.current = described?.part.rank ?? null;
      setProblem(null);
      confirmPart(described === null ? WHOLE : chosenPart(described.part));
      if (known.current !== path.current) {
        known.current = path.current;
        setProgress(null);
        setRevision(++last.current);
      }
    } catch (error) {
      if (!isOld()) {
        known.current = null;
        setDescription(null);
        setProgress(null);
        setRevision(-1);
        setProblem(isAborted(error) ? 'It was cancelled.' : error instanceof Error ? error.message : String(error));
      }
    }
  }, [transport, bound, confirmPart]);
  useEffect(() => {
    void refresh();
    const off = [
      transport.on('kinetoscope/runs/changed', () => void refresh()),
      transport.on('kinetoscope/lines/changed', ({ uri }) => {
        // Of all documents: the numbers of the active run are others.
        if (uri === null && known.current !== null && bound === null) {
          setRevision(++last.current);
        }
      }),
      transport.on('kinetoscope/part/changed', (changed) => {
        if (changed.run === path.current) {
          const next = chosenPart(changed.part);
          confirmPart(next);
          // Steps and the length of the recording are those of a rank. Of what is selected here the answer says them.
          if (next.rank !== describedRank.current && !(selecting.current !== null && samePart(selecting.current, next))) {
            void refresh();
          }
        }
      }),
      transport.on('kinetoscope/read/progress', (now) => {
        if (path.current === null || now.run === path.current) {
          setProgress(['done', 'failed', 'cancelled'].includes(now.stage) ? null : now);
        }
      }),
    ];
    return () => off.forEach((end) => end());
  }, [transport, bound, refresh, confirmPart]);

  // A link that is followed later.
  const isFirst = useRef(true);
  useEffect(() => {
    if (isFirst.current) {
      isFirst.current = false;
    } else if (linked !== undefined) {
      wanted.current = linked;
      void refresh();
    }
  }, [linked]);

  const now = useRef(part);
  now.current = part;
  const setPart = useCallback(
    (patch: Partial<ChosenPart>) => {
      const next = changedPart(now.current, patch);
      const before = said.current;
      showPart(next);
      const of = path.current;
      selecting.current = next;
      // The answer to an earlier choice, or of the run before, is of no use any more.
      const isLast = () => next === selecting.current && of === path.current;
      transport.ask('kinetoscope/part/select', { run: bound, part: next }).then(
        (described) => {
          if (isLast()) {
            selecting.current = null;
            // Where something else was selected meanwhile, elsewhere, that is what is.
            if (said.current === before || samePart(said.current, next)) {
              setDescription(described);
              describedRank.current = next.rank;
              confirmPart(next);
            }
          }
        },
        () => {
          if (isLast()) {
            selecting.current = null;
            showPart(said.current);
          }
        },
      );
    },
    [transport, bound, showPart, confirmPart],
  );
  const again = useCallback(() => {
    setProblem(null);
    void refresh();
  }, [refresh]);
  const cancel = useCallback(() => asking.current?.abort(), []);

  return useMemo(
    () => ({ list, description, part, selected, setPart, revision, progress, problem, again, cancel }),
    [list, description, part, selected, setPart, revision, progress, problem, again, cancel],
  );
}

/** With the part that is wanted, where the recording has it: a link may be of another recording of the same name. */
async function describe(
  transport: Transport,
  run: string | null,
  wanted: ChosenPart | undefined,
  signal: AbortSignal,
): Promise<RunDescription> {
  if (wanted !== undefined) {
    try {
      return await transport.ask('kinetoscope/part/select', { run, part: wanted }, signal);
    } catch (error) {
      if (isAborted(error)) {
        throw error;
      }
    }
  }
  return await transport.ask('kinetoscope/run/describe', { run }, signal);
}
