/**
 * Places that the page was asked to show from elsewhere, by a line or a name: the longest first, then one after the other.
 */
import { useState } from 'preact/hooks';
import type { EventRef, Located } from '../../server/wire';
import type { Target } from '../../views/messages';
import type { Span } from '../shared/canvas/viewport';
import { shortFile } from '../shared/PlaceLink';
import { useSession, useTarget } from '../shared/session';

export interface Tour {
  /** What is said of it; null: nothing. */
  readonly note: string | null;
  /** Whether there is more than one place to go to. */
  readonly several: boolean;
  readonly go: (by: 1 | -1) => void;
  readonly end: () => void;
}

interface Places {
  readonly of: string;
  readonly located: Located;
  readonly at: number;
}

interface Ways {
  readonly show: (span: Span) => void;
  readonly select: (event: EventRef) => void;
}

export function useTour({ show, select }: Ways): Tour {
  const { transport, run, part } = useSession();
  const [places, setPlaces] = useState<Places | null>(null);
  const [note, setNote] = useState<string | null>(null);

  const go = (next: Places, by: number) => {
    const count = next.located.events.length;
    const at = (next.at + by + count) % count;
    const event = next.located.events[at];
    setPlaces({ ...next, at });
    if (event) {
      select(event);
    }
  };
  useTarget((target) => {
    if (target.range_us) {
      setPlaces(null);
      show({ start: target.range_us[0], end: target.range_us[1] });
      return;
    }
    const question = questionOf(target);
    if (!question) {
      return;
    }
    setNote(`Looking for ${question.of}…`);
    void transport.ask('kinetoscope/timeline/locate', { ...question.asked, run, part }).then(
      (located) => {
        setNote(located.longest < 0 ? (located.reason ?? `Nothing of ${question.of} is in this part of the recording.`) : null);
        if (located.longest >= 0) {
          go({ of: question.of, located, at: located.longest }, 0);
        } else {
          setPlaces(null);
        }
      },
      (error: unknown) => setNote(error instanceof Error ? error.message : String(error)),
    );
  });

  return {
    note: note ?? (places && placeText(places)),
    several: note === null && places !== null && places.located.events.length > 1,
    go: (by) => {
      if (places) {
        go(places, by);
      }
    },
    end: () => {
      setNote(null);
      setPlaces(null);
    },
  };
}

function placeText({ of, at, located: { events, matches } }: Places): string {
  return `${of}: ${at + 1} of ${events.length}${matches > events.length ? `, the first of ${matches}` : ''}`;
}

function questionOf({
  line,
  operator,
  kernel,
  module,
}: Target): { readonly of: string; readonly asked: { file?: string; line?: number; name?: string } } | null {
  if (line) {
    return { of: `${shortFile(line.file)}:${line.line}`, asked: { file: line.file, line: line.line } };
  }
  const name = operator ?? kernel ?? module;
  return name === undefined ? null : { of: name, asked: { name } };
}
