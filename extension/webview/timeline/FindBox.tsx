/**
 * Finds events by name: Enter goes to the next, Shift + Enter to the one before.
 */
import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { EventRef } from '../../server/wire';
import { Icon } from '../shared/Icon';
import { useSession } from '../shared/session';
import { isAborted } from '../shared/transport';

interface Props {
  readonly input: RefObject<HTMLInputElement | null>;
  readonly text: string;
  /** From where to look. */
  readonly event: number | null;
  readonly from: () => number;
  readonly onText: (text: string) => void;
  readonly onFound: (event: EventRef) => void;
  readonly onLeave: () => void;
}

export function FindBox({ input, text, event, from, onText, onFound, onLeave }: Props) {
  const { transport, run, part } = useSession();
  const [said, setSaid] = useState('');
  const asked = useRef<AbortController | null>(null);
  useEffect(() => () => asked.current?.abort(), []);

  const find = async (backwards: boolean) => {
    asked.current?.abort();
    const controller = new AbortController();
    asked.current = controller;
    setSaid('…');
    try {
      const found = await transport.ask(
        'kinetoscope/timeline/find',
        { text, event, from_us: event === null ? from() : null, backwards, run, part: { rank: part.rank, step: null, range_us: null } },
        controller.signal,
      );
      setSaid(found.match ? `${found.index + 1} of ${found.matches}` : 'nothing found');
      if (found.match) {
        onFound(found.match);
      }
    } catch (error) {
      if (!isAborted(error)) {
        setSaid(error instanceof Error ? error.message : String(error));
      }
    }
  };

  return (
    <div class="filter timeline-find">
      <Icon name="search" />
      <input
        ref={input}
        type="text"
        placeholder="Find events"
        aria-label="Find events by name"
        aria-keyshortcuts="/"
        spellcheck={false}
        value={text}
        onInput={({ currentTarget }) => {
          setSaid('');
          onText(currentTarget.value);
        }}
        onKeyDown={(key) => {
          if (key.key === 'Enter' && text.trim() !== '') {
            key.preventDefault();
            void find(key.shiftKey);
          } else if (key.key === 'Escape' && text !== '') {
            setSaid('');
            onText('');
          } else if (key.key === 'Escape' || key.key === 'ArrowDown') {
            key.preventDefault();
            onLeave();
          }
        }}
      />
      <span class="count" role="status">
        {said}
      </span>
      <button
        type="button"
        class="tool"
        aria-label="Previous"
        title="Previous (Shift + Enter)"
        disabled={text.trim() === ''}
        onClick={() => void find(true)}
      >
        <Icon name="arrow-up" />
      </button>
      <button
        type="button"
        class="tool"
        aria-label="Next"
        title="Next (Enter)"
        disabled={text.trim() === ''}
        onClick={() => void find(false)}
      >
        <Icon name="arrow-down" />
      </button>
    </div>
  );
}
